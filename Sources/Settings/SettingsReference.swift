/// The documentation of all keys, made from the table that reads them.
public enum SettingsReference {
    /// The shipped file: every key with its meaning, type, default and range, all commented out.
    public static var configurationFile: String {
        var text = """
            # konzad's configuration. Every key is shown with its default, commented out: take the # away to change one.
            #
            # A line is a [Section], Key=value, or a comment that begins with # or ;. A backslash at the end of a line
            # continues it on the next. An empty value resets a key to its default. Files named *.conf in konzad.conf.d
            # beside this file are read after it, by name; a later value takes the place of an earlier one.
            #
            # Time spans: 500ms, 10s, 5min 30s, 2h, 7d; a plain number is seconds. Sizes: 64K, 10M, 2G (in 1024).
            # Paths begin with /. "konzad --check-config --config FILE" tells everything that is wrong with a file.

            """
        for section in SettingsTable.sections {
            text += "\n[\(section)]\n"
            for key in keys(section) {
                text += "\n"
                for line in wrapped(key.documentation, width: 116) { text += "# \(line)\n" }
                for line in wrapped(facts(key), width: 116) { text += "# \(line)\n" }
                text += "#\(key.name)=\(key.defaultText)\n"
            }
        }
        return text
    }

    /// Tables in Markdown, one a section.
    public static var markdown: String {
        SettingsTable.sections.map { section in
            let rows = keys(section).map { key in
                let range = key.range.isEmpty ? "" : ": \(key.range)"
                let standard = key.defaultText.isEmpty ? "(empty)" : "`\(key.defaultText)`"
                let restart = key.needsRestart ? " Needs a restart." : ""
                return "| `\(key.name)=` | \(key.type)\(range) | \(standard) | \(key.documentation)\(restart) |"
            }
            return """
                ### [\(section)]

                | key | type | default | meaning |
                |---|---|---|---|
                \(rows.joined(separator: "\n"))

                """
        }.joined(separator: "\n")
    }

    /// The body of a manual page's OPTIONS, in man(7) macros.
    public static var manPageSection: String {
        SettingsTable.sections.map { section in
            let items = keys(section).map { key in
                """
                .TP
                .BI \(key.name)= value
                \(roff(key.documentation))
                .br
                \(roff(facts(key)))

                """
            }
            return ".SS [\(section)]\n\(items.joined())"
        }.joined()
    }

    private static func keys(_ section: String) -> [SettingDescription] {
        SettingsTable.keys.filter { $0.section == section }
    }

    private static func facts(_ key: SettingDescription) -> String {
        let type = key.type.prefix(1).uppercased() + key.type.dropFirst()
        var facts = key.range.isEmpty ? "\(type)." : "\(type): \(key.range)."
        facts += key.defaultText.isEmpty ? " Default: empty." : " Default: \(key.defaultText)."
        if key.isSecret { facts += " Secret: not shown in messages." }
        if key.needsRestart { facts += " A change needs a restart." }
        return facts
    }

    private static func wrapped(_ text: String, width: Int) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            let last = lines[lines.count - 1]
            if last.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if last.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    /// Text that man(7) shows as it is: no escapes, no request at the start of a line, real hyphens.
    private static func roff(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            case "`", "\"": escaped += character == "`" ? "\\(ga" : "\\(dq"
            default: escaped.append(character)
            }
        }
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&\(escaped)" : escaped
    }
}
