public import KonzaModel

/// Which edges are closed at an instant, and why; and which will be, and when. Edges on the ground of a closed one are closed with it.
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
    /// The closures by hand and by calendar that are not over, each with its edges.
    private let own: [(period: ClosedPeriod, edges: Set<Int>)]
    private let instant: UTCInstant

    public init(_ network: TrailNetwork, _ closures: [TrailClosure], at instant: UTCInstant) {
        var reasons: [Int: String] = [:]
        for edge in 0..<network.edgeCount {
            let closures = network.segment(edge).closures
            guard !closures.isEmpty, let closure = closures.last(where: { $0.isInForce(at: instant) }) else { continue }
            reasons[edge] = closure.reason
        }
        let own = closures.filter { !$0.period.isOver(at: instant) }.map { ($0.period, Set(network.edges(of: $0))) }
        for (period, edges) in own where period.isInForce(at: instant) {
            for edge in edges { reasons[edge] = period.reason }
        }
        Self.spread(&reasons, in: network)
        var coming: [Int: Coming] = [:]
        func add(_ period: ClosedPeriod, _ edge: Int) {
            guard let from = period.from, from > instant, !period.isEmpty, reasons[edge] == nil else { return }
            guard coming[edge].map({ from < $0.from }) ?? true else { return }
            coming[edge] = Coming(from: from, seconds: from.seconds(since: instant), reason: period.reason)
        }
        for edge in 0..<network.edgeCount {
            for period in network.segment(edge).closures { add(period, edge) }
        }
        for (period, edges) in own {
            for edge in edges { add(period, edge) }
        }
        Self.spread(&coming, in: network)
        if !coming.isEmpty { coming = coming.filter { reasons[$0.key] == nil } }
        self.reasons = reasons
        self.coming = coming
        self.instant = instant
        self.own = own
    }

    /// What is said of edges is said of those on their ground, too, where nothing is said of them.
    private static func spread<Word>(_ words: inout [Int: Word], in network: TrailNetwork) {
        guard !words.isEmpty, !network.sharedGround.isEmpty else { return }
        for (edge, word) in words.sorted(by: { $0.key < $1.key }) {
            for other in network.sharedGround.others(of: edge) where words[Int(other)] == nil {
                words[Int(other)] = word
            }
        }
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

    /// All that closes an edge now or will, the file's before the station's own, and those of its ground first: none is there twice.
    func periods(_ edge: Int, in network: TrailNetwork) -> [ClosedPeriod] {
        let edges = network.sharedGround.grounds(of: edge).map { Int($0) } + [edge]
        let files = edges.flatMap { network.segment($0).closures.filter { !$0.isOver(at: instant) } }
        let own = own.filter { closure in edges.contains { closure.edges.contains($0) } }
        return (files + own.map(\.period)).withoutRepeats
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
    /// The edges that a closure is about.
    func edges(of closure: TrailClosure) -> [Int] {
        switch closure.target {
        case .everything: return Array(0..<edgeCount)
        case .segment(let id):
            if let ground = closure.ground { return edges(on: ground, segment: id) }
            let whole = Self.wholeID(id)
            return (0..<edgeCount).filter { isSegment($0, whole) }
        case .trail(let name): return trails.filter { $0.name == name }.flatMap { $0.parts.map(\.edge) }
        }
    }

    /// The names of other trails of which a closure closes a part, in alphabetical order: of a trail's, since they share its segments or
    /// lie on its ground, and of a segment's, since they lie on its ground.
    public func alsoClosed(by closure: TrailClosure) -> [String] {
        guard closure.target != .everything else { return [] }
        func names(_ edges: [Int]) -> Set<String> { Set(edges.flatMap { edgeTrails[$0].map { trails[Int($0)].name } }) }
        let own = edges(of: closure)
        let ground = names(own.flatMap { sharedGround.others(of: $0).map { Int($0) } })
        if case .trail(let name) = closure.target { return ground.union(names(own)).subtracting([name]).sorted() }
        return ground.subtracting(names(own)).sorted()
    }

    /// Whether a closure closes anything: what it is about may have gone with its source.
    public func isClosing(_ closure: TrailClosure) -> Bool { !edges(of: closure).isEmpty }

    /// The ids of those closures that close nothing.
    public func idle(_ closures: [TrailClosure]) -> [Int] { closures.filter { !isClosing($0) }.map(\.id) }
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
    /// Why the trail of a name is closed, as a whole or in part; nil for an open one, and for none.
    public func closedReason(ofTrail name: String, _ closed: ClosedEdges) -> String? {
        trails.lazy.filter { $0.name == name }.compactMap { self.closedPart(of: $0, closed)?.reason }.first
    }

    /// - Returns: nil for a trail that is open from end to end.
    func closedPart(of trail: Trail, _ closed: ClosedEdges) -> ClosedPart? {
        let parts = trail.parts.filter { closed.contains($0.edge) }
        guard let first = parts.first, let reason = closed.reason(first.edge) else { return nil }
        return ClosedPart(
            reason: reason, length: parts.reduce(0) { $0 + length($1.edge) }, isWhole: parts.count == trail.parts.count)
    }
}
