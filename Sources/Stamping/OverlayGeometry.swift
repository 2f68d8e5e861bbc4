internal import JPEGCoding

/// What of a picture decides how an overlay becomes blocks: its size, sampling and colour model.
struct OverlayGeometry: Hashable, Sendable {
    struct Component: Hashable, Sendable {
        let horizontal: Int
        let vertical: Int
    }

    let width: Int
    let height: Int
    let model: ColourModel
    let components: [Component]
    let maximum: Component

    /// - Throws: `unsupported` if no reader would know the colours.
    init(_ structure: JPEGStructure) throws(StampingError) {
        guard let model = ColourModel(structure) else {
            throw .unsupported("the picture has \(structure.components.count) components, \(structure.framePlace)")
        }
        self.model = model
        width = structure.width
        height = structure.height
        components = structure.components.map {
            Component(horizontal: $0.horizontalSampling, vertical: $0.verticalSampling)
        }
        let sampling = structure.maximumSampling
        maximum = Component(horizontal: sampling.horizontal, vertical: sampling.vertical)
    }

    /// A component's size in blocks, without the padding to whole MCUs.
    func blocks(component: Int) -> (columns: Int, rows: Int) {
        let sampling = components[component]
        return (
            (width * sampling.horizontal).dividedRoundingUp(by: maximum.horizontal * 8),
            (height * sampling.vertical).dividedRoundingUp(by: maximum.vertical * 8)
        )
    }

    /// Whether libjpeg found the same blocks: a hostile picture may be read in two ways.
    func fits(_ found: [JPEGCoefficients.Component]) -> Bool {
        found.count == components.count
            && found.indices.allSatisfy { blocks(component: $0) == (found[$0].columns, found[$0].rows) }
    }

    /// The picture's columns whose samples lie in a column of blocks, perhaps none.
    func pixelColumns(component: Int, column: Int) -> Range<Int> {
        span(column, sampling: components[component].horizontal, maximum: maximum.horizontal, limit: width)
    }

    /// The picture's rows whose samples lie in a row of blocks, perhaps none.
    func pixelRows(component: Int, row: Int) -> Range<Int> {
        span(row, sampling: components[component].vertical, maximum: maximum.vertical, limit: height)
    }

    /// A pixel at p belongs to the sample floor(p * sampling / maximum), so that each has one sample, and a
    /// sample of a whole ratio is the mean over its box.
    private func span(_ block: Int, sampling: Int, maximum: Int, limit: Int) -> Range<Int> {
        let from = min(limit, (block * 8 * maximum).dividedRoundingUp(by: sampling))
        let to = min(limit, ((block + 1) * 8 * maximum).dividedRoundingUp(by: sampling))
        return from..<to
    }
}

extension Int {
    func dividedRoundingUp(by divisor: Int) -> Int { (self + divisor - 1) / divisor }
}
