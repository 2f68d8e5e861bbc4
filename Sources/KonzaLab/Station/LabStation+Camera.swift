internal import Foundation

extension LabStation {
    /// Starts with a camera and goes on once frames come, which are wanted all the time.
    ///
    /// - Parameters:
    ///   - settings: the configuration.
    ///   - body: what happens then.
    /// - Throws: what the body throws, or ``Complaint`` if the camera is not ok within 30 s.
    public func startWatching(_ settings: String, _ body: () throws -> Void) throws {
        try configure(settings)
        try start()
        try watching {
            try untilCamera("ok", within: 30)
            try body()
        }
    }

    /// Keeps a preview open and read while the body runs, so that frames are wanted all the time.
    ///
    /// - Parameter body: what happens meanwhile.
    /// - Throws: what the body throws.
    public func watching(_ body: () throws -> Void) throws {
        let isDone = LockedValue(false)
        let ended = DispatchSemaphore(value: 0)
        let path = socket
        Thread.detachNewThread {
            while !isDone.value {
                guard let connection = try? UnixConnection(path: path, seconds: 1) else {
                    usleep(200_000)
                    continue
                }
                try? connection.send(Array("GET /v1/camera/preview HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
                var silentSeconds = 0
                while !isDone.value, silentSeconds < 30 {
                    guard let bytes = try? connection.read() else {
                        silentSeconds += 1
                        continue
                    }
                    if bytes.isEmpty { break }
                    silentSeconds = 0
                }
            }
            ended.signal()
        }
        defer {
            isDone.set(true)
            ended.wait()
        }
        try body()
    }

    /// What the camera's side has counted.
    ///
    /// - Parameter event: `errorFlagged`, `truncated`, ...
    /// - Returns: the count since konzad's start.
    /// - Throws: ``Complaint`` if there is no reply.
    public func cameraCount(_ event: String) throws -> Double {
        try metric("konza_camera_events_total", event)
    }

    /// Waits until the camera says a kind of health, in the status and in the metrics alike.
    ///
    /// - Parameters:
    ///   - kinds: any of these stable names.
    ///   - seconds: the longest wait.
    /// - Returns: how many seconds it took.
    /// - Throws: ``Complaint`` with what it says instead.
    @discardableResult public func untilCamera(_ kinds: String..., within seconds: Double) throws -> Double {
        try until("the camera is \(kinds.joined(separator: " or "))", within: seconds, every: 0.1) {
            let health = try self.health("camera")
            guard kinds.contains(health.kind) else { throw Complaint("it is \(health.kind): \(health.reason)") }
            let page = String(decoding: try self.get("/metrics").body, as: UTF8.self)
            let line = page.split(separator: "\n").first {
                $0.hasPrefix("konza_health{") && $0.contains("part=\"camera\"")
            }
            guard let line, kinds.contains(where: { line.contains("kind=\"\($0)\"") }) else {
                throw Complaint("the metrics say \(line ?? "nothing")")
            }
            return true
        }
    }

    /// Asks for a postcard that cannot be taken, and expects 503 with the reason that the status gives.
    ///
    /// - Parameter kinds: what the camera's health may be meanwhile.
    /// - Throws: ``Complaint`` if it was acknowledged, or refused in other words.
    public func expectRefusal(while kinds: String...) throws {
        let failures = try metric("konza_postcard_failures_total", "camera-unavailable")
        let before = try health("camera")
        let reply = try post("/v1/postcards")
        let after = try health("camera")
        try expect(reply.status == 503, "a postcard was answered with \(reply.status) while \(before.kind)")
        try expect(
            reply["kind"]?.text == "camera-unavailable", "the refusal is of the kind \(reply["kind"]?.text ?? "-")")
        let detail = reply["detail"]?.text ?? ""
        // What the last broken frame lacked is another thing with every frame.
        let words = { (text: String) in text.replacing(#/ \(the last: [^)]*\)/#, with: "") }
        try expect(
            [before, after].contains { words(detail).contains(words($0.reason)) },
            "the refusal says \"\(detail)\", the status \"\(after.reason)\"")
        try expect(kinds.contains(after.kind), "the camera is \(after.kind): \(after.reason)")
        let counted = try metric("konza_postcard_failures_total", "camera-unavailable")
        try expect(counted == failures + 1, "the refusal was not counted")
    }

    /// Asks for a postcard. A painted camera never fails: where it has no frame in time the machine stood still, and it is
    /// asked again, three times at most.
    ///
    /// - Returns: the last answer, and how many seconds it took.
    /// - Throws: ``Complaint`` if there was none.
    func answerToPostcard() throws -> (reply: LabReply, seconds: Double) {
        var start = ContinuousClock.now
        var reply = try post("/v1/postcards", #"{"message":"Lab"}"#)
        for _ in 0..<3 where reply["kind"]?.text == "camera-unavailable" {
            guard try get("/v1/status")["camera", "source"]?.text == "simulated" else { break }
            start = .now
            reply = try post("/v1/postcards", #"{"message":"Lab"}"#)
        }
        return (reply, start.duration(to: .now).inSeconds)
    }

    /// Takes a postcard, expects it to be acknowledged, and verifies it.
    ///
    /// - Parameter size: the picture's width and height, if they matter.
    /// - Returns: the postcard.
    /// - Throws: ``Complaint`` if it was refused, or is not what was acknowledged.
    @discardableResult public func expectPostcard(size: (width: Int, height: Int)? = nil) throws -> LabPostcard {
        let (reply, seconds) = try answerToPostcard()
        guard let postcard = LabPostcard(reply, seconds: seconds) else {
            throw Complaint("a postcard was refused with \(reply.status): \(reply["detail"]?.text ?? "")")
        }
        try verify(postcard, size: size)
        return postcard
    }

    /// Asks for postcards again and again until one is acknowledged; it and only it must be sound.
    ///
    /// - Parameter seconds: the longest recovery.
    /// - Returns: how many seconds it took.
    /// - Throws: ``Complaint`` if none was in time.
    @discardableResult public func untilPostcard(within seconds: Double) throws -> Double {
        var taken: LabPostcard?
        let recovery = try until("a postcard is acknowledged", within: seconds) {
            taken = try self.postcard()
            return taken != nil
        }
        if let taken { try verify(taken) }
        return recovery
    }
}
