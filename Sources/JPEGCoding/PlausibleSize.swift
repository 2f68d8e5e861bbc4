extension JPEGStructure {
    /// Throws if the picture claims more blocks than its entropy-coded bytes can hold: a few bytes that ask for a
    /// buffer of gigabytes.
    ///
    /// A Huffman code has at least one bit. A sequential block has a code for DC and one for AC, so at least two bits;
    /// in a progressive picture its DC has one of its own, and runs may code its AC (T.81 F.1.2, G.1.2). Arithmetic
    /// coding has no such bound.
    public func requirePlausibleSize() throws(JPEGStructureError) {
        let least: Int
        switch process {
        case .baseline, .extended: least = 2
        case .progressive: least = 1
        case .arithmetic, .arithmeticProgressive, .other: return
        }
        let blocks = blockCounts.reduce(0, +)
        let bytes = scans.reduce(0) { $0 + $1.entropy.count }
        guard blocks * least <= bytes * 8 else {
            throw JPEGStructureError(
                .truncated, at: scans.last?.entropy.upperBound ?? endOffset,
                "\(bytes) entropy-coded bytes for \(blocks) blocks")
        }
    }

    /// Throws if the scans go over the picture's blocks more often than any real picture's: a scan of a few bytes may go
    /// over all of them, and a hundred such scans take seconds.
    ///
    /// A progressive picture has some ten scans, most of one component. The bound allows that for 40 million pixels
    /// without subsampling, three times over.
    public func requirePlausibleWork() throws(JPEGStructureError) {
        let counts = blockCounts
        var visits = 0
        for scan in scans {
            for component in scan.components { visits += counts[component.index] }
            guard visits <= 1 << 25 else {
                throw JPEGStructureError(
                    .tooManySegments, at: scan.header.offset, "\(scans.count) scans of \(width)x\(height) pixels")
            }
        }
    }

    /// Of each component, without the padding to whole MCUs.
    private var blockCounts: [Int] {
        let maximum = maximumSampling
        return components.map { component in
            let columns = (width * component.horizontalSampling).dividedRoundingUp(by: 8 * maximum.horizontal)
            let rows = (height * component.verticalSampling).dividedRoundingUp(by: 8 * maximum.vertical)
            return columns * rows
        }
    }
}
