internal import CBlocks
internal import KonzaModel

/// An overlay as the blocks of each component, for one geometry: what all engines stamp from.
struct OverlayInk: Sendable {
    let components: [InkedComponent]

    /// - Parameters:
    ///   - overlay: What was drawn.
    ///   - geometry: Of the picture.
    ///   - before: The ink of another overlay in the same geometry: its blocks are taken where nothing changed.
    init(
        _ overlay: Overlay, geometry: OverlayGeometry, before: (ink: OverlayInk, changes: OverlayChanges)? = nil
    ) {
        var components = [InkedComponent?](repeating: nil, count: geometry.components.count)
        for index in components.indices where components[index] == nil {
            // Cb and Cr nearly always share one sampling.
            let twins = components.indices.filter { geometry.components[$0] == geometry.components[index] }
            let before = before.map { ($0.ink, $0.changes) }
            for (twin, component) in zip(twins, InkedComponent.sampled(overlay, geometry, twins, before)) {
                components[twin] = component
            }
        }
        self.components = components.compactMap { $0 }
    }
}

/// A block that the overlay touches.
struct TouchedBlock: Sendable, Equatable {
    let column: Int
    let row: Int
    /// The overlay hides the block wholly: the result does not depend on the picture.
    let isOpaque: Bool
}

/// The ink on one component: sample = sample * (1 - alpha) + light, and light can as well be added after the transform.
struct InkedComponent: Sendable {
    static var lightScale: Float { Float(KONZA_LIGHT_SCALE) }
    static var alphaScale: Float { Float(KONZA_ALPHA_SCALE) }

    /// In the order of rows, then columns.
    private(set) var blocks: [TouchedBlock] = []
    /// Of each block that was taken as it is from the ink before, where it stood there; -1 for others.
    private(set) var origins: [Int32] = []
    /// The blocks of a row lie from `rowStarts[row]` to `rowStarts[row + 1]`.
    private var rowStarts: [Int] = [0]
    /// 64 coefficients a block, in natural order: of premultiplied, centred light (mid-grey is 0).
    private var light: [Int16] = []
    /// 64 values a block whose alpha varies, column by column.
    private var alpha: [Int16] = []
    /// Of each block, the alpha that all its samples share, or where its alpha lies: the complement of a number of blocks.
    private var covers: [Int32] = []

    /// The ink on components of one sampling, which differ in their light alone.
    static func sampled(
        _ overlay: Overlay, _ geometry: OverlayGeometry, _ twins: [Int],
        _ before: (ink: OverlayInk, changes: OverlayChanges)?
    ) -> [InkedComponent] {
        var shape = InkedComponent()
        var lights = [[Int16]](repeating: [], count: twins.count)
        let factors: [InlineArray<4, Float>] = twins.map {
            let factors = geometry.model.factors(component: $0)
            return [factors.x, factors.y, factors.z, factors.w]
        }
        let old = before.map { before in twins.map { before.ink.components[$0] } } ?? []
        var sampler = InkSampler(geometry: geometry, component: twins[0])
        let room = sampler.blockCount(of: overlay)
        shape.reserve(room)
        for index in lights.indices { lights[index].reserveCapacity(room * 64) }
        for row in 0..<sampler.rows {
            let rows = sampler.pixelRows(row)
            let near = overlay.patches.filter { $0.rows.overlaps(rows) }
            if let first = old.first, let changes = before?.changes, !changes.touch(rows: rows) {
                shape.take(first.indices(inRow: row), of: first)
                for (index, old) in old.enumerated() { lights[index] += old.light[old.values(inRow: row)] }
            } else if let left = near.map(\.x).min(), let right = near.map(\.columns.upperBound).max() {
                var known = old.first?.indices(inRow: row) ?? 0..<0
                for column in sampler.columns(of: left..<right) {
                    if let first = old.first, let changes = before?.changes,
                        !changes.touch(sampler.pixelColumns(column), rows)
                    {
                        known = known.drop { first.blocks[$0].column < column }
                        guard let index = known.first, first.blocks[index].column == column else { continue }
                        shape.take(index..<(index + 1), of: first)
                        for (twin, old) in old.enumerated() {
                            lights[twin] += old.light[(index * 64)..<(index * 64 + 64)]
                        }
                        continue
                    }
                    guard let block = sampler.take(near, column: column, row: row) else { continue }
                    shape.add(block, sampler)
                    for twin in twins.indices { lights[twin].append(sampler.light(factors[twin])) }
                }
            }
            shape.rowStarts.append(shape.blocks.count)
        }
        return lights.map { light in
            var component = shape
            component.light = light
            return component
        }
    }

    private init() {}

    /// Growing step by step copies several times what is kept.
    private mutating func reserve(_ count: Int) {
        blocks.reserveCapacity(count)
        origins.reserveCapacity(count)
        covers.reserveCapacity(count)
        alpha.reserveCapacity(count * 32)
    }

    private mutating func add(_ block: TouchedBlock, _ sampler: InkSampler) {
        blocks.append(block)
        origins.append(-1)
        guard !block.isOpaque else { return covers.append(Int32(Self.alphaScale)) }
        var values = Coefficients(repeating: 0)
        if let common = sampler.alpha(into: &values), common > 0 { return covers.append(common) }
        covers.append(~Int32(truncatingIfNeeded: alpha.count / 64))
        alpha.append(values)
    }

    /// Takes the shape of blocks of another component as it is.
    private mutating func take(_ indices: Range<Int>, of other: InkedComponent) {
        blocks += other.blocks[indices]
        origins += indices.lazy.map { Int32(truncatingIfNeeded: $0) }
        for index in indices {
            let cover = other.covers[index]
            if cover >= 0 {
                covers.append(cover)
            } else {
                covers.append(~Int32(truncatingIfNeeded: alpha.count / 64))
                let start = Int(~cover) * 64
                alpha += other.alpha[start..<(start + 64)]
            }
        }
    }

    /// Where the light of a row's blocks lies.
    private func values(inRow row: Int) -> Range<Int> { (rowStarts[row] * 64)..<(rowStarts[row + 1] * 64) }

    /// The component's rows of blocks.
    var rowCount: Int { rowStarts.count - 1 }

    /// Indices of a row's blocks.
    func indices(inRow row: Int) -> Range<Int> { rowStarts[row]..<rowStarts[row + 1] }

    /// Whether a touched block is hidden wholly.
    func isOpaque(_ index: Int) -> Bool { blocks[index].isOpaque }

    /// Lays the ink of a touched block on the coefficients of a block of the picture; of an opaque one, nothing of them
    /// is left.
    ///
    /// - Returns: A bit for each coefficient of the result that is not 0.
    func blend(_ block: inout Coefficients, index: Int, by blender: BlockBlender) -> UInt64 {
        let light = (light.span, index * 64)
        let cover = covers[index]
        if cover >= 0 { return blender.blend(&block, light: light, flatAlpha: Int16(truncatingIfNeeded: cover)) }
        return blender.blend(&block, light: light, alpha: (alpha.span, Int(~cover) * 64))
    }
}

extension Overlay.Patch {
    var rows: Range<Int> { y..<(y + height) }
    var columns: Range<Int> { x..<(x + width) }
}

extension [Int16] {
    /// Appends the values of a block.
    fileprivate mutating func append(_ block: Coefficients) {
        let span = block.span
        unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
