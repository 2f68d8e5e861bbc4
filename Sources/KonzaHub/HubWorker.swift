internal import FleetMessaging
internal import KonzaModel
internal import KonzaSystem
internal import MQTTTransfer
internal import PostgresAccess
internal import Settings

/// Takes messages from the broker, keeps them, and sends receipts for what is committed. Nothing of it outlives the thread: what was
/// not committed is sent again by its box, so the broker's session may be a clean one.
struct HubWorker: Sendable {
    struct Place: Sendable {
        let broker: HubBrokerPlace
        let database: PostgresAddress
        /// Of all workers: with one, topics are subscribed to plainly.
        let workers: Int
    }

    /// Why a worker begins anew.
    enum Failure: Error {
        case broker(String)
        case database(PostgresError)

        var words: String {
            switch self {
            case .broker(let words): words
            case .database(let error): error.description
            }
        }
    }

    /// The kinds that say how a box is. One worker takes them all, in their order; brokers hand what they kept to no
    /// shared subscription (MQTT 5 section 4.8.2).
    static let stateKinds = FleetKind.allCases.filter { $0.isFromBox && !$0.isRecord }
    static let recordKinds = FleetKind.allCases.filter { $0.isRecord }
    /// How long a batch waits for a database that is gone before the worker lets go of it, and of the broker, seconds.
    private static let patience = 10.0
    /// Receipts that the broker has not acknowledged, at the most; then nothing is kept until it does.
    private static let mostUnacknowledged = 2000

    let number: Int
    let place: Place
    let figures: HubFigures
    /// What operators signed, for the one worker that publishes it.
    let post: HubPost?
    let log: Log
    let stop: StopSignal
    let clock = SystemClock()

    init(number: Int, place: Place, figures: HubFigures, post: HubPost? = nil, log: Log, stop: StopSignal) {
        self.post = post
        self.number = number
        self.place = place
        self.figures = figures
        self.log = log
        self.stop = stop
    }

    /// Works until it is stopped.
    func run() {
        var pauses = HubPauses(first: 1, longest: 30)
        var complained = ""
        while !stop.isSet {
            do throws(Failure) {
                try serve {
                    pauses.begin()
                    complained = ""
                }
            } catch {
                note(error)
                if error.words != complained { log(.warning, "worker \(number + 1): \(error.words)") }
                complained = error.words
                rest(pauses.next())
            }
        }
    }

    private func note(_ failure: Failure) {
        figures.set(number) { worker in
            switch failure {
            case .broker(let words): worker.broker = .init(isUp: false, problem: words)
            case .database(let error):
                worker.database = .init(isUp: false, problem: error.description)
                worker.broker = .init(isUp: false, problem: "it waits for the database")
            }
        }
    }

    private func rest(_ seconds: Double) {
        let end = clock.monotonic().advanced(bySeconds: seconds)
        while !stop.isSet {
            let left = end.seconds(since: clock.monotonic())
            guard left > 0 else { return }
            _ = try? waitForEvents(
                on: [(stop.wakeup.descriptor, .readable)], milliseconds: Int32(left * 1000) + 1)
        }
    }

    // MARK: - One connection's life

    private func serve(_ whenUp: () -> Void) throws(Failure) {
        // First the database: a worker without one takes no message from those that have one.
        let keeper = HubKeeper(place.database, figures: figures, number: number, stop: stop)
        try keeper.open()
        let broker = try connect()
        var batch = HubBatch()
        var unacknowledged = 0
        var signed: [Int32: Int] = [:]
        defer { post?.close() }
        while true {
            for event in try broker.turn(seconds: stop.isSet ? 0 : batch.secondsLeft(at: clock.monotonic())) {
                switch event {
                case .ready: begin(whenUp)
                case .message(let message): take(message, into: &batch)
                case .acknowledged(let id, let reason):
                    if let number = signed.removeValue(forKey: id) {
                        post?.settle(number, reason)
                        continue
                    }
                    unacknowledged -= 1
                    judge(reason)
                }
            }
            for item in post?.take() ?? [] {
                if let id = try broker.publish(item.publication) {
                    signed[id] = item.number
                } else {
                    post?.settle(item.number, 0)
                }
            }
            let isDue = batch.secondsLeft(at: clock.monotonic()) <= 0 || stop.isSet
            if isDue, !batch.isEmpty, unacknowledged < Self.mostUnacknowledged {
                let kept = try keeper.keep(batch.messages, patience: Self.patience)
                batch.clear()
                unacknowledged += try send(HubBatch.receipts(for: kept), broker)
            }
            if batch.isEmpty {
                try broker.settle()
                keeper.look()
            }
            if stop.isSet { break }
        }
        broker.disconnect()
    }

    private func connect() throws(Failure) -> any HubBroker {
        switch place.broker {
        case .mqtt(let settings): try HubMQTTBroker(settings, worker: number, of: place.workers, stop: stop)
        case .amqp(let settings): try HubAMQPBroker(settings, stop: stop)
        }
    }

    private func begin(_ whenUp: () -> Void) {
        figures.set(number) { $0.broker = .init(isUp: true) }
        figures.count { $0.brokerConnections += 1 }
        post?.open()
        log(.info, "worker \(number + 1): takes messages from \(place.broker.description)")
        whenUp()
    }

    private func take(_ message: MQTTMessage, into batch: inout HubBatch) {
        guard let judged = HubMessage(message) else { return }
        let kind = message.topic.split(separator: "/").last.flatMap { FleetKind(rawValue: String($0)) }
        let isKept = batch.add(judged, bytes: message.payload.count, at: clock.monotonic())
        figures.count { counts in
            counts.messages[kind?.rawValue ?? "other", default: 0] += 1
            if !isKept { counts.dropped += 1 }
        }
    }

    // MARK: - Receipts

    /// - Returns: how many acknowledgements of the broker are to come.
    private func send(
        _ receipts: [FleetTopic: [FleetReceipts.Pair]], _ broker: any HubBroker
    ) throws(Failure) -> Int {
        var messages = 0
        for (topic, pairs) in receipts {
            for start in stride(from: 0, to: pairs.count, by: FleetReceipts.mostPairs) {
                let part = Array(pairs[start..<min(start + FleetReceipts.mostPairs, pairs.count)])
                let publication = MQTTPublication(
                    topic: topic.description, payload: FleetReceipts(box: topic.box, pairs: part).encoded,
                    quality: .atLeastOnce, expirySeconds: topic.kind.expirySeconds)
                if try broker.publish(publication) != nil { messages += 1 }
            }
            figures.count { $0.receipts += pairs.count }
        }
        return messages
    }

    /// What the broker says of a receipt: that nobody listens (0x10) is no fault, a box may be away.
    private func judge(_ reason: Int32) {
        guard reason >= 0x80 else { return }
        let isFirst = figures.refusedReceipt()
        guard isFirst else { return }
        log(
            .error,
            "the broker does not let konza-hub publish receipts (reason \(reason)): boxes send everything again; let its "
                + "user write konza/1/+/+/receipt")
    }
}
