/// A part of a text written in CommonMark: a block, or an inline part of one. As JSON it has the members that its kind has.
public struct MarkupNode: Sendable, Equatable, Encodable {
    public enum Kind: String, Sendable, Encodable, CaseIterable {
        /// Blocks.
        case paragraph, heading, list, item, quote, code, rule
        /// Inline parts. `line` is a hard line break; `verbatim` a code span.
        case text, line, emphasis, strong, verbatim, link, image
    }

    public let kind: Kind
    /// Of `text`, `verbatim` and `code`: the characters. Of `image`: what it shows, in words.
    public var text: String?
    /// Of `heading`: 1 to 6.
    public var level: Int?
    /// Of a numbered `list`: its first number; absent for bullets.
    public var start: Int?
    /// Of `list`: whether its items stand close together.
    public var isTight: Bool?
    /// Of `link`: an address with the scheme http, https, tel or mailto. Of `image`: the name of a file beside the text.
    public var target: String?
    /// What the part holds.
    public var children: [MarkupNode]?

    init(_ kind: Kind, text: String? = nil, children: [MarkupNode]? = nil) {
        self.kind = kind
        self.text = text
        self.children = children
    }

    private enum CodingKeys: String, CodingKey {
        case kind, text, level, start, target, children
        case isTight = "tight"
    }
}

/// Something in a text that is not shown, with the line where it stands.
public struct MarkupRemark: Sendable, Equatable, CustomStringConvertible {
    /// Counted from 1.
    public let line: Int
    /// What is left out, why, and what to write instead.
    public let detail: String

    public var description: String { "line \(line): \(detail)" }
}

/// Why a text is not taken.
public struct MarkupError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Reason: String, Sendable {
        case tooLarge, tooDeep, tooManyParts, malformed
    }

    public let reason: Reason
    /// Counted from 1; nil where no line is to blame.
    public let line: Int?
    private let detail: String

    init(_ reason: Reason, line: Int? = nil, _ detail: String) {
        self.reason = reason
        self.line = line
        self.detail = detail
    }

    /// "cannot read the text: why; what to do".
    public var description: String {
        "cannot read the text" + (line.map { " at line \($0)" } ?? "") + ": \(detail)"
    }
}
