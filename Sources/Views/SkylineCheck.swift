internal import Geodesy
internal import Glibc
public import Terrain

/// The brightness of a picture.
public struct GrayPicture: Sendable {
    public let width: Int
    public let height: Int
    /// Row by row, as many as width times height.
    public let pixels: [UInt8]

    /// - Returns: nil if there are not so many pixels.
    public init?(width: Int, height: Int, pixels: [UInt8]) {
        guard width > 0, height > 0, pixels.count == width * height else { return nil }
        (self.width, self.height, self.pixels) = (width, height, pixels)
    }
}

/// Compares the skyline in a picture with the one that the elevations and the calibration tell.
///
/// In each column the edge between the brighter sky and the darker ground is looked for near the computed skyline, all columns together
/// (dynamic programming: a skyline does not jump). The picture is then moved over the computed line until it fits; the medians over
/// thirds of the picture keep single trees from counting.
public struct SkylineCheck: Sendable {
    /// Above this the calibration is not to be relied on, pixels of the picture that it was made with.
    public static let mostDeviation = 3.0
    /// How far above and below the computed line is looked, parts of the picture's height.
    private static let band = 0.06
    /// Columns that are looked at.
    private static let columns = 240
    /// The rows on both sides that are compared, and the least difference of their brightness.
    private static let side = 4
    private static let leastContrast = 12.0
    /// The part of the columns in which an edge must be found.
    private static let leastFound = 0.5

    public struct Result: Sendable, Equatable, Codable {
        /// How far the skyline lies off, pixels of the picture that was calibrated with.
        public var deviation: Double
        /// The part of the picture's width in which a skyline was found.
        public var share: Double
    }

    private let calibration: Calibration
    private let terrain: TerrainModel

    public init(_ calibration: Calibration, terrain: TerrainModel) {
        self.calibration = calibration
        self.terrain = terrain
    }

    /// The row of the computed skyline at so many columns of equal distance; nil where it is not in the picture.
    func computed(columns: Int = Self.columns) -> [Double?] {
        var rows = [Double?](repeating: nil, count: columns)
        let pose = calibration.pose
        guard let place = calibration.viewpoint.place else { return rows }
        let height = calibration.viewpoint.height
        let step = Double(pose.width) / Double(columns)
        var last: PicturePoint?
        let half = min(85, pose.fieldOfView / 2 + 3)
        let count = max(2, columns * 2)
        for index in 0...count {
            let azimuth = pose.azimuth - half + 2 * half * Double(index) / Double(count)
            guard let ground = terrain.horizon(from: place, height: height, azimuth: azimuth) else {
                last = nil
                continue
            }
            let direction = Viewpoint.vector(azimuth: azimuth, elevation: ground.elevation)
            let point = pose.project(direction * (ground.distance / direction.length))
            defer { last = point }
            guard let point, let last, point.x > last.x else { continue }
            let first = max(0, Int((last.x / step - 0.5).rounded(.up)))
            var column = first
            while column < columns, (Double(column) + 0.5) * step <= point.x {
                let share = ((Double(column) + 0.5) * step - last.x) / (point.x - last.x)
                let row = last.y + (point.y - last.y) * share
                if share >= 0, (0...Double(pose.height)).contains(row) { rows[column] = row }
                column += 1
            }
        }
        return rows
    }

    /// Compares.
    ///
    /// - Parameter picture: of the camera, of any size of the same shape.
    /// - Returns: nil where too little of a skyline is to be seen: in fog, at night, or if it is beside the picture.
    public func compare(_ picture: GrayPicture) -> Result? {
        let scale = Double(picture.width) / Double(calibration.pose.width)
        let expected = computed().map { $0.map { $0 * scale } }
        let reach = max(8, Int(Self.band * Double(picture.height)))
        let found = edge(picture, near: expected, reach: reach)
        var offsets: [(column: Int, offset: Double)] = []
        for (column, row) in found.enumerated() {
            guard let row, let own = expected[column] else { continue }
            offsets.append((column, row - own))
        }
        let share = Double(offsets.count) / Double(Self.columns)
        guard share >= Self.leastFound else { return nil }
        let sideways = shift(found, expected, most: Self.columns / 16)
        let column = Double(picture.width) / Double(Self.columns)
        var down = 0.0
        for third in 0..<3 {
            let range = (third * Self.columns / 3)..<((third + 1) * Self.columns / 3)
            let own = range.compactMap { index -> Double? in
                guard let row = found[index], expected.indices.contains(index - sideways),
                    let other = expected[index - sideways]
                else { return nil }
                return row - other
            }
            if own.count >= Self.columns / 12 { down = max(down, abs(Self.median(own))) }
        }
        return Result(deviation: hypot(down, Double(sideways) * column) / scale, share: share)
    }

    /// By how many columns the found line lies to the right of the computed one: none, unless that explains it far better.
    private func shift(_ found: [Double?], _ expected: [Double?], most: Int) -> Int {
        func cost(_ shift: Int) -> Double {
            var differences: [Double] = []
            for index in found.indices where expected.indices.contains(index - shift) {
                guard let row = found[index], let own = expected[index - shift] else { continue }
                differences.append(row - own)
            }
            guard differences.count * 3 > Self.columns else { return .infinity }
            let middle = Self.median(differences)
            return differences.reduce(0) { $0 + min(6, abs($1 - middle)) } / Double(differences.count)
        }
        let own = cost(0)
        let best = (-most...most).map { (shift: $0, cost: cost($0)) }.min { $0.cost < $1.cost }
        guard let best, best.cost * 1.2 + 0.1 < own else { return 0 }
        return best.shift
    }

    /// The row of the edge in each column, near the expected one.
    private func edge(_ picture: GrayPicture, near expected: [Double?], reach: Int) -> [Double?] {
        let rows = 2 * reach + 1
        let step = Double(picture.width) / Double(Self.columns)
        var costs = [Double](repeating: 0, count: rows)
        var sources: [[Int32]] = []
        var contrasts: [[Double]] = []
        var before: Double?
        for column in 0..<Self.columns {
            guard let middle = expected[column] else {
                // A gap begins a new line.
                sources.append([])
                contrasts.append([])
                costs = [Double](repeating: 0, count: rows)
                before = nil
                continue
            }
            let own = contrast(picture, Int((Double(column) + 0.5) * step), Int(middle.rounded()), reach)
            // The computed line goes up and down itself: steps are counted against it.
            var next = [Double](repeating: 0, count: rows)
            var from = [Int32](repeating: 0, count: rows)
            for row in 0..<rows {
                var (best, source) = (-Double.infinity, row)
                for other in max(0, row - 4)...min(rows - 1, row + 4) {
                    let value = costs[other] - (before == nil ? 0 : 2 * Double(abs(row - other)))
                    if value > best { (best, source) = (value, other) }
                }
                next[row] = best + min(60, max(-20, own[row]))
                from[row] = Int32(source)
            }
            (costs, before) = (next, middle)
            sources.append(from)
            contrasts.append(own)
        }
        return traced(costs, sources, contrasts, expected, reach)
    }

    private func traced(
        _ costs: [Double], _ sources: [[Int32]], _ contrasts: [[Double]], _ expected: [Double?], _ reach: Int
    ) -> [Double?] {
        var rows = [Double?](repeating: nil, count: Self.columns)
        var row = costs.indices.max { costs[$0] < costs[$1] } ?? reach
        for column in (0..<Self.columns).reversed() {
            guard let middle = expected[column], !sources[column].isEmpty else {
                // Before a gap the line ends where its contrast is highest.
                let earlier = column > 0 ? contrasts[column - 1] : []
                row = earlier.indices.max { earlier[$0] < earlier[$1] } ?? reach
                continue
            }
            if contrasts[column][row] >= Self.leastContrast {
                rows[column] = middle.rounded() + Double(row - reach)
            }
            row = Int(sources[column][row])
        }
        return rows
    }

    /// How much brighter it is above each row than below it, over three columns of pixels.
    private func contrast(_ picture: GrayPicture, _ x: Int, _ middle: Int, _ reach: Int) -> [Double] {
        let side = Self.side
        return (-reach...reach).map { offset in
            let row = middle + offset
            guard row - side >= 0, row + side < picture.height else { return -20 }
            var difference = 0
            for column in max(0, x - 1)...min(picture.width - 1, x + 1) {
                for distance in 0..<side {
                    difference += Int(picture.pixels[(row - 1 - distance) * picture.width + column])
                    difference -= Int(picture.pixels[(row + distance) * picture.width + column])
                }
            }
            return Double(difference) / Double(3 * side)
        }
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
}
