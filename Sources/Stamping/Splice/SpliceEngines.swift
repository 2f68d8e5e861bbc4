public import JPEGCoding
public import KonzaModel

/// Stamps a picture that has restart markers: only the intervals that the overlay touches are opened, and in them
/// only its MCUs are coded again. The rest is copied as it is.
public struct RestartSpliceEngine: StampingEngine {
    private let limits: JPEGLimits

    public init(limits: JPEGLimits = CoefficientEngine.defaultLimits) {
        self.limits = limits
    }

    public func stamp(
        _ jpeg: FrameData, with overlay: PreparedOverlay
    ) throws(StampingError) -> StampedPicture {
        let picture = try CheckedPicture(jpeg, overlay: overlay.overlay, limits: limits)
        guard let scan = picture.structure.scans.first, scan.restartInterval > 0 else {
            throw .unsupported("the picture has no restart markers")
        }
        return StampedPicture(
            data: try picture.spliced(jpeg, scan, overlay, limit: limits.outputBytes), way: .restartSplice)
    }
}

/// Stamps a picture without restart markers: bits up to the overlay are skipped and copied, its MCUs are coded again,
/// the next DC differences corrected, and the rest is copied as it is.
public struct EntropySpliceEngine: StampingEngine {
    private let limits: JPEGLimits

    public init(limits: JPEGLimits = CoefficientEngine.defaultLimits) {
        self.limits = limits
    }

    public func stamp(
        _ jpeg: FrameData, with overlay: PreparedOverlay
    ) throws(StampingError) -> StampedPicture {
        let picture = try CheckedPicture(jpeg, overlay: overlay.overlay, limits: limits)
        guard let scan = picture.structure.scans.first, scan.restartInterval == 0 else {
            throw .unsupported("the picture has restart markers")
        }
        return StampedPicture(
            data: try picture.spliced(jpeg, scan, overlay, limit: limits.outputBytes), way: .entropySplice)
    }
}

extension CheckedPicture {
    /// The stamped picture, its only scan spliced.
    fileprivate func spliced(
        _ jpeg: FrameData, _ scan: JPEGStructure.Scan, _ overlay: PreparedOverlay, limit: Int
    ) throws(StampingError) -> FrameData {
        try requireSpliceable(scan)
        let tables: [UInt8]?
        do {
            tables = try structure.standardHuffmanSegment()
        } catch {
            throw .unsupported("the picture lacks a Huffman table")
        }
        do throws(SpliceFault) {
            return try spliced(jpeg, scan, overlay, tables, limit: limit)
        } catch {
            guard error == .missingCode else { throw error.stampingError }
        }
        do throws(SpliceFault) {
            let used = scan.components.flatMap { [$0.dcTable, $0.acTable + 16] }
            let lacking = ScanKey(structure, scan, tables, jpeg).huffmanTables.filter { used.contains($0.key) }
            guard let added = TableExtension.segment(lacking) else { throw .missingCode }
            return try spliced(jpeg, scan, overlay, (tables ?? []) + added, limit: limit)
        } catch {
            throw error.stampingError
        }
    }

    /// The stamped picture, with more Huffman tables put before its scan.
    private func spliced(
        _ jpeg: FrameData, _ scan: JPEGStructure.Scan, _ overlay: PreparedOverlay, _ tables: [UInt8]?, limit: Int
    ) throws(SpliceFault) -> FrameData {
        let key = ScanKey(structure, scan, tables, jpeg)
        let plan = try overlay.plan(for: geometry, key: key.bytes) { () throws(SpliceFault) in
            try ScanCoding(structure, scan, key: key)
        }
        return try Splicer.splice(jpeg, scan, plan, addedTables: tables, limit: limit)
    }

    /// Throws unless the picture is one sequential, interleaved Huffman scan of one or three components.
    private func requireSpliceable(_ scan: JPEGStructure.Scan) throws(StampingError) {
        guard structure.process.isSequentialHuffman else { throw .unsupported("the picture is not sequential") }
        guard structure.scans.count == 1, scan.components.count == structure.components.count,
            structure.components.count == 1 || structure.components.count == 3
        else { throw .unsupported("the picture is not one scan of one or three components") }
        guard scan.spectrum == 0...63, scan.approximation == (0, 0) else {
            throw .unsupported("the picture's scan is not of a sequential picture")
        }
        if let fault = structure.restartFault {
            throw .unsupported("restart markers are wrong at byte \(fault.offset)")
        }
    }
}
