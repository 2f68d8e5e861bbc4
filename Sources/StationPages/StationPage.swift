public import Markup
public import Storage

/// A page of the station: about it, its research, its history, or anything else that an operator writes.
public struct StationPage: Sendable, Equatable {
    /// The most bytes of a page's file: the text, and what stands before it.
    public static let mostBytes = MarkupText.mostBytes + 4096

    /// Of its file without the ending: lower-case letters, digits and hyphens.
    public let name: String
    /// Of its folder, such as `en` (RFC 5646, the language alone).
    public let language: String
    public let title: String
    /// By which pages are sorted; those that are equal by their titles.
    public let order: Int
    /// One line about it; nil without one.
    public let summary: String?
    /// Whether it is in no list and answered to nobody: for an operator who does without a page that came along.
    public let isHidden: Bool
    public let text: MarkupText
    /// What is left out, with the lines of the file.
    public let remarks: [String]

    /// Reads a page.
    ///
    /// - Parameters:
    ///   - path: `LANGUAGE/NAME.md`.
    ///   - bytes: of the file.
    /// - Throws: ``ContentError`` with line and remedy.
    public init(path: String, _ bytes: [UInt8]) throws(ContentError) {
        let parts = path.split(separator: "/")
        guard parts.count == 2, Self.isLanguage(parts[0]) else {
            throw ContentError(
                "it does not lie in the folder of a language; move it to pages/en/, pages/es/ or another such")
        }
        let name = parts[1].dropLast(3)
        guard Self.isName(name) else {
            throw ContentError("its name is not of lower-case letters, digits and hyphens; rename it as field-notes.md")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ContentError(line: Self.badLine(bytes), "it is not UTF-8; save it with that encoding")
        }
        // As an editor or a power cut leaves it.
        guard !text.allSatisfy(\.isWhitespace) else {
            throw ContentError("it is empty; write the page, or remove the file")
        }
        self.name = String(name)
        language = String(parts[0])
        let matter = try FrontMatter(text)
        if let other = matter.language, other != language {
            throw ContentError(
                line: matter.line(of: "language"), "its language is \(other) and its folder is \(language); move it")
        }
        do throws(MarkupError) {
            self.text = try MarkupText(matter.body)
        } catch {
            throw ContentError(line: error.line.map { $0 + matter.lines }, error.description)
        }
        remarks = self.text.remarks.map { "line \($0.line + matter.lines): \($0.detail)" }
        title = matter.title ?? Self.heading(self.text) ?? self.name
        order = matter.order ?? 100
        summary = matter.summary
        isHidden = matter.isHidden
    }

    /// Whether a text is the tag of a language alone: two or three lower-case letters.
    public static func isLanguage(_ text: some StringProtocol) -> Bool {
        (2...3).contains(text.utf8.count) && text.utf8.allSatisfy { (0x61...0x7A).contains($0) }
    }

    /// Whether a text can be a page's name.
    public static func isName(_ text: some StringProtocol) -> Bool {
        (1...40).contains(text.utf8.count) && text.utf8.first != 0x2D
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    }

    /// The names of the pictures that lie beside it.
    public var pictures: [String] { Self.pictures(text.blocks) }

    private static func pictures(_ nodes: [MarkupNode]) -> [String] {
        nodes.flatMap { node in
            (node.kind == .image ? [node.target].compactMap { $0 } : []) + pictures(node.children ?? [])
        }
    }

    private static func heading(_ text: MarkupText) -> String? {
        guard let first = text.blocks.first(where: { $0.kind == .heading }) else { return nil }
        return first.children?.compactMap(\.text).joined()
    }

    private static func badLine(_ bytes: [UInt8]) -> Int {
        var line = 1
        for part in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            if String(validating: part, as: UTF8.self) == nil { return line }
            line += 1
        }
        return 1
    }
}
