internal import Drawing
internal import KonzaAPI
internal import KonzaModel
internal import Synchronization
internal import Views

/// What the pictures say of the surroundings. The features of the trails and of the view say it; a station without them says
/// nothing.
final class Surroundings: Sendable {
    /// What the fixed camera sees, in pixels of the picture that it was calibrated with.
    struct Sight: Sendable {
        let width: Int
        let height: Int
        let labels: [ViewLabel]
    }

    private struct Sources {
        var trail: @Sendable (UTCInstant) -> String? = { _ in nil }
        var sight: @Sendable (UTCInstant) -> Result<Sight, Problem> = { _ in
            .failure(Problem(.conflict, "this station has no view"))
        }
    }

    private let sources = Mutex(Sources())

    func tellTrail(by source: @escaping @Sendable (UTCInstant) -> String?) {
        sources.withLock { $0.trail = source }
    }

    func tellSight(by source: @escaping @Sendable (UTCInstant) -> Result<Sight, Problem>) {
        sources.withLock { $0.sight = source }
    }

    /// The trail that the station was on at an instant; nil where it was on none, or nobody can tell.
    func trail(at instant: UTCInstant) -> String? { sources.withLock { $0.trail }(instant) }

    /// What the camera saw at an instant, or why nobody can tell.
    func sight(at instant: UTCInstant) -> Result<Sight, Problem> { sources.withLock { $0.sight }(instant) }
}

extension Surroundings.Sight {
    /// Names that are less certain than this part of the picture's width are left out.
    private static let mostError = 0.04
    /// Points that are nearer to each other than this part of the picture's width are one spot, which has one name: the first one's.
    /// The pages have the same rule (`core/labels.js`), so that both name the same things in every size.
    private static let spot = 0.005
    /// How far the shapes of two pictures may differ.
    private static let tolerance = 0.01

    /// The names for a picture of another size, in the order of the labels, satellites last. Its template tells which of them have room.
    ///
    /// - Returns: nil if the picture has another shape, and so is another part of the view.
    func names(width: Int, height: Int, language: String) -> [PictureLabel]? {
        let scale = Double(width) / Double(self.width)
        guard abs(Double(height) / Double(self.height) / scale - 1) < Self.tolerance else { return nil }
        let known = labels.filter { $0.sigma * 2 < Double(self.width) * Self.mostError }
        let ordered = known.filter { $0.kind != "satellite" } + known.filter { $0.kind == "satellite" }
        var spots: [ViewLabel] = []
        for label in ordered {
            let isTaken = spots.contains {
                let (x, y) = ($0.point.x - label.point.x, $0.point.y - label.point.y)
                return (x * x + y * y).squareRoot() < Double(self.width) * Self.spot
            }
            if !isTaken { spots.append(label) }
        }
        return spots.map { label in
            PictureLabel(
                name: label.called.text(language), x: label.point.x * scale, y: label.point.y * scale,
                reach: max(2 * label.sigma * scale, Double(width) * 0.01))
        }
    }
}
