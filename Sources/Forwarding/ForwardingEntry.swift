/// The kinds of records that a fleet gets.
public enum ForwardedKind: String, Sendable, CaseIterable, Codable {
    case postcard
    case specimen
    /// An hour of the station's way and counts; the outbox alone has it, until the fleet does.
    case track
}

/// One message that is to be sent until its receipt comes.
public struct ForwardingEntry: Sendable, Equatable {
    public let kind: ForwardedKind
    /// The record's.
    public let id: String
    /// What the record has come to: from 1, and one more for each change.
    public let rev: Int64
    /// The number of the message in its log: from 1 without a gap.
    public internal(set) var seq: Int64
    /// Whether the record was deleted by a person: the message is to say so, and nothing else.
    public let isDeleted: Bool

    public init(kind: ForwardedKind, id: String, rev: Int64, seq: Int64, isDeleted: Bool) {
        self.kind = kind
        self.id = id
        self.rev = rev
        self.seq = seq
        self.isDeleted = isDeleted
    }
}

/// The fleet's word that it has a record as it was at a revision.
public struct ForwardingReceipt: Sendable, Equatable {
    public let id: String
    public let rev: Int64

    public init(id: String, rev: Int64) {
        self.id = id
        self.rev = rev
    }
}

/// How the outbox is.
public struct ForwardingFigures: Sendable, Equatable {
    public var isOn = false
    /// The name of the log that messages are numbered in; another one begins where the index was lost.
    public var log = ""
    /// The number that was given last.
    public var lastSeq: Int64 = 0
    /// Records that the fleet does not know as they are now.
    public var waiting = 0
    /// The oldest of them.
    public var oldest: String?
    /// Whether older records are still being added.
    public var isCounting = false

    public init() {}

    init(isOn: Bool, log: String, lastSeq: Int64, waiting: Int, oldest: String?, isCounting: Bool) {
        self.isOn = isOn
        self.log = log
        self.lastSeq = lastSeq
        self.waiting = waiting
        self.oldest = oldest
        self.isCounting = isCounting
    }
}
