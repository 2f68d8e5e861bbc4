public import KonzaModel

/// What a receiver that stands still has shown of how it wanders: means of windows of 10 s to 85 min, as occupations of these
/// lengths would have come out, and how it scattered in each half hour. Bounded: 512 of each at most, the newest.
public struct StandingSummary: Sendable, Equatable {
    /// Of each length at most so many windows, and as many half hours.
    public static let mostWindows = 512

    /// The place whose plane the windows are told in.
    public let anchor: Coordinate
    /// Metres above the ellipsoid.
    public let height: Double
    /// The receiver's device path and driver, as far as gpsd told them.
    public internal(set) var device: String?
    public internal(set) var driver: String?
    /// One list for each of ``StandingWindow/durations``, oldest first.
    var windows: [[StandingWindow]]
    /// Half hours, oldest first.
    var halfHours: [StandingHalfHour] = []

    init(anchor: Coordinate, height: Double, device: String?, driver: String?) {
        self.anchor = anchor
        self.height = height
        self.device = device
        self.driver = driver
        windows = StandingWindow.durations.map { _ in [] }
    }

    /// How long the receiver was seen to stand, hours, as far as it is remembered.
    public var hours: Double { Double(halfHours.count) / 2 }

    mutating func add(_ window: StandingWindow, level: Int) {
        guard window.isPlausible else { return }
        windows[level].append(window)
        if windows[level].count > Self.mostWindows { windows[level].removeFirst() }
    }

    mutating func add(_ halfHour: StandingHalfHour) {
        guard halfHour.isPlausible else { return }
        halfHours.append(halfHour)
        if halfHours.count > Self.mostWindows { halfHours.removeFirst() }
    }

    /// Whether a fix can be of the same receiver: what only one of both tells is no difference.
    func isOfReceiver(device: String?, driver: String?) -> Bool {
        func agree(_ known: String?, _ seen: String?) -> Bool { known == nil || seen == nil || known == seen }
        return agree(self.device, device) && agree(self.driver, driver)
    }
}

/// A summary's file cannot be used.
public enum StandingSummaryError: Error, Equatable, CustomStringConvertible {
    case tooLarge
    case notASummary
    case newerFormat(Int)
    case damaged

    public var description: String {
        switch self {
        case .tooLarge: "it is larger than any summary"
        case .notASummary: "it is no summary of a standing receiver"
        case .newerFormat(let number): "its format \(number) is of a newer konzad"
        case .damaged: "it is damaged"
        }
    }
}

extension StandingSummary {
    private static let magic = Array("konza-standing\n".utf8)
    /// Format 1 had no spread.
    private static let format = 2
    private static let mostName = 4096
    /// No file is larger.
    public static let mostBytes = 256 << 10

    /// The summary as a file: little-endian, with a checksum at the end (FNV-1a of 64 bits).
    public var bytes: [UInt8] {
        var writer = ByteWriter(Self.magic)
        writer.add(UInt32(Self.format))
        writer.add(anchor.latitude.bitPattern)
        writer.add(anchor.longitude.bitPattern)
        writer.add(height.bitPattern)
        writer.add(name: device, most: Self.mostName)
        writer.add(name: driver, most: Self.mostName)
        for list in windows {
            writer.add(UInt32(list.count))
            for window in list {
                for value in [
                    window.east, window.north, window.up, window.scatter, window.stated, window.dilution,
                ] { writer.add(value.bitPattern) }
                writer.add(UInt32(bitPattern: window.hour))
                writer.add(UInt32(window.satellites) | UInt32(window.status) << 8)
            }
        }
        writer.add(UInt32(halfHours.count))
        for one in halfHours {
            writer.add(one.scatter.bitPattern)
            writer.add(one.step.bitPattern)
            writer.add(one.spread.bitPattern)
        }
        writer.add(ByteWriter.checksum(writer.bytes[...]))
        return writer.bytes
    }

    /// Reads a file.
    ///
    /// - Throws: why it is of no use. What it says is checked for being possible, not for being true.
    public init(bytes: [UInt8]) throws(StandingSummaryError) {
        guard bytes.count <= Self.mostBytes else { throw .tooLarge }
        guard bytes.starts(with: Self.magic) else { throw .notASummary }
        var reader = ByteReader(bytes[Self.magic.count...])
        let format = Int(try reader.word())
        guard (1...Self.format).contains(format) else { throw .newerFormat(format) }
        guard bytes.count >= Self.magic.count + 8,
            ByteWriter.checksum(bytes.dropLast(8)) == (try ByteReader.last(bytes))
        else { throw .damaged }
        let (latitude, longitude) = (Double(bitPattern: try reader.long()), Double(bitPattern: try reader.long()))
        let height = Double(bitPattern: try reader.long())
        guard let anchor = Coordinate(latitude: latitude, longitude: longitude), height.isFinite, abs(height) < 1e6
        else { throw .damaged }
        let device = try reader.name(most: Self.mostName)
        self.init(anchor: anchor, height: height, device: device, driver: try reader.name(most: Self.mostName))
        for level in windows.indices {
            for _ in 0..<(try reader.count(most: Self.mostWindows)) {
                let window = try reader.window()
                guard window.isPlausible else { throw .damaged }
                windows[level].append(window)
            }
        }
        for _ in 0..<(try reader.count(most: Self.mostWindows)) {
            let one = StandingHalfHour(
                scatter: Float(bitPattern: try reader.word()), step: Float(bitPattern: try reader.word()),
                spread: format > 1 ? Float(bitPattern: try reader.word()) : .nan)
            guard one.isPlausible else { throw .damaged }
            halfHours.append(one)
        }
        guard reader.left == 8 else { throw .damaged }
    }
}

private struct ByteWriter {
    private(set) var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func add(_ value: some FixedWidthInteger) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// A text with its length; one that is too long is left out, and so is none.
    mutating func add(name: String?, most: Int) {
        let text = Array((name ?? "").utf8)
        let kept = text.count <= most ? text : []
        add(UInt32(kept.count))
        bytes += kept
    }

    static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var sum: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return sum
    }
}

private struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var left: Int { rest.count }

    static func last(_ bytes: [UInt8]) throws(StandingSummaryError) -> UInt64 {
        var reader = ByteReader(bytes.suffix(8))
        return try reader.long()
    }

    mutating func word() throws(StandingSummaryError) -> UInt32 { UInt32(truncatingIfNeeded: try number(4)) }
    mutating func long() throws(StandingSummaryError) -> UInt64 { try number(8) }

    mutating func count(most: Int) throws(StandingSummaryError) -> Int {
        let count = Int(try word())
        guard count <= most else { throw .damaged }
        return count
    }

    mutating func name(most: Int) throws(StandingSummaryError) -> String? {
        let count = try count(most: most)
        guard rest.count >= count else { throw .damaged }
        defer { rest = rest.dropFirst(count) }
        return count == 0 ? nil : String(decoding: rest.prefix(count), as: UTF8.self)
    }

    mutating func window() throws(StandingSummaryError) -> StandingWindow {
        var values: [Float] = []
        for _ in 0..<6 { values.append(Float(bitPattern: try word())) }
        let hour = Int32(bitPattern: try word())
        let flags = try word()
        return StandingWindow(
            east: values[0], north: values[1], up: values[2], scatter: values[3], stated: values[4],
            dilution: values[5], hour: hour, satellites: UInt8(flags & 255), status: UInt8(flags >> 8 & 255))
    }

    private mutating func number(_ count: Int) throws(StandingSummaryError) -> UInt64 {
        guard rest.count >= count else { throw .damaged }
        var value: UInt64 = 0
        for (index, byte) in rest.prefix(count).enumerated() { value |= UInt64(byte) << (8 * UInt64(index)) }
        rest = rest.dropFirst(count)
        return value
    }
}
