internal import KonzaModel

/// A receiver as gpsd knows it (gpsd_json(5), DEVICE).
public struct Receiver: Sendable, Equatable {
    /// The device's path.
    public var path: String
    /// gpsd's driver, once it has recognised the receiver's protocol.
    public var driver: String?
    /// What the receiver says of its model and firmware.
    public var model: String?
    /// gpsd has it open. A receiver that was unplugged, or that gpsd has not opened yet, is not activated.
    public var isActivated: Bool
    /// Seconds between two reports.
    public var cycleSeconds: Double?
    public var bitsPerSecond: Int?

    public init(
        path: String, driver: String? = nil, model: String? = nil, isActivated: Bool, cycleSeconds: Double? = nil,
        bitsPerSecond: Int? = nil
    ) {
        self.path = path
        self.driver = driver
        self.model = model
        self.isActivated = isActivated
        self.cycleSeconds = cycleSeconds
        self.bitsPerSecond = bitsPerSecond
    }
}

/// Why a line was not used.
public enum LineRejection: String, Sendable, CaseIterable, Error {
    /// Longer than gpsd's longest reply.
    case tooLong
    /// Not one JSON object.
    case notJSON
    /// An object without a class, or of a class whose members have the wrong types.
    case wrongShape
    /// JSON that libgps refuses.
    case refusedByLibrary
}

/// A line that was not used.
struct RefusedLine: Error, Equatable {
    var rejection: LineRejection
    /// The line's class, if it can be told.
    var kind: String?
    var device: String?
}

/// One report of gpsd, decoded.
enum GPSDReport: Equatable {
    case version(release: String, major: Int, minor: Int)
    /// All the receivers gpsd has.
    case devices([Receiver])
    /// One receiver that came, went or changed.
    case device(Receiver)
    case watch(isEnabled: Bool)
    case fix(Fix)
    /// A sky; without satellites it brings dilutions only.
    case sky(Sky, hasSatellites: Bool)
    /// The receiver's own errors; nil where the line states none.
    case statement(ErrorStatement?, device: String?)
    case error(String)
    /// A class that says nothing about the position, and the receiver that it is of.
    case other(class: String, device: String?)
}

/// How the way to the receiver is, as the source sees it.
public enum PositionLink: Sendable, Equatable {
    /// Nothing was tried yet.
    case starting(endpoint: String)
    /// gpsd answered and reports are asked for.
    case connected(endpoint: String, release: String)
    /// A receiver cannot be reached, for a reason.
    case down(LinkFailure)
    /// A recording is replayed.
    case recorded(name: String)
}

/// Why there is no talk with gpsd.
public enum LinkFailure: Sendable, Equatable {
    /// No connection: refused, no such host, no route, no answer.
    case unreachable(endpoint: String, cause: String)
    /// Connected, and not a word in time.
    case silent(endpoint: String)
    /// What answers is not gpsd.
    case nonsense(endpoint: String, cause: String)
    /// A gpsd whose protocol is not spoken here.
    case tooOld(endpoint: String, release: String)
    /// gpsd ended the connection.
    case closed(endpoint: String)
    /// A recording that cannot be replayed.
    case brokenRecording(cause: String)
}
