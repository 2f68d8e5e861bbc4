public import HTTPServing
public import KonzaAPI
public import KonzaModel
internal import KonzaSystem
internal import Storage

/// `/v1/session`, `/v1/invitations`, `/v1/pairing-requests`, `/v1/devices`: who a browser is, and how it becomes that.
public struct AccessRoutes: Sendable {
    /// What the page of a device learns about itself.
    public typealias Session = @Sendable (Principal, Device?) throws(Problem) -> Response

    static let bodyLimit = 4096
    /// Attempts of one address in a minute.
    static let attempts = 20
    /// Questions of one address in a minute whether it was let in: each device asks twelve times.
    static let polls = 120

    let register: DeviceRegister
    let door: KioskDoor
    let attempts: AttemptLimit
    let polls: AttemptLimit
    let clock: any StationClock
    let address: @Sendable (Role) -> String
    let session: Session
    let ended: @Sendable (String) -> Void
    let note: @Sendable (String) -> Void
    let kioskUser: @Sendable () -> UInt32?

    /// - Parameters:
    ///   - register: the devices.
    ///   - door: the PIN of the kiosk.
    ///   - clock: the time.
    ///   - address: where a device of a role finds the pages, such as `https://konza.lan:8443`.
    ///   - session: what a browser learns about who it is.
    ///   - ended: told the id of a device that may no longer do what it could: what it still reads is to end.
    ///   - note: takes a line for the log: who was let in by whom, and who was sent away.
    ///   - kioskUser: the number of the user that the kiosk's browser runs as; nil where there is none. It may block.
    public init(
        _ register: DeviceRegister, door: KioskDoor, clock: any StationClock,
        address: @escaping @Sendable (Role) -> String,
        session: @escaping Session, ended: @escaping @Sendable (String) -> Void,
        note: @escaping @Sendable (String) -> Void, kioskUser: @escaping @Sendable () -> UInt32? = { nil }
    ) {
        self.register = register
        self.door = door
        self.clock = clock
        attempts = AttemptLimit(Self.attempts, clock: clock)
        polls = AttemptLimit(Self.polls, clock: clock)
        self.address = address
        self.session = session
        self.ended = ended
        self.note = note
        self.kioskUser = kioskUser
    }

    public var routes: [Route] {
        sessionRoutes + doorRoutes + ticketRoutes + invitationRoutes + requestRoutes + deviceRoutes
    }

    func reading(_ request: Request, _ body: (inout RequestMembers) throws -> Response) throws -> Response {
        var members = RequestMembers(try request.json())
        return try judged { try body(&members) }
    }

    func judged<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as PairingError {
            throw Problem(error)
        } catch let error as StorageError {
            throw Problem(.archiveUnavailable, "cannot write down who is paired: \(error); free or mend the disk")
        }
    }
}

extension Problem {
    init(_ error: PairingError) {
        switch error {
        case .unknown:
            self.init(
                .notFound,
                "cannot find it: a link or letters are good for five minutes and one device, and a device until it is "
                    + "sent away; ask the keeper for new ones")
        case .denied: self.init(.forbidden, "cannot pair this device: the keeper turned it away")
        case .undecided: self.init(.conflict, "cannot pair this device yet: nobody has decided")
        case .tooSoon:
            self.init(
                .tooManyRequests, "cannot answer so often: ask every \(Int(DeviceRegister.pollSeconds)) seconds")
        case .tooMany(let what, let limit):
            self.init(.tooManyRequests, "cannot take another: \(limit) \(what) already; remove one, or wait")
        case .invalid(let words): self.init(.invalidRequest, "cannot take it: \(words)")
        }
    }
}
