import FleetMessaging
import Foundation
import HTTPTransfer
import KonzaAPI
import KonzaClient
import KonzaModel
import KonzaSystem
import KonzaTesting
import MQTTTransfer
import Testing

@testable import Forwarding
@testable import KonzaFleet
@testable import Postcards
@testable import Samples
@testable import Specimens
@testable import Storage

/// The station's archives and outbox, konza-fleet's pump, and a fleet at the other end of a link, all by one clock that the test
/// moves: months pass in seconds.
@Suite("A station that was without its broker for a month")
struct MonthOffTests {
    /// konzad, without the socket between.
    private final class OfflineStation: OutboxStation {
        let clock: ManualClock
        let folder: TemporaryFolder
        let store: Store
        let postcards: PostcardArchive
        let specimens: SpecimenArchive
        let outbox: ForwardingArchive
        private(set) var kept: Set<String> = []
        private(set) var hours: [String] = []

        init() throws {
            clock = ManualClock(utc: noon)
            folder = try TemporaryFolder()
            store = try Store(
                folder: folder.path, clock: clock, spaceReserve: 0, operations: SystemFileOperations())
            postcards = PostcardArchive(store: store, limits: RetentionLimits(spaceReserve: 0))
            specimens = SpecimenArchive(store: store)
            outbox = ForwardingArchive(store: store)
            store.refresh()
            try outbox.turn(true, log: "log")
            while try outbox.addOlder() {}
        }

        /// An hour passes; a postcard each six hours, a specimen a day.
        func live(hours count: Int, trackBytes: Int) throws {
            for _ in 0..<count {
                let hour = hours.count
                if hour % 6 == 0 {
                    kept.insert(try postcards.keep(draft("a", createdAt: clock.utc())).id.description)
                }
                if hour % 24 == 5 { kept.insert(try specimens.openNext().id.description) }
                clock.advance(bySeconds: 3600)
                let id = SpecimenID.random(at: clock.utc()).description
                let body = #"{"id":"\#(id)","points":"\#(String(repeating: "x", count: trackBytes))"}"#
                #expect(try outbox.addTrack(id, Array(body.utf8)))
                hours.append(id)
            }
        }

        private func asking<Value>(_ body: () throws(StorageError) -> Value) throws(ClientError) -> Value {
            do throws(StorageError) { return try body() } catch { throw .unexpected("\(error)") }
        }

        func outbox(limit: Int, waitingSeconds: Int, of kinds: Set<FleetKind>) throws(ClientError) -> FleetOutboxReply {
            let wanted = Set(kinds.compactMap { ForwardedKind(rawValue: $0.rawValue) })
            let entries = try asking { () throws(StorageError) in try outbox.entries(limit: limit, of: wanted) }
            return FleetOutboxReply(
                log: "log",
                entries: entries.map {
                    .init(kind: $0.kind.rawValue, id: $0.id, rev: $0.rev, seq: $0.seq, deleted: $0.isDeleted)
                })
        }

        func confirm(_ receipts: [FleetReceiptsRequest.Receipt]) throws(ClientError) {
            _ = try asking { () throws(StorageError) in
                try outbox.confirm(receipts.map { ForwardingReceipt(id: $0.id, rev: $0.rev) })
            }
        }

        func record(_ id: String, _ kind: FleetKind) throws(ClientError) -> [UInt8]? {
            guard kind == .track else { return Array(#"{"id":"\#(id)"}"#.utf8) }
            return try asking { () throws(StorageError) in try outbox.track(id) }
        }
    }

    /// The broker's window and the fleet's database behind it: a second each way for at most twenty messages.
    private final class Fleet {
        let mailbox: FleetMailbox
        let clock: ManualClock
        var confirms = true
        private(set) var heads: [FleetMessageHead] = []
        private(set) var sentAt: [MonotonicInstant] = []
        /// The most that was sent and not confirmed.
        private(set) var mostUnderWay = 0
        private var underWay: Set<FleetReceipts.Pair> = []

        init(_ clock: ManualClock) throws {
            self.clock = clock
            mailbox = try FleetMailbox()
        }

        /// Time passes, and messages with it.
        func pass(_ seconds: Double) {
            clock.advance(bySeconds: seconds)
            let messages = mailbox.takeOutgoing(20)
            var pairs: [FleetReceipts.Pair] = []
            for message in messages {
                guard let topic = FleetTopic(message.topic),
                    let head = try? FleetMessageHead(message.payload, on: topic)
                else {
                    Issue.record("no message of the contract's: \(message.topic)")
                    continue
                }
                heads.append(head)
                sentAt.append(clock.monotonic())
                pairs.append(.init(id: head.id, rev: head.rev))
            }
            underWay.formUnion(pairs)
            mostUnderWay = max(mostUnderWay, underWay.count)
            guard confirms, !pairs.isEmpty else { return }
            underWay.subtract(pairs)
            mailbox.put(FleetReceipts(box: "knz07", pairs: pairs))
        }
    }

    private func pump(_ station: OfflineStation, _ fleet: Fleet) -> OutboxPump {
        OutboxPump(
            station: station, mailbox: fleet.mailbox, name: { FleetName(site: "konza", box: "knz07") },
            log: Log(threshold: .error, marksPriority: false), cancellation: TransferCancellation(),
            clock: station.clock, pause: { fleet.pass($0) })
    }

    /// Turns until nothing waits.
    private func drain(_ station: OfflineStation, _ fleet: Fleet) throws {
        fleet.mailbox.connected()
        let connection = try #require(fleet.mailbox.connection)
        let pump = pump(station, fleet)
        for _ in 0..<2000 where try station.outbox.figures().waiting > 0 { try pump.turn(connection) }
        #expect(try station.outbox.figures().waiting == 0)
    }

    @Test(
        "everything comes back in order and once, a hundred under way at the most; hours alone are thinned, and evenly",
        arguments: [
            // A station that stands still, and one on the move whose hours do not fit into 8 MB.
            (bytes: 2000, isThinned: false), (bytes: 20_000, isThinned: true),
        ])
    func month(bytes: Int, isThinned: Bool) throws {
        let station = try OfflineStation()
        try station.live(hours: 30 * 24, trackBytes: bytes)
        #expect(try station.outbox.figures().lastSeq == 0)
        let fleet = try Fleet(station.clock)
        let begun = station.clock.monotonic()
        try drain(station, fleet)

        let ids = fleet.heads.map(\.id)
        #expect(Set(ids).count == ids.count)
        #expect(ids == ids.sorted())
        #expect(fleet.heads.compactMap(\.seq) == Array(1...Int64(ids.count)))
        #expect(station.kept.count == 150 && station.kept.isSubset(of: ids))
        // Without a storm: a window of twenty a second, and no more than a portion that nobody has confirmed.
        #expect(fleet.mostUnderWay <= 100)
        let seconds = station.clock.monotonic().seconds(since: begun)
        #expect(Double(ids.count) / seconds <= 20)

        let hours = station.hours.indices.filter { Set(ids).contains(station.hours[$0]) }
        #expect(ids.count == station.kept.count + hours.count)
        if isThinned {
            #expect(hours.count < station.hours.count)
            // What is left says something of the whole month.
            let gaps = zip(hours, hours.dropFirst()).map { $1 - $0 }
            #expect((gaps.max() ?? 99) <= 4 && (hours.first ?? 99) < 4 && hours.last == station.hours.count - 1)
        } else {
            #expect(hours.count == station.hours.count)
        }
    }

    @Test("while the broker is there and nobody confirms, one record alone asks, every five minutes in the end")
    func unheard() throws {
        let station = try OfflineStation()
        try station.live(hours: 30 * 24, trackBytes: 500)
        let fleet = try Fleet(station.clock)
        fleet.confirms = false
        fleet.mailbox.connected()
        let connection = try #require(fleet.mailbox.connection)
        let pump = pump(station, fleet)
        for _ in 0..<300 { try pump.turn(connection) }
        #expect(fleet.mostUnderWay == 100)
        let further = fleet.sentAt.dropFirst(100)
        let pauses = zip(further, further.dropFirst()).map { $1.seconds(since: $0).rounded() }
        #expect(Array(pauses.prefix(5)) == [40, 80, 160, 300, 300])
        #expect(Set(fleet.heads.dropFirst(100).map(\.id)).count == 1)
        // The fleet is there again: all of it comes, though most was never sent.
        fleet.confirms = true
        for _ in 0..<2000 where try station.outbox.figures().waiting > 0 { try pump.turn(connection) }
        #expect(try station.outbox.figures().waiting == 0)
        #expect(Set(fleet.heads.map(\.id)) == station.kept.union(station.hours))
        #expect(Set(fleet.heads.compactMap(\.seq)) == Set(1...Int64(station.kept.count + station.hours.count)))
    }

    @Test("a clock that was a year off, either way, loses nothing and leaves out no number", arguments: [-365.0, 365])
    func clock(_ days: Double) throws {
        let station = try OfflineStation()
        try station.live(hours: 48, trackBytes: 500)
        station.clock.setUTC(station.clock.utc().advanced(bySeconds: days * 86_400))
        try station.live(hours: 48, trackBytes: 500)
        let fleet = try Fleet(station.clock)
        // Some of it goes while the clock is wrong.
        fleet.mailbox.connected()
        try pump(station, fleet).turn(try #require(fleet.mailbox.connection))
        station.clock.setUTC(station.clock.utc().advanced(bySeconds: -days * 86_400))
        try station.live(hours: 48, trackBytes: 500)
        try drain(station, fleet)
        #expect(Set(fleet.heads.map(\.id)) == station.kept.union(station.hours))
        #expect(fleet.heads.compactMap(\.seq) == Array(1...Int64(fleet.heads.count)))
        #expect(fleet.heads.count == station.kept.count + station.hours.count)
    }
}
