public import KonzaModel

/// Where everything lies in a JPEG, found without decoding it (ITU-T T.81 annex B). All offsets count from the
/// start of the bytes that were parsed; the input may be hostile.
public struct JPEGStructure: Sendable, Equatable {
    /// A marker with its parameters.
    public struct Segment: Sendable, Equatable {
        public let marker: JPEGMarker
        /// Of the marker's FF, after fill bytes.
        public let offset: Int
        /// Marker, length and parameters together, bytes.
        public let length: Int

        public var range: Range<Int> { offset..<(offset + length) }
        /// The parameters without marker and length.
        public var payload: Range<Int> { (offset + min(4, length))..<(offset + length) }

        /// Whether the parameters begin with these ASCII characters, as application segments name themselves.
        ///
        /// - Parameters:
        ///   - signature: Such as `JFIF` and a NUL.
        ///   - bytes: The whole picture that was parsed.
        /// - Returns: False also if the segment is shorter.
        public func begins(with signature: StaticString, in bytes: Span<UInt8>) -> Bool {
            guard payload.count >= signature.utf8CodeUnitCount, payload.upperBound <= bytes.count else { return false }
            return signature.withUTF8Buffer { letters in
                for index in 0..<letters.count {
                    guard unsafe bytes[payload.lowerBound + index] == letters[index] else { return false }
                }
                return true
            }
        }
    }

    public struct Component: Sendable, Equatable {
        public let identifier: UInt8
        /// 1 to 4.
        public let horizontalSampling: Int
        public let verticalSampling: Int
        /// 0 to 3.
        public let quantisationTable: Int
    }

    /// A component's part in a scan.
    public struct ScanComponent: Sendable, Equatable {
        /// Index into `components`.
        public let index: Int
        /// 0 to 3.
        public let dcTable: Int
        public let acTable: Int
    }

    public struct Scan: Sendable, Equatable {
        /// The SOS segment.
        public let header: Segment
        public let components: [ScanComponent]
        /// Spectral selection, and the bits of successive approximation (Ah, Al).
        public let spectrum: ClosedRange<Int>
        public let approximation: (high: Int, low: Int)
        /// From after the header to the next marker that is not RSTn (or its fill bytes).
        public let entropy: Range<Int>
        /// MCUs between restart markers; 0: none.
        public let restartInterval: Int
        public let restartCount: Int
        /// The restart markers that the scan's size asks for.
        public let expectedRestartCount: Int
        /// Where the restart markers stand.
        public let restarts: RestartIndex

        public static func == (left: Scan, right: Scan) -> Bool {
            left.header == right.header && left.components == right.components && left.spectrum == right.spectrum
                && left.approximation == right.approximation && left.entropy == right.entropy
                && left.restartInterval == right.restartInterval && left.restartCount == right.restartCount
        }
    }

    /// A Huffman table's place: class (0 DC, 1 AC) and identifier.
    public struct TableID: Hashable, Sendable {
        public let isAC: Bool
        /// 0 to 3.
        public let identifier: Int
    }

    /// All segments in order, SOI and EOI included; a scan's entropy-coded data follows its SOS.
    public internal(set) var segments: [Segment] = []
    public internal(set) var process = JPEGProcess.baseline
    /// Bits per sample, 8 or 12 (2 to 16 where lossless).
    public internal(set) var precision = 8
    public internal(set) var width = 0
    public internal(set) var height = 0
    public internal(set) var components: [Component] = []
    public internal(set) var scans: [Scan] = []
    /// Huffman tables that a scan uses and none defines before it: Motion-JPEG leaves the standard ones out.
    public internal(set) var missingHuffmanTables: Set<TableID> = []
    /// Whether APP0 says AVI1, as cameras' Motion-JPEG does.
    public internal(set) var hasAVI1 = false
    public internal(set) var hasJFIF = false
    /// The colour transform of Adobe's APP14 (0 none, 1 YCbCr, 2 YCCK), if there is one.
    public internal(set) var adobeTransform: Int?
    /// Of EOI's FF.
    public internal(set) var endOffset = 0
    /// Bytes after EOI: padding of a camera's buffer.
    public internal(set) var trailingByteCount = 0
    /// The first fault of the restart markers, which decoders paper over: data was lost there.
    public internal(set) var restartFault: JPEGStructureError?

    /// Parses a whole JPEG.
    ///
    /// - Throws: `JPEGStructureError`. Faults of restart markers alone do not throw: see `requireSoundRestarts`.
    public init(parsing bytes: Span<UInt8>) throws(JPEGStructureError) {
        var walker = StructureWalker()
        try walker.walk(bytes)
        self = walker.found
    }

    /// Parses a whole JPEG.
    public init(parsing data: FrameData) throws(JPEGStructureError) {
        self = try data.withSpan { bytes throws(JPEGStructureError) in try JPEGStructure(parsing: bytes) }
    }

    init() {}

    /// Throws the first fault of the restart markers: one out of order, or a scan with too few or too many.
    public func requireSoundRestarts() throws(JPEGStructureError) {
        if let restartFault { throw restartFault }
    }

    /// The largest sampling factors of the frame.
    public var maximumSampling: (horizontal: Int, vertical: Int) {
        (
            components.reduce(1) { max($0, $1.horizontalSampling) },
            components.reduce(1) { max($0, $1.verticalSampling) }
        )
    }

    /// The picture's size in MCUs of an interleaved scan.
    public var unitCount: (columns: Int, rows: Int) {
        let sampling = maximumSampling
        return (
            width.dividedRoundingUp(by: 8 * sampling.horizontal), height.dividedRoundingUp(by: 8 * sampling.vertical)
        )
    }

    /// The MCUs of a frame of one component.
    public var blockCount: (columns: Int, rows: Int) {
        (width.dividedRoundingUp(by: 8), height.dividedRoundingUp(by: 8))
    }

    /// The MCUs of a scan: those of the frame, or a single component's own blocks (T.81 A.2.2).
    func unitCount(of scan: [ScanComponent]) -> (columns: Int, rows: Int) {
        guard scan.count == 1, let only = scan.first else { return unitCount }
        let component = components[only.index]
        let sampling = maximumSampling
        let columns = (width * component.horizontalSampling).dividedRoundingUp(by: sampling.horizontal)
        let rows = (height * component.verticalSampling).dividedRoundingUp(by: sampling.vertical)
        return (columns.dividedRoundingUp(by: 8), rows.dividedRoundingUp(by: 8))
    }

    /// The first segment of this marker.
    public func segment(_ marker: JPEGMarker) -> Segment? { segments.first { $0.marker == marker } }
}

extension Int {
    func dividedRoundingUp(by divisor: Int) -> Int { (self + divisor - 1) / divisor }
}
