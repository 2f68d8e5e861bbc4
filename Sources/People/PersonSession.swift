public import KonzaModel

/// What of a login a device keeps, by its user's choice.
public enum KeptLogin: String, Sendable, CaseIterable {
    /// Nothing: the session ends with the browser.
    case nothing
    /// The name, which is filled in the next time.
    case name
    /// The name, and a token that keeps the session for thirty days. It musters nobody.
    case device
}

/// Somebody who signed in, on one device.
public struct PersonSession: Sendable, Equatable {
    /// For people and addresses; it opens nothing.
    public let id: String
    /// The number of the person.
    public let person: Int64
    /// What is known of the device: its id, or where it asks from.
    public let device: String
    public let madeAt: UTCInstant
    public var expiresAt: UTCInstant
    public let keeps: KeptLogin
    /// Whether it is the kiosk's, and ends after a minute without a request.
    public var isAtKiosk = false
    /// Whether it was begun by somebody who comes back, and is good for nothing else.
    public var isForReturn = false
    /// How often the person's role was changed since it began.
    var roleChanges = 0
    /// Until when the secret counts as just typed; nil once the portal was started again.
    var freshUntil: MonotonicInstant?
    /// When it ends without a request, on the kiosk.
    var idleUntil: MonotonicInstant?

    /// How long after the secret was typed a muster may follow, seconds.
    public static let freshSeconds = 300.0
    /// How long the kiosk's lasts without a request, seconds.
    public static let kioskIdleSeconds = 60.0
    /// How long one without a stored token lasts, seconds.
    static let browserSeconds = 12.0 * 3600
    /// How long one with a token lasts (SP 800-63B-4 section 2.1.3), seconds.
    static let deviceSeconds = 30.0 * 86_400
    static let mostOfPerson = 10
    static let most = 4000
}
