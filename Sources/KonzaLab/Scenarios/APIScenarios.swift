internal import Foundation

/// Clients that mean ill, that are slow, or that are many.
extension Scenario {
    /// How long the storm lasts, seconds: `KONZA_LAB_STORM_SECONDS`, or 60.
    private static let stormSeconds = LabScale.number("KONZA_LAB_STORM_SECONDS", default: 60)
    /// The most that the position may take for a good client, whatever the others do: 99 of 100 answers.
    private static let positionMilliseconds = 5.0

    static let api = [apiRefusals, apiListeners, apiStorm]

    /// Room for 1 300 connections of one user, and a receiver that reports 50 epochs a second.
    private static let besieged =
        recordedStation + "[Position]\nRecordingRate=50\n[API]\nMaxConnections=2048\nPositionEventsPerSecond=50\n"

    private static let apiRefusals = Scenario(
        "api-refusals", .here, .short,
        promise: """
            Heads of a megabyte, targets of 100 000 bytes, bodies of 64 MB told ahead or not, foreign Host and Origin \
            are refused with their status; 1000 pipelined requests get 1000 answers, a half-closed connection its \
            answer; the user nobody reads everything and writes nothing (403). Every refusal of a head, a body, an \
            origin or a user is counted, a good request after each of them is answered within 1 s, and no descriptor \
            stays behind.
            """
    ) { station in
        try station.configure(recordedStation)
        try station.start()
        let before = try ProcessSample(station)
        let longest = try expectRefusals(HostileClients(socket: station.socket), station)
        for (kind, attempts) in [("body-too-large", 2.0), ("foreign-origin", 2), ("forbidden", 3)]
        where getuid() == 0 || kind != "forbidden" {
            let counted = try station.metric("konza_http_refusals_total", kind)
            try station.expect(counted == attempts, "\(counted) of \(attempts) refusals are counted as \(kind)")
        }
        try station.expect(try station.metric("konza_http_unread_heads_total") >= 3, "the heads are not counted")
        try station.expect(
            try station.metric("konza_http_silent_connections_total") >= 1, "the target is not counted")
        let recovery = try untilDescriptors(station, before)
        let after = try ProcessSample(station)
        station.note("the next good answer after \(longest.inMilliseconds) ms at most")
        station.note("descriptors back after \(recovery.inTenths) s, memory \(after.residentWords)")
    }

    /// One round of everything that is refused, a good request after each.
    ///
    /// - Returns: the seconds of the slowest good answer.
    private static func expectRefusals(_ hostile: HostileClients, _ station: LabStation) throws -> Double {
        var longest = 0.0
        func expect(_ what: String, _ status: Int, _ wanted: Int...) throws {
            try station.expect(wanted.contains(status), "\(what): answered with \(status), not \(wanted)")
            let start = ContinuousClock.now
            let good = try station.get("/v1/position", seconds: 20)
            let taken = start.duration(to: .now).inSeconds
            longest = max(longest, taken)
            try station.expect(
                good.status == 200 && taken < 1, "\(what): then a good request had \(good.status) after \(taken) s")
        }
        try expect("one field of a megabyte", try hostile.headerBomb(isOneField: true), 431)
        try expect("100 000 fields", try hostile.headerBomb(isOneField: false), 431)
        try expect("a target of 100 000 bytes", try hostile.targetBomb(), 414)
        try expect("64 MB told ahead", try hostile.largeBody(isChunked: false), 413)
        try expect("64 MB in chunks", try hostile.largeBody(isChunked: true), 413)
        let answers = try hostile.pipelined(1000)
        try station.expect(answers == 1000, "1000 pipelined requests got \(answers) answers")
        try expect("a half-closed request", try hostile.halfClosed(), 200)
        try expect("half a request, half-closed", try hostile.halfClosedHalfRequest(), 0, 400, 408)
        try expect("a foreign Host", try hostile.foreign(host: "evil.example"), 403)
        try expect("a foreign Origin", try hostile.foreign(origin: "https://evil.example"), 403)
        try expect("our own Origin", try hostile.foreign(origin: "http://localhost"), 200)
        guard getuid() == 0 else {
            station.note("not root, so that nobody was left out")
            return longest
        }
        try expect("nobody reads the position", try hostile.stranger("GET", "/v1/position"), 200)
        try expect("nobody reads the list", try hostile.stranger("GET", "/v1/postcards"), 200)
        try expect("nobody takes a postcard", try hostile.stranger("POST", "/v1/postcards"), 403)
        try expect("nobody deletes", try hostile.stranger("DELETE", "/v1/postcards/x"), 403)
        try expect("nobody sets the camera", try hostile.stranger("PATCH", "/v1/camera/controls"), 403)
        return longest
    }

    private static let apiListeners = Scenario(
        "api-listeners", .here, limitSeconds: 240,
        promise: """
            100 listeners, 10 of which never read 50 positions a second: the 10 are dropped within 60 s and counted, \
            the 90 get every event in its order, a good client has its position with p99 under 5 ms and each time \
            under 1 s, and the memory of the 10 is given back: the heap is at most 4 MB over what it was before they \
            came.
            """
    ) { station in
        try station.configure(besieged)
        try station.start()
        let before = try ProcessSample(station)
        let listeners = (0..<90).map { _ in EventListener(station.socket, "/v1/events?types=postcard,health") }
        let good = GoodClient(station.socket)
        let unburdened = try ProcessSample(station)
        let deaf = SlowClients(10, .deaf, station.socket)
        let dropped = try station.until("those who never read are dropped", within: 60, every: 0.5) {
            try station.metric("konza_http_streams_dropped_total") >= 10
        }
        let freed = try ProcessSample(station)
        for _ in 0..<5 { try station.expectPostcard() }
        try station.until("every listener has them", within: 10) {
            listeners.allSatisfy { $0.soFar.count >= 10 && $0.soFar.count == listeners[0].soFar.count }
        }
        let latency = try good.take()
        good.end()
        deaf.end()
        for listener in listeners { listener.finish() }
        let heard = listeners.map { $0.end() }
        let reference = heard[0].first.map(\.id)
        try station.expect(
            heard.allSatisfy { $0.failure == nil && $0.first.map(\.id) == reference }, "listeners heard other events")
        let recovery = try untilDescriptors(station, before)
        let after = try ProcessSample(station)
        station.note("dropped after \(dropped.inTenths) s; \(reference.count) events to each of 90")
        station.note("position \(latency.words)")
        station.note("descriptors back after \(recovery.inTenths) s, memory \(after.residentWords)")
        station.note(
            "heap \(before.heapWords) at first, \(unburdened.heapWords) before the 10 and \(freed.heapWords) after "
                + "them, \(after.heapWords) at last")
        try station.expect(
            freed.heap <= unburdened.heap + 4e6,
            "the 10 leave \(freed.heapWords) of \(unburdened.heapWords) behind")
        try expectSwift(latency, station)
    }

    /// A closed loop asks nothing while it waits, so that its percentiles hide a stall: its slowest answer does not.
    private static func expectSwift(_ latency: GoodClient.Latency, _ station: LabStation) throws {
        try station.expect(latency.p99 < positionMilliseconds, "the position took too long: \(latency.words)")
        try station.expect(latency.most < 1000, "the position once took too long: \(latency.words)")
    }

    private static let apiStorm = Scenario(
        "api-storm", .alone, limitSeconds: 240 + stormSeconds * 2,
        promise: """
            For 60 s (KONZA_LAB_STORM_SECONDS) 1000 idle connections, 100 that send and 100 that read a byte at a time, \
            100 listeners of which 10 never read, header bombs, 64 MB bodies, pipelining, half-closed sockets and \
            strangers, all at once: a good client has its position with p99 under 5 ms and each time under 1 s, \
            konzad stays under 160 MB, and within 10 s of the end its descriptors are what they were.
            """
    ) { station in
        raiseDescriptorLimit()
        try station.configure(besieged)
        try station.start()
        let before = try ProcessSample(station)
        let good = GoodClient(station.socket)
        defer { good.end() }
        sleep(10)
        let baseline = try good.take()
        let crowd: [SlowClients] = [
            SlowClients(1000, .idle, station.socket), SlowClients(100, .sending, station.socket),
            SlowClients(100, .reading, station.socket), SlowClients(10, .deaf, station.socket),
        ]
        let listeners = (0..<90).map { _ in EventListener(station.socket) }
        try station.until("all are connected", within: 60) {
            crowd.map(\.open) == [1000, 100, 100, 10] && listeners.allSatisfy { $0.soFar.isOpen }
        }
        var most = try ProcessSample(station)
        let storm = try HostileStorm(station, users: getuid() == 0)
        let start = ContinuousClock.now
        while start.duration(to: .now).inSeconds < stormSeconds {
            sleep(1)
            let now = try ProcessSample(station)
            if now.resident > most.resident { most = now }
        }
        let latency = try good.take()
        let attempts = try storm.end()
        let connected = crowd.map(\.open)
        let returns = crowd.map(\.returns)
        for clients in crowd { clients.end() }
        for listener in listeners { listener.finish() }
        let heard = listeners.map { $0.end() }
        try station.expect(
            heard.allSatisfy { $0.failure == nil && !$0.hasEnded }, "a listener that reads was dropped")
        let recovery = try untilDescriptors(station, before)
        let after = try ProcessSample(station)
        station.note("position alone: \(baseline.words)")
        station.note("while 1300 come, and in the storm: \(latency.words)")
        station.note("connected \(connected), come back \(returns), \(attempts) attempts")
        station.note(
            "memory \(before.residentWords), at most \(most.residentWords), then \(after.residentWords); "
                + "descriptors \(Int(before.descriptors)), at most \(Int(most.descriptors)), back after \(recovery.inTenths) s"
        )
        try expectSwift(latency, station)
        try station.expect(most.resident < 160e6, "konzad took \(most.residentWords)")
        try station.expectPostcard()
    }

    /// Waits until the process has no more descriptors than before. The good client's may be one of them.
    private static func untilDescriptors(_ station: LabStation, _ before: ProcessSample) throws -> Double {
        try station.until("the descriptors are back at \(Int(before.descriptors))", within: 10) {
            let now = try ProcessSample(station).descriptors
            guard now <= before.descriptors + 2 else { throw Complaint("there are \(Int(now))") }
            return true
        }
    }

    /// Every connection needs one on this side too.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, 4096))
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// All the attempts of ``HostileClients`` at the same time, again and again.
private final class HostileStorm: Sendable {
    private let isDone = LockedValue(false)
    private let seen = LockedValue((attempts: 0, failure: String?.none))
    private let ended = DispatchSemaphore(value: 0)
    private let count: Int

    init(_ station: LabStation, users: Bool) throws {
        let hostile = HostileClients(socket: station.socket)
        var attempts: [@Sendable () throws -> Bool] = [
            { try hostile.headerBomb(isOneField: true) == 431 },
            { try hostile.headerBomb(isOneField: false) == 431 },
            { try hostile.largeBody(isChunked: false) == 413 },
            { try hostile.largeBody(isChunked: true) == 413 },
            { try hostile.pipelined(100) == 100 },
            { try hostile.halfClosed() == 200 },
            { try hostile.foreign(host: "evil.example") == 403 },
            { try hostile.foreign(origin: "https://evil.example") == 403 },
        ]
        if users { attempts.append { try hostile.stranger("POST", "/v1/postcards") == 403 } }
        count = attempts.count
        for (number, attempt) in attempts.enumerated() {
            Thread.detachNewThread { [self] in
                while !isDone.value {
                    let result = Result { try attempt() }
                    seen.change { seen in
                        seen.attempts += 1
                        switch result {
                        case .success(true): break
                        case .success(false): seen.failure = seen.failure ?? "attempt \(number) was not refused as due"
                        case .failure(let error): seen.failure = seen.failure ?? "attempt \(number): \(error)"
                        }
                    }
                    usleep(100_000)
                }
                ended.signal()
            }
        }
    }

    /// Ends it.
    ///
    /// - Returns: how many attempts there were.
    /// - Throws: ``Complaint`` if one had another answer than is due.
    func end() throws -> Int {
        isDone.set(true)
        for _ in 0..<count { ended.wait() }
        if let failure = seen.value.failure { throw Complaint(failure) }
        return seen.value.attempts
    }
}

extension ProcessSample {
    fileprivate var residentWords: String { String(format: "%.1f MB", resident / 1e6) }
    fileprivate var heapWords: String { String(format: "%.1f MB", heap / 1e6) }
}
