internal import CKonza
internal import KonzaModel

extension konza_jpeg_limits {
    init(_ limits: JPEGLimits) {
        self.init(
            pixels: UInt64(clamping: limits.pixels), scans: Int32(clamping: limits.scans),
            output: Int(max(0, limits.outputBytes)))
    }
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
