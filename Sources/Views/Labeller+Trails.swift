public import KonzaModel
internal import Terrain

/// A line on the ground that has a name.
public struct NamedLine: Sendable {
    public let name: String
    public let kind: String
    /// Its pieces, as points at about equal distances.
    public let pieces: [[Coordinate]]
    /// How far its place may be off, metres.
    public let placeError: Double

    public init(name: String, kind: String, pieces: [[Coordinate]], placeError: Double) {
        (self.name, self.kind, self.pieces, self.placeError) = (name, kind, pieces, placeError)
    }
}

extension Labeller {
    /// Lines on the ground, each labelled once: in the middle of the longest stretch of it that the picture shows and the ground
    /// does not hide.
    ///
    /// - Parameter lines: any.
    /// - Returns: the labels of those of which anything is to be seen.
    public func labels(_ lines: [NamedLine]) -> [ViewLabel] {
        lines.compactMap { line in
            var best: ArraySlice<ViewLabel> = []
            for piece in line.pieces {
                var run: [ViewLabel] = []
                for place in piece {
                    let point = Landmark(
                        id: line.name, name: line.name, kind: line.kind, place: place, top: nil,
                        placeError: line.placeError)
                    if let label = label(point) {
                        run.append(label)
                        if run.count > best.count { best = run[...] }
                    } else {
                        run = []
                    }
                }
            }
            return best.isEmpty ? nil : best[best.startIndex + best.count / 2]
        }
    }
}
