/// An event with all the times that it takes place.
struct EventSeries: Sendable {
    /// Names the series among all of a calendar.
    let key: EventKey
    let uid: String
    let words: EventWords
    let isCancelled: Bool
    let isZoneAssumed: Bool
    var times: EventTimes
}

/// When an event takes place.
struct EventTimes: Sendable {
    /// When an instance ends.
    enum Length: Sendable, Equatable {
        /// Whole days, of an event of days.
        case days(Int)
        /// Exact seconds behind the start, whatever the clocks do between.
        case seconds(Int)
        /// Days of the calendar, then seconds (a DURATION).
        case nominal(days: Int, seconds: Int)

        /// The most seconds that an instance lasts.
        var longest: Int {
            switch self {
            case .days(let days): (days + 1) * Days.second
            case .seconds(let seconds): seconds
            case .nominal(let days, let seconds): (days + 1) * Days.second + seconds
            }
        }
    }

    /// What only an event has that comes more than once, or not whenever it should.
    struct Repetition: Sendable {
        var rule: Recurrence?
        /// Further starts, local seconds, ascending.
        var added: [Int] = []
        /// Instants, as seconds since 1970, at which it does not take place.
        var removed: Set<Int> = []
        /// Local seconds at which it does not take place.
        var removedLocal: Set<Int> = []
        /// Local days, since 1970, without instances.
        var removedDays: Set<Int> = []

        var recurs: Bool { rule != nil || !added.isEmpty }
        var isEmpty: Bool { !recurs && removed.isEmpty && removedLocal.isEmpty && removedDays.isEmpty }
    }

    /// Local seconds in ``zone``.
    let start: Int
    let isAllDay: Bool
    let length: Length
    /// Nil for the station's.
    let zone: Zone?
    var repetition = Repetition()

    func instant(_ local: Int, _ station: Zone) -> Int { (zone ?? station).utc(local: local) }

    func end(ofStart local: Int, _ station: Zone) -> Int {
        switch length {
        case .days(let days): instant(local + days * Days.second, station)
        case .seconds(let seconds): instant(local, station) + seconds
        case .nominal(let days, let seconds): instant(local + days * Days.second, station) + seconds
        }
    }
}
