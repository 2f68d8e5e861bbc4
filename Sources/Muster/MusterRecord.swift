package import KonzaModel
internal import People

/// How a person is for the muster of a day.
package enum MusterState: String, Sendable, CaseIterable {
    case notExpected = "not-expected"
    /// Still to come.
    case expected
    case mustered
    case late
    case excused
    /// The day is over.
    case missed
    /// It cannot be said: the clock is not believed, or a record is there that has no day yet.
    case unheard

    /// What an officer may write down.
    package static let correctable: [MusterState] = [.mustered, .late, .excused, .missed]
}

/// By what it was seen that somebody was there, and what came of looking: never coordinates or addresses.
package struct Evidence: Sendable, Equatable {
    package enum Kind: String, Sendable {
        /// The kiosk's own browser, with the PIN.
        case kiosk
        /// A device of the station's network, with the code that the kiosk showed.
        case network
        /// An officer says so.
        case officer
    }

    package var kind: Kind
    /// Such as `proved`, `paired`, `wlan0 code`.
    package var verdict: String

    package init(_ kind: Kind, _ verdict: String) {
        self.kind = kind
        self.verdict = verdict
    }
}

/// How far the clock is believed.
package enum ClockTrust: String, Sendable {
    /// A time server or a receiver agrees.
    case synchronised
    /// Nobody says that it is wrong.
    case unconfirmed
    /// It was not set since the start, or went back.
    case unbelieved
}

/// One row of the ledger, never changed.
package struct MusterRecord: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case muster
        /// An earlier muster without a day has one now: the clock is believed. One of a clock that was ahead has another day, or none.
        case dated
        /// An officer's word, which stands from then on.
        case correction
    }

    /// 1 and up on each box, without a gap.
    package var sequence: Int64
    /// Which box made it.
    package var box: String
    package var kind: Kind
    /// The number of the person.
    package var person: Int64
    /// The station's local day; nil while the clock is not believed.
    package var day: CalendarDate?
    package var at: UTCInstant
    /// Seconds east of UTC.
    package var offsetSeconds: Int
    /// Of a correction; nil for what follows from the time.
    package var state: MusterState?
    package var evidence: Evidence
    /// What marks the device: its id, or a hash of where it asked from.
    package var device: String
    /// Such as `shared-device`: one device for two people within ten minutes.
    package var flags: String
    /// Over the announcements that were active and read.
    package var announcements: String
    /// An officer's.
    package var reason: String
    /// The number of who wrote it down; 0 for the box.
    package var actor: Int64
    /// The record that it takes the place of; 0 for none.
    package var supersedes: Int64
    package var clock: ClockTrust
    /// Which run of the machine.
    package var boot: String
    package var steady: MonotonicInstant
    package var hash: String

    /// What the chain covers, in this order for ever.
    var fields: [String] {
        [
            "\(sequence)", box, kind.rawValue, "\(person)", day?.description ?? "", "\(at.nanoseconds)",
            "\(offsetSeconds)", state?.rawValue ?? "", evidence.kind.rawValue, evidence.verdict, device, flags,
            announcements, reason, "\(actor)", "\(supersedes)", clock.rawValue, boot, "\(steady.nanoseconds)",
        ]
    }

    /// The hash that belongs to the record after another.
    func linked(after previous: String) -> String { AuditChain.link(fields, after: previous) }
}

/// What counts of many records: one muster at most for each person and day, whatever the order in which records arrived and from
/// which boxes.
package enum EffectiveMuster {
    package struct Key: Hashable, Sendable {
        package let person: Int64
        package let day: CalendarDate
    }

    package struct Outcome: Sendable, Equatable {
        /// The earliest; nil where only an officer's word is there.
        package var first: MusterRecord?
        /// The last one.
        package var correction: MusterRecord?
    }

    /// - Parameter records: in any order, each any number of times.
    /// - Returns: what counts, by person and day.
    package static func of(_ records: some Sequence<MusterRecord>) -> [Key: Outcome] {
        var outcomes: [Key: Outcome] = [:]
        for record in records {
            guard let day = record.day else { continue }
            let key = Key(person: record.person, day: day)
            var outcome = outcomes[key] ?? Outcome()
            if record.kind == .correction {
                if outcome.correction.map({ order($0) < order(record) }) ?? true { outcome.correction = record }
            } else if outcome.first.map({ order(record) < order($0) }) ?? true {
                outcome.first = record
            }
            outcomes[key] = outcome
        }
        return outcomes
    }

    private static func order(_ record: MusterRecord) -> (UTCInstant, String, Int64) {
        (record.at, record.box, record.sequence)
    }
}
