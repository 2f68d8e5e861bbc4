public import Geodesy
internal import KonzaModel
public import Terrain

/// A name in the picture.
public struct ViewLabel: Sendable, Equatable {
    public var called: SightName
    public let point: PicturePoint
    /// The standard error of the point in its worst direction, pixels.
    public let sigma: Double
    /// Degrees from true north, and above the horizontal with refraction.
    public let azimuth: Double
    public let elevation: Double
    /// Metres; nil for the sky.
    public let distance: Double?

    /// In English.
    public var name: String { called.text() }
    public var kind: String { called.kind }
}

/// Finds what a calibrated camera sees.
public struct Labeller: Sendable {
    private let viewpoint: Viewpoint
    private let solved: SolvedPose
    private let terrain: TerrainModel

    public init(_ calibration: Calibration, terrain: TerrainModel) {
        viewpoint = calibration.viewpoint
        solved = calibration.solved
        self.terrain = terrain
    }

    /// The landmarks in the picture that the ground does not hide, the nearest first.
    ///
    /// - Parameter landmarks: any.
    /// - Returns: their labels.
    public func labels(_ landmarks: [Landmark]) -> [ViewLabel] {
        landmarks.compactMap(label).sorted { ($0.distance ?? 0) < ($1.distance ?? 0) }
    }

    /// Of the picture, pixels.
    var width: Double { Double(solved.pose.width) }

    func label(_ landmark: Landmark) -> ViewLabel? {
        guard let top = landmark.top ?? terrain.height(at: landmark.place),
            let vector = viewpoint.vector(to: landmark.place, top: top),
            let label = label(
                landmark.called, vector, placeError: landmark.placeError, distance: vector.length),
            viewpoint.sees(landmark.place, vector, over: terrain)
        else { return nil }
        return label
    }

    /// The sun, the moon or a satellite, if it is in the picture and above the ground.
    ///
    /// - Parameters:
    ///   - name: of a satellite; nil for the sun and the moon.
    ///   - kind: `sun`, `moon` or `satellite`.
    ///   - direction: from ``Viewpoint``.
    ///   - angleError: the standard deviation of the direction, degrees.
    /// - Returns: nil if it is not to be seen.
    public func label(sky name: String? = nil, kind: String, _ direction: Vector, angleError: Double) -> ViewLabel? {
        guard viewpoint.sees(direction, over: terrain) else { return nil }
        return label(
            SightName(own: name, kind: kind), direction, placeError: direction.length * angleError * .pi / 180,
            distance: nil)
    }

    private func label(
        _ called: SightName, _ vector: Vector, placeError: Double, distance: Double?
    ) -> ViewLabel? {
        guard let found = solved.label(vector, placeError: placeError), solved.pose.contains(found.point) else {
            return nil
        }
        let direction = Viewpoint.direction(of: vector)
        return ViewLabel(
            called: called, point: found.point, sigma: found.error.sigma, azimuth: direction.azimuth,
            elevation: direction.elevation, distance: distance)
    }
}
