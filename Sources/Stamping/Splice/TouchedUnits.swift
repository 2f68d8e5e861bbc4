/// The MCUs that an overlay touches, in the order of coding.
struct TouchedUnits: Sendable {
    struct Unit: Sendable {
        let index: Int
        /// The ink hides all of it: nothing of the picture is needed.
        let isOpaque: Bool
    }

    /// A block that the ink leaves alone.
    static let untouched: Int32 = -1
    /// A block beyond the component's last one, which only fills up the MCU.
    static let filling: Int32 = -2

    private(set) var units: [Unit] = []
    /// For each unit and each of its blocks, the index into its component's ink, `untouched` or `filling`.
    private(set) var blocks: [Int32] = []
    let blocksPerUnit: Int

    init(_ ink: OverlayInk, _ geometry: OverlayGeometry, _ coding: ScanCoding) {
        blocksPerUnit = coding.roles.count
        for row in 0..<coding.rows { add(row, ink, geometry, coding) }
    }

    private mutating func add(_ row: Int, _ ink: OverlayInk, _ geometry: OverlayGeometry, _ coding: ScanCoding) {
        let isTouched = coding.unitSizes.indices.contains { component in
            let rows = coding.unitSizes[component].rows
            return (0..<rows).contains { !ink.components[component].touched(inRow: row * rows + $0).isEmpty }
        }
        guard isTouched else { return }
        var line = [Int32](repeating: Self.untouched, count: coding.columns * blocksPerUnit)
        for (place, role) in coding.roles.enumerated() {
            let size = coding.unitSizes[role.component]
            let extent = geometry.blocks(component: role.component)
            let blockRow = row * size.rows + role.row
            for column in 0..<coding.columns
            where blockRow >= extent.rows || column * size.columns + role.column >= extent.columns {
                line[column * blocksPerUnit + place] = Self.filling
            }
            let component = ink.components[role.component]
            for index in component.touched(inRow: blockRow) {
                let column = component.blocks[index].column
                guard column % size.columns == role.column else { continue }
                line[column / size.columns * blocksPerUnit + place] = Int32(truncatingIfNeeded: index)
            }
        }
        for column in 0..<coding.columns {
            let part = line[(column * blocksPerUnit)..<((column + 1) * blocksPerUnit)]
            guard part.contains(where: { $0 >= 0 }) else { continue }
            let isOpaque = zip(part, coding.roles).allSatisfy { index, role in
                index == Self.filling || index >= 0 && ink.components[role.component].blocks[Int(index)].isOpaque
            }
            units.append(Unit(index: row * coding.columns + column, isOpaque: isOpaque))
            blocks += part
        }
    }

    /// Places in `units` of neighbours.
    func run(from first: Int, before limit: Int) -> Range<Int> {
        var end = first + 1
        while end < limit, units[end].index == units[end - 1].index + 1 { end += 1 }
        return first..<end
    }

    /// Runs of neighbours that are hidden, among some places.
    func opaqueRuns(in places: Range<Int>) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for place in places where units[place].isOpaque {
            if let last = runs.last, last.upperBound == place, units[place].index == units[place - 1].index + 1 {
                runs[runs.count - 1] = last.lowerBound..<(place + 1)
            } else {
                runs.append(place..<(place + 1))
            }
        }
        return runs
    }

    /// Places in `units` of those from one MCU up to another.
    func places(of range: Range<Int>, from first: Int) -> Range<Int> {
        var end = first
        while end < units.count, units[end].index < range.upperBound { end += 1 }
        return first..<end
    }
}

extension InkedComponent {
    /// Indices of a row's blocks, none beyond the last row.
    fileprivate func touched(inRow row: Int) -> Range<Int> { row < rowCount ? indices(inRow: row) : 0..<0 }
}
