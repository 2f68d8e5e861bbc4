internal import FoundationEssentials
internal import KonzaModel

/// Reads what a server says of a refusal, in whatever shape: `{"field":["words"]}`, `{"error":"words"}`,
/// `{"detail":"words"}`, a list of such, or a page of text.
struct ServerWords {
    /// More is not kept.
    static let mostRefusals = 20
    static let longestWords = 300

    private(set) var refusals: [Submission.Refusal] = []
    /// Whether there is a member `error`: the shape of what is refused after the row was stored.
    private(set) var hasError = false

    /// - Parameters:
    ///   - body: the answer's body.
    ///   - secrets: texts that are blotted out, should the server repeat them.
    init(_ body: [UInt8], secrets: [String]) {
        if let tree = try? JSONDecoder().decode(WordTree.self, from: Data(body)) {
            if case .members(let members) = tree { hasError = members["error"] != nil }
            collect(tree, field: nil)
        }
        if refusals.isEmpty {
            // A page for people: its first line says what failed; what follows may repeat the request.
            let first = String(decoding: body.prefix(4096), as: UTF8.self).split(whereSeparator: \.isNewline).first
            if let first { refusals = [.init(words: String(first))] }
        }
        refusals = refusals.prefix(Self.mostRefusals).map { refusal in
            .init(
                field: refusal.field.map { Self.clean($0, secrets, 60) },
                words: Self.clean(refusal.words, secrets, Self.longestWords))
        }
    }

    /// All of it in one line; nil for an empty body.
    var summary: String? {
        guard !refusals.isEmpty else { return nil }
        return refusals.map { refusal in refusal.field.map { "\($0): \(refusal.words)" } ?? refusal.words }
            .joined(separator: "; ")
    }

    private mutating func collect(_ tree: WordTree, field: String?) {
        guard refusals.count < Self.mostRefusals else { return }
        switch tree {
        case .words(let words): refusals.append(.init(field: field, words: words))
        case .list(let list): for entry in list { collect(entry, field: field) }
        case .members(let members):
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                let isGeneral = ["error", "detail", "non_field_errors"].contains(name)
                collect(value, field: isGeneral ? field : name)
            }
        case .other: break
        }
    }

    private static func clean(_ text: String, _ secrets: [String], _ longest: Int) -> String {
        var text = text
        for secret in secrets where !secret.isEmpty { text = text.replacing(secret, with: "***") }
        return String(String.UnicodeScalarView(TextRule.cleaned(text).unicodeScalars.prefix(longest)))
    }
}

private enum WordTree: Decodable {
    case words(String)
    case list([WordTree])
    case members([String: WordTree])
    case other

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A hostile depth is no reason to go on: the real shapes have three levels.
        guard decoder.codingPath.count < 8 else {
            self = .other
            return
        }
        if let words = try? container.decode(String.self) {
            self = .words(words)
        } else if let list = try? container.decode([WordTree].self) {
            self = .list(list)
        } else if let members = try? container.decode([String: WordTree].self) {
            self = .members(members)
        } else {
            self = .other
        }
    }
}
