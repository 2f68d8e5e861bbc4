internal import FleetMessaging
internal import KonzaModel
internal import MQTTTransfer

/// What came and is not kept yet, bounded.
struct HubBatch {
    /// So many messages or bytes are kept at once, or what came in so many seconds.
    static let wantedMessages = 500
    static let wantedBytes = 4 << 20
    static let wantedSeconds = 0.02
    /// Beyond these a message is left to its box, which sends it again.
    static let mostMessages = 4000
    static let mostBytes = 32 << 20

    private(set) var messages: [HubMessage] = []
    private(set) var bytes = 0
    private var begun: MonotonicInstant?

    var isEmpty: Bool { messages.isEmpty }

    /// - Returns: false if there is no room.
    mutating func add(_ message: HubMessage, bytes count: Int, at now: MonotonicInstant) -> Bool {
        guard messages.count < Self.mostMessages, bytes + count <= Self.mostBytes else { return false }
        messages.append(message)
        bytes += count
        if begun == nil { begun = now }
        return true
    }

    /// Seconds until it is due.
    func secondsLeft(at now: MonotonicInstant) -> Double {
        guard let begun else { return 5 }
        if messages.count >= Self.wantedMessages || bytes >= Self.wantedBytes { return 0 }
        return max(0, Self.wantedSeconds - now.seconds(since: begun))
    }

    mutating func clear() { self = HubBatch() }

    /// What the boxes may be told once the messages are kept, by the topics to tell it on.
    static func receipts(for messages: [HubMessage]) -> [FleetTopic: [FleetReceipts.Pair]] {
        var pairs: [FleetTopic: Set<FleetReceipts.Pair>] = [:]
        for message in messages {
            switch message {
            case .record(let record):
                let topic = FleetTopic(site: record.topic.site, box: record.topic.box, kind: .receipt)
                pairs[topic, default: []].insert(.init(id: record.id, rev: record.rev))
            case .refused(let refusal):
                guard let pair = refusal.pair, FleetTopic.isName(refusal.site), FleetTopic.isName(refusal.box) else {
                    continue
                }
                let topic = FleetTopic(site: refusal.site, box: refusal.box, kind: .receipt)
                pairs[topic, default: []].insert(pair)
            case .state: break
            }
        }
        return pairs.mapValues(Array.init)
    }
}

/// Pauses between attempts: uniform from nothing to a bound that doubles (full jitter), so that many who lost the same thing
/// do not come back at once.
struct HubPauses {
    let first: Double
    let longest: Double
    private var attempts = 0

    init(first: Double, longest: Double) {
        self.first = first
        self.longest = longest
    }

    mutating func next() -> Double {
        defer { attempts = min(attempts + 1, 16) }
        return Double.random(in: 0...min(longest, first * Double(1 << attempts)))
    }

    mutating func begin() { attempts = 0 }
}
