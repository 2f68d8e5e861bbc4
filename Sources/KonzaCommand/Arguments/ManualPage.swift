/// The sections COMMANDS to A DAY IN THE FIELD of konza(1) in man(7) macros, made from the declarations.
enum ManualPage {
    /// The lines of the page between which the section stands.
    static let begin = ".\\\" begin: commands"
    static let end = ".\\\" end: commands"

    static var section: String {
        var text = ".SH COMMANDS\n"
        for command in CommandCatalogue.all { text += page(command) }
        text += ".SH OPTIONS OF EVERY COMMAND\n"
        for option in CommandCatalogue.common { text += item(option) }
        return text + fieldDay
    }

    private static var fieldDay: String {
        var text = ".SH A DAY IN THE FIELD\n\(escaped(FieldDay.introduction))\n"
        for step in FieldDay.steps {
            text += ".PP\n\(escaped(step.note))\n.PP\n.RS 4\n.EX\n"
            text += step.lines.map { "\(escaped($0))\n" }.joined() + ".EE\n.RE\n"
        }
        return text
    }

    private static func page(_ command: CommandDeclaration) -> String {
        var text = ".SS \(escaped(command.usage))\n\(escaped(command.summary)).\n"
        for paragraph in command.about { text += ".PP\n\(escaped(paragraph))\n" }
        for operand in command.operands {
            text += ".TP\n.I \(escaped(operand.name))\n\(escaped(HelpText.capitalised(operand.note))).\n"
        }
        for option in command.options { text += item(option) }
        for example in command.examples {
            text += ".PP\nExample, \(escaped(example.note)):\n.PP\n.RS 4\n.EX\n\(escaped(example.line))\n.EE\n.RE\n"
        }
        return text
    }

    private static func item(_ option: OptionDeclaration) -> String {
        let short = option.short.map { "\\fB\\-\($0)\\fP, " } ?? ""
        let value = option.value.map { " \\fI\(escaped($0.placeholder))\\fP" } ?? ""
        return ".TP\n\(short)\\fB\(escaped("--" + option.name))\\fP\(value)\n\(escaped(option.note))\n"
    }

    /// Text that man(7) shows as it is.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "~": result += "\\(ti"
            default: result.append(character)
            }
        }
        return result.hasPrefix(".") || result.hasPrefix("'") ? "\\&\(result)" : result
    }
}
