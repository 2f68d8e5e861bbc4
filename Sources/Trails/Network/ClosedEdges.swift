public import KonzaModel

/// Which edges are closed at an instant, and why; and which will be, and when.
public struct ClosedEdges: Sendable {
    /// A closure that begins after the instant.
    struct Coming: Sendable, Equatable {
        let from: UTCInstant
        /// From the instant until then.
        let seconds: Double
        let reason: String
    }

    private let reasons: [Int: String]
    /// The first to come of each edge that is open.
    private let coming: [Int: Coming]
    /// The closures by hand and by calendar that are not over.
    private let own: [TrailClosure]
    private let instant: UTCInstant

    public init(_ network: TrailNetwork, _ closures: [TrailClosure], at instant: UTCInstant) {
        var reasons: [Int: String] = [:]
        for edge in 0..<network.edgeCount {
            let closures = network.segment(edge).closures
            guard !closures.isEmpty, let closure = closures.last(where: { $0.isInForce(at: instant) }) else { continue }
            reasons[edge] = closure.reason
        }
        for closure in closures where closure.isInForce(at: instant) {
            for edge in network.edges(of: closure.target) { reasons[edge] = closure.reason }
        }
        var coming: [Int: Coming] = [:]
        func add(_ period: ClosedPeriod, _ edge: Int) {
            guard let from = period.from, from > instant, !period.isEmpty, reasons[edge] == nil else { return }
            guard coming[edge].map({ from < $0.from }) ?? true else { return }
            coming[edge] = Coming(from: from, seconds: from.seconds(since: instant), reason: period.reason)
        }
        for edge in 0..<network.edgeCount {
            for period in network.segment(edge).closures { add(period, edge) }
        }
        for closure in closures where closure.from.map({ $0 > instant }) ?? false {
            for edge in network.edges(of: closure.target) { add(closure.period, edge) }
        }
        self.reasons = reasons
        self.coming = coming
        self.instant = instant
        own = closures.filter { !$0.period.isOver(at: instant) }
    }

    public var isEmpty: Bool { reasons.isEmpty }
    var count: Int { reasons.count }

    /// Why an edge is closed; nil for an open one.
    func reason(_ edge: Int) -> String? { reasons.isEmpty ? nil : reasons[edge] }

    func contains(_ edge: Int) -> Bool { reason(edge) != nil }

    /// The closure that begins on an edge that is open.
    func coming(_ edge: Int) -> Coming? { coming.isEmpty ? nil : coming[edge] }

    /// Whether an edge is closed, or will be before one has left it so many seconds after the instant.
    func isShut(_ edge: Int, leftAfter seconds: Double) -> Bool {
        contains(edge) || coming(edge).map { $0.seconds < seconds } ?? false
    }

    /// Whether any edge is closed before so many seconds are over.
    func isAnyShut(within seconds: Double) -> Bool {
        !isEmpty || coming.values.contains { $0.seconds < seconds }
    }

    /// All that closes an edge now or will, the file's before the station's own: none is there twice.
    func periods(_ edge: Int, in network: TrailNetwork) -> [ClosedPeriod] {
        let files = network.segment(edge).closures.filter { !$0.isOver(at: instant) }
        return (files + own.filter { network.covers($0.target, edge) }.map(\.period)).withoutRepeats
    }
}

extension [ClosedPeriod] {
    /// Each of them once: where it stands last, since the last one in force tells the reason.
    var withoutRepeats: [ClosedPeriod] {
        var known = Set<ClosedPeriod>()
        return reversed().filter { known.insert($0).inserted }.reversed()
    }
}

extension TrailNetwork {
    /// Whether a closure is about an edge.
    fileprivate func covers(_ target: TrailClosure.Target, _ edge: Int) -> Bool {
        switch target {
        case .everything: true
        case .segment(let id): segment(edge).id == id
        case .trail(let name): edgeTrails[edge].contains { trails[Int($0)].name == name }
        }
    }

    /// The edges that a closure is about.
    func edges(of target: TrailClosure.Target) -> [Int] {
        switch target {
        case .everything: Array(0..<edgeCount)
        case .segment(let id): (0..<edgeCount).filter { segment($0).id == id }
        case .trail(let name): trails.filter { $0.name == name }.flatMap { $0.parts.map(\.edge) }
        }
    }

    /// Whether there is anything that the target names.
    public func has(_ target: TrailClosure.Target) -> Bool { !edges(of: target).isEmpty }
}

/// How much of a trail is closed.
public struct ClosedPart: Sendable, Equatable {
    /// Why, of the first closed segment.
    public let reason: String
    /// Metres of the trail, as it is walked.
    public let length: Double
    /// Whether that is all of it.
    public let isWhole: Bool
}

extension TrailNetwork {
    /// - Returns: nil for a trail that is open from end to end.
    func closedPart(of trail: Trail, _ closed: ClosedEdges) -> ClosedPart? {
        let parts = trail.parts.filter { closed.contains($0.edge) }
        guard let first = parts.first, let reason = closed.reason(first.edge) else { return nil }
        return ClosedPart(
            reason: reason, length: parts.reduce(0) { $0 + length($1.edge) }, isWhole: parts.count == trail.parts.count)
    }
}
