/// Notices that somebody else uses the box's name in the fleet. MQTT 5 has a word for it (0x8E), which mosquitto 2.0.11 does
/// not say: it closes the connection. Two boxes that take it from one another each see connections that come up and end soon.
struct TakeoverSense: Sendable, Equatable {
    /// So many such connections in a row are no accident.
    static let most = 4
    /// Seconds that a connection has to last to be none of them.
    static let steady = 120.0

    private var brief = 0

    /// The connection before ended because the broker or the link went away: nobody was there to take the next one, or the
    /// broker has forgotten the client, which it does when it starts anew. Who is taken over finds his session as he left it.
    mutating func brokerWentAway() { brief = 0 }

    /// A connection is over.
    ///
    /// - Parameters:
    ///   - wasUp: whether the broker had taken the client and its subscriptions.
    ///   - seconds: how long it lasted.
    /// - Returns: whether somebody else seems to have the name.
    mutating func ended(wasUp: Bool, after seconds: Double) -> Bool {
        if wasUp { brief = seconds < Self.steady ? brief + 1 : 0 }
        guard brief >= Self.most else { return false }
        brief = 0
        return true
    }
}

/// How long to wait before the broker is tried again. After a broker's restart all its boxes are back at once: the first
/// try is spread evenly over a window, further ones over windows that double (full jitter).
package struct BackOff: Sendable, Equatable {
    /// The longest pause, seconds.
    static let longest = 900.0
    /// The first of the windows that double, seconds.
    private static let shortest = 5.0

    /// The window of the first try after a connection that held, seconds.
    package let spread: Double
    private var failures = 0

    package init(spread: Double) { self.spread = spread }

    /// A connection held for a while.
    package mutating func connected() { failures = 0 }

    /// - Parameter random: 0 to 1, 1 excluded.
    /// - Returns: seconds to wait.
    package mutating func pause(random: Double) -> Double {
        defer { failures += 1 }
        guard failures > 0 else { return spread * random }
        // 2^8 windows are the longest already.
        return min(Self.longest, max(spread, Self.shortest * Double(1 << min(failures, 8)))) * random
    }
}
