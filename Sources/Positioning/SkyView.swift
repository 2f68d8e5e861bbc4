internal import KonzaModel

/// What one receiver last said of its sky. Its list of satellites and each of its dilutions keep their own ages: gpsd
/// sends reports that have only some of them.
struct SkyView {
    /// How long a dilution or a list of satellites stands for the fixes after it, seconds.
    static let life = 10.0
    /// How many reports' dilutions are compared with an error, to find out whether it is gpsd's model.
    private static let remembered = 5

    private static let members: [any WritableKeyPath<DilutionOfPrecision, Double?> & Sendable] = [
        \.horizontal, \.vertical, \.position, \.time, \.geometric, \.x, \.y,
    ]

    /// The list of satellites; without one so far, the newest report.
    private var listed: Sky?
    private var hasList = false
    private var dop = DilutionOfPrecision()
    private var arrivals = [MonotonicInstant?](repeating: nil, count: SkyView.members.count)
    /// The dilutions of the last reports that had any, oldest first.
    private(set) var history: [(dop: DilutionOfPrecision, arrival: MonotonicInstant)] = []

    /// Takes a report in. One that says nothing of satellites leaves the list before as it is, with its age.
    mutating func take(_ report: Sky, hasSatellites: Bool) {
        if hasSatellites || !hasList { listed = report }
        hasList = hasList || hasSatellites
        guard report.dop != DilutionOfPrecision() else { return }
        for (index, member) in Self.members.enumerated() {
            guard let value = report.dop[keyPath: member] else { continue }
            dop[keyPath: member] = value
            arrivals[index] = report.arrival
        }
        history.append((report.dop, report.arrival))
        if history.count > Self.remembered { history.removeFirst() }
    }

    /// The sky as of its list of satellites, with the dilutions that are fresh at an instant.
    func sky(at now: MonotonicInstant) -> Sky? {
        guard var sky = listed else { return nil }
        sky.dop = dilutions(at: now)
        return sky
    }

    /// The dilutions that stand for a fix of an instant.
    func dilutions(at instant: MonotonicInstant) -> DilutionOfPrecision {
        var fresh = dop
        for (member, arrival) in zip(Self.members, arrivals) where !Self.stands(arrival, at: instant) {
            fresh[keyPath: member] = nil
        }
        return fresh
    }

    /// The list of satellites that stands for a fix of an instant; nil if there is none, or an old one.
    func satellites(at instant: MonotonicInstant) -> [Satellite]? {
        guard hasList, let listed, Self.stands(listed.arrival, at: instant) else { return nil }
        return listed.satellites
    }

    private static func stands(_ arrival: MonotonicInstant?, at instant: MonotonicInstant) -> Bool {
        guard let arrival else { return false }
        return abs(instant.seconds(since: arrival)) < life
    }
}
