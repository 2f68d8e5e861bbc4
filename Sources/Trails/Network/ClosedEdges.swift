public import KonzaModel

/// Which edges are closed at an instant, and why.
public struct ClosedEdges: Sendable {
    private let reasons: [Int: String]

    public init(_ network: TrailNetwork, _ closures: [TrailClosure], at instant: UTCInstant) {
        var reasons: [Int: String] = [:]
        for edge in 0..<network.edgeCount {
            if let reason = network.segment(edge).closedReason { reasons[edge] = reason }
        }
        for closure in closures where closure.isInForce(at: instant) {
            for edge in network.edges(of: closure.target) { reasons[edge] = closure.reason }
        }
        self.reasons = reasons
    }

    public var isEmpty: Bool { reasons.isEmpty }
    var count: Int { reasons.count }

    /// Why an edge is closed; nil for an open one.
    func reason(_ edge: Int) -> String? { reasons.isEmpty ? nil : reasons[edge] }

    func contains(_ edge: Int) -> Bool { reason(edge) != nil }
}

extension TrailNetwork {
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
