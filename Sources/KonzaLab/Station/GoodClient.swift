internal import Foundation

/// A well-behaved client: it asks for the position on one connection again and again, and measures every answer.
///
/// It does not ask while it waits: a stall of seconds is one answer of thousands, which no percentile shows. Whoever
/// judges it looks at the slowest answer too.
final class GoodClient: Sendable {
    /// Milliseconds from a request to its whole answer.
    struct Latency: Sendable {
        let count: Int
        let median: Double
        let p99: Double
        let most: Double

        init(_ milliseconds: [Double]) {
            let sorted = milliseconds.sorted()
            func at(_ share: Double) -> Double {
                sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
            }
            count = sorted.count
            median = at(0.5)
            p99 = at(0.99)
            most = sorted.last ?? 0
        }

        var words: String {
            String(format: "p50 %.2f, p99 %.2f, at most %.1f ms of %d", median, p99, most, count)
        }
    }

    private struct Seen: Sendable {
        var milliseconds: [Double] = []
        var failure: String?
    }

    private let seen = LockedValue(Seen())
    private let isDone = LockedValue(false)
    private let ended = DispatchSemaphore(value: 0)

    /// Begins.
    ///
    /// - Parameters:
    ///   - socket: where konzad listens.
    ///   - seconds: of rest between an answer and the next request.
    init(_ socket: String, every seconds: Double = 0.005) {
        Thread.detachNewThread { [seen, isDone, ended] in
            do {
                let connection = try UnixConnection(path: socket, seconds: 30)
                let request = Array("GET /v1/position HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
                while !isDone.value {
                    let start = ContinuousClock.now
                    try connection.send(request)
                    try Self.readReply(connection)
                    let taken = start.duration(to: .now).inSeconds * 1000
                    seen.change { $0.milliseconds.append(taken) }
                    usleep(UInt32(seconds * 1e6))
                }
            } catch {
                seen.change { $0.failure = "\(error)" }
            }
            ended.signal()
        }
    }

    /// What was measured since the last call.
    ///
    /// - Returns: the figures.
    /// - Throws: ``Complaint`` if a request was not answered with 200.
    func take() throws -> Latency {
        let now = seen.value
        seen.change { $0.milliseconds = [] }
        if let failure = now.failure { throw Complaint("the good client was not served: \(failure)") }
        return Latency(now.milliseconds)
    }

    /// Ends it.
    func end() {
        isDone.set(true)
        ended.wait()
    }

    /// Reads one answer with a length, and nothing beyond it.
    private static func readReply(_ connection: UnixConnection) throws {
        var bytes = try connection.read()
        while true {
            guard !bytes.isEmpty else { throw Complaint("the connection was ended") }
            let text = String(decoding: bytes, as: UTF8.self)
            if let head = text.range(of: "\r\n\r\n") {
                guard text.hasPrefix("HTTP/1.1 200"), let field = text.range(of: "Content-Length: "),
                    let length = Int(text[field.upperBound...].prefix { $0.isNumber })
                else { throw Complaint("it was answered with \(text.prefix(40))") }
                if text[head.upperBound...].utf8.count >= length { return }
            }
            let more = try connection.read()
            guard !more.isEmpty else { throw Complaint("the connection was ended within an answer") }
            bytes += more
        }
    }
}
