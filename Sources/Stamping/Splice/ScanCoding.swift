internal import JPEGCoding
internal import KonzaModel

/// How a picture's only scan is coded: tables, sampling, restarts. Nothing in it depends on the picture's contents, so
/// that it serves all frames of a camera.
struct ScanCoding: Sendable {
    /// One of the blocks that make up an MCU.
    struct Role: Sendable {
        /// Index into the frame's components.
        let component: Int
        let dc: HuffmanTableReference
        let ac: HuffmanTableReference
        /// Of the block in its component's part of the MCU.
        let column: Int
        let row: Int
    }

    /// The header segments that all of this follows from.
    let key: [UInt8]
    let roles: [Role]
    /// Of the MCU, in blocks, for each component.
    let unitSizes: [(columns: Int, rows: Int)]
    /// The picture's MCUs.
    let columns: Int
    let rows: Int
    /// MCUs in an interval; all of them where there are no restart markers.
    let interval: Int
    let quantisation: [[UInt16]]
    private let tables: HuffmanTables

    var unitCount: Int { columns * rows }
    var intervalCount: Int { unitCount.dividedRoundingUp(by: interval) }

    func units(ofInterval index: Int) -> Range<Int> {
        (index * interval)..<min(unitCount, (index + 1) * interval)
    }

    /// - Throws: `notBaseline` for tables or sampling that the standard does not allow.
    init(_ structure: JPEGStructure, _ scan: JPEGStructure.Scan, key: ScanKey) throws(SpliceFault) {
        let places = scan.components
        // A component alone in its scan has MCUs of one block (T.81 A.2.2).
        unitSizes = structure.components.map {
            places.count == 1 ? (1, 1) : ($0.horizontalSampling, $0.verticalSampling)
        }
        guard unitSizes.reduce(0, { $0 + $1.columns * $1.rows }) <= 10 else {
            throw .notBaseline("an MCU has over ten blocks")
        }
        let size = places.count == 1 ? structure.blockCount : structure.unitCount
        (columns, rows) = (size.columns, size.rows)
        interval = scan.restartInterval == 0 ? size.columns * size.rows : scan.restartInterval
        let specifications = key.huffmanTables
        let quantisers = key.quantisationTables
        // Cb and Cr nearly always share their tables.
        var found: [HuffmanTable] = []
        var numbers: [Int: Int] = [:]
        for identifier in places.flatMap({ [$0.dcTable, $0.acTable + 16] }) where numbers[identifier] == nil {
            guard let specification = specifications[identifier],
                let table = HuffmanTable(specification, isAC: identifier >= 16)
            else { throw .notBaseline("a Huffman table is not sound") }
            numbers[identifier] = found.count
            found.append(table)
        }
        tables = HuffmanTables(found)
        var roles: [Role] = []
        for place in places {
            let unit = unitSizes[place.index]
            guard let dc = numbers[place.dcTable], let ac = numbers[place.acTable + 16] else { break }
            for block in 0..<(unit.columns * unit.rows) {
                roles.append(
                    Role(
                        component: place.index, dc: tables[dc], ac: tables[ac], column: block % unit.columns,
                        row: block / unit.columns))
            }
        }
        var quantisation: [[UInt16]] = []
        for component in structure.components {
            guard let table = quantisers[component.quantisationTable] else {
                throw .notBaseline("a quantisation table is not sound")
            }
            quantisation.append(table)
        }
        self.key = key.bytes
        self.roles = roles
        self.quantisation = quantisation
    }
}

/// The header segments that decide how a scan is coded, in their order.
struct ScanKey {
    private(set) var bytes: [UInt8] = []

    /// - Parameters:
    ///   - structure: Of the picture.
    ///   - scan: Its only scan.
    ///   - addedTables: DHT segments that are put before the scan.
    ///   - jpeg: The picture.
    init(_ structure: JPEGStructure, _ scan: JPEGStructure.Scan, _ addedTables: [UInt8]?, _ jpeg: FrameData) {
        bytes.reserveCapacity(1024)
        unsafe jpeg.withBytes { source in
            for segment in structure.segments where segment.offset < scan.header.offset {
                switch segment.marker {
                case .quantisationTables, .huffmanTables, .restartInterval:
                    unsafe bytes.append(contentsOf: source[segment.range])
                default:
                    if segment.marker.isStartOfFrame { unsafe bytes.append(contentsOf: source[segment.range]) }
                }
            }
            if let addedTables { bytes += addedTables }
            unsafe bytes.append(contentsOf: source[scan.header.range])
        }
    }

    /// The specifications in force, by identifier, AC tables from 16 on. The segments were checked by the structure.
    var huffmanTables: [Int: ArraySlice<UInt8>] {
        var tables: [Int: ArraySlice<UInt8>] = [:]
        for payload in payloads(of: .huffmanTables) {
            var at = payload.lowerBound
            while at + 17 <= payload.upperBound {
                let count = bytes[(at + 1)...(at + 16)].reduce(0) { $0 + Int($1) }
                guard at + 17 + count <= payload.upperBound else { break }
                tables[Int(bytes[at])] = bytes[(at + 1)..<(at + 17 + count)]
                at += 17 + count
            }
        }
        return tables
    }

    /// The tables in force, by identifier, in natural order.
    var quantisationTables: [Int: [UInt16]] {
        var tables: [Int: [UInt16]] = [:]
        for payload in payloads(of: .quantisationTables) {
            var at = payload.lowerBound
            while at < payload.upperBound {
                let width = bytes[at] >> 4 == 0 ? 1 : 2
                guard at + 1 + 64 * width <= payload.upperBound else { break }
                var table = [UInt16](repeating: 0, count: 64)
                for index in 0..<64 {
                    let value = at + 1 + index * width
                    let high = width == 2 ? UInt16(bytes[value]) << 8 : 0
                    table[Int(Zigzag.natural[index])] = high | UInt16(bytes[value + width - 1])
                }
                tables[Int(bytes[at] & 15)] = table
                at += 1 + 64 * width
            }
        }
        return tables
    }

    private func payloads(of marker: JPEGMarker) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var at = 0
        while at + 4 <= bytes.count {
            let length = 2 + Int(bytes[at + 2]) << 8 + Int(bytes[at + 3])
            let end = min(bytes.count, at + length)
            if bytes[at + 1] == marker.rawValue { found.append((at + 4)..<end) }
            at = end
        }
        return found
    }
}
