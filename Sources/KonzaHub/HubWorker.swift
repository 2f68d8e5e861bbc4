internal import FleetMessaging
internal import KonzaModel
internal import KonzaSystem
internal import MQTTTransfer
internal import PostgresAccess
internal import Settings
internal import Synchronization

/// Takes messages from the broker, keeps them, and sends receipts for what is committed. Nothing of it outlives the thread: what was
/// not committed is sent again by its box, so the broker's session may be a clean one.
struct HubWorker: Sendable {
    /// Ends a worker from another thread.
    final class Stop: Sendable {
        let wakeup: Wakeup
        private let flag = Atomic(false)

        init() throws(SystemError) { wakeup = try Wakeup() }

        var isSet: Bool { flag.load(ordering: .relaxed) }

        func set() {
            flag.store(true, ordering: .relaxed)
            wakeup.signal()
        }
    }

    struct Place: Sendable {
        let broker: MQTTSettings
        let database: PostgresAddress
        /// Of all workers: with one, topics are subscribed to plainly.
        let workers: Int
    }

    /// Why a worker begins anew.
    enum Failure: Error {
        case broker(MQTTError)
        case database(PostgresError)

        var words: String {
            switch self {
            case .broker(let error): error.description
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
    let stop: Stop
    let clock = SystemClock()

    init(number: Int, place: Place, figures: HubFigures, post: HubPost? = nil, log: Log, stop: Stop) {
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
            case .broker(let error): worker.broker = .init(isUp: false, problem: error.description)
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
        var subscriptions = try subscribe(broker)
        var batch = HubBatch()
        var unacknowledged = 0
        var signed: [Int32: Int] = [:]
        defer { post?.close() }
        while true {
            for event in broker.turn(seconds: stop.isSet ? 0 : batch.secondsLeft(at: clock.monotonic())) {
                switch event {
                case .connected: break
                case .subscribed(let id, let isGranted):
                    guard isGranted else { throw .broker(Self.subscriptionRefused) }
                    subscriptions.remove(id)
                    if subscriptions.isEmpty { begin(whenUp) }
                case .message(let message): take(message, into: &batch)
                case .acknowledged(let id, let reason):
                    if let number = signed.removeValue(forKey: id) {
                        post?.settle(number, reason)
                        continue
                    }
                    unacknowledged -= 1
                    judge(reason)
                case .disconnected(let error): throw .broker(error)
                }
            }
            for item in post?.take() ?? [] {
                do throws(MQTTError) {
                    signed[try broker.publish(item.publication)] = item.number
                } catch {
                    throw .broker(error)
                }
            }
            let isDue = batch.secondsLeft(at: clock.monotonic()) <= 0 || stop.isSet
            if isDue, !batch.isEmpty, unacknowledged < Self.mostUnacknowledged {
                let kept = try keeper.keep(batch.messages, patience: Self.patience)
                batch.clear()
                unacknowledged += try send(HubBatch.receipts(for: kept), broker)
            }
            if stop.isSet { break }
        }
        broker.disconnect()
    }

    private func begin(_ whenUp: () -> Void) {
        figures.set(number) { $0.broker = .init(isUp: true) }
        figures.count { $0.brokerConnections += 1 }
        post?.open()
        log(.info, "worker \(number + 1): takes messages from \(place.broker.host):\(place.broker.port)")
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
}
