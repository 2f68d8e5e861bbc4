/// The text of `--help`, made from the declarations.
enum HelpText {
    static let columns = 80

    /// The page of the whole program.
    static var overview: String {
        var lines = ["konza asks the field station: where it is, how it is, and for postcards.", ""]
        lines += ["usage: konza COMMAND [OPTION]...", ""]
        lines += definitions(CommandCatalogue.commands.map { ($0.name, $0.summary) })
        lines += ["", "Options of every command:"]
        lines += definitions(CommandCatalogue.common.map { ($0.spelling, $0.note) })
        lines += ["", "konza help COMMAND explains a command; man konza has it all.", "To begin: konza doctor"]
        return joined(lines)
    }

    /// The page of one command.
    static func page(_ command: CommandDeclaration) -> String {
        var lines = Line.wrapped("konza \(command.name): \(lowered(command.summary))", columns: columns)
        lines += ["", "usage: \(command.usage)"]
        for verb in command.verbs { lines.append("       \(verb.usage)") }
        for paragraph in command.about { lines += [""] + Line.wrapped(paragraph, columns: columns) }
        if !command.verbs.isEmpty {
            lines += [""] + definitions(command.verbs.map { ($0.name, $0.summary) })
        }
        if !command.operands.isEmpty {
            lines += [""] + definitions(command.operands.map { ($0.name, capitalised($0.note) + ".") })
        }
        lines += [""] + definitions(command.allOptions.map { ($0.spelling, $0.note) })
        let examples = command.examples + command.verbs.flatMap(\.examples)
        if !examples.isEmpty {
            lines += ["", "Examples:"]
            for example in examples { lines += ["  \(example.line)", "      \(example.note)"] }
        }
        return joined(lines)
    }

    /// Terms at the left, their explanations beside or below them.
    private static func definitions(_ rows: [(term: String, note: String)]) -> [String] {
        let indent = min(rows.map { $0.term.count }.max() ?? 0, 22) + 4
        let blank = String(repeating: " ", count: indent)
        return rows.flatMap { row in
            let notes = Line.wrapped(row.note, columns: columns - indent)
            let term = "  \(row.term)"
            if term.count + 2 > indent { return [term] + notes.map { blank + $0 } }
            let head = term + String(repeating: " ", count: indent - term.count)
            return notes.enumerated().map { $0.offset == 0 ? head + $0.element : blank + $0.element }
        }
    }

    private static func joined(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

    static func lowered(_ text: String) -> String { text.prefix(1).lowercased() + text.dropFirst() }

    static func capitalised(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
