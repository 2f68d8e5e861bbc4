internal import Glibc

/// The sides of a block whose face is an outline and whose back is the same outline moved by `depth`.
struct Extrusion {
    struct Facet {
        var outline: Outline
        var color: Color
    }

    /// The facets that can be seen, those nearest the face last.
    let facets: [Facet]
    /// All of it as one shape, without the face.
    let silhouette: Outline
    /// The edges that run from the face to the back where the block ends against what is behind it, and the back.
    let rear: Outline

    /// Makes the sides. The light comes from `light`, degrees clockwise from the right.
    init(face: Outline, depth: Point, lit: Color, shade: Color, light: Double) {
        let toLight = Point(cos(light * .pi / 180), sin(light * .pi / 180))
        let reach = depth.length
        var found: [(order: Double, facet: Facet)] = []
        var silhouette = Outline()
        var rear = face.moved(by: depth)
        guard reach > 0.1 else {
            facets = []
            self.silhouette = face
            self.rear = Outline()
            return
        }
        let ahead = depth * (1 / reach)
        let contours = face.flattened(tolerance: 0.1).map { $0.thinned(tolerance: 0.1) }
        // Outer contours outweigh holes, which wind the other way: the sum tells on which side the outside is.
        let winding = contours.reduce(0) { $0 + Self.signedArea($1) } >= 0 ? 1.0 : -1.0
        for contour in contours {
            for (index, start) in contour.enumerated() {
                let end = contour[(index + 1) % contour.count]
                let edge = end - start
                guard edge.length > 1e-6 else { continue }
                let last = start - contour[(index + contour.count - 1) % contour.count]
                // The outline turns against the depth here, so that the sweep has an edge of its own.
                if (last.x * depth.y - last.y * depth.x) * (edge.x * depth.y - edge.y * depth.x) <= 0 {
                    rear.elements += [.move(start), .line(start + depth)]
                }
                let normal = Point(edge.y, -edge.x) * (winding / edge.length)
                silhouette.elements += Self.positive([start, end, end + depth, start + depth])
                let turn = normal.x * ahead.x + normal.y * ahead.y
                guard turn > 0 else { continue }
                let side = Self.overlapping(start, edge * (1 / edge.length), end, depth, ahead)
                let brightness = (1 + normal.x * toLight.x + normal.y * toLight.y) / 2
                let middle = (start + end) * 0.5
                found.append(
                    (
                        middle.x * ahead.x + middle.y * ahead.y,
                        Facet(outline: side, color: shade.mixed(with: lit, brightness))
                    ))
            }
        }
        facets = found.sorted { $0.order < $1.order }.map(\.facet)
        self.silhouette = silhouette
        self.rear = rear
    }

    /// The side over an edge, grown a little all around: it closes the seam that two soft edges leave between neighbours.
    ///
    /// - Parameters:
    ///   - start: Where the edge begins.
    ///   - along: Its direction, of length 1.
    ///   - end: Where it ends.
    ///   - depth: From the face to the back.
    ///   - ahead: The direction of that, of length 1.
    /// - Returns: A parallelogram.
    private static func overlapping(
        _ start: Point, _ along: Point, _ end: Point, _ depth: Point, _ ahead: Point
    ) -> Outline {
        // How far the corners move along both directions for the sides to move by `overlap`; less at sharp corners.
        let sine = abs(along.x * ahead.y - along.y * ahead.x)
        let reach = overlap / max(sine, 0.5)
        let (one, other) = (along * reach, ahead * reach)
        return Outline([
            .move(start - one - other), .line(end + one - other), .line(end + depth + one + other),
            .line(start + depth - one + other), .close,
        ])
    }

    /// How far neighbouring sides overlap, pixels.
    private static let overlap = 0.3

    private static func signedArea(_ points: [Point]) -> Double {
        var sum = 0.0
        for (index, point) in points.enumerated() {
            let next = points[(index + 1) % points.count]
            sum += point.x * next.y - next.x * point.y
        }
        return sum / 2
    }

    /// A polygon that winds one way, so that many of them fill together without holes.
    private static func positive(_ points: [Point]) -> [Outline.Element] {
        let ordered = signedArea(points) >= 0 ? points : points.reversed()
        var elements: [Outline.Element] = []
        for (index, point) in ordered.enumerated() { elements.append(index == 0 ? .move(point) : .line(point)) }
        elements.append(.close)
        return elements
    }
}
