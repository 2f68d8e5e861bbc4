public import HTTPServing
public import KonzaModel

/// A browser that was paired with the station.
public struct Device: Sendable, Equatable {
    /// Ten letters and digits, for people and logs; it opens nothing.
    public let id: String
    public var name: String
    public var role: Role
    public let createdAt: UTCInstant
    /// When it was last heard of, to within an hour.
    public var seenAt: UTCInstant

    /// The roles that a device can be paired for.
    public static let roles: [Role] = [.kiosk, .collector, .ranger, .keeper]
    /// Characters of a name.
    public static let longestName = 40

    /// Controls, marks that turn the direction of writing and breaks of lines are none (Unicode, general categories).
    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
        default: true
        }
    }

    /// A name as it is kept: one line without control characters and outer space; nil if nothing is left of it, or too much.
    static func checkedName(_ text: String) -> String? {
        let plain = String(text.unicodeScalars.map { isShown($0) ? Character($0) : " " })
        let words = plain.split(separator: " ").joined(separator: " ")
        return words.isEmpty || words.count > longestName || words.utf8.count > 4 * longestName ? nil : words
    }
}

/// An unpaired device that asks to be let in, by eight letters that its screen shows.
public struct PairingRequest: Sendable, Equatable {
    public enum State: Sendable, Equatable {
        case waiting
        case approved(Role)
        case denied
    }

    /// As shown: two groups of four.
    public let letters: String
    public let name: String
    /// The address that it came from.
    public let address: String
    public internal(set) var state: State
    /// Seconds until it is forgotten.
    public internal(set) var secondsLeft: Double
}

/// Why somebody cannot be paired.
public enum PairingError: Error, Sendable, Equatable {
    /// The link, or the request, is not known: used, too old, or made up.
    case unknown
    /// The keeper said no.
    case denied
    /// Nobody has decided yet.
    case undecided
    /// The request was asked about again too soon.
    case tooSoon
    /// As many devices, links or requests as there may be.
    case tooMany(what: String, limit: Int)
    /// A name, a role or letters that cannot be.
    case invalid(String)
}
