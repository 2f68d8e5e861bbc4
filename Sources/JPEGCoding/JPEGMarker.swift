/// The second byte of a JPEG marker (ITU-T T.81 table B.1).
public struct JPEGMarker: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let startOfImage = JPEGMarker(rawValue: 0xD8)
    public static let endOfImage = JPEGMarker(rawValue: 0xD9)
    public static let startOfScan = JPEGMarker(rawValue: 0xDA)
    public static let quantisationTables = JPEGMarker(rawValue: 0xDB)
    public static let numberOfLines = JPEGMarker(rawValue: 0xDC)
    public static let restartInterval = JPEGMarker(rawValue: 0xDD)
    public static let huffmanTables = JPEGMarker(rawValue: 0xC4)
    public static let arithmeticConditioning = JPEGMarker(rawValue: 0xCC)
    public static let comment = JPEGMarker(rawValue: 0xFE)

    /// APPn, for n of 0 to 15.
    public static func application(_ number: UInt8) -> JPEGMarker { JPEGMarker(rawValue: 0xE0 | (number & 15)) }

    /// n of an APPn marker.
    public var applicationNumber: Int? { rawValue & 0xF0 == 0xE0 ? Int(rawValue & 15) : nil }

    /// SOF0 to SOF15, without DHT, JPG and DAC, which share the range.
    public var isStartOfFrame: Bool {
        rawValue & 0xF0 == 0xC0 && rawValue != 0xC4 && rawValue != 0xC8 && rawValue != 0xCC
    }

    /// RST0 to RST7.
    public var isRestart: Bool { rawValue & 0xF8 == 0xD0 }

    /// Markers that stand alone, without a length: RSTn, SOI, EOI, TEM.
    public var standsAlone: Bool { (0xD0...0xD9).contains(rawValue) || rawValue == 0x01 }
}

/// The process of a frame, by its SOF marker.
public enum JPEGProcess: Sendable, Equatable {
    /// SOF0.
    case baseline
    /// SOF1: as baseline, with four tables or 12 bits.
    case extended
    /// SOF2.
    case progressive
    /// SOF9.
    case arithmetic
    /// SOF10.
    case arithmeticProgressive
    /// Lossless and hierarchical ones, which no camera sends.
    case other(UInt8)

    init(_ marker: JPEGMarker) {
        switch marker.rawValue {
        case 0xC0: self = .baseline
        case 0xC1: self = .extended
        case 0xC2: self = .progressive
        case 0xC9: self = .arithmetic
        case 0xCA: self = .arithmeticProgressive
        default: self = .other(marker.rawValue)
        }
    }

    /// Sequential and Huffman coded.
    public var isSequentialHuffman: Bool { self == .baseline || self == .extended }
}
