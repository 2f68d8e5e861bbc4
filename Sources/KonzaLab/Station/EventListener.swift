internal import Foundation

/// A client of the event stream that reads it all.
final class EventListener: Sendable {
    struct Outcome: Sendable {
        /// Events that came, heartbeats not among them.
        var count = 0
        /// The id of the last event.
        var lastID: String?
        /// Names and ids of the events, the first thousand.
        var first: [(name: String, id: String)] = []
        /// Whether the stream was granted.
        var isOpen = false
        /// Whether the server has ended the stream.
        var hasEnded = false
        /// Whether the stream ended as HTTP ends a body without a length: with its last chunk.
        var endedInOrder = false
        /// What went wrong, in words.
        var failure: String?
    }

    private let outcome = LockedValue(Outcome())
    private let isDone = LockedValue(false)
    private let ended = DispatchSemaphore(value: 0)

    /// Begins.
    ///
    /// - Parameters:
    ///   - socket: where konzad listens.
    ///   - target: `/v1/events` and its query, or another endless stream, whose bytes are only read.
    ///   - lastID: the `Last-Event-ID` of a client that comes back.
    init(_ socket: String, _ target: String = "/v1/events", lastID: String? = nil) {
        Thread.detachNewThread { [outcome, isDone, ended] in
            do {
                try Self.listen(socket, target, lastID, outcome, isDone)
            } catch {
                outcome.change { $0.failure = "\(error)" }
            }
            ended.signal()
        }
    }

    /// What came so far.
    var soFar: Outcome { outcome.value }

    /// Has it end soon, without waiting for that.
    func finish() { isDone.set(true) }

    /// Ends it, if the server has not.
    ///
    /// - Returns: what came.
    func end() -> Outcome {
        isDone.set(true)
        return wait()
    }

    /// Waits until the server has ended the stream.
    ///
    /// - Returns: what came.
    func wait() -> Outcome {
        ended.wait()
        return outcome.value
    }

    private static func listen(
        _ socket: String, _ target: String, _ lastID: String?, _ outcome: LockedValue<Outcome>,
        _ isDone: LockedValue<Bool>
    ) throws {
        let holdsEvents = target.hasPrefix("/v1/events")
        let connection = try UnixConnection(path: socket, seconds: 0.5)
        let resume = lastID.map { "Last-Event-ID: \($0)\r\n" } ?? ""
        try connection.send(Array("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(resume)\r\n".utf8))
        var text = ""
        var id: String?
        var tail: [UInt8] = []
        while !isDone.value {
            let bytes: [UInt8]
            do {
                bytes = try connection.read()
            } catch is UnixConnection.Silence {
                continue
            }
            if bytes.isEmpty {
                outcome.change { outcome in
                    outcome.hasEnded = true
                    outcome.endedInOrder = tail.suffix(5) == Array("0\r\n\r\n".utf8)
                }
                return
            }
            if !outcome.value.isOpen {
                guard bytes.starts(with: Array("HTTP/1.1 200".utf8)) else {
                    throw Complaint("the stream was refused: \(String(decoding: bytes.prefix(12), as: UTF8.self))")
                }
                outcome.change { $0.isOpen = true }
            }
            tail = Array((tail + bytes.suffix(5)).suffix(5))
            guard holdsEvents else { continue }
            text += String(decoding: bytes, as: UTF8.self)
            take(&text, &id, outcome)
        }
    }

    /// Takes the whole lines. Chunks end with an event, so that none of their lengths stands within a line.
    private static func take(_ text: inout String, _ id: inout String?, _ outcome: LockedValue<Outcome>) {
        // "\r\n" is one Character.
        var lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        text = String(lines.removeLast())
        for line in lines {
            if line.hasPrefix("id: ") { id = String(line.dropFirst(4)) }
            guard line.hasPrefix("event: ") else { continue }
            let name = String(line.dropFirst(7))
            outcome.change { outcome in
                outcome.count += 1
                outcome.lastID = id
                if outcome.first.count < 1000 { outcome.first.append((name, id ?? "")) }
            }
        }
    }
}
