internal import CKonza
public import KonzaModel
internal import KonzaSystem

/// The quantised DCT coefficients of a whole picture of any process, to be read, edited and written again without
/// a loss where nothing was edited.
@safe public struct JPEGCoefficients: ~Copyable {
    public struct Component: Sendable, Equatable {
        public let horizontalSampling: Int
        public let verticalSampling: Int
        /// In blocks, without the padding to whole MCUs.
        public let columns: Int
        public let rows: Int
        /// 64 values, in natural (not zigzag) order.
        public let quantisation: [UInt16]
    }

    public let components: [Component]
    /// How often libjpeg had to make something up while reading; 0 for a sound picture.
    public let warningCount: Int
    /// Whether coefficients were lost or made up: some warnings are harmless, as of a few bytes before a marker.
    public let isDamaged: Bool
    /// The first of the warnings, in libjpeg's words.
    public let firstWarning: String?
    private let handle: OpaquePointer
    /// What was reserved, until this is gone.
    private let memory: MemoryReservation?

    /// Reads the coefficients.
    ///
    /// - Throws: `JPEGCodingError`. A damaged picture that still gives coefficients does not throw; its warnings
    ///   are counted.
    public init(
        reading jpeg: Span<UInt8>, limits: JPEGLimits = JPEGLimits(), memory: PictureMemory = .unbounded
    ) throws(JPEGCodingError) {
        unsafe self.init(try unsafe Self.open(jpeg, limits, memory))
    }

    /// Reads the coefficients.
    public init(
        reading jpeg: FrameData, limits: JPEGLimits = JPEGLimits(), memory: PictureMemory = .unbounded
    ) throws(JPEGCodingError) {
        let opened = try unsafe jpeg.withSpan { bytes throws(JPEGCodingError) in
            try unsafe Self.open(bytes, limits, memory)
        }
        unsafe self.init(opened)
    }

    private typealias Opened = (handle: OpaquePointer, report: konza_jpeg_report, memory: MemoryReservation?)

    private static func open(
        _ jpeg: Span<UInt8>, _ limits: JPEGLimits, _ memory: PictureMemory
    ) throws(JPEGCodingError) -> Opened {
        var report = konza_jpeg_report()
        var created: OpaquePointer?
        let reservation = unsafe withLimits(limits, memory) { limits in
            unsafe jpeg.withUnsafeBufferPointer { bytes in
                guard let start = bytes.baseAddress else { return }
                _ = unsafe konza_coefficients_read(start, bytes.count, &limits, &created, &report)
            }
        }
        try report.check("read the coefficients")
        guard let handle = unsafe created else {
            throw JPEGCodingError(.refused, "cannot read the coefficients: the picture is empty")
        }
        return unsafe (handle, report, reservation)
    }

    private init(_ opened: Opened) {
        let (handle, report) = unsafe (opened.handle, opened.report)
        unsafe self.handle = unsafe handle
        memory = unsafe opened.memory
        warningCount = Int(report.warnings)
        isDamaged = report.damages > 0
        firstWarning = report.firstWarning
        components = unsafe (0..<konza_coefficients_count(handle)).map { index in
            var component = konza_component()
            unsafe konza_coefficients_describe(handle, index, &component)
            return unsafe Component(
                horizontalSampling: Int(component.horizontal), verticalSampling: Int(component.vertical),
                columns: Int(component.columns), rows: Int(component.rows),
                quantisation: withUnsafeBytes(of: component.quantisation) {
                    unsafe Array($0.bindMemory(to: UInt16.self))
                })
        }
    }

    deinit { unsafe konza_coefficients_free(handle) }

    /// Lends a row of blocks to be edited: the component's `columns` times 64 values, in natural order.
    ///
    /// - Parameters:
    ///   - component: Index into `components`.
    ///   - row: Row of blocks.
    ///   - body: May change the values.
    /// - Returns: What the body returns.
    /// - Throws: `JPEGCodingError` with cause `badRequest` outside the picture.
    public mutating func editRow<Result>(
        component: Int, row: Int, _ body: (inout MutableSpan<Int16>) -> Result
    ) throws(JPEGCodingError) -> Result {
        let buffer = try unsafe blocks(component: component, row: row)
        var span = unsafe buffer.mutableSpan
        return body(&span)
    }

    /// A copy of a row of blocks: the component's `columns` times 64 values, in natural order.
    ///
    /// - Parameters:
    ///   - component: Index into `components`.
    ///   - row: Row of blocks.
    /// - Returns: The values, block after block.
    /// - Throws: `JPEGCodingError` with cause `badRequest` outside the picture.
    public func row(component: Int, row: Int) throws(JPEGCodingError) -> [Int16] {
        try unsafe Array(blocks(component: component, row: row))
    }

    private func blocks(component: Int, row: Int) throws(JPEGCodingError) -> UnsafeMutableBufferPointer<Int16> {
        guard components.indices.contains(component), (0..<components[component].rows).contains(row) else {
            throw JPEGCodingError(.badRequest, "cannot read row \(row) of component \(component): out of range")
        }
        var report = konza_jpeg_report()
        var start: UnsafeMutablePointer<Int16>?
        _ = unsafe konza_coefficients_row(handle, Int32(component), UInt32(row), &start, &report)
        try report.check("read row \(row) of component \(component)")
        return unsafe UnsafeMutableBufferPointer(start: start, count: components[component].columns * 64)
    }

    /// Writes a sequential picture with the same quantisation tables, sampling and restart interval. Standard
    /// Huffman tables stay; others are made anew for the picture.
    ///
    /// - Parameters:
    ///   - markers: Whole segments that follow SOI as they are; libjpeg adds no JFIF or Adobe segment.
    ///   - limit: The largest output, bytes.
    /// - Returns: The JPEG.
    /// - Throws: `JPEGCodingError`; `tablesChanged` if a quantisation table was replaced between scans.
    public mutating func write(markers: [UInt8], limit: Int) throws(JPEGCodingError) -> FrameData {
        var report = konza_jpeg_report()
        var bytes: UnsafeMutablePointer<UInt8>?
        var length = 0
        _ = unsafe markers.withUnsafeBufferPointer { blob in
            unsafe konza_coefficients_write(
                handle, blob.baseAddress, blob.count, max(0, limit), &bytes, &length, &report)
        }
        try report.check("write the coefficients")
        guard let bytes = unsafe bytes else { throw JPEGCodingError(.outOfMemory, "cannot write: no output") }
        return unsafe FrameData(adopting: bytes, count: length)
    }

    /// Writes the picture turned: sequential, with the standard Huffman tables and a restart marker after each row of
    /// MCUs. The coefficients change their places and signs alone.
    ///
    /// - Parameters:
    ///   - turn: How.
    ///   - width: Of the new picture, in pixels; along a direction that is flipped, whole MCUs of this one.
    ///   - height: Of the new picture.
    ///   - markers: Whole segments that follow SOI as they are.
    ///   - limit: The largest output, bytes.
    /// - Returns: The JPEG.
    /// - Throws: `JPEGCodingError`.
    mutating func write(
        turned turn: PictureTurn, width: Int, height: Int, markers: [UInt8], limit: Int
    ) throws(JPEGCodingError) -> FrameData {
        var raw = konza_turn(
            transposes: turn.transposes ? 1 : 0, flips_columns: turn.flipsColumns ? 1 : 0,
            flips_rows: turn.flipsRows ? 1 : 0, width: UInt32(clamping: width), height: UInt32(clamping: height))
        var report = konza_jpeg_report()
        var bytes: UnsafeMutablePointer<UInt8>?
        var length = 0
        _ = unsafe markers.withUnsafeBufferPointer { blob in
            unsafe konza_coefficients_write_turned(
                handle, &raw, blob.baseAddress, blob.count, max(0, limit), &bytes, &length, &report)
        }
        try report.check("turn the picture")
        guard let bytes = unsafe bytes else { throw JPEGCodingError(.outOfMemory, "cannot write: no output") }
        return unsafe FrameData(adopting: bytes, count: length)
    }
}
