internal import Foundation

/// Fifty clients of every kind at one time.
final class ClientCrowd: Sendable {
    /// What came of them all.
    struct Outcome: Sendable {
        /// The id of the last event that the listeners saw.
        var lastID: String?
        var postcards: [LabPostcard] = []
        /// Requests that were answered with 429 or 503.
        var refusals = 0
    }

    /// What the clients that ask have seen.
    private struct Answers: Sendable {
        var postcards: [LabPostcard] = []
        var pictures = 0
        var refusals = 0
        /// Who has had an answer.
        var served: Set<Int> = []
        /// What must not happen, in words.
        var failures: [String] = []
    }

    private static let listenerCount = 20
    private static let watcherCount = 10
    private static let askerCount = 16
    private static let resterCount = 4

    private let station: LabStation
    private let listeners: [EventListener]
    private let watchers: [EventListener]
    private let resters: [UnixConnection]
    private let answers = LockedValue(Answers())
    private let ended = DispatchSemaphore(value: 0)

    /// They come.
    ///
    /// - Parameters:
    ///   - station: whose konzad runs.
    ///   - lastID: the last event that the listeners saw before.
    /// - Throws: ``Complaint`` if one of those who rest is not answered.
    init(_ station: LabStation, lastID: String? = nil) throws {
        self.station = station
        let socket = station.socket
        listeners = (0..<Self.listenerCount).map { _ in EventListener(socket, lastID: lastID) }
        // A preview is a stream too; its parts hold no events.
        watchers = (0..<Self.watcherCount).map { _ in EventListener(socket, "/v1/camera/preview?fps=5") }
        resters = try (0..<Self.resterCount).map { _ in
            let connection = try UnixConnection(path: socket, seconds: 20)
            try connection.send(Array("GET /v1/position HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            guard try connection.read().starts(with: Array("HTTP/1.1 200".utf8)) else {
                throw Complaint("a client that rests was not answered")
            }
            return connection
        }
        for number in 0..<Self.askerCount {
            Thread.detachNewThread { [self] in
                while ask(number) { usleep(10_000) }
                ended.signal()
            }
        }
    }

    /// One request on a connection of its own.
    ///
    /// - Returns: false once konzad takes no more connections.
    private func ask(_ number: Int) -> Bool {
        guard let connection = try? UnixConnection(path: station.socket, seconds: 30) else { return false }
        let isPostcard = number % 2 == 0
        let head = isPostcard ? "POST /v1/postcards" : "GET /v1/camera/frame.jpg"
        let body = isPostcard ? "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}" : "\r\n"
        do {
            try connection.send(Array("\(head) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(body)".utf8))
            let bytes = try connection.readToEnd()
            // It was never taken from the queue of those who wait for a connection.
            if bytes.isEmpty, isStopping { return false }
            note(try HTTPReplyParser.parse(bytes, hasBody: true), number)
            return true
        } catch {
            guard !isStopping || "\(error)".contains("a reply of") else { return false }
            answers.change { $0.failures.append("\(error)") }
            return false
        }
    }

    /// Whether konzad has let its socket go, or is about to: it does not take connections any more.
    private var isStopping: Bool { (try? UnixConnection(path: station.socket, seconds: 1)) == nil }

    private func note(_ reply: LabReply, _ number: Int) {
        answers.change { answers in
            answers.served.insert(number)
            switch reply.status {
            case 201:
                if let postcard = LabPostcard(reply, seconds: 0) { answers.postcards.append(postcard) }
            case 200: answers.pictures += 1
            case 429, 503: answers.refusals += 1
            default: answers.failures.append("a request was answered with \(reply.status)")
            }
        }
    }

    /// Waits until every one of them has had something from konzad.
    ///
    /// - Throws: ``Complaint`` if one has not.
    func untilServed() throws {
        try station.until("all clients are served", within: 10) {
            let streams = self.listeners + self.watchers
            let waiting = streams.filter { !$0.soFar.isOpen }.count
            let unasked = Self.askerCount - self.answers.value.served.count
            guard waiting == 0, unasked == 0 else { throw Complaint("\(waiting) streams, \(unasked) requests wait") }
            return true
        }
    }

    /// Every listener was told that it missed events of an earlier run.
    ///
    /// - Parameter lastID: that they gave.
    /// - Throws: ``Complaint`` if one was not.
    func expectGap(of lastID: String?) throws {
        try station.expect(lastID != nil, "no listener has seen an event")
        try station.until("every listener has an event", within: 10) {
            self.listeners.allSatisfy { $0.soFar.count > 0 }
        }
        for listener in listeners {
            let name = listener.soFar.first.first?.name ?? "none"
            try station.expect(name == "gap", "the first event of a listener that came back is \(name)")
        }
    }

    /// Waits until konzad has ended every connection.
    ///
    /// - Returns: what came of them.
    /// - Throws: ``Complaint`` for one that was not ended in order.
    func expectOrderlyEnd() throws -> Outcome {
        for _ in 0..<Self.askerCount { ended.wait() }
        let heard = listeners.map { $0.wait() }
        let streams = heard + watchers.map { $0.wait() }
        let torn = streams.filter { !$0.endedInOrder }
        try station.expect(
            torn.isEmpty, "\(torn.count) of \(streams.count) streams were torn: \(torn.compactMap(\.failure).prefix(3))"
        )
        for rester in resters {
            try station.expect(try rester.readToEnd().count < 100_000, "a client that rests got more than its answer")
        }
        let answers = answers.value
        try station.expect(answers.failures.isEmpty, "requests were not answered: \(answers.failures.prefix(3))")
        return Outcome(
            lastID: heard.compactMap(\.lastID).first, postcards: answers.postcards, refusals: answers.refusals)
    }
}
