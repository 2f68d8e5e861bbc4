/// Makes text from elsewhere safe to show on a terminal.
enum TextSafety {
    /// The text without anything that could move the cursor, change the terminal, or turn the reading direction:
    /// controls (C0, DEL, C1), line and paragraph separators, and bidirectional overrides. A tab or line end becomes
    /// a space.
    static func cleaned(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x09, 0x0A, 0x0D, 0x2028, 0x2029: result.append(" ")
            default: if !isDangerous(scalar) { result.append(scalar) }
            }
        }
        return String(result)
    }

    /// Whether a terminal could take the character as a command.
    static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0x2028, 0x2029, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// The columns that a text takes on a terminal.
    static func width(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + width($1) }
    }

    static func width(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        if first.properties.isEmojiPresentation { return 2 }
        if character.unicodeScalars.contains(where: { $0.value == 0xFE0F }) { return 2 }
        return isWide(first.value) ? 2 : 1
    }

    /// East Asian wide and fullwidth (UAX 11), in coarse ranges.
    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            true
        default: false
        }
    }

    /// The text cut to a number of columns, with dots where something is missing.
    static func shortened(_ text: String, to columns: Int) -> String {
        guard width(text) > columns else { return text }
        guard columns > 3 else { return String(repeating: ".", count: max(columns, 0)) }
        var result = ""
        var used = 0
        for character in text {
            used += width(character)
            if used > columns - 3 { break }
            result.append(character)
        }
        return result + "..."
    }
}

extension TextSafety {
    /// The text cleaned line by line: its line ends stay.
    static func cleanedLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { cleaned(String($0)) }
            .joined(separator: "\n")
    }
}
