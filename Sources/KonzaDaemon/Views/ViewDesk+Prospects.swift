internal import KonzaAPI
internal import KonzaModel
internal import Positioning
internal import Settings
internal import Terrain
internal import Views

/// What there is to calibrate the camera by.
extension ViewDesk {
    /// The most landmarks of a list to choose from.
    private static let mostProspects = 60

    /// Where the landmarks are in the picture by a calibration.
    func labels(by calibration: Calibration) -> [ViewLabel] {
        Labeller(calibration, terrain: parts.ground.model).labels(landmarks)
    }

    /// What is to be seen from a place or, without one, from the camera: from its place by the calibration, without that from
    /// the station's.
    ///
    /// The names are in the language.
    ///
    /// - Throws: `no-position` where neither is known.
    func prospects(
        from elsewhere: Coordinate? = nil, at instant: UTCInstant, language: String
    ) throws(Problem) -> ViewLandmarksReply {
        let known = elsewhere == nil ? calibration?.viewpoint : nil
        let observer = elsewhere == nil ? Observer(parts.board) : nil
        guard let place = elsewhere ?? known?.place ?? observer?.place else {
            throw Problem(
                .noPosition, "cannot tell what is to be seen: \(parts.board.snapshot().health.reason); wait for a fix")
        }
        let ground = parts.ground.model.height(at: place).map { $0 + parts.settings.current.terrain.eyeHeight }
        let viewpoint =
            known ?? Viewpoint(place: place, height: ground ?? 0, horizontalError: 0, verticalError: Self.groundError)
        var found: [ViewLandmarksReply.Landmark] = []
        for (id, isMoon) in [("sun", false), ("moon", true)] {
            guard let direction = viewpoint.vector(toMoon: isMoon, at: instant),
                viewpoint.sees(direction, over: parts.ground.model)
            else { continue }
            let (azimuth, elevation) = Viewpoint.direction(of: direction)
            found.append(
                ViewLandmarksReply.Landmark(
                    id: id, name: SightName(own: nil, kind: id).text(language), kind: id,
                    azimuth: azimuth.rounded(toDecimals: 2),
                    elevation: elevation.rounded(toDecimals: 2), distance: nil))
        }
        found += Prospect.all(of: landmarks, from: viewpoint, over: parts.ground.model).prefix(Self.mostProspects).map {
            ViewLandmarksReply.Landmark(
                id: $0.landmark.id, name: $0.landmark.called.text(language), kind: $0.landmark.kind,
                azimuth: $0.azimuth.rounded(toDecimals: 2), elevation: $0.elevation.rounded(toDecimals: 2),
                distance: $0.distance.rounded(toDecimals: 0))
        }
        let accuracy = known.map { $0.horizontalError * Self.holding95 } ?? observer?.reply.accuracy
        return ViewLandmarksReply(
            time: instant, place: place, accuracy: accuracy.map { max(0.1, $0.rounded(toDecimals: 1)) },
            source: elsewhere != nil ? "request" : known != nil ? "calibration" : observer?.reply.source ?? "request",
            cameraHeight: viewpoint.height.rounded(toDecimals: 1), landmarks: found)
    }
}
