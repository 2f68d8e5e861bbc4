public import KonzaModel
internal import Terrain

/// A line on the ground that has a name.
public struct NamedLine: Sendable {
    public let name: String
    public let kind: String
    /// Its pieces, as points at about equal distances.
    public let pieces: [[Coordinate]]
    /// Pieces that another line has, too: it is labelled there if it is to be seen nowhere else.
    public let shared: [[Coordinate]]
    /// How far its place may be off, metres.
    public let placeError: Double

    public init(
        name: String, kind: String, pieces: [[Coordinate]], shared: [[Coordinate]] = [], placeError: Double
    ) {
        (self.name, self.kind, self.pieces, self.shared) = (name, kind, pieces, shared)
        self.placeError = placeError
    }
}

extension Labeller {
    /// Where on a stretch a label may be, as shares of it: in its middle if nothing is there yet.
    private static let shares = [0.5, 0.25, 0.75, 0.125, 0.875]
    /// Two labels of lines are this far apart where there is room, as a share of the picture's width.
    private static let apart = 0.05

    /// Lines on the ground, each labelled once: in the middle of the longest stretch of it that the picture shows and the ground
    /// does not hide, beside the labels of other lines that go the same way.
    ///
    /// - Parameter lines: any.
    /// - Returns: the labels of those of which anything is to be seen.
    public func labels(_ lines: [NamedLine]) -> [ViewLabel] {
        var labels: [ViewLabel] = []
        let least = width * Self.apart
        for line in lines {
            let own = longestRun(line, line.pieces)
            let run = own.isEmpty ? longestRun(line, line.shared) : own
            let candidates = Self.shares.map { Int(Double(run.count) * $0) }.filter(run.indices.contains)
            func room(_ index: Int) -> Double {
                labels.map { $0.point.squaredDistance(to: run[index].point) }.min() ?? .infinity
            }
            // Where all are near others, the one that is farthest from them.
            let free = candidates.first { room($0) > least * least } ?? candidates.max { room($0) < room($1) }
            if let free { labels.append(run[free]) }
        }
        return labels
    }

    /// The longest stretch of pieces of a line that is to be seen.
    private func longestRun(_ line: NamedLine, _ pieces: [[Coordinate]]) -> [ViewLabel] {
        var best: [ViewLabel] = []
        for piece in pieces {
            var run: [ViewLabel] = []
            defer { if run.count > best.count { best = run } }
            for place in piece {
                let point = Landmark(
                    id: line.name, name: line.name, kind: line.kind, place: place, top: nil,
                    placeError: line.placeError)
                if let label = label(point) {
                    run.append(label)
                } else {
                    if run.count > best.count { best = run }
                    run = []
                }
            }
        }
        return best
    }
}
