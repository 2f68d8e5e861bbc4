internal import Foundation
internal import KonzaTesting

/// konzad's process: killed, restarted, told to take its configuration again.
extension Scenario {
    static let process: [Scenario] =
        [
            processKilled("process-kill", .short, rounds: 25),
            processKilled(
                "process-kills", .full, rounds: Int(LabScale.number("KONZA_LAB_KILLS", default: 1000))),
        ] + processLife

    private static func processKilled(_ name: String, _ extent: Extent, rounds: Int) -> Scenario {
        Scenario(
            name, .here, extent, limitSeconds: 300 + Double(rounds) * 4,
            promise: """
                kill -9 at \(rounds) random instants of a storm of two clients that take postcards and one that opens \
                specimens, a third of them while konzad starts (the seed is printed): after each other kill postcards \
                are taken within 10 s of the new start, and after each tenth of these specimens within 10 s more. Every \
                acknowledged postcard is listed, complete, opens, and is what its idempotency key is answered with; every acknowledged specimen is there with its number once \
                konzad is up again, and at the end; a request whose answer was cut off and that is repeated with its \
                key makes one of them, never two; nothing else is listed and no half file of a postcard stays.
                """
        ) { try KillRun($0).run(rounds: rounds) }
    }
}

/// One series of kills, and what must hold after it.
private final class KillRun {
    private let station: LabStation
    private var generator: SeededGenerator
    private var longest = 0.0
    private var longestOfSpecimens = 0.0
    /// How many of the acknowledged specimens were looked for since they were.
    private var specimensSeen = 0

    init(_ station: LabStation) {
        self.station = station
        let seed = UInt64.random(in: 0...UInt64.max)
        generator = SeededGenerator(seed: seed)
        station.note("seed \(seed)")
    }

    func run(rounds: Int) throws {
        try station.configure(Scenario.recordedStation)
        try station.start()
        let storm = KeyedStorm(station.socket, clients: 2)
        var early = 0
        for round in 1...rounds {
            if Int.random(in: 0..<3, using: &generator) == 0 {
                early += 1
                usleep(UInt32.random(in: 0...120_000, using: &generator))
            } else {
                try untilPostcards(storm)
                if (round - early) % 10 == 0 { try untilSpecimens(storm) }
                try expectKeyHolds(storm)
                try expectNewSpecimens(storm)
                usleep(UInt32.random(in: 0...150_000, using: &generator))
            }
            try kill()
            try station.service.start()
        }
        try untilPostcards(storm)
        let outcome = storm.end()
        station.note(
            "\(rounds) kills, \(early) at the start; \(outcome.claims.count) postcards and \(outcome.specimens.count) "
                + "specimens acknowledged, \(outcome.known) of them to a repeated request; \(outcome.cutOff) connections cut off or refused, \(outcome.refused.values.reduce(0, +)) requests told to come again"
        )
        station.note(
            "recovery \(longest.inTenths) s at most, until specimens are opened \(longestOfSpecimens.inTenths) s more")
        // From the disk, as the next start finds it.
        try station.stop()
        try station.start()
        try check(outcome)
    }

    private func untilPostcards(_ storm: KeyedStorm) throws {
        longest = max(longest, try untilMore("postcards are taken") { storm.soFar.claims.count })
    }

    /// Specimens are opened when the one that was being written to has been compared with the index.
    private func untilSpecimens(_ storm: KeyedStorm) throws {
        longestOfSpecimens = max(
            longestOfSpecimens, try untilMore("specimens are opened") { storm.soFar.specimens.count })
    }

    /// - Returns: how many seconds it took until there were more than at first.
    private func untilMore(_ condition: String, _ count: () -> Int) throws -> Double {
        let before = count()
        return try station.until(condition, within: 10, every: 0.005) { count() > before }
    }

    /// Repeats the request of a random acknowledged postcard.
    private func expectKeyHolds(_ storm: KeyedStorm) throws {
        guard let claim = storm.soFar.claims.randomElement(using: &generator) else { return }
        var answer: LabReply?
        // The postcard that was waited for may be one of the life before, and the new konzad still be starting.
        try station.until("the key is answered", within: 10, every: 0.005) {
            answer = try KeyedStorm.take(self.station.socket, claim.key)
            return true
        }
        guard let reply = answer else { return }
        try station.expect(
            reply.status == 200 && reply["id"]?.text == claim.id,
            "the key \(claim.key) of \(claim.id) is answered with \(reply.status) \(reply["id"]?.text ?? "-")")
    }

    /// What was acknowledged since the last look is there, and some of what was before.
    private func expectNewSpecimens(_ storm: KeyedStorm) throws {
        let all = storm.soFar.specimens
        let older = (0..<10).compactMap { _ in all.prefix(specimensSeen).randomElement(using: &generator) }
        for specimen in all.dropFirst(specimensSeen) + older { try expect(specimen) }
        specimensSeen = all.count
    }

    private func expect(_ specimen: KeyedStorm.Specimen) throws {
        let reply = try station.get("/v1/specimens/\(specimen.id)")
        try station.expect(
            reply.status == 200 && reply["number"]?.text == specimen.number,
            "the specimen \(specimen.number), \(specimen.id), was acknowledged and answers \(reply.status) "
                + (reply["number"]?.text ?? reply["detail"]?.text ?? ""))
    }

    /// All that were acknowledged are listed and there, and no other.
    private func check(_ specimens: [KeyedStorm.Specimen]) throws {
        var listed: [String] = []
        var next: String?
        repeat {
            let page = try station.get("/v1/specimens?limit=200" + (next.map { "&cursor=\($0)" } ?? ""))
            try station.expect(page.status == 200, "the list of specimens is answered with \(page.status)")
            listed += (page["specimens"]?.elements ?? []).compactMap { $0["id"]?.text }
            next = page["next"]?.text
        } while next != nil
        let known = Set(specimens.map(\.id))
        try station.expect(known.count == specimens.count, "two keys have the same specimen")
        let missing = known.subtracting(listed)
        try station.expect(missing.isEmpty, "acknowledged specimens are not listed: \(missing.sorted().prefix(4))")
        try station.expect(
            listed.count == known.count, "\(listed.count) specimens are listed, \(known.count) were acknowledged")
        for specimen in specimens { try expect(specimen) }
    }

    private func kill() throws {
        try station.signal(SIGKILL)
        let limit = ContinuousClock.now + .seconds(30)
        while try station.processID() != nil {
            guard ContinuousClock.now < limit else { throw Complaint("konzad outlives SIGKILL") }
            usleep(1000)
        }
    }

    private func check(_ outcome: KeyedStorm.Outcome) throws {
        if let failure = outcome.failure { throw Complaint(failure) }
        let ids = outcome.claims.map(\.id)
        try station.expect(Set(ids).count == ids.count, "two keys have the same postcard")
        try station.expectListed(ids)
        try station.expectWholeFiles(of: Set(ids))
        for claim in outcome.claims {
            let picture = try station.get("/v1/postcards/\(claim.id)/image.jpg")
            try station.expect(
                picture.status == 200 && picture.body.count == claim.bytes,
                "\(claim.id) is answered with \(picture.status) and \(picture.body.count) bytes of \(claim.bytes)")
            try station.decode(picture.body, claim.id)
            let original = try station.get("/v1/postcards/\(claim.id)/original.jpg")
            try station.decode(original.body, "the original of \(claim.id)")
        }
        try check(outcome.specimens)
        // The first request of a key may still be under way when its client comes back, and the painted camera may miss
        // its time on a busy machine. Both are told, and the client asks again.
        let told = ["409 idempotency-conflict", "503 camera-unavailable"]
        let unexpected = outcome.refused.filter { !told.contains($0.key) }
        try station.expect(unexpected.isEmpty, "requests were refused: \(unexpected)")
    }
}
