/// What a piece of text means; how that looks is the terminal's business.
enum Style: Sendable, Equatable {
    case plain
    case strong
    case quiet
    case good
    case caution
    case bad
}

/// A line of text for people, in pieces of one style each. Every screen is a list of these.
struct Line: Sendable, Equatable {
    struct Span: Sendable, Equatable {
        var text: String
        var style: Style
    }

    private(set) var spans: [Span]

    init(_ text: String = "", _ style: Style = .plain) {
        spans = text.isEmpty ? [] : [Span(text: TextSafety.cleaned(text), style: style)]
    }

    /// The text alone.
    var text: String { spans.map(\.text).joined() }

    /// The columns it takes.
    var width: Int { spans.reduce(0) { $0 + TextSafety.width($1.text) } }

    static func + (left: Line, right: Line) -> Line {
        var line = left
        line.spans += right.spans
        return line
    }

    static func + (left: Line, right: String) -> Line { left + Line(right) }

    static func += (left: inout Line, right: Line) { left.spans += right.spans }

    static func += (left: inout Line, right: String) { left.spans += Line(right).spans }

    /// The line without what lies past a number of columns.
    func cut(to columns: Int) -> Line {
        guard width > columns else { return self }
        var line = Line()
        var room = columns
        for span in spans where room > 0 {
            let text = TextSafety.shortened(span.text, to: room)
            line.spans.append(Span(text: text, style: span.style))
            room -= TextSafety.width(span.text)
        }
        return line
    }

    /// The line with blanks after it up to a width.
    func padded(to columns: Int) -> Line {
        let missing = columns - width
        return missing > 0 ? self + String(repeating: " ", count: missing) : self
    }

    /// The line with blanks before it up to a width.
    func aligned(right columns: Int) -> Line {
        let missing = columns - width
        return missing > 0 ? Line(String(repeating: " ", count: missing)) + self : self
    }
}

extension Line {
    /// A left part, and a right part that goes on below itself where the width of the screen ends; without columns
    /// it does not end.
    static func hanging(_ head: Line, _ text: String, style: Style = .plain, columns: Int?) -> [Line] {
        let indent = head.width
        let room = columns.map { max($0 - indent, 20) } ?? Int.max
        let pieces = wrapped(TextSafety.cleaned(text), columns: room)
        return pieces.enumerated().map { index, piece in
            index == 0 ? head + Line(piece, style) : Line(String(repeating: " ", count: indent)) + Line(piece, style)
        }
    }

    /// The text broken between words; a word that is too long keeps a line to itself.
    static func wrapped(_ text: String, columns: Int) -> [String] {
        var lines: [String] = []
        var current = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: true) {
            if current.isEmpty {
                current = String(word)
            } else if TextSafety.width(current) + 1 + TextSafety.width(String(word)) <= columns {
                current += " \(word)"
            } else {
                lines.append(current)
                current = String(word)
            }
        }
        if !current.isEmpty || lines.isEmpty { lines.append(current) }
        return lines
    }
}
