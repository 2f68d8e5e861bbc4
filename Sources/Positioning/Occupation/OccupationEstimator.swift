internal import Geodesy
internal import Glibc
internal import KonzaModel

/// From the kept epochs to the mean and its error.
struct OccupationEstimator {
    /// Without any word on the error: the 95 % bounds that the GPS standard positioning service is held to, as standard
    /// deviations on an axis ("GPS SPS Performance Standard", 5th edition, 2020, 3.8: 8 m horizontal, 13 m vertical).
    static let unknownHorizontalSigma = 8 / StatedError.radius(within: 0.95)
    static let unknownVerticalSigma = 13 / StatedError.interval(within: 0.95)
    /// Errors stated for single fixes are followed up to this factor above and below their median.
    private static let largestScale = 3.0
    /// What lies farther from the middle than this has no place in a local plane, metres.
    private static let planeRadius = 10_000.0

    let epochs: [OccupationEpoch]
    let systematic: SystematicError
    /// What was learned of the receiver while it stood, and the receiver's names.
    var knowledge: StandingKnowledge?
    var device: String?
    var driver: String?

    /// - Returns: nil without an epoch.
    func result(source: SourceKind) -> OccupationResult? {
        guard let plane = plane(), let first = epochs.first, let last = epochs.last else { return nil }
        let stated = Self.stated(epochs.map(\.horizontalSigma), otherwise: Self.unknownHorizontalSigma)
        let (east, north) = coordinates(in: plane)
        let centre = RobustCentre([east, north], scales: stated.scales, statedSigma: stated.sigma)
        guard let place = plane.place(east: centre.centre[0], north: centre.centre[1]) else { return nil }
        let batches = OccupationBatches(
            times: epochs.map(\.seconds), coordinates: [east, north], pointWeights: centre.weights,
            pointScales: stated.scales)
        let floor = systematicRadius(centre.weights)
        let error = MeanError(
            batches, statedSigma: stated.sigma, systematicSigma: floor / StatedError.radius(within: 0.95),
            prior: prior)
        let used = epochs.indices.filter { centre.weights[$0] > 0 }
        var result = OccupationResult(
            coordinate: place, horizontalError: error.radius(within: 0.95, axes: 2), systematicError: floor,
            fixesUsed: used.count,
            effectiveFixes: min(Double(used.count), max(1, error.fixVariance / error.meanVariance)),
            rejectionRule: RobustCentre.ruleName, seconds: last.seconds - first.seconds, source: source)
        result.fixesRejected = epochs.count - used.count
        result.spreadEast = Self.spread(east, centre.centre[0], centre.weights)
        result.spreadNorth = Self.spread(north, centre.centre[1], centre.weights)
        describe(used, &result)
        addHeight(used, floor, &result)
        useKnowledge(stated.sigma, &result)
        return result
    }

    // MARK: Knowledge

    /// Replaces the claims by those that the receiver's own wander justifies, where it is known and this occupation is like it.
    private func useKnowledge(_ stated: Double, _ result: inout OccupationResult) {
        guard let knowledge, result.source == .live, 2 * result.fixes3D > result.fixesUsed else { return }
        let status = result.statuses.max { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }?.key ?? .unknown
        let floor = systematic.afterStanding(status)
        let isStated = epochs.contains { $0.horizontalSigma != nil }
        let seen = StandingKnowledge.Evidence(
            duration: wholeDuration, span: max(wholeDuration, result.seconds), centre: result.coordinate,
            scatter: hypot(result.spreadEast, result.spreadNorth),
            scatterUp: result.spreadUp, stated: isStated ? stated : nil, satellites: result.satellites,
            dilution: result.horizontalDilution,
            hour: result.start.map { Int($0.nanoseconds / 3_600_000_000_000) }, status: status, device: device,
            driver: driver, isModelled: isModelled, general: (result.horizontalError, result.verticalError),
            floor: floor, verticalFloor: floor * systematic.verticalFactor)
        guard let claim = knowledge.claim(seen) else { return }
        result.horizontalError = claim.horizontal
        if result.verticalError != nil, let vertical = claim.vertical { result.verticalError = vertical }
        result.systematicError = min(result.systematicError, floor)
        result.errorBasis = .standing
    }

    /// Seconds from the first epoch to the end of the last one; where epochs are missing, those of the longest stretch without a
    /// hole.
    private var wholeDuration: Double {
        guard let first = epochs.first, let last = epochs.last, epochs.count > 1 else { return 0 }
        let span = last.seconds - first.seconds
        let hole = max(5, span / 5)
        var (longest, began, count) = (0.0, first.seconds, 0.0)
        for (previous, next) in zip(epochs, epochs.dropFirst()) {
            if next.seconds - previous.seconds > hole { (began, count) = (next.seconds, 0) } else { count += 1 }
            guard count > 0 else { continue }
            longest = max(longest, (next.seconds - began) * (count + 1) / count)
        }
        return longest
    }

    // MARK: The plane

    /// A plane that touches the ellipsoid amid the fixes: the median of each earth-centred coordinate knows no antimeridian,
    /// no poles, and no outliers below a half.
    private func plane() -> LocalPlane? {
        let points = epochs.map { WGS84.earthCentred($0.coordinate) }
        let middle = Vector(
            x: Median.of(points.map(\.x)), y: Median.of(points.map(\.y)), z: Median.of(points.map(\.z)))
        return WGS84.place(middle).map { LocalPlane(at: $0) }
    }

    private func coordinates(in plane: LocalPlane) -> ([Double], [Double]) {
        var (east, north) = ([Double](), [Double]())
        for epoch in epochs {
            let local = plane.local(epoch.coordinate)
            let isFar = local.length > Self.planeRadius
            east.append(isFar ? local.length : local.x)
            north.append(isFar ? 0 : local.y)
        }
        return (east, north)
    }

    // MARK: Errors

    /// What to assume of the receiver: most fixes decide whose word it is.
    private var prior: WanderPrior { isModelled ? .modelled : WanderPrior() }

    private var isModelled: Bool { 2 * epochs.count { $0.isModelled } > epochs.count }

    /// The median of the stated errors and each one in its units; what states none counts as the median.
    private static func stated(_ sigmas: [Double?], otherwise: Double) -> (sigma: Double, scales: [Double]) {
        let sigma = Median.ofAny(sigmas.compactMap(\.self)) ?? otherwise
        return (sigma, sigmas.map { min(max(($0 ?? sigma) / sigma, 1 / largestScale), largestScale) })
    }

    /// The systematic part of a mean over fixes made in several ways: they share it, so the radii are averaged, not squares.
    private func systematicRadius(_ weights: [Double]) -> Double {
        var sum = 0.0
        for (epoch, weight) in zip(epochs, weights) { sum += weight * systematic.horizontal(epoch.status) }
        return max(sum, 0.001)
    }

    private static func spread(_ values: [Double], _ centre: Double, _ weights: [Double]) -> Double {
        var sum = 0.0
        for (value, weight) in zip(values, weights) { sum += weight * (value - centre) * (value - centre) }
        return sum.squareRoot()
    }

    // MARK: Height

    /// The height by the same way on one axis, of the 3D fixes that were no outliers in the plane.
    private func addHeight(_ used: [Int], _ floor: Double, _ result: inout OccupationResult) {
        let withHAE = used.map { epochs[$0] }.filter { $0.altitudeHAE != nil }
        let withMSL = used.map { epochs[$0] }.filter { $0.altitudeMSL != nil }
        // Both are one measurement: its error is worked out of the one that more fixes have.
        let isEllipsoidal = withHAE.count >= withMSL.count
        let measured = isEllipsoidal ? withHAE : withMSL
        guard !measured.isEmpty else { return }
        let heights = measured.compactMap { isEllipsoidal ? $0.altitudeHAE : $0.altitudeMSL }
        let stated = Self.stated(measured.map(\.verticalSigma), otherwise: Self.unknownVerticalSigma)
        let centre = RobustCentre([heights], scales: stated.scales, statedSigma: stated.sigma)
        let batches = OccupationBatches(
            times: measured.map(\.seconds), coordinates: [heights], pointWeights: centre.weights,
            pointScales: stated.scales)
        let radius = floor * systematic.verticalFactor
        let error = MeanError(
            batches, statedSigma: stated.sigma, systematicSigma: radius / StatedError.interval(within: 0.95),
            prior: prior)
        let separation = Median.ofAny(measured.compactMap(\.geoidSeparation))
        let height = centre.centre[0]
        result.altitudeHAE = isEllipsoidal ? height : separation.map { height + $0 }
        result.altitudeMSL = isEllipsoidal ? separation.map { height - $0 } ?? meanSeaLevel(withMSL) : height
        result.geoidSeparation = separation
        result.verticalError = error.radius(within: 0.95, axes: 1)
        result.spreadUp = Self.spread(heights, height, centre.weights)
    }

    /// The height above the sea of fixes that tell no geoid separation, by itself.
    private func meanSeaLevel(_ epochs: [OccupationEpoch]) -> Double? {
        let heights = epochs.compactMap(\.altitudeMSL)
        guard !heights.isEmpty else { return nil }
        let stated = Self.stated(epochs.map(\.verticalSigma), otherwise: Self.unknownVerticalSigma)
        return RobustCentre([heights], scales: stated.scales, statedSigma: stated.sigma).centre[0]
    }

    // MARK: What else is known

    private func describe(_ used: [Int], _ result: inout OccupationResult) {
        let chosen = used.map { epochs[$0] }
        result.start = chosen.first?.time
        result.end = chosen.last?.time
        result.fixes3D = chosen.count { $0.isThreeDimensional }
        for epoch in chosen { result.statuses[epoch.status, default: 0] += 1 }
        result.satellites = Median.ofAny(chosen.compactMap { $0.satellites.map(Double.init) })
        let dilutions = chosen.compactMap(\.horizontalDilution)
        result.horizontalDilution = Median.ofAny(dilutions)
        if let least = dilutions.min(), let most = dilutions.max() { result.horizontalDilutionRange = least...most }
    }
}

/// East and north of a place on the ellipsoid.
struct LocalPlane {
    private let frame: LocalFrame

    init(at place: Coordinate) {
        frame = LocalFrame(at: place)
    }

    /// East, north and up of the plane's origin, metres.
    func local(_ place: Coordinate) -> Vector { frame.local(direction: WGS84.earthCentred(place) - frame.origin) }

    /// The place on the ellipsoid under a point of the plane.
    func place(east: Double, north: Double) -> Coordinate? {
        WGS84.place(frame.origin + frame.earthCentred(direction: Vector(x: east, y: north, z: 0)))
    }
}
