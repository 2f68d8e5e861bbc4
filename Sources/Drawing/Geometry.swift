internal import Glibc

/// A point or a displacement, in pixels of the picture, y down.
struct Point: Equatable, Hashable, Sendable {
    var x: Double
    var y: Double

    init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }

    static func + (left: Point, right: Point) -> Point { Point(left.x + right.x, left.y + right.y) }
    static func - (left: Point, right: Point) -> Point { Point(left.x - right.x, left.y - right.y) }
    static func * (left: Point, right: Double) -> Point { Point(left.x * right, left.y * right) }

    var length: Double { (x * x + y * y).squareRoot() }
}

/// A rectangle with its edges, y down.
struct Box: Equatable, Hashable, Sendable {
    var left: Double
    var top: Double
    var right: Double
    var bottom: Double

    init(left: Double, top: Double, right: Double, bottom: Double) {
        self.left = left
        self.top = top
        self.right = right
        self.bottom = bottom
    }

    init(x: Double, y: Double, width: Double, height: Double) {
        self.init(left: x, top: y, right: x + width, bottom: y + height)
    }

    var width: Double { right - left }
    var height: Double { bottom - top }
    var isEmpty: Bool { !(width > 0 && height > 0) }

    func grown(by margin: Double) -> Box { grown(x: margin, y: margin) }

    func grown(x: Double, y: Double) -> Box {
        Box(left: left - x, top: top - y, right: right + x, bottom: bottom + y)
    }

    func moved(by offset: Point) -> Box {
        Box(left: left + offset.x, top: top + offset.y, right: right + offset.x, bottom: bottom + offset.y)
    }

    func union(_ other: Box) -> Box {
        Box(
            left: min(left, other.left), top: min(top, other.top), right: max(right, other.right),
            bottom: max(bottom, other.bottom))
    }

    /// - Returns: a box that is empty where the two have nothing in common.
    func intersection(_ other: Box) -> Box {
        Box(
            left: max(left, other.left), top: max(top, other.top), right: min(right, other.right),
            bottom: min(bottom, other.bottom))
    }
}

/// A rectangle of whole pixels.
struct PixelRect: Equatable, Hashable, Sendable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int

    /// The pixels that a box touches, kept inside a picture.
    ///
    /// - Returns: nil if it touches none.
    init?(touching box: Box, pictureWidth: Int, pictureHeight: Int) {
        let left = min(max(box.left, 0), Double(pictureWidth)).rounded(.down)
        let top = min(max(box.top, 0), Double(pictureHeight)).rounded(.down)
        let right = min(max(box.right, 0), Double(pictureWidth)).rounded(.up)
        let bottom = min(max(box.bottom, 0), Double(pictureHeight)).rounded(.up)
        guard right > left, bottom > top else { return nil }
        self.init(x: Int(left), y: Int(top), width: Int(right - left), height: Int(bottom - top))
    }

    init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    var area: Int { width * height }

    var box: Box { Box(x: Double(x), y: Double(y), width: Double(width), height: Double(height)) }

    func overlaps(_ other: PixelRect) -> Bool {
        x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
    }

    func union(_ other: PixelRect) -> PixelRect {
        let left = min(x, other.x)
        let top = min(y, other.y)
        return PixelRect(
            x: left, y: top, width: max(x + width, other.x + other.width) - left,
            height: max(y + height, other.y + other.height) - top)
    }
}

/// A closed or open shape of lines and cubic curves.
struct Outline: Equatable, Sendable {
    enum Element: Equatable, Sendable {
        case move(Point)
        case line(Point)
        case curve(Point, Point, Point)
        case close
    }

    var elements: [Element] = []

    var isEmpty: Bool { elements.isEmpty }

    init(_ elements: [Element] = []) { self.elements = elements }

    /// A rectangle, with round corners where the radius is not 0.
    init(_ box: Box, radius: Double = 0) {
        let radius = min(radius, box.width / 2, box.height / 2)
        guard radius > 0 else {
            elements = [
                .move(Point(box.left, box.top)), .line(Point(box.right, box.top)),
                .line(Point(box.right, box.bottom)), .line(Point(box.left, box.bottom)), .close,
            ]
            return
        }
        // The distance of the control points that brings a cubic nearest to a quarter circle.
        let handle = radius * (1 - 0.552_284_75)
        elements = [
            .move(Point(box.left + radius, box.top)), .line(Point(box.right - radius, box.top)),
            .curve(
                Point(box.right - handle, box.top), Point(box.right, box.top + handle),
                Point(box.right, box.top + radius)),
            .line(Point(box.right, box.bottom - radius)),
            .curve(
                Point(box.right, box.bottom - handle), Point(box.right - handle, box.bottom),
                Point(box.right - radius, box.bottom)),
            .line(Point(box.left + radius, box.bottom)),
            .curve(
                Point(box.left + handle, box.bottom), Point(box.left, box.bottom - handle),
                Point(box.left, box.bottom - radius)),
            .line(Point(box.left, box.top + radius)),
            .curve(
                Point(box.left, box.top + handle), Point(box.left + handle, box.top),
                Point(box.left + radius, box.top)),
            .close,
        ]
    }

    /// The box around all points and handles; nil when there are none.
    var bounds: Box? {
        var box: Box?
        func add(_ point: Point) {
            let spot = Box(left: point.x, top: point.y, right: point.x, bottom: point.y)
            box = box?.union(spot) ?? spot
        }
        for contour in flattened(tolerance: 0.25) { contour.forEach(add) }
        return box
    }

    func mapped(_ transform: (Point) -> Point) -> Outline {
        Outline(
            elements.map { element in
                switch element {
                case .move(let point): .move(transform(point))
                case .line(let point): .line(transform(point))
                case .curve(let first, let second, let end):
                    .curve(transform(first), transform(second), transform(end))
                case .close: .close
                }
            })
    }

    func moved(by offset: Point) -> Outline { mapped { $0 + offset } }

    /// The same shape in pieces no longer than `step`, so that a mapping that is not affine may bend it.
    func subdivided(step: Double) -> Outline {
        var result = Outline()
        var current = Point(0, 0)
        var start = Point(0, 0)
        func line(to end: Point) {
            let count = max(1, Int(((end - current).length / step).rounded(.up)))
            for index in 1...count {
                result.elements.append(.line(current + (end - current) * (Double(index) / Double(count))))
            }
            current = end
        }
        for element in elements {
            switch element {
            case .move(let point):
                result.elements.append(element)
                current = point
                start = point
            case .line(let point): line(to: point)
            case .curve(let first, let second, let end):
                for point in Self.points(from: current, first, second, end, tolerance: 0.05) {
                    result.elements.append(.line(point))
                }
                current = end
            case .close:
                if current != start { line(to: start) }
                result.elements.append(.close)
            }
        }
        return result
    }

    /// The same shape with fewer lines: points are left out where the line that takes their place strays less than the
    /// tolerance, in pixels.
    func thinned(tolerance: Double) -> Outline {
        var result = Outline()
        // The point before the lines that are yet to be written, and their ends.
        var run: [Point] = []
        func write() {
            result.elements += run.thinned(tolerance: tolerance).dropFirst().map { .line($0) }
        }
        for element in elements {
            switch element {
            case .line(let point) where !run.isEmpty:
                run.append(point)
            case .move(let point), .line(let point), .curve(_, _, let point):
                write()
                result.elements.append(element)
                run = [point]
            case .close:
                write()
                result.elements.append(element)
                run = []
            }
        }
        write()
        return result
    }

    /// The closed contours as polygons. Curves become lines that stay within the tolerance, in pixels.
    func flattened(tolerance: Double) -> [[Point]] {
        var contours: [[Point]] = []
        var contour: [Point] = []
        func finish() {
            if contour.count > 1 { contours.append(contour) }
            contour = []
        }
        for element in elements {
            switch element {
            case .move(let point):
                finish()
                contour = [point]
            case .line(let point): contour.append(point)
            case .curve(let first, let second, let end):
                contour += Self.points(
                    from: contour.last ?? first, first, second, end, tolerance: tolerance)
            case .close:
                let start = contour.first
                finish()
                if let start { contour = [start] }
            }
        }
        finish()
        return contours
    }

    private static func points(
        from start: Point, _ first: Point, _ second: Point, _ end: Point, tolerance: Double
    ) -> [Point] {
        // The count for which no chord strays further than the tolerance (Wang's bound for a cubic).
        let bend = max((start - first * 2 + second).length, (first - second * 2 + end).length)
        let count = min(64, max(1, Int((0.75 * bend / tolerance).squareRoot().rounded(.up))))
        return (1...count).map { index in
            let t = Double(index) / Double(count)
            let u = 1 - t
            return start * (u * u * u) + first * (3 * u * u * t) + second * (3 * u * t * t) + end * (t * t * t)
        }
    }
}

extension [Point] {
    /// The points of a polyline without those that lie within the tolerance of the line between their neighbours that
    /// are kept. The first and the last one stay.
    func thinned(tolerance: Double) -> [Point] {
        guard count > 2, let first else { return self }
        /// How many points one line may replace: it bounds the work.
        let longest = 64
        var result = [first]
        var anchor = 0
        while anchor < count - 1 {
            var end = anchor + 1
            while end + 1 < count, end - anchor < longest, isStraight(anchor, end + 1, tolerance) { end += 1 }
            result.append(self[end])
            anchor = end
        }
        return result
    }

    /// Whether all points between two lie beside the line from one to the other, in order and within the tolerance.
    private func isStraight(_ start: Int, _ end: Int, _ tolerance: Double) -> Bool {
        let chord = self[end] - self[start]
        let length = chord.length
        guard length > 0 else { return false }
        var last = 0.0
        for point in self[(start + 1)..<end] {
            let offset = point - self[start]
            let along = (offset.x * chord.x + offset.y * chord.y) / length
            guard abs(offset.x * chord.y - offset.y * chord.x) <= tolerance * length, along >= last, along <= length
            else { return false }
            last = along
        }
        return true
    }
}
