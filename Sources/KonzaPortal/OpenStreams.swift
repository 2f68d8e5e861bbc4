internal import Access
internal import HTTPServing
internal import KonzaModel
internal import KonzaSystem
internal import People
internal import Synchronization

/// The streams that somebody reads. Each ends when whoever opened it may no longer read it.
final class OpenStreams: Sendable {
    private struct Reader: Sendable {
        let device: String?
        let mayRead: @Sendable () -> Bool
        let end: @Sendable () -> Void
    }

    /// How often it is looked whether sessions are over by themselves, seconds.
    private static let lookSeconds = 1.0

    private let devices: DeviceRegister
    private let people: PeopleRegister
    private let clock: any StationClock
    private let readers = Mutex<[ObjectIdentifier: Reader]>([:])
    /// Wakes whoever looks for sessions that are over: nobody does while nobody reads.
    private let (arrivals, arrival) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// - Parameters:
    ///   - devices: that were paired.
    ///   - people: with their sessions.
    ///   - clock: the time.
    init(devices: DeviceRegister, people: PeopleRegister, clock: any StationClock) {
        self.devices = devices
        self.people = people
        self.clock = clock
        people.onSessionEnd { [weak self] in self?.check() }
    }

    /// Holds a stream until it ends.
    ///
    /// - Parameters:
    ///   - stream: of the answer.
    ///   - request: that is answered. The stream may be read while its device is paired as it is now, and the session of its
    ///     person, if it has one, is open and has the role that it has now.
    ///   - session: of the person.
    ///   - end: ends it.
    func hold(
        _ stream: ResponseStream, of request: Request, _ session: PersonSession?, end: @escaping @Sendable () -> Void
    ) {
        let key = ObjectIdentifier(stream)
        let isPaired = devices.pairing(of: request)
        let reader = Reader(
            device: request.principal.client,
            mayRead: { [people] in isPaired() && session.map(people.isOpen) ?? true }, end: end)
        readers.withLock { $0[key] = reader }
        stream.onEnd { [weak self] in self?.readers.withLock { _ = $0.removeValue(forKey: key) } }
        arrival.yield()
        // What was revoked since the request was let in was not yet held when the others ended.
        if !reader.mayRead() { endAll { $0 == key } }
    }

    /// Ends the streams of a device: it may no longer read.
    func end(device: String) {
        let keys = readers.withLock { $0.filter { $0.value.device == device }.keys }
        endAll(keys.contains)
    }

    private func check() {
        let over = readers.withLock { $0 }.filter { !$0.value.mayRead() }
        endAll { over[$0] != nil }
    }

    private func endAll(_ isOver: (ObjectIdentifier) -> Bool) {
        let over = readers.withLock { readers in
            let over = readers.filter { isOver($0.key) }
            for key in over.keys { readers[key] = nil }
            return over.values
        }
        for reader in over { reader.end() }
    }

    /// Looks for sessions that are over until the task is cancelled.
    func tend() async {
        for await _ in arrivals {
            await onTicks(
                named: "streams", of: clock, everySeconds: Self.lookSeconds,
                while: { self.readers.withLock { !$0.isEmpty } }
            ) { self.check() }
        }
    }
}
