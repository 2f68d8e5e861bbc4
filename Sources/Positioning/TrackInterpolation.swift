internal import Geodesy
internal import KonzaModel

/// How much a receiver may accelerate between two fixes without their showing it, m/s²: a car that brakes. A body
/// that starts and ends as the fixes say strays from the cubic by at most a·t²/32 (acceleration one way, then the
/// other, then the first again).
private let unseenAcceleration = 2.0

/// The way between two neighbouring fixes: the cubic Hermite polynomial through both positions and velocities, in
/// the earth-centred frame, so that neither the antimeridian nor a pole is a special case.
struct TrackSegment {
    private let first: TrackPoint
    private let second: TrackPoint
    private let gap: Double
    private let origin: Vector
    private let chord: Vector
    private let startVelocity: Vector
    private let endVelocity: Vector

    init(from first: TrackPoint, to second: TrackPoint) {
        self.first = first
        self.second = second
        gap = second.time.seconds(since: first.time)
        // Heights are interpolated on their own; the ground track is drawn at one height, or its scale would vary.
        let startFrame = LocalFrame(at: first.coordinate)
        let endFrame = LocalFrame(at: second.coordinate)
        origin = startFrame.origin
        chord = endFrame.origin - startFrame.origin
        let mean = chord * (1 / gap)
        startVelocity = Self.levelled(first.velocity, in: startFrame) ?? mean
        endVelocity = Self.levelled(second.velocity, in: endFrame) ?? mean
    }

    private static func levelled(_ velocity: Vector?, in frame: LocalFrame) -> Vector? {
        velocity.map { frame.earthCentred(direction: Vector(x: $0.x, y: $0.y, z: 0)) }
    }

    func position(at instant: UTCInstant) -> PositionAtInstant {
        let elapsed = instant.seconds(since: first.time)
        let share = elapsed / gap
        let weights = HermiteWeights(share)
        let point =
            origin + startVelocity * (gap * weights.startSlope) + chord * weights.end
            + endVelocity * (gap * weights.endSlope)
        let place = WGS84.place(point) ?? first.coordinate
        var result = PositionAtInstant(
            time: instant, coordinate: place, mode: min(first.mode, second.mode),
            status: first.status == second.status ? first.status : .unknown, method: .interpolated, gapSeconds: gap,
            source: first.source == .live ? second.source : first.source)
        result.altitudeHAE = height(first.altitudeHAE, second.altitudeHAE, weights, share)
        result.altitudeMSL = height(first.altitudeMSL, second.altitudeMSL, weights, share)
        result.geoidSeparation = between(first.geoidSeparation, second.geoidSeparation, share)
        addMovement(to: &result, at: place, weights)
        addQuality(to: &result, share)
        return result
    }

    private func height(_ start: Double?, _ end: Double?, _ weights: HermiteWeights, _ share: Double) -> Double? {
        guard let start, let end else { return nil }
        guard let startClimb = first.climb, let endClimb = second.climb else { return start + (end - start) * share }
        return start + startClimb * gap * weights.startSlope + (end - start) * weights.end
            + endClimb * gap * weights.endSlope
    }

    private func addMovement(to result: inout PositionAtInstant, at place: Coordinate, _ weights: HermiteWeights) {
        guard first.speed != nil || second.speed != nil else { return }
        let velocity =
            chord * (weights.endRate / gap) + startVelocity * weights.startSlopeRate
            + endVelocity * weights.endSlopeRate
        let local = LocalFrame(at: place).local(direction: velocity)
        let speed = (local.x * local.x + local.y * local.y).squareRoot()
        result.speed = speed
        if first.track != nil || second.track != nil, speed > 0.05 {
            result.track = Course.degrees(east: local.x, north: local.y)
        }
    }

    private func addQuality(to result: inout PositionAtInstant, _ share: Double) {
        // How far the positions contradict the velocities: what a jump or a filter's lag leaves.
        let mismatch = (chord - (startVelocity + endVelocity) * (gap / 2)).length
        // 0 at both fixes, 1 half way.
        let distance = 16 * share * share * (1 - share) * (1 - share)
        let added = (unseenAcceleration * gap * gap / 32 + mismatch / 4) * distance
        result.accuracy = Accuracy.between(first.horizontalAccuracy, second.horizontalAccuracy, share, adding: added)
        if result.altitudeHAE != nil || result.altitudeMSL != nil {
            result.verticalAccuracy = Accuracy.between(
                first.verticalAccuracy, second.verticalAccuracy, share, adding: added)
        }
        result.dop = DilutionOfPrecision.worse(first.dop, second.dop)
        result.satellitesUsed = first.satellitesUsed.flatMap { one in second.satellitesUsed.map { min(one, $0) } }
    }

    private func between(_ start: Double?, _ end: Double?, _ share: Double) -> Double? {
        guard let start, let end else { return nil }
        return start + (end - start) * share
    }
}

/// The cubic Hermite basis at a share of the way, and its derivatives.
private struct HermiteWeights {
    let startSlope: Double
    let end: Double
    let endSlope: Double
    let startSlopeRate: Double
    let endRate: Double
    let endSlopeRate: Double

    init(_ share: Double) {
        let square = share * share
        let cube = square * share
        startSlope = cube - 2 * square + share
        end = 3 * square - 2 * cube
        endSlope = cube - square
        startSlopeRate = 3 * square - 4 * share + 1
        endRate = 6 * share - 6 * square
        endSlopeRate = 3 * square - 2 * share
    }
}

/// The way on from the newest fix, straight ahead at its speed.
struct TrackExtrapolation {
    let newest: TrackPoint
    let previous: TrackPoint?

    func position(at instant: UTCInstant) -> PositionAtInstant {
        let elapsed = instant.seconds(since: newest.time)
        let frame = LocalFrame(at: newest.coordinate)
        let known = newest.velocity.map { frame.earthCentred(direction: Vector(x: $0.x, y: $0.y, z: 0)) }
        let velocity = known ?? meanVelocity(to: frame) ?? .zero
        var result = PositionAtInstant(
            time: instant, coordinate: WGS84.place(frame.origin + velocity * elapsed) ?? newest.coordinate,
            mode: newest.mode, status: newest.status, method: .extrapolated, gapSeconds: elapsed,
            source: newest.source)
        let rise = (newest.climb ?? 0) * elapsed
        result.altitudeHAE = newest.altitudeHAE.map { $0 + rise }
        result.altitudeMSL = newest.altitudeMSL.map { $0 + rise }
        result.geoidSeparation = newest.geoidSeparation
        result.speed = newest.speed
        result.track = newest.track
        result.dop = newest.dop
        result.satellitesUsed = newest.satellitesUsed
        // Without a speed the receiver may move as fast as a car through the prairie.
        let speedError = known == nil ? 20 : newest.speedError ?? 0.5
        let added = speedError * elapsed + unseenAcceleration * elapsed * elapsed / 2
        result.accuracy = Accuracy.between(newest.horizontalAccuracy, newest.horizontalAccuracy, 0, adding: added)
        result.verticalAccuracy = Accuracy.between(
            newest.verticalAccuracy, newest.verticalAccuracy, 0, adding: added)
        return result
    }

    private func meanVelocity(to frame: LocalFrame) -> Vector? {
        guard let previous else { return nil }
        let gap = newest.time.seconds(since: previous.time)
        guard gap > 0 else { return nil }
        return (frame.origin - WGS84.earthCentred(previous.coordinate)) * (1 / gap)
    }
}

extension PositionAtInstant {
    /// The position of a fix at its own instant.
    init(_ point: TrackPoint) {
        self.init(
            time: point.time, coordinate: point.coordinate, mode: point.mode, status: point.status, method: .exact,
            gapSeconds: 0, source: point.source)
        altitudeHAE = point.altitudeHAE
        altitudeMSL = point.altitudeMSL
        geoidSeparation = point.geoidSeparation
        speed = point.speed
        track = point.track
        accuracy = point.horizontalAccuracy
        verticalAccuracy = point.verticalAccuracy
        dop = point.dop
        satellitesUsed = point.satellitesUsed
    }
}

extension Accuracy {
    /// The error between two fixes, which grows by what the gap adds. It has a source only they agree on, or the
    /// weaker one, and no confidence of its own.
    static func between(_ first: Accuracy?, _ second: Accuracy?, _ share: Double, adding metres: Double) -> Accuracy? {
        guard let first, let second else { return nil }
        let own = first.metres + (second.metres - first.metres) * share
        let source = first.source == second.source ? first.source : .model
        return Accuracy(metres: own + metres, source: source)
    }
}

extension DilutionOfPrecision {
    /// The larger of each, where both are known.
    static func worse(_ first: DilutionOfPrecision, _ second: DilutionOfPrecision) -> DilutionOfPrecision {
        func larger(_ path: KeyPath<DilutionOfPrecision, Double?>) -> Double? {
            guard let one = first[keyPath: path], let other = second[keyPath: path] else { return nil }
            return max(one, other)
        }
        return DilutionOfPrecision(
            horizontal: larger(\.horizontal), vertical: larger(\.vertical), position: larger(\.position),
            time: larger(\.time), geometric: larger(\.geometric), x: larger(\.x), y: larger(\.y))
    }
}
