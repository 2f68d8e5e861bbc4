internal import KonzaSystem

/// What an option or operand takes, for checking, for help and for completion.
enum ValueKind: Sendable, Equatable {
    case text(String)
    case file
    case number(String, ClosedRange<Int>)
    /// A number that may have a fraction.
    case measure(String, ClosedRange<Double>)
    case choice(String, [String])
    /// Some of the words, with commas between.
    case list(String, [String])

    /// The word that stands for the value in help.
    var placeholder: String {
        switch self {
        case .text(let name), .number(let name, _), .measure(let name, _), .choice(let name, _), .list(let name, _):
            name
        case .file: "FILE"
        }
    }

    /// The words that can be completed.
    var words: [String] {
        switch self {
        case .choice(_, let words), .list(_, let words): words
        case .text, .file, .number, .measure: []
        }
    }
}

/// An option: `--name`, with a value or without.
struct OptionDeclaration: Sendable, Equatable {
    let name: String
    let short: Character?
    /// Nil for a switch.
    let value: ValueKind?
    let note: String
    /// Whether it may be given again and again; otherwise the last one counts.
    let isRepeated: Bool

    init(
        _ name: String, short: Character? = nil, _ value: ValueKind? = nil, _ note: String, isRepeated: Bool = false
    ) {
        self.name = name
        self.short = short
        self.value = value
        self.note = note
        self.isRepeated = isRepeated
    }

    /// As help shows it: `-o, --output FILE`.
    var spelling: String {
        let head = short.map { "-\($0), --\(name)" } ?? "--\(name)"
        return value.map { "\(head) \($0.placeholder)" } ?? head
    }
}

/// An argument that is not an option.
struct OperandDeclaration: Sendable, Equatable {
    enum Count: Sendable {
        case one
        case optional
        /// At least one.
        case some
        /// None or more.
        case any
    }

    let name: String
    let count: Count
    let note: String
    let kind: ValueKind

    init(_ name: String, _ count: Count, _ note: String, kind: ValueKind? = nil) {
        self.name = name
        self.count = count
        self.note = note
        self.kind = kind ?? .text(name)
    }

    var spelling: String {
        switch count {
        case .one: name
        case .optional: "[\(name)]"
        case .some: "\(name)..."
        case .any: "[\(name)]..."
        }
    }
}

/// A command, from which its help, its part of the manual and its completion are made.
struct CommandDeclaration: Sendable {
    struct Example: Sendable, Equatable {
        let line: String
        let note: String
    }

    typealias Work = () async throws(CommandFailure) -> ExitCode

    /// As typed after `konza`, such as `postcards show`.
    let path: [String]
    /// One line, without a full stop.
    let summary: String
    /// Does what was asked.
    let run: @Sendable (CommandContext) -> Work
    /// Paragraphs.
    var about: [String] = []
    var options: [OptionDeclaration] = []
    var operands: [OperandDeclaration] = []
    var verbs: [CommandDeclaration] = []
    var examples: [Example] = []

    init(
        _ path: String, _ summary: String, run: @escaping @Sendable (CommandContext) -> Work, about: [String] = [],
        options: [OptionDeclaration] = [],
        operands: [OperandDeclaration] = [], verbs: [CommandDeclaration] = [],
        examples: [(line: String, note: String)] = []
    ) {
        self.path = path.split(separator: " ").map(String.init)
        self.summary = summary
        self.run = run
        self.about = about
        self.options = options
        self.operands = operands
        self.verbs = verbs
        self.examples = examples.map { Example(line: $0.line, note: $0.note) }
    }

    var name: String { path.joined(separator: " ") }

    /// Every option, those of all commands after its own.
    var allOptions: [OptionDeclaration] { options + CommandCatalogue.common }

    var usage: String {
        let parts = ["konza", name] + (options.isEmpty ? [] : ["[OPTION]..."]) + operands.map(\.spelling)
        return parts.joined(separator: " ")
    }
}

extension CommandDeclaration: Equatable {
    /// No two commands have one path.
    static func == (left: CommandDeclaration, right: CommandDeclaration) -> Bool { left.path == right.path }
}
