internal import CKonza
internal import KonzaModel
internal import KonzaSystem

/// Asks for a picture's memory on behalf of one call of libjpeg, and holds it.
private final class Grant {
    let memory: PictureMemory
    var reservation: MemoryReservation?

    init(_ memory: PictureMemory) { self.memory = memory }
}

/// Calls libjpeg with limits that ask for memory before it is taken.
///
/// - Parameters:
///   - limits: of the picture.
///   - memory: whom to ask.
///   - body: makes the call.
/// - Returns: what was reserved; nil where nobody is to be asked, or the call did not come so far.
func withLimits(
    _ limits: JPEGLimits, _ memory: PictureMemory, _ body: (inout konza_jpeg_limits) -> Void
) -> MemoryReservation? {
    let grant = Grant(memory)
    var raw = unsafe konza_jpeg_limits()
    unsafe raw.pixels = UInt64(clamping: limits.pixels)
    unsafe raw.scans = Int32(clamping: limits.scans)
    unsafe raw.output = max(0, limits.outputBytes)
    unsafe raw.memory = max(0, min(limits.memoryBytes, memory.mostForOne))
    unsafe raw.context = Unmanaged.passUnretained(grant).toOpaque()
    unsafe raw.grant = { context, bytes in
        guard let context = unsafe context else { return 0 }
        let grant = unsafe Unmanaged<Grant>.fromOpaque(context).takeUnretainedValue()
        guard grant.memory.isBounded else { return 1 }
        grant.reservation = grant.memory.reserve(bytes)
        return grant.reservation == nil ? 0 : 1
    }
    withExtendedLifetime(grant) { unsafe body(&raw) }
    return grant.reservation
}

extension konza_jpeg_report {
    /// The first warning's words, if there was a warning.
    var firstWarning: String? { warnings == 0 ? nil : Self.string(warning) }

    /// Throws what the report says, as "cannot `task`: why".
    func check(_ task: String) throws(JPEGCodingError) {
        let cause: JPEGCodingError.Cause? =
            switch Int(code) {
            case Int(KONZA_JPEG_OK): nil
            case Int(KONZA_JPEG_MEMORY): .outOfMemory
            case Int(KONZA_JPEG_OUTPUT_LIMIT): .outputLimit
            case Int(KONZA_JPEG_PIXEL_LIMIT): .pixelLimit
            case Int(KONZA_JPEG_SCAN_LIMIT): .scanLimit
            case Int(KONZA_JPEG_COLOUR): .colourSpace
            case Int(KONZA_JPEG_TABLES_CHANGED): .tablesChanged
            case Int(KONZA_JPEG_MEMORY_LIMIT): .memoryLimit
            case Int(KONZA_JPEG_MEMORY_BUSY): .memoryBusy
            default: .refused
            }
        if let cause { throw JPEGCodingError(cause, "cannot \(task): \(Self.string(text))") }
    }

    private static func string<Text>(_ text: Text) -> String {
        unsafe withUnsafeBytes(of: text) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}

extension FrameData {
    /// Takes over memory that libjpeg's wrapper allocated.
    convenience init(adopting bytes: UnsafeMutablePointer<UInt8>, count: Int) {
        let address = UInt(bitPattern: bytes)
        unsafe self.init(lending: UnsafeRawBufferPointer(start: bytes, count: count)) {
            unsafe konza_jpeg_free(UnsafeMutableRawPointer(bitPattern: address))
        }
    }
}
