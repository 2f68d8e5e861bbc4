internal import FoundationEssentials
public import KonzaModel

/// What MetPetDB answers to a bulk upload: its rows, some with errors, and last the headings.
public struct MetPetDBReply: Sendable, Equatable {
    /// The words about one row.
    public struct Row: Sendable, Equatable {
        /// The sample's number as the sheet had it; nil where the row names none.
        public var number: String?
        /// Field and words; empty for a row that is sound as far as the server came. It stops at the first bad one, so
        /// rows after it may have faults of their own.
        public var refusals: [Submission.Refusal]
    }

    public var rows: [Row]
    /// What is wrong with the upload as a whole, in the server's words.
    public var problem: String?

    /// The rows that have errors.
    public var refused: [Row] { rows.filter { !$0.refusals.isEmpty } }

    /// Bytes of a reply; the server echoes every cell, and a sheet of 10 000 rows stays below.
    public static let maximumBytes = 16 * 1024 * 1024

    /// Reads the body of a 201 or a 400.
    ///
    /// - Parameter body: JSON.
    /// - Throws: ``InterchangeError/Reason/notUnderstood`` for what is neither rows nor an error, such as the text of a
    ///   crash (the server answers 500 with one).
    public init(_ body: [UInt8]) throws(InterchangeError) {
        guard body.count <= Self.maximumBytes else {
            throw InterchangeError(.notUnderstood, "cannot read the server's reply: it has \(body.count) bytes")
        }
        let tree: ReplyNode
        do {
            tree = try JSONDecoder().decode(ReplyNode.self, from: Data(body))
        } catch {
            throw InterchangeError(.notUnderstood, "cannot read the server's reply: it is not JSON; look at it by hand")
        }
        switch tree {
        case .list(let nodes):
            rows = nodes.compactMap { node in
                guard case .members(let members) = node, members["meta_header"] == nil else { return nil }
                return Self.row(members)
            }
        case .members(let members):
            rows = []
            // {"error": ...}, or the framework's own {"detail": ...} for a bad token.
            let words = ["error", "detail", "non_field_errors"].compactMap { members[$0]?.words }
            problem = (words.isEmpty ? Self.refusals(members).map(\.described) : words).joined(separator: "; ")
        case .text:
            throw InterchangeError(.notUnderstood, "cannot read the server's reply: it holds no rows")
        }
    }

    private static func row(_ members: [String: ReplyNode]) -> Row {
        let number = members.first { ["sample number", "number"].contains($0.key.lowercased()) }?.value.words
        guard case .members(let errors)? = members["errors"] else {
            let words = members["errors"]?.words ?? ""
            return Row(number: number, refusals: words.isEmpty ? [] : [Submission.Refusal(words: words)])
        }
        return Row(number: number, refusals: refusals(errors))
    }

    private static func refusals(_ errors: [String: ReplyNode]) -> [Submission.Refusal] {
        errors.sorted { $0.key < $1.key }.map { Submission.Refusal(field: $0.key, words: $0.value.words) }
    }
}

extension Submission.Refusal {
    fileprivate var described: String { (field.map { "\($0): " } ?? "") + words }
}

/// JSON as far as a reply needs it.
private indirect enum ReplyNode: Decodable {
    case text(String)
    case list([ReplyNode])
    case members([String: ReplyNode])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .text("")
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([ReplyNode].self) {
            self = .list(list)
        } else if let members = try? container.decode([String: ReplyNode].self) {
            self = .members(members)
        } else if let flag = try? container.decode(Bool.self) {
            self = .text(flag ? "true" : "false")
        } else {
            self = .text(String(try container.decode(Double.self)))
        }
    }

    /// All words in it, 2000 characters at most.
    var words: String {
        let text =
            switch self {
            case .text(let text): text
            case .list(let nodes): nodes.map(\.words).joined(separator: "; ")
            case .members(let members):
                members.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.words)" }.joined(separator: "; ")
            }
        return String(text.prefix(2000))
    }
}
