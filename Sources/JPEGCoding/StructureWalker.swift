/// Walks over the markers of a JPEG and notes what it finds. One use each.
struct StructureWalker {
    /// Real pictures have some tens; this bounds memory on hostile input.
    static let segmentLimit = 2048

    var found = JPEGStructure()
    private var position = 0
    private var restartInterval = 0
    private var quantisation: Set<Int> = []
    private var huffman: Set<JPEGStructure.TableID> = []

    mutating func walk(_ bytes: Span<UInt8>) throws(JPEGStructureError) {
        guard bytes.count > 0 else { throw JPEGStructureError(.empty, at: 0, "there are no bytes") }
        guard bytes.count >= 2, bytes[0] == 0xFF, bytes[1] == JPEGMarker.startOfImage.rawValue else {
            throw JPEGStructureError(.noStart, at: 0, "no start-of-image marker")
        }
        try note(.startOfImage, offset: 0, length: 2)
        position = 2
        while true {
            let marker = try nextMarker(bytes)
            if marker == .endOfImage {
                try finish(bytes)
                return
            }
            try segment(marker, bytes)
        }
    }

    /// Reads a marker, after any fill bytes (T.81 B.1.1.2), and stands on its FF.
    private mutating func nextMarker(_ bytes: Span<UInt8>) throws(JPEGStructureError) -> JPEGMarker {
        guard position < bytes.count else { throw truncated(bytes, "no end-of-image marker") }
        guard bytes[position] == 0xFF else {
            throw JPEGStructureError(.garbage, at: position, "a byte that is not a marker")
        }
        while position + 1 < bytes.count, bytes[position + 1] == 0xFF { position += 1 }
        guard position + 1 < bytes.count else { throw truncated(bytes, "a marker is cut off") }
        return JPEGMarker(rawValue: bytes[position + 1])
    }

    private mutating func segment(_ marker: JPEGMarker, _ bytes: Span<UInt8>) throws(JPEGStructureError) {
        guard !marker.standsAlone, marker.rawValue >= 0xC0 else {
            throw JPEGStructureError(.garbage, at: position, "a marker \(marker.rawValue) out of place")
        }
        guard position + 4 <= bytes.count else { throw truncated(bytes, "a segment is cut off") }
        let length = 2 + bytes.bigEndian(at: position + 2)
        guard length >= 4 else {
            throw JPEGStructureError(.badSegment, at: position, "a segment shorter than its length")
        }
        guard position + length <= bytes.count else { throw truncated(bytes, "a segment is cut off") }
        let segment = try note(marker, offset: position, length: length)
        position += length
        switch marker {
        case .startOfScan: try scan(segment, bytes)
        case .quantisationTables: try quantisationTables(segment, bytes)
        case .huffmanTables: try huffmanTables(segment, bytes)
        case .restartInterval:
            guard segment.payload.count == 2 else {
                throw JPEGStructureError(.badSegment, at: segment.offset, "a restart interval of another length")
            }
            restartInterval = bytes.bigEndian(at: segment.payload.lowerBound)
        case .application(0), .application(14): applicationData(segment, bytes)
        default: if marker.isStartOfFrame { try frame(marker, segment, bytes) }
        }
    }

    private mutating func finish(_ bytes: Span<UInt8>) throws(JPEGStructureError) {
        guard !found.components.isEmpty else { throw JPEGStructureError(.noFrame, at: position, "no frame header") }
        guard !found.scans.isEmpty else { throw JPEGStructureError(.noScan, at: position, "no scan") }
        try note(.endOfImage, offset: position, length: 2)
        found.endOffset = position
        found.trailingByteCount = bytes.count - position - 2
    }

    @discardableResult
    private mutating func note(
        _ marker: JPEGMarker, offset: Int, length: Int
    ) throws(JPEGStructureError) -> JPEGStructure.Segment {
        guard found.segments.count < Self.segmentLimit else {
            throw JPEGStructureError(.tooManySegments, at: offset, "over \(Self.segmentLimit) segments")
        }
        let segment = JPEGStructure.Segment(marker: marker, offset: offset, length: length)
        found.segments.append(segment)
        return segment
    }

    private func truncated(_ bytes: Span<UInt8>, _ words: String) -> JPEGStructureError {
        JPEGStructureError(.truncated, at: bytes.count, words)
    }
}

// MARK: Tables and headers

extension StructureWalker {
    /// T.81 B.2.2.
    private mutating func frame(
        _ marker: JPEGMarker, _ segment: JPEGStructure.Segment, _ bytes: Span<UInt8>
    ) throws(JPEGStructureError) {
        guard found.components.isEmpty, found.scans.isEmpty else {
            throw JPEGStructureError(.secondFrame, at: segment.offset, "a second frame header")
        }
        let start = segment.payload.lowerBound
        guard segment.payload.count >= 6, segment.payload.count == 6 + 3 * Int(bytes[start + 5]) else {
            throw JPEGStructureError(.badSegment, at: segment.offset, "a frame header of another length")
        }
        found.process = JPEGProcess(marker)
        found.precision = Int(bytes[start])
        found.height = bytes.bigEndian(at: start + 1)
        found.width = bytes.bigEndian(at: start + 3)
        guard found.width > 0, found.height > 0 else {
            throw JPEGStructureError(
                .zeroDimension, at: segment.offset, "a size of \(found.width)x\(found.height)")
        }
        let count = Int(bytes[start + 5])
        guard (1...4).contains(count) else {
            throw JPEGStructureError(.badComponents, at: segment.offset, "\(count) components")
        }
        for index in 0..<count {
            let at = start + 6 + 3 * index
            let component = JPEGStructure.Component(
                identifier: bytes[at], horizontalSampling: Int(bytes[at + 1] >> 4),
                verticalSampling: Int(bytes[at + 1] & 15), quantisationTable: Int(bytes[at + 2]))
            guard (1...4).contains(component.horizontalSampling), (1...4).contains(component.verticalSampling),
                component.quantisationTable < 4,
                !found.components.contains(where: { $0.identifier == component.identifier })
            else { throw JPEGStructureError(.badComponents, at: at, "a component out of range") }
            found.components.append(component)
        }
    }

    /// T.81 B.2.4.1.
    private mutating func quantisationTables(
        _ segment: JPEGStructure.Segment, _ bytes: Span<UInt8>
    ) throws(JPEGStructureError) {
        var at = segment.payload.lowerBound
        while at < segment.payload.upperBound {
            let width = bytes[at] >> 4 == 0 ? 1 : 2
            let identifier = Int(bytes[at] & 15)
            guard bytes[at] >> 4 <= 1, identifier < 4, at + 1 + 64 * width <= segment.payload.upperBound else {
                throw JPEGStructureError(.badSegment, at: at, "a quantisation table out of range")
            }
            for index in 0..<64 {
                let value = at + 1 + index * width
                guard bytes[value] != 0 || (width == 2 && bytes[value + 1] != 0) else {
                    throw JPEGStructureError(.zeroQuantisation, at: value, "a quantisation value of 0")
                }
            }
            quantisation.insert(identifier)
            at += 1 + 64 * width
        }
    }

    /// T.81 B.2.4.2; the codes must fit into their lengths (annex C).
    private mutating func huffmanTables(
        _ segment: JPEGStructure.Segment, _ bytes: Span<UInt8>
    ) throws(JPEGStructureError) {
        var at = segment.payload.lowerBound
        while at < segment.payload.upperBound {
            let table = JPEGStructure.TableID(isAC: bytes[at] >> 4 == 1, identifier: Int(bytes[at] & 15))
            guard bytes[at] >> 4 <= 1, table.identifier < 4, at + 17 <= segment.payload.upperBound else {
                throw JPEGStructureError(.badHuffmanTable, at: at, "a Huffman table out of range")
            }
            var count = 0
            var free = 1
            for length in 1...16 {
                let codes = Int(bytes[at + length])
                count += codes
                free = free * 2 - codes
                guard free >= 0 else {
                    throw JPEGStructureError(.badHuffmanTable, at: at, "a Huffman table with too many codes")
                }
            }
            guard count <= 256, at + 17 + count <= segment.payload.upperBound else {
                throw JPEGStructureError(.badHuffmanTable, at: at, "a Huffman table longer than its segment")
            }
            huffman.insert(table)
            at += 17 + count
        }
    }

    private mutating func applicationData(_ segment: JPEGStructure.Segment, _ bytes: Span<UInt8>) {
        let payload = segment.payload
        if segment.marker == .application(0) {
            // A shorter one is none to libjpeg (jdmarker.c, APP0_DATA_LEN).
            if payload.count >= 14, segment.begins(with: "JFIF\0", in: bytes) { found.hasJFIF = true }
            if segment.begins(with: "AVI1", in: bytes) { found.hasAVI1 = true }
        } else if segment.begins(with: "Adobe", in: bytes), payload.count >= 12 {
            found.adobeTransform = Int(bytes[payload.lowerBound + 11])
        }
    }
}

// MARK: Scans

extension StructureWalker {
    /// T.81 B.2.3.
    private mutating func scan(
        _ segment: JPEGStructure.Segment, _ bytes: Span<UInt8>
    ) throws(JPEGStructureError) {
        guard !found.components.isEmpty else {
            throw JPEGStructureError(.noFrame, at: segment.offset, "a scan without a frame header before it")
        }
        let start = segment.payload.lowerBound
        guard segment.payload.count >= 1, (1...4).contains(bytes[start]),
            segment.payload.count == 4 + 2 * Int(bytes[start])
        else { throw JPEGStructureError(.badSegment, at: segment.offset, "a scan header of another length") }
        let count = Int(bytes[start])
        var members: [JPEGStructure.ScanComponent] = []
        for number in 0..<count {
            members.append(try scanComponent(at: start + 1 + 2 * number, after: members, bytes))
        }
        let last = start + 1 + 2 * count
        let spectrum = (Int(bytes[last]), Int(bytes[last + 1]))
        guard spectrum.0 <= spectrum.1, spectrum.1 < 64 else {
            throw JPEGStructureError(.badSegment, at: last, "a spectral selection out of range")
        }
        try requireTables(of: members, spectrum: spectrum.0...spectrum.1, segment)
        let from = position
        var index = RestartIndex()
        let restarts = try skipEntropy(bytes, &index)
        let units = found.unitCount(of: members)
        let expected = restartInterval == 0 ? 0 : (units.columns * units.rows - 1) / restartInterval
        if restarts != expected, found.restartFault == nil {
            found.restartFault = JPEGStructureError(
                .restartCount, at: position, "\(restarts) restart markers where \(expected) belong")
        }
        found.scans.append(
            JPEGStructure.Scan(
                header: segment, components: members, spectrum: spectrum.0...spectrum.1,
                approximation: (Int(bytes[last + 2] >> 4), Int(bytes[last + 2] & 15)), entropy: from..<position,
                restartInterval: restartInterval, restartCount: restarts, expectedRestartCount: expected,
                restarts: index))
    }

    private func scanComponent(
        at offset: Int, after members: [JPEGStructure.ScanComponent], _ bytes: Span<UInt8>
    ) throws(JPEGStructureError) -> JPEGStructure.ScanComponent {
        guard let index = found.components.firstIndex(where: { $0.identifier == bytes[offset] }),
            !members.contains(where: { $0.index == index }), bytes[offset + 1] >> 4 < 4, bytes[offset + 1] & 15 < 4
        else { throw JPEGStructureError(.badComponents, at: offset, "a scan of an unknown component") }
        return JPEGStructure.ScanComponent(
            index: index, dcTable: Int(bytes[offset + 1] >> 4), acTable: Int(bytes[offset + 1] & 15))
    }

    private mutating func requireTables(
        of members: [JPEGStructure.ScanComponent], spectrum: ClosedRange<Int>, _ segment: JPEGStructure.Segment
    ) throws(JPEGStructureError) {
        for member in members {
            guard quantisation.contains(found.components[member.index].quantisationTable) else {
                throw JPEGStructureError(.noQuantisationTable, at: segment.offset, "no quantisation table for a scan")
            }
            guard found.process.isSequentialHuffman || found.process == .progressive else { continue }
            var needed: [JPEGStructure.TableID] = []
            if spectrum.contains(0) { needed.append(.init(isAC: false, identifier: member.dcTable)) }
            if spectrum.upperBound > 0 { needed.append(.init(isAC: true, identifier: member.acTable)) }
            for table in needed where !huffman.contains(table) { found.missingHuffmanTables.insert(table) }
        }
    }

    /// Stands on the first marker after the entropy-coded data that is not RSTn, and counts those.
    private mutating func skipEntropy(
        _ bytes: Span<UInt8>, _ index: inout RestartIndex
    ) throws(JPEGStructureError) -> Int {
        var restarts = 0
        while true {
            guard let next = bytes.offsetOfMarker(from: position), next + 1 < bytes.count else {
                throw truncated(bytes, "the entropy-coded data ends without a marker")
            }
            let second = bytes[next + 1]
            if second == 0xFF {
                position = next + 1
            } else if JPEGMarker(rawValue: second).isRestart {
                if Int(second & 7) != restarts & 7, found.restartFault == nil {
                    found.restartFault = JPEGStructureError(
                        .restartOrder, at: next, "restart marker \(second & 7) where \(restarts & 7) belongs")
                }
                index.append(next)
                restarts += 1
                position = next + 2
            } else {
                position = next
                return restarts
            }
        }
    }
}

extension Span<UInt8> {
    func bigEndian(at offset: Int) -> Int { Int(self[offset]) << 8 | Int(self[offset + 1]) }
}
