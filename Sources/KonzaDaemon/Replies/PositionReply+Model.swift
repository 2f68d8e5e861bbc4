internal import KonzaAPI
internal import KonzaModel
internal import Positioning

extension PositionReply {
    /// A fix as the API shows it.
    init(_ fix: Fix, state: PositionState, ageSeconds: Double?) {
        self.init(state: state)
        fixType = Self.word(fix.mode)
        fixStatus = Self.word(fix.status)
        setPlace(
            fix.coordinate, hae: fix.altitudeHAE, msl: fix.altitudeMSL, separation: fix.geoidSeparation,
            accuracy: fix.horizontalAccuracy, vertical: fix.verticalAccuracy)
        heading = fix.track?.rounded(toDecimals: 4)
        speed = fix.speed?.rounded(toDecimals: 4)
        climb = fix.climb?.rounded(toDecimals: 4)
        timestamp = fix.time
        ageMs = ageSeconds.map { Int(($0 * 1000).rounded()) }
        source = fix.source
        satellitesUsed = fix.satellitesUsed
        dop = fix.dop == DilutionOfPrecision() ? nil : fix.dop
        errors = fix.errors == ErrorEstimates() ? nil : fix.errors
        if fix.device != nil || fix.driver != nil { device = Device(path: fix.device, driver: fix.driver) }
        seq = fix.sequence
    }

    /// A position at an instant as the API shows it.
    init(_ position: PositionAtInstant) {
        // Carried on over more than a fix's interval: the receiver had nothing newer to say.
        self.init(state: position.method == .extrapolated && position.gapSeconds > 1.5 ? .stale : .fix)
        fixType = Self.word(position.mode)
        fixStatus = Self.word(position.status)
        setPlace(
            position.coordinate, hae: position.altitudeHAE, msl: position.altitudeMSL,
            separation: position.geoidSeparation, accuracy: position.accuracy, vertical: position.verticalAccuracy)
        heading = position.track?.rounded(toDecimals: 4)
        speed = position.speed?.rounded(toDecimals: 4)
        timestamp = position.time
        source = position.source
        satellitesUsed = position.satellitesUsed
        dop = position.dop == DilutionOfPrecision() ? nil : position.dop
        derivation = Derivation(method: position.method, gapSeconds: position.gapSeconds)
    }

    /// A point of the track as the API shows it.
    init(_ point: TrackPoint) {
        self.init(state: .fix)
        fixType = Self.word(point.mode)
        fixStatus = Self.word(point.status)
        setPlace(
            point.coordinate, hae: point.altitudeHAE, msl: point.altitudeMSL, separation: point.geoidSeparation,
            accuracy: point.horizontalAccuracy, vertical: point.verticalAccuracy)
        heading = point.track?.rounded(toDecimals: 4)
        speed = point.speed?.rounded(toDecimals: 4)
        climb = point.climb?.rounded(toDecimals: 4)
        timestamp = point.time
        source = point.source
        satellitesUsed = point.satellitesUsed
        dop = point.dop == DilutionOfPrecision() ? nil : point.dop
        seq = point.sequence
    }

    private mutating func setPlace(
        _ coordinate: Coordinate?, hae: Double?, msl: Double?, separation: Double?, accuracy: Accuracy?,
        vertical: Accuracy?
    ) {
        latitude = coordinate?.latitude.rounded(toDecimals: 9)
        longitude = coordinate?.longitude.rounded(toDecimals: 9)
        altitude = hae?.rounded(toDecimals: 3)
        altitudeMSL = msl?.rounded(toDecimals: 3)
        geoidSeparation = separation?.rounded(toDecimals: 3)
        self.accuracy = accuracy?.metres.rounded(toDecimals: 3)
        accuracySource = accuracy?.source
        confidence = accuracy?.confidence
        altitudeAccuracy = vertical?.metres.rounded(toDecimals: 3)
    }
}

extension Double {
    /// The nearest number with so many decimals: what arithmetic adds behind them is no information, nor is the sign of a zero.
    func rounded(toDecimals count: Int) -> Double {
        var scale = 1.0
        for _ in 0..<count { scale *= 10 }
        return (self * scale).rounded() / scale + 0
    }
}
