internal import FleetMessaging
internal import KonzaAPI
internal import KonzaModel
internal import MQTTTransfer

/// A message as the hub takes it: judged, with what the tables need at hand.
enum HubMessage: Sendable {
    case record(HubRecord)
    case state(HubState)
    case refused(HubRefusal)

    /// The largest message that is kept whole in the quarantine; brokers are asked to deliver none beyond, bytes.
    static let mostBytes = 1 << 20

    /// - Returns: nil for what a hub has nothing to do with.
    init?(_ message: MQTTMessage) {
        guard let topic = FleetTopic(message.topic) else {
            self = .refused(HubRefusal(message, box: "", reason: "its topic is none of the contract's"))
            return
        }
        guard topic.kind.isFromBox else { return nil }
        // An empty message takes away what the broker kept (MQTT 5 section 3.3.1.3).
        if message.payload.isEmpty, topic.kind == .latest { return nil }
        do throws(FleetMessageError) {
            self = try Self.judge(message, topic)
        } catch {
            self = .refused(HubRefusal(message, topic: topic, reason: error.description))
        }
    }

    private static func judge(_ message: MQTTMessage, _ topic: FleetTopic) throws(FleetMessageError) -> HubMessage {
        let head = try FleetMessageHead(message.payload, on: topic)
        if HubText.hasNUL(message.payload) {
            throw FleetMessageError("a text in it has a NUL character, which PostgreSQL does not keep")
        }
        guard let at = UTCInstant(rfc3339: head.at) else {
            throw FleetMessageError("the member at is no RFC 3339 time")
        }
        if topic.kind.isRecord { return .record(try HubRecord(head, topic, at, message.payload)) }
        return .state(try HubState(head, topic, at, message))
    }
}

extension FleetKind {
    /// Whether its messages are numbered, kept and receipted one by one; the others say how a box is.
    var isRecord: Bool {
        switch self {
        case .postcard, .specimen, .track, .answer: true
        default: false
        }
    }
}

/// A record at a revision.
struct HubRecord: Sendable {
    let topic: FleetTopic
    let id: String
    let rev: Int64
    let log: String
    let seq: Int64
    let at: UTCInstant
    /// `YYYY-MM-DD`, of the id's time.
    let day: String
    let isDeleted: Bool
    let payload: String
    let place: HubPlace?

    init(_ head: FleetMessageHead, _ topic: FleetTopic, _ at: UTCInstant, _ payload: [UInt8]) throws(FleetMessageError)
    {
        guard let log = head.log, let seq = head.seq, seq >= 1 else {
            throw FleetMessageError("a record needs the members log and seq")
        }
        if let id = RecordID<HubRecord>(head.id) {
            day = HubText.day(milliseconds: id.milliseconds)
        } else if topic.kind == .track || topic.kind == .answer {
            day = HubText.day(at)
        } else {
            throw FleetMessageError("its id is no ULID in lower case")
        }
        if !head.isDeleted {
            guard case .object(let members) = head.body else {
                throw FleetMessageError("its body is no JSON object, and it is not deleted")
            }
            if case .string(let inner)? = members["id"], inner != head.id, topic.kind != .answer {
                throw FleetMessageError("its body is of another record, \(inner.prefix(40))")
            }
            place = try HubPlace(in: members["position"])
        } else {
            place = nil
        }
        self.topic = topic
        id = head.id
        rev = head.rev
        self.log = log
        self.seq = seq
        self.at = at
        isDeleted = head.isDeleted
        self.payload = String(decoding: payload, as: UTF8.self)
    }
}

/// What a box says of itself.
struct HubState: Sendable {
    let topic: FleetTopic
    let id: String
    let rev: Int64
    let at: UTCInstant
    /// Whether the broker had kept it: it says how the box was, not that it is there.
    let isRetained: Bool
    let payload: String
    /// Of `position`.
    let place: HubPlace?
    /// Of `status`.
    let session: String?
    let isOnline: Bool
    let software: String?
    /// Of `health`.
    let health: HealthSummary?

    init(
        _ head: FleetMessageHead, _ topic: FleetTopic, _ at: UTCInstant, _ message: MQTTMessage
    ) throws(FleetMessageError) {
        guard case .object(let members) = head.body else { throw FleetMessageError("its body is no JSON object") }
        self.topic = topic
        id = head.id
        rev = head.rev
        self.at = at
        isRetained = message.isRetained
        payload = String(decoding: message.payload, as: UTF8.self)
        place = topic.kind == .position ? try HubPlace(in: head.body) : nil
        health = topic.kind == .health ? HealthSummary(members) : nil
        guard topic.kind == .status else {
            (session, isOnline, software) = (nil, false, nil)
            return
        }
        guard case .string(let session)? = members["session"], (1...64).contains(session.utf8.count) else {
            throw FleetMessageError("a status needs the member session")
        }
        guard case .string(let state)? = members["state"], state == "online" || state == "offline" else {
            throw FleetMessageError("the state of a status is online or offline")
        }
        self.session = session
        isOnline = state == "online"
        if case .string(let text)? = members["software"] { software = String(text.prefix(64)) } else { software = nil }
    }
}

/// A point on the Earth.
struct HubPlace: Sendable, Equatable {
    let latitude: Double
    let longitude: Double

    /// - Returns: nil where there is none.
    init?(in value: JSONValue?) throws(FleetMessageError) {
        guard case .object(let members)? = value else { return nil }
        guard let latitude = members["latitude"]?.double, let longitude = members["longitude"]?.double else {
            return nil
        }
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else {
            throw FleetMessageError("its position is not on the Earth: \(latitude), \(longitude)")
        }
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// How the parts of a box are, without what changes all the time: what a change is told by.
struct HealthSummary: Sendable, Equatable {
    /// Of the whole box.
    let level: String?
    /// `{"camera":{"kind":"ok","level":"ok"}}`
    let parts: String

    init(_ members: [String: JSONValue]) {
        level = Self.health(members["health"])?.level
        var parts: [String: JSONValue] = [:]
        func add(_ members: [String: JSONValue]) {
            for (name, value) in members where name != "health" {
                guard case .object(let inner) = value else { continue }
                guard let health = Self.health(inner["health"]) ?? Self.health(value) else { continue }
                parts[name] = .object(["level": .string(health.level), "kind": .string(health.kind)])
            }
        }
        add(members)
        if case .object(let inner)? = members["parts"] { add(inner) }
        self.parts = HubText.json(.object(parts))
    }

    private static func health(_ value: JSONValue?) -> (level: String, kind: String)? {
        guard case .object(let members)? = value, case .string(let level)? = members["level"] else { return nil }
        guard case .string(let kind)? = members["kind"] else { return (level, "") }
        return (level, kind)
    }
}

/// A message that does not fit. It goes into the quarantine whole.
struct HubRefusal: Sendable {
    /// Empty where the topic names none.
    let box: String
    let site: String
    let topic: String
    let payload: [UInt8]
    let reason: String
    /// What to receipt, where it is a record's that can be read: the box is not to send it for ever.
    let pair: FleetReceipts.Pair?

    init(_ message: MQTTMessage, topic: FleetTopic? = nil, box: String = "", reason: String) {
        self.init(
            box: topic?.box ?? box, site: topic?.site ?? "", topic: message.topic, payload: message.payload,
            reason: reason, pair: topic?.kind.isRecord == true ? Self.pair(message.payload) : nil)
    }

    init(_ record: HubRecord, reason: String) {
        self.init(
            box: record.topic.box, site: record.topic.site, topic: record.topic.description,
            payload: Array(record.payload.utf8), reason: reason, pair: .init(id: record.id, rev: record.rev))
    }

    init(_ state: HubState, reason: String) {
        self.init(
            box: state.topic.box, site: state.topic.site, topic: state.topic.description,
            payload: Array(state.payload.utf8), reason: reason, pair: nil)
    }

    private init(
        box: String, site: String, topic: String, payload: [UInt8], reason: String, pair: FleetReceipts.Pair?
    ) {
        self.box = box
        self.site = site
        self.topic = topic.replacing("\0", with: "")
        self.payload = Array(payload.prefix(HubMessage.mostBytes))
        self.reason = reason.replacing("\0", with: "")
        self.pair = pair
    }

    /// For a quarantine that does not take it whole.
    func withoutPayload(reason: String) -> HubRefusal {
        HubRefusal(
            box: box, site: site, topic: String(decoding: topic.utf8.filter { $0 >= 0x20 && $0 < 0x7F }, as: UTF8.self),
            payload: [], reason: reason, pair: nil)
    }

    private static func pair(_ payload: [UInt8]) -> FleetReceipts.Pair? {
        guard payload.count <= HubMessage.mostBytes, let value = try? JSONReader.value(of: payload),
            case .object(let members) = value, case .string(let id)? = members["id"], (1...64).contains(id.utf8.count),
            !id.utf8.contains(0), let number = members["rev"]?.double, let rev = Int64(exactly: number), rev >= 1
        else { return nil }
        return FleetReceipts.Pair(id: id, rev: rev)
    }
}
