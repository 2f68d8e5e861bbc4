internal import Geodesy
internal import KonzaModel
public import Terrain

/// What can be seen from a viewpoint all around, whichever way a camera looks.
public struct Prospect: Sendable, Equatable {
    public let landmark: Landmark
    /// Degrees from true north, and above the horizontal with refraction.
    public let azimuth: Double
    public let elevation: Double
    /// Metres.
    public let distance: Double

    /// Nearer things fill too much of a picture to be clicked on, metres.
    private static let nearest = 50.0

    /// Nothing on the ground is seen farther away, metres: the terrain does not reach there to hide it.
    private static let farthest = 100_000.0

    /// The landmarks that the ground does not hide, the nearest first.
    ///
    /// - Parameters:
    ///   - landmarks: any.
    ///   - viewpoint: from where.
    ///   - terrain: the ground between.
    /// - Returns: those that are to be seen.
    public static func all(of landmarks: [Landmark], from viewpoint: Viewpoint, over terrain: TerrainModel)
        -> [Prospect]
    {
        landmarks.compactMap { landmark in
            guard let top = landmark.top ?? terrain.height(at: landmark.place),
                let vector = viewpoint.vector(to: landmark.place, top: top),
                (nearest...farthest).contains(vector.length),
                viewpoint.sees(landmark.place, vector, over: terrain)
            else { return nil }
            let (azimuth, elevation) = Viewpoint.direction(of: vector)
            return Prospect(landmark: landmark, azimuth: azimuth, elevation: elevation, distance: vector.length)
        }.sorted { $0.distance < $1.distance }
    }
}
