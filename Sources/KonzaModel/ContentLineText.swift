/// Text inside the lines of iCalendar (RFC 5545) and vCard (RFC 6350), which have one form.
public enum ContentLineText {
    /// The text as a value, or as a part of one (RFC 5545 section 3.3.11, RFC 6350 section 3.4).
    public static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\", ";", ",": result += "\\\(character)"
            case _ where character.isNewline: result += "\\n"
            default: result.append(character)
            }
        }
        return result
    }

    /// A line cut between characters into lines of at most 75 bytes (RFC 5545 section 3.1, RFC 6350 section 3.2).
    ///
    /// - Parameter line: without its end.
    /// - Returns: the lines, without the end of the last one.
    public static func folded(_ line: String) -> String {
        var result = ""
        var count = 0
        for scalar in line.unicodeScalars {
            let size = String(scalar).utf8.count
            if count + size > 75 {
                result += "\r\n "
                count = 1
            }
            result.unicodeScalars.append(scalar)
            count += size
        }
        return result
    }
}
