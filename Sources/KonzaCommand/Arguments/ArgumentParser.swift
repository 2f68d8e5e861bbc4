internal import KonzaModel
internal import KonzaSystem

/// A command line that was understood: every option is declared and every value checked.
struct Invocation: Sendable, Equatable {
    var command: CommandDeclaration?
    private(set) var values: [String: [String]] = [:]
    private(set) var operands: [String] = []

    init(command: CommandDeclaration? = nil) {
        self.command = command
    }

    /// Whether a switch or option was given.
    func has(_ name: String) -> Bool { values[name] != nil }

    func text(_ name: String) -> String? { values[name]?.last }

    /// Every value of an option that may be given again and again.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The value of an option declared as a number.
    func number(_ name: String) -> Int? { text(name).flatMap { Int($0) } }

    /// The value of an option declared as a number that may have a fraction.
    func measure(_ name: String) -> Double? { text(name).flatMap { Double($0) } }

    /// The words of an option declared as a list.
    func list(_ name: String) -> [String]? {
        text(name)?.split(separator: ",").map(String.init)
    }

    fileprivate mutating func set(_ name: String, _ value: String) { values[name, default: []].append(value) }

    fileprivate mutating func add(operand: String) { operands.append(operand) }
}

/// Reads arguments against the declarations.
struct ArgumentParser {
    private var rest: ArraySlice<String>
    private var invocation = Invocation()
    private var path: [String] = []

    private init(_ arguments: [String]) {
        rest = arguments[...]
    }

    /// Understands the arguments, without the program's name.
    ///
    /// - Throws: what is not understood, with the nearest thing that would be.
    static func parse(_ arguments: [String]) throws(CommandFailure) -> Invocation {
        var parser = ArgumentParser(arguments)
        try parser.run()
        return parser.invocation
    }

    private mutating func run() throws(CommandFailure) {
        var onlyOperands = false
        while let argument = rest.popFirst() {
            if onlyOperands || argument == "-" || !argument.hasPrefix("-") {
                try take(word: argument, isOperand: onlyOperands)
            } else if argument == "--" {
                onlyOperands = true
            } else if argument.hasPrefix("--") {
                try take(long: String(argument.dropFirst(2)))
            } else {
                try take(short: String(argument.dropFirst()))
            }
        }
        if !invocation.has("help"), !invocation.has("version") { try checkOperands() }
    }

    // MARK: words

    private mutating func take(word: String, isOperand: Bool) throws(CommandFailure) {
        guard let command = invocation.command else {
            guard let found = CommandCatalogue.commands.first(where: { $0.name == word }) else {
                throw unknown("command", word, among: CommandCatalogue.commands.map(\.name))
            }
            return try choose(found)
        }
        if !isOperand, invocation.operands.isEmpty,
            let verb = command.verbs.first(where: { $0.path.last == word })
        {
            return try choose(verb)
        }
        invocation.add(operand: word)
    }

    private mutating func choose(_ command: CommandDeclaration) throws(CommandFailure) {
        invocation.command = command
        for name in invocation.values.keys.sorted() where !command.allOptions.contains(where: { $0.name == name }) {
            throw unknownOption("--\(name)")
        }
    }

    private func checkOperands() throws(CommandFailure) {
        guard let command = invocation.command else { return }
        let given = invocation.operands
        let least = command.operands.count { $0.count == .one || $0.count == .some }
        if let first = given.first, command.operands.isEmpty {
            let verbs = command.verbs.compactMap(\.path.last)
            if verbs.isEmpty {
                throw failure("\(quoted(first)): konza \(command.name) takes no arguments")
            }
            throw unknown("part of konza \(command.name)", first, among: verbs)
        }
        if given.count < least {
            let missing = command.operands[given.count]
            throw failure("the command: \(missing.name) is missing (\(missing.note)); usage: \(command.usage)")
        }
        let last = command.operands.last?.count
        if given.count > command.operands.count, last != .some, last != .any {
            throw failure("\(quoted(given[command.operands.count])): one argument too many; usage: \(command.usage)")
        }
        for (index, value) in given.enumerated() {
            let operand = command.operands[min(index, command.operands.count - 1)]
            try check(value, operand.kind, of: operand.name)
        }
    }

    // MARK: options

    private mutating func take(long text: String) throws(CommandFailure) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let option = known.first(where: { $0.name == parts[0] }) else { throw unknownOption("--\(parts[0])") }
        try take(option, "--\(option.name)", parts.count > 1 ? parts[1] : nil)
    }

    private mutating func take(short text: String) throws(CommandFailure) {
        var letters = text[...]
        while let letter = letters.popFirst() {
            guard let option = known.first(where: { $0.short == letter }) else { throw unknownOption("-\(letter)") }
            if option.value != nil {
                try take(option, "-\(letter)", letters.isEmpty ? nil : String(letters))
                return
            }
            try take(option, "-\(letter)", nil)
        }
    }

    private mutating func take(
        _ option: OptionDeclaration, _ spelling: String, _ attached: String?
    ) throws(CommandFailure) {
        guard let kind = option.value else {
            if attached != nil { throw failure("\(spelling): it takes no value") }
            return invocation.set(option.name, "")
        }
        guard let value = attached ?? rest.popFirst() else {
            throw failure("\(spelling): it needs a value (\(kind.placeholder))")
        }
        try check(value, kind, of: spelling)
        invocation.set(option.name, value)
    }

    /// The options that can be meant here: before the command is known, those of every command.
    private var known: [OptionDeclaration] {
        invocation.command?.allOptions ?? CommandCatalogue.common
    }

    private func check(_ value: String, _ kind: ValueKind, of name: String) throws(CommandFailure) {
        switch kind {
        case .text:
            break
        case .file:
            if value.isEmpty { throw failure("\(name): the name of the file is empty") }
        case .number(_, let range):
            guard let number = Int(value), range.contains(number) else {
                throw failure(
                    "\(name) \(quoted(value)): expected a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
        case .measure(_, let range):
            guard let number = Double(value), range.contains(number) else {
                let bounds = "\(Figures.shortest(range.lowerBound)) to \(Figures.shortest(range.upperBound))"
                throw failure("\(name) \(quoted(value)): expected a number from \(bounds)")
            }
        case .choice(_, let words):
            if !words.contains(value) { throw notOne(value, of: words, name) }
        case .list(_, let words):
            let parts = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            for part in parts where !words.contains(part) { throw notOne(part, of: words, name) }
        }
    }

    // MARK: refusals

    private func notOne(_ value: String, of words: [String], _ name: String) -> CommandFailure {
        failure("\(name) \(quoted(value)): expected \(words.joined(separator: ", "))")
    }

    private func unknownOption(_ spelling: String) -> CommandFailure {
        let kind = invocation.command.map { "option of konza \($0.name)" } ?? "option before a command"
        let names = known.map { "--\($0.name)" } + known.compactMap { $0.short.map { "-\($0)" } }
        return unknown(kind, spelling, among: names)
    }

    private func unknown(
        _ kind: String, _ word: String, among candidates: [String]
    ) -> CommandFailure {
        let help = invocation.command.map { "konza help \($0.name)" } ?? "konza help"
        guard let near = Spelling.nearest(to: word, among: candidates) else {
            return failure("\(quoted(word)): no such \(kind); see \(help)")
        }
        return failure("\(quoted(word)): no such \(kind); did you mean \(near)?")
    }

    private func failure(_ text: String) -> CommandFailure {
        CommandFailure("cannot understand \(text)", .usage)
    }

    private func quoted(_ word: String) -> String {
        "\"\(TextSafety.shortened(TextSafety.cleaned(word), to: 60))\""
    }
}
