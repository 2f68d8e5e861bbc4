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
        let maximum = maximumSampling
        var blocks = 0
        for component in components {
            let columns = (width * component.horizontalSampling).dividedRoundingUp(by: 8 * maximum.horizontal)
            let rows = (height * component.verticalSampling).dividedRoundingUp(by: 8 * maximum.vertical)
            blocks += columns * rows
        }
        let bytes = scans.reduce(0) { $0 + $1.entropy.count }
        guard blocks * least <= bytes * 8 else {
            throw JPEGStructureError(
                .truncated, at: scans.last?.entropy.upperBound ?? endOffset,
                "\(bytes) entropy-coded bytes for \(blocks) blocks")
        }
    }
}
