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
        heading = fix.track
        speed = fix.speed
        climb = fix.climb
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
        self.init(state: .fix)
        fixType = Self.word(position.mode)
        fixStatus = Self.word(position.status)
        setPlace(
            position.coordinate, hae: position.altitudeHAE, msl: position.altitudeMSL,
            separation: position.geoidSeparation, accuracy: position.accuracy, vertical: position.verticalAccuracy)
        heading = position.track
        speed = position.speed
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
        heading = point.track
        speed = point.speed
        climb = point.climb
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
        latitude = coordinate?.latitude
        longitude = coordinate?.longitude
        altitude = hae
        altitudeMSL = msl
        geoidSeparation = separation
        self.accuracy = accuracy?.metres
        accuracySource = accuracy?.source
        confidence = accuracy?.confidence
        altitudeAccuracy = vertical?.metres
    }
}
