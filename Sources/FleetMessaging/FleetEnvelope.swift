internal import JSONCoding
public import KonzaAPI
internal import KonzaModel

/// What a message of a fleet carries, whatever it is about. Everything that matters is in here: a property of MQTT 5 only
/// repeats it.
public struct FleetEnvelope: Sendable, Equatable {
    /// The largest message, bytes: AWS takes no larger one.
    public static let mostBytes = 128 << 10

    /// What the body is, such as `konza.postcard/1`. Readers ignore members that they do not know; another meaning is
    /// another number.
    public var schema: String
    /// The record's id, or the session's for `status`.
    public var id: String
    public var box: String
    /// The log that ``seq`` counts in; nil where nothing is counted.
    public var log: String?
    /// From 1 without a gap within the log.
    public var seq: Int64?
    /// What the record has come to.
    public var rev: Int64
    /// When it was so, RFC 3339 in UTC.
    public var at: String
    /// What that time is from: `gps`, `ntp`, or `clock` where nobody vouches for it.
    public var timeSource: String
    /// Whether a person deleted the record: then the body is null.
    public var isDeleted: Bool
    /// The local API's own reply, as JSON.
    public var body: [UInt8]

    public init(
        _ kind: FleetKind, id: String, box: String, log: String? = nil, seq: Int64? = nil, rev: Int64 = 1, at: String,
        timeSource: String, isDeleted: Bool = false, body: [UInt8]
    ) {
        schema = kind.schema
        self.id = id
        self.box = box
        self.log = log
        self.seq = seq
        self.rev = rev
        self.at = at
        self.timeSource = timeSource
        self.isDeleted = isDeleted
        self.body = body
    }

    /// The message. The body goes in as it is.
    public var encoded: [UInt8] {
        var text = "{\"schema\":\(Self.quoted(schema)),\"id\":\(Self.quoted(id)),\"box\":\(Self.quoted(box))"
        if let log { text += ",\"log\":\(Self.quoted(log))" }
        if let seq { text += ",\"seq\":\(seq)" }
        text += ",\"rev\":\(rev),\"at\":\(Self.quoted(at)),\"timeSource\":\(Self.quoted(timeSource))"
        if isDeleted { text += ",\"deleted\":true" }
        return Array(text.utf8) + Array(",\"body\":".utf8) + (isDeleted ? Array("null".utf8) : body)
            + [UInt8(ascii: "}")]
    }

    private static func quoted(_ text: String) -> String { FleetText.quoted(text) }
}

enum FleetText {
    static func encoded(_ value: JSONValue) -> [UInt8] {
        // Every value of JSON can be written.
        (try? JSONText.encode(value)) ?? []
    }

    static func quoted(_ text: String) -> String {
        // A text can always be written.
        String(decoding: (try? JSONText.encode(text)) ?? Array("\"\"".utf8), as: UTF8.self)
    }
}

/// The head of a message that came, for who keeps it. The body is checked to be JSON and left as it is.
public struct FleetMessageHead: Sendable, Equatable {
    public let schema: String
    public let id: String
    public let box: String
    public let log: String?
    public let seq: Int64?
    public let rev: Int64
    public let at: String
    public let isDeleted: Bool
    /// The whole message's members.
    public let body: JSONValue

    /// - Parameters:
    ///   - payload: of the message.
    ///   - topic: that it came on.
    /// - Throws: ``FleetMessageError`` with what does not fit.
    public init(_ payload: [UInt8], on topic: FleetTopic) throws(FleetMessageError) {
        guard payload.count <= FleetEnvelope.mostBytes else {
            throw FleetMessageError("it has \(payload.count) bytes, more than \(FleetEnvelope.mostBytes)")
        }
        let value: JSONValue
        do throws(Problem) {
            value = try JSONReader.value(of: payload)
        } catch {
            throw FleetMessageError(error.detail)
        }
        guard case .object(let members) = value else { throw FleetMessageError("it is no JSON object") }
        func text(_ name: String) throws(FleetMessageError) -> String {
            guard case .string(let text)? = members[name], (1...64).contains(text.utf8.count) else {
                throw FleetMessageError("the member \(name) is missing, or is no text of at most 64 bytes")
            }
            return text
        }
        func count(_ name: String) throws(FleetMessageError) -> Int64? {
            guard let value = members[name] else { return nil }
            guard let number = value.double, let count = Int64(exactly: number), count >= 0 else {
                throw FleetMessageError("the member \(name) is no whole number from 0")
            }
            return count
        }
        schema = try text("schema")
        guard schema == topic.kind.schema else {
            throw FleetMessageError("its schema is \(schema), and \(topic.kind.schema) belongs on its topic")
        }
        id = try text("id")
        box = try text("box")
        guard box == topic.box else { throw FleetMessageError("it is of the box \(box), on a topic of \(topic.box)") }
        log = members["log"] == nil ? nil : try text("log")
        seq = try count("seq")
        guard let rev = try count("rev"), rev >= 1 else { throw FleetMessageError("the member rev is missing, or 0") }
        self.rev = rev
        at = try text("at")
        guard UTCInstant(rfc3339: at) != nil else { throw FleetMessageError("the member at is no RFC 3339 time") }
        isDeleted = members["deleted"] == .bool(true)
        body = members["body"] ?? .null
    }
}

/// Why a message is not taken.
public struct FleetMessageError: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

/// The word of who keeps the records that these are kept: at most 200 of them in one message.
public struct FleetReceipts: Sendable, Equatable {
    public static let mostPairs = 200

    /// A record as it was at a revision.
    public struct Pair: Sendable, Hashable {
        public let id: String
        public let rev: Int64

        public init(id: String, rev: Int64) {
            self.id = id
            self.rev = rev
        }
    }

    public var box: String
    public var pairs: [Pair]

    public init(box: String, pairs: [Pair]) {
        self.box = box
        self.pairs = pairs
    }

    /// `{"schema":"konza.receipt/1","box":"knz07","pairs":[["01j...",2]]}`; ids are unique among all kinds of records.
    public var encoded: [UInt8] {
        let pairs = pairs.map { "[\(FleetText.quoted($0.id)),\($0.rev)]" }
        return Array(
            "{\"schema\":\"\(FleetKind.receipt.schema)\",\"box\":\"\(box)\",\"pairs\":[\(pairs.joined(separator: ","))]}"
                .utf8)
    }

    /// - Throws: ``FleetMessageError`` with what does not fit.
    public init(_ payload: [UInt8], on topic: FleetTopic) throws(FleetMessageError) {
        guard payload.count <= FleetEnvelope.mostBytes, let value = try? JSONReader.value(of: payload),
            case .object(let members) = value, members["schema"] == .string(FleetKind.receipt.schema),
            members["box"] == .string(topic.box), case .array(let list)? = members["pairs"],
            list.count <= Self.mostPairs
        else { throw FleetMessageError("it is no receipt for \(topic.box) of at most \(Self.mostPairs) pairs") }
        var pairs: [Pair] = []
        for entry in list {
            guard case .array(let parts) = entry, parts.count == 2, case .string(let id) = parts[0],
                let number = parts[1].double, let rev = Int64(exactly: number), rev >= 1
            else { throw FleetMessageError("a pair of the receipt is no id and revision") }
            pairs.append(Pair(id: id, rev: rev))
        }
        self.init(box: topic.box, pairs: pairs)
    }
}
