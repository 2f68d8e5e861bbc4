internal import Geodesy
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Positioning
internal import Settings
internal import Storage
internal import Synchronization
internal import Terrain
internal import Trails
internal import Views

/// Keeps how the fixed camera looks, and finds what it sees.
final class ViewDesk: Sendable {
    /// The file's name in the state folder.
    static let fileName = "view-calibration"
    /// What is taken for a place whose accuracy nobody says, metres (95 %).
    private static let usualAccuracy = 10.0
    /// A deviation of two dimensions that holds 95 %, in standard deviations.
    static let holding95 = 2.45
    /// The elevations' standard deviation, metres.
    static let groundError = 3.0
    /// gpsd gives satellites in whole degrees.
    private static let satelliteError = 0.29
    private static let skyLife = 30.0
    /// Degrees: nothing is left of the sun or the moon with its middle so far below the horizontal, seen from a hill.
    private static let leastElevation = -1.5

    private struct Known {
        var calibration: Calibration
        /// They change with the calibration alone.
        var landmarks: [ViewLabel]
        /// These change with the trails, too.
        var trails: [ViewLabel] = []
        var trailsMade: UInt64?
    }

    /// The error of a trail's place, metres (one standard deviation).
    private static let trailError = 5.0

    let parts: StationParts
    private let paths: TrailDesk
    private let file: StateFile
    private let landmarkFile: OnDemand<[Landmark]>
    private let known = Mutex<Known?>(nil)

    init(parts: StationParts, trails paths: TrailDesk) {
        self.parts = parts
        self.paths = paths
        file = StateFile(Self.fileName, in: parts.settings.current.general.state)
        landmarkFile = OnDemand {
            let path = "\(parts.ground.folder)/landmarks.geojson"
            do {
                return try Landmark.read(path)
            } catch {
                parts.log(.warning, "cannot read the landmarks in \(path): \(error), ignoring; the view names none")
                return []
            }
        }
    }

    /// Reads what is kept. Waits for the disk.
    func load() {
        do {
            guard let bytes = try file.read(most: Calibration.mostBytes) else { return }
            take(try Calibration(bytes: bytes))
        } catch {
            parts.log(.warning, "cannot use \(file.path): \(error), ignoring; calibrate the view again")
        }
    }

    var landmarks: [Landmark] { landmarkFile.value }

    var calibration: Calibration? { known.withLock { $0?.calibration } }

    private func take(_ calibration: Calibration) {
        let labels = Labeller(calibration, terrain: parts.ground.model).labels(landmarks)
        known.withLock { $0 = Known(calibration: calibration, landmarks: labels) }
    }

    // MARK: Calibrating

    /// Solves, keeps and takes a calibration. Returns when it is durable.
    func calibrate(_ request: ViewCalibrationRequest) throws(Problem) -> Calibration {
        let viewpoint = try viewpoint(request)
        var clicks: [Click] = []
        for (index, click) in request.clicks.enumerated() {
            clicks.append(try self.click(click, index, viewpoint))
        }
        var priors = PosePriors(
            focal: request.fieldOfView.map { CameraPose.focal(width: request.width, fieldOfView: $0) },
            horizontalError: viewpoint.horizontalError, verticalError: viewpoint.verticalError)
        priors.clickError = request.clickError ?? priors.clickError
        let made: Calibration
        do throws(PoseError) {
            let solved = try PoseSolver.solve(clicks, width: request.width, height: request.height, priors: priors)
            made = Calibration(
                createdAt: parts.time.now().instant.description, viewpoint: viewpoint, solved: solved, clicks: clicks,
                judgement: PoseSolver.judge(clicks, solved, priors: priors))
        } catch {
            throw Problem(.invalidRequest, "\(error)", status: 422)
        }
        guard !request.isDryRun else { return made }
        try keep(made)
        take(made)
        return made
    }

    private func keep(_ calibration: Calibration) throws(Problem) {
        do {
            let bytes = try calibration.bytes()
            try parts.tally.onDisk(parts.clock) { try file.replace(with: bytes) }
        } catch {
            throw Problem(.archiveUnavailable, "cannot keep the calibration: \(error)")
        }
    }

    /// Keeps a comparison with the calibration that it is about, unless there is another one by now.
    func keep(
        _ verification: Calibration.Verification, of compared: Calibration
    ) throws(Problem) -> Calibration {
        var checked = compared
        checked.verification = verification
        guard calibration?.createdAt == compared.createdAt else {
            throw Problem(.conflict, "cannot compare the skyline: the camera was calibrated again meanwhile")
        }
        try keep(checked)
        known.withLock { $0?.calibration = checked }
        return checked
    }

    private func viewpoint(_ request: ViewCalibrationRequest) throws(Problem) -> Viewpoint {
        let observer = Observer(parts.board)
        guard let place = request.place ?? observer?.place else {
            throw Problem(
                .noPosition,
                "cannot tell where the camera is: \(parts.board.snapshot().health.reason); wait for a fix, or give "
                    + "latitude and longitude")
        }
        guard request.place != nil || observer?.reply.source != SourceKind.recorded.rawValue else {
            throw Problem(
                .noPosition,
                "cannot tell where the camera is: the station's position is a recording; give latitude and longitude (konza "
                    + "view calibrate --camera-at)")
        }
        let ground = parts.ground.model.height(at: place).map { $0 + parts.settings.current.terrain.eyeHeight }
        guard let height = request.cameraHeight ?? ground else {
            throw Problem(
                .invalidRequest,
                "cannot tell how high the camera is: the elevations do not reach it; give cameraHeight, metres above mean "
                    + "sea level", status: 422)
        }
        let own = request.place == nil ? observer?.reply.accuracy : nil
        return Viewpoint(
            place: place, height: height,
            horizontalError: (request.accuracy ?? own ?? Self.usualAccuracy) / Self.holding95,
            verticalError: request.cameraHeight == nil ? Self.groundError : 1)
    }

    private func click(
        _ click: ViewCalibrationRequest.Click, _ index: Int, _ viewpoint: Viewpoint
    ) throws(Problem) -> Click {
        func fault(_ member: String, _ detail: String) -> Problem {
            Problem(
                .invalidRequest, "cannot use the click \(index + 1): \(detail)", status: 422,
                errors: [.init(path: "/clicks/\(index)/\(member)", detail: detail)])
        }
        func made(_ name: String, _ target: Vector?, _ error: Double) throws(Problem) -> Click {
            guard let target, target.length > 20 else { throw fault("landmark", "it is at the camera itself") }
            return Click(name: name, point: PicturePoint(x: click.x, y: click.y), target: target, placeError: error)
        }
        func top(_ place: Coordinate, _ given: Double?) throws(Problem) -> Double {
            guard let top = given ?? parts.ground.model.height(at: place) else {
                throw fault("height", "the elevations do not reach its place; give its height above mean sea level")
            }
            return top
        }
        switch click.target {
        case .landmark(let name):
            guard let found = landmarks.first(where: { $0.id == name || $0.name == name }) else {
                throw fault(
                    "landmark", "there is no landmark \(name); \(parts.ground.folder)/landmarks.geojson has them")
            }
            let target = viewpoint.vector(to: found.place, top: try top(found.place, found.top))
            return try made(found.name, target, found.placeError)
        case .place(let place, let height, let accuracy):
            let target = viewpoint.vector(to: place, top: try top(place, height))
            let error = (accuracy ?? Self.usualAccuracy) / Self.holding95
            return try made("\(place.latitude), \(place.longitude)", target, error)
        case .sun(let instant), .moon(let instant):
            let isMoon = if case .moon = click.target { true } else { false }
            let target = viewpoint.vector(toMoon: isMoon, at: instant)
            if let target, Viewpoint.direction(of: target).elevation < Self.leastElevation {
                throw fault(
                    "time",
                    "the \(isMoon ? "moon" : "sun") was not up at \(instant.rfc3339); give the instant at which the picture was "
                        + "taken, with its time zone")
            }
            return try made(isMoon ? "Moon" : "Sun", target, 0)
        }
    }

    // MARK: Looking

    /// What the camera sees; nil while it is not calibrated.
    ///
    /// - Parameters:
    ///   - instant: of the sun, the moon and the closures.
    ///   - isNow: whether the satellites, whose places are known for now alone, are among it.
    /// - Returns: the labels, with the calibration that they follow from.
    func labels(at instant: UTCInstant, isNow: Bool = true) -> (calibration: Calibration, labels: [ViewLabel])? {
        guard let known = known.withLock({ $0 }) else { return nil }
        let labeller = Labeller(known.calibration, terrain: parts.ground.model)
        let viewpoint = known.calibration.viewpoint
        var sky: [ViewLabel] = []
        for (kind, isMoon) in [("sun", false), ("moon", true)] {
            guard let direction = viewpoint.vector(toMoon: isMoon, at: instant),
                let label = labeller.label(kind: kind, direction, angleError: 0.01)
            else { continue }
            sky.append(label)
        }
        let snapshot = parts.board.snapshot()
        if isNow, let age = snapshot.skyAgeSeconds, age <= Self.skyLife, let satellites = snapshot.sky?.satellites {
            for satellite in satellites where satellite.used {
                guard let azimuth = satellite.azimuth, let elevation = satellite.elevation else { continue }
                let entry = SatellitesReply.Entry(satellite)
                let name = "\(entry.constellation ?? "satellite") \(entry.svid ?? entry.prn)"
                let direction = Viewpoint.vector(azimuth: azimuth, elevation: elevation)
                let label = labeller.label(
                    sky: name, kind: "satellite", direction, angleError: Self.satelliteError)
                if let label { sky.append(label) }
            }
        }
        let ground = (known.landmarks + trails(at: instant, labeller)).sorted {
            ($0.called.rank, $0.distance ?? 0) < ($1.called.rank, $1.distance ?? 0)
        }
        return (known.calibration, sky + ground)
    }

    /// The trails and their junctions; made anew when the trails have changed.
    private func trails(at instant: UTCInstant, _ labeller: Labeller) -> [ViewLabel] {
        let (network, made) = paths.current
        let kept = known.withLock { $0?.trailsMade == made ? $0?.trails : nil }
        var labels = kept ?? []
        if kept == nil {
            let sights = network.sights()
            let lines = sights.courses.map {
                NamedLine(
                    name: $0.name, kind: "trail", pieces: $0.lines, shared: $0.shared, placeError: Self.trailError)
            }
            let crossings = sights.crossings.map {
                Landmark(
                    id: $0.name, name: $0.name, kind: "junction", place: $0.coordinate, top: nil,
                    placeError: Self.trailError)
            }
            labels = labeller.labels(lines) + labeller.labels(crossings)
            known.withLock { known in
                known?.trails = labels
                known?.trailsMade = made
            }
        }
        let closed = network.closedTrails(paths.closed(in: network, at: instant))
        guard !closed.isEmpty else { return labels }
        return labels.map { label in
            var label = label
            if label.kind == "trail", let part = label.called.own.flatMap({ closed[$0] }) {
                label.called.closed = part.isWhole ? .whole : .part
            }
            return label
        }
    }

    /// What a picture of the camera may be told that it shows.
    func sight(at instant: UTCInstant) -> Result<Surroundings.Sight, Problem> {
        guard let (calibration, labels) = labels(at: instant) else {
            return .failure(
                Problem(
                    .conflict,
                    "cannot put names into the picture: it is not known how the camera looks: nobody has calibrated it yet; use "
                        + "konza view calibrate"))
        }
        guard calibration.isReliable else {
            return .failure(
                Problem(.conflict, "cannot put names into the picture: \(Self.doubt(calibration))"))
        }
        return .success(
            Surroundings.Sight(width: calibration.pose.width, height: calibration.pose.height, labels: labels))
    }

    /// Why a calibration is not to be relied on.
    static func doubt(_ calibration: Calibration) -> String {
        let deviation = calibration.verification?.deviation.rounded(toDecimals: 1) ?? 0
        return
            "the skyline in the picture lies \(deviation) pixels from the computed one, so the camera has most likely moved; "
            + "calibrate it again"
    }
}
