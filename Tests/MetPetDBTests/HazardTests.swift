import Foundation
import HTTPTransfer
import KonzaModel
import KonzaTestTraits
import KonzaTesting
import Testing

@testable import MetPetDB

/// Each quirk of the server is switched the other way in turn: none is needed, and none is fatal.
@Suite("A server with other quirks", .offPool)
struct HazardTests {
    let field: Field

    init() throws { field = try Field() }

    @Test(
        "gets one sample with all its photographs, whatever is lost, cut or half done",
        arguments: StandInQuirks.switches.keys.sorted())
    func switched(_ name: String) throws {
        let path = try #require(StandInQuirks.switches[name])
        var quirks = StandInQuirks()
        quirks[keyPath: path].toggle()
        field.server.quirks = quirks
        let faults: [StandInFault] = [.none, .failAfter, .dropAfter, .cutAnswer, .refuseHalfway, .gatewayTimeout]
        for (number, fault) in faults.enumerated() {
            field.server.clear()
            var specimen = try field.specimen()
            specimen.number = "KNZ-\(name)-\(number)".prefix(35).description
            specimen.position = try Field.position(0, -0.0)
            let ledger = MemoryLedger(folder: field.folder.path)
            field.ready(specimen, in: ledger)
            // Every kind of writing goes wrong once.
            let done = Shared<Set<String>>([])
            field.server.setFaults { request in
                guard request.method == "POST",
                    request.path.hasPrefix("/api/samples") || request.path.contains("images")
                else { return .none }
                let isFirst = done.with { $0.insert(request.kind).inserted }
                return isFirst ? fault : .none
            }
            var record = try field.settle(specimen, ledger, seconds: 1)
            if record?.state == .refused {
                // Without a row left behind there is nothing to complete: the collector tries again.
                #expect(fault == .refuseHalfway)
                record?.state = .ready
                ledger[specimen.id] = record
                record = try field.settle(specimen, ledger, seconds: 1)
            }
            try expectOnce(specimen, record, "\(name), \(fault)")
        }
    }

    private func expectOnce(_ specimen: Specimen, _ record: Submission?, _ words: Comment) throws {
        #expect(record?.state == .submitted, words)
        let samples = field.server.samples
        #expect(samples.count == 1, words)
        let sample = try #require(samples.first)
        #expect(sample.id == record?.remoteID, words)
        #expect(sample.images.count == specimen.photographs.count, words)
        #expect(Set(sample.images.map(\.bytes)).count == sample.images.count, words)
        #expect(sample.minerals.count == specimen.minerals.count, words)
    }

    @Test("is never asked for two things at once, nor sent a body without its length")
    func sequential() throws {
        let specimen = try field.specimen()
        let ledger = MemoryLedger(folder: field.folder.path)
        field.ready(specimen, in: ledger)
        var quirks = StandInQuirks()
        quirks.delaySeconds = 0.02
        field.server.quirks = quirks
        #expect(try field.settle(specimen, ledger)?.state == .submitted)
        #expect(field.server.mostAtOnce == 1)
        for request in field.server.requests where !request.body.isEmpty {
            #expect(request.headers["content-length"] == String(request.body.count))
            #expect(!request.isChunked)
        }
    }

    @Test("is sent no more bytes in a second than are allowed")
    func bandwidth() throws {
        let bytes = 300_000
        let limit = 200_000
        var specimen = try field.specimen(photographs: 0)
        try field.addPhotograph(to: &specimen, 0, bytes: bytes)
        let ledger = MemoryLedger(folder: field.folder.path)
        field.ready(specimen, in: ledger)
        var options = MetPetDBClient.Options()
        options.bytesPerSecond = limit
        let credentials = try #require(
            Credentials.password(email: StandInMetPetDB.email, password: StandInMetPetDB.password))
        let client = try MetPetDBClient(
            address: ServerAddress(field.server.baseURL), credentials: credentials, options: options)
        let submitter = Submitter(client: client, ledger: ledger, clock: field.clock, random: { 0.5 })
        let start = ContinuousClock.now
        let record = try submitter.run(
            try #require(ledger[specimen.id]), of: specimen, vocabulary: field.vocabulary)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        #expect(record.state == .submitted)
        // Sleeping takes no less time on a busy machine. libcurl lets a buffer through at first.
        #expect(seconds > Double(bytes) / Double(limit) / 2)
    }

    @Test("is asked again after pauses that double, are cut by chance, and have a cap")
    func pauses() {
        let policy = RetryPolicy()
        var generator = SeededGenerator(seed: 5)
        for attempts in 1...60 {
            let longest = min(policy.cap, policy.first * pow(2, Double(attempts - 1)))
            var seen: Set<Double> = []
            for _ in 0..<50 {
                let pause = policy.pause(attempts: attempts, random: Double.random(in: 0..<1, using: &generator))
                #expect(pause >= policy.shortest && pause <= max(longest, policy.shortest))
                seen.insert(pause)
            }
            #expect(seen.count > 10, "stations do not come back together")
        }
        #expect(policy.pause(attempts: .max, random: 0.999) <= policy.cap)
        #expect(policy.pause(attempts: 0, random: 0) == policy.shortest)
    }
}
