extension JPEGStructure {
    /// Throws if the picture claims more blocks than its entropy-coded bytes can hold: a few bytes that ask for a
    /// buffer of gigabytes.
    ///
    /// A Huffman code has at least one bit. A sequential block has a code for DC and one for AC, so at least two bits;
    /// in a progressive picture its DC has one of its own, and runs may code its AC (T.81 F.1.2, G.1.2). Arithmetic
    /// coding has no such bound, and its decoder makes zeros of what is missing; it is taken to have 16 blocks in a byte
    /// at most beyond the first 4096, a hundred times denser than a poor photograph, and 800 000 (100 MB of coefficients).
    public func requirePlausibleSize() throws(JPEGStructureError) {
        let bytes = scans.reduce(0) { $0 + $1.entropy.count }
        let most: Int
        switch process {
        case .baseline, .extended: most = bytes * 4
        case .progressive: most = bytes * 8
        case .arithmetic, .arithmeticProgressive: most = min(4096 + bytes * 16, 800_000)
        case .other: return
        }
        let blocks = blockCounts.reduce(0, +)
        guard blocks <= most else {
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

    /// Throws unless the scans make up the whole picture: every component in some scan, with its DC coefficient, and in a
    /// sequential picture in one scan only (T.81 B.2.3, G.1.1.1.1). A decoder makes grey of what is missing.
    public func requireWholeScans() throws(JPEGStructureError) {
        var visits = [Int](repeating: 0, count: components.count)
        for scan in scans where scan.spectrum.contains(0) && scan.approximation.high == 0 {
            for component in scan.components { visits[component.index] += 1 }
        }
        let isProgressive = process == .progressive || process == .arithmeticProgressive
        for (index, count) in visits.enumerated() where count != 1 {
            guard count == 0 || !isProgressive else { continue }
            throw JPEGStructureError(
                count == 0 ? .noScan : .tooManySegments, at: endOffset, "component \(index) is in \(count) scans")
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
