/// The words of a piece of HTML. It shows nothing as markup, so it need not be a whole parser: what it takes for a tag is left out,
/// and everything else is text.
public enum PlainText {
    private static let blocks: Set<String> = [
        "p", "div", "br", "li", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "table", "blockquote", "pre",
        "hr",
        "section", "article",
    ]
    /// Elements whose content is no text for people.
    private static let silent: Set<String> = ["script", "style", "template", "noscript", "iframe", "object", "svg"]
    private static let entities: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "ndash": "\u{2013}",
        "mdash": "\u{2014}", "hellip": "\u{2026}", "deg": "\u{B0}", "rsquo": "\u{2019}", "lsquo": "\u{2018}",
        "ldquo": "\u{201C}", "rdquo": "\u{201D}", "bull": "\u{2022}",
    ]

    /// The text of HTML with one line for each block. Takes time in proportion to its length.
    ///
    /// - Parameter html: perhaps hostile.
    /// - Returns: the text, with an empty line between blocks.
    public static func of(html: String) -> String {
        let scalars = Array(html.unicodeScalars)
        var lines: [String] = []
        var line = String.UnicodeScalarView()
        var hidden: String?
        func endLine() {
            let words = String(line).split(whereSeparator: \.isWhitespace).joined(separator: " ")
            if !words.isEmpty { lines.append(words) }
            line = String.UnicodeScalarView()
        }
        var index = 0
        while index < scalars.count {
            let scalar = scalars[index]
            if scalar == "<", let tag = Tag(scalars, at: index) {
                index = tag.end
                if let name = hidden {
                    if tag.isClosing, tag.name == name { hidden = nil }
                } else if silent.contains(tag.name), !tag.isClosing {
                    hidden = tag.name
                } else if blocks.contains(tag.name) {
                    endLine()
                    if tag.name == "li", !tag.isClosing { line.append(contentsOf: "• ".unicodeScalars) }
                }
                continue
            }
            if scalar == "&", let (value, end) = entity(scalars, at: index) {
                if hidden == nil { line.append(value) }
                index = end
                continue
            }
            if hidden == nil { line.append(scalar) }
            index += 1
        }
        endLine()
        return lines.joined(separator: "\n\n")
    }

    private struct Tag {
        var name = ""
        var isClosing = false
        let end: Int

        init?(_ scalars: [Unicode.Scalar], at start: Int) {
            var index = start + 1
            if index < scalars.count, scalars[index] == "/" {
                isClosing = true
                index += 1
            }
            guard index < scalars.count, scalars[index].properties.isAlphabetic || scalars[index] == "!" else {
                return nil
            }
            // It ends before the next one, so that no character is looked at twice as often as there are signs.
            var isNamed = true
            while index < scalars.count, scalars[index] != ">", scalars[index] != "<" {
                let isLetter =
                    scalars[index].isASCII
                    && (scalars[index].properties.isAlphabetic || scalars[index].value & 0xF0 == 0x30)
                if isNamed, isLetter, name.count < 16 {
                    name.unicodeScalars.append(scalars[index])
                } else {
                    isNamed = false
                }
                index += 1
            }
            guard index < scalars.count, scalars[index] == ">" else { return nil }
            name = name.lowercased()
            end = index + 1
        }
    }

    private static func entity(_ scalars: [Unicode.Scalar], at start: Int) -> (Unicode.Scalar, Int)? {
        guard let semicolon = scalars[(start + 1)...].prefix(12).firstIndex(of: ";") else { return nil }
        let name = String(String.UnicodeScalarView(scalars[(start + 1)..<semicolon]))
        if let known = entities[name] { return (known, semicolon + 1) }
        guard name.hasPrefix("#") else { return nil }
        let isHex = name.hasPrefix("#x") || name.hasPrefix("#X")
        let number = isHex ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
        return number.flatMap { Unicode.Scalar($0) }.map { ($0, semicolon + 1) }
    }
}
