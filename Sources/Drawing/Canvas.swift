internal import CPangoCairo
internal import Glibc
internal import KonzaModel

/// Pixels that Cairo draws on, lying somewhere in a picture: shapes are given in the picture's coordinates.
@safe struct Canvas: ~Copyable {
    enum Join { case round, miter }

    let area: PixelRect
    private let surface: OpaquePointer
    private let context: OpaquePointer

    init(_ area: PixelRect) throws(DrawingError) {
        try self.init(area, CAIRO_FORMAT_ARGB32, width: area.width, height: area.height)
        unsafe cairo_set_tolerance(context, 0.1)
    }

    /// Pixels that have a coverage alone, each as large as `reduction` by `reduction` pixels of the picture: for shadows,
    /// which are blurred, so that edges need not be exact.
    init(coverageOf area: PixelRect, reduction: Int) throws(DrawingError) {
        try self.init(
            area, CAIRO_FORMAT_A8, width: (area.width + reduction - 1) / reduction,
            height: (area.height + reduction - 1) / reduction)
        unsafe cairo_identity_matrix(context)
        unsafe cairo_scale(context, 1 / Double(reduction), 1 / Double(reduction))
        unsafe cairo_translate(context, Double(-area.x), Double(-area.y))
        unsafe cairo_set_tolerance(context, 0.25)
        unsafe cairo_set_antialias(context, CAIRO_ANTIALIAS_FAST)
    }

    private init(_ area: PixelRect, _ format: cairo_format_t, width: Int, height: Int) throws(DrawingError) {
        guard
            let surface = unsafe cairo_image_surface_create(format, Int32(clamping: width), Int32(clamping: height))
        else { throw Canvas.failure(CAIRO_STATUS_NO_MEMORY) }
        guard let context = unsafe cairo_create(surface) else {
            unsafe cairo_surface_destroy(surface)
            throw Canvas.failure(CAIRO_STATUS_NO_MEMORY)
        }
        let status = unsafe cairo_status(context)
        guard status == CAIRO_STATUS_SUCCESS else {
            unsafe cairo_destroy(context)
            unsafe cairo_surface_destroy(surface)
            throw Canvas.failure(status)
        }
        self.area = area
        unsafe self.surface = surface
        unsafe self.context = context
        unsafe cairo_translate(context, Double(-area.x), Double(-area.y))
    }

    deinit {
        unsafe cairo_destroy(context)
        unsafe cairo_surface_destroy(surface)
    }

    private static func failure(_ status: cairo_status_t) -> DrawingError {
        let reason = unsafe cairo_status_to_string(status).map { unsafe String(cString: $0) } ?? "unknown failure"
        return DrawingError(.engine, "cannot draw: cairo reports \(reason); free some memory and try again")
    }

    // MARK: Shapes

    private func trace(_ outline: Outline) {
        unsafe cairo_new_path(context)
        for element in outline.elements {
            switch element {
            case .move(let point): unsafe cairo_move_to(context, point.x, point.y)
            case .line(let point): unsafe cairo_line_to(context, point.x, point.y)
            case .curve(let first, let second, let end):
                unsafe cairo_curve_to(context, first.x, first.y, second.x, second.y, end.x, end.y)
            case .close: unsafe cairo_close_path(context)
            }
        }
    }

    private func setSource(_ paint: Paint, over box: Box) {
        switch paint {
        case .color(let color):
            unsafe cairo_set_source_rgba(context, color.red, color.green, color.blue, color.alpha)
        case .gradient(let angle, let stops):
            let radians = angle * .pi / 180
            let direction = Point(cos(radians), sin(radians))
            let reach = (abs(direction.x) * box.width + abs(direction.y) * box.height) / 2
            let center = Point((box.left + box.right) / 2, (box.top + box.bottom) / 2)
            let start = center - direction * reach
            let end = center + direction * reach
            let pattern = unsafe cairo_pattern_create_linear(start.x, start.y, end.x, end.y)
            for stop in stops {
                unsafe cairo_pattern_add_color_stop_rgba(
                    pattern, stop.position, stop.color.red, stop.color.green, stop.color.blue, stop.color.alpha)
            }
            unsafe cairo_set_source(context, pattern)
            unsafe cairo_pattern_destroy(pattern)
        }
    }

    /// Fills by the nonzero winding rule. A gradient runs over `box`.
    func fill(_ outline: Outline, _ paint: Paint, over box: Box) {
        setSource(paint, over: box)
        trace(outline)
        unsafe cairo_fill(context)
    }

    /// Fills where the outlines together wind an odd number of times.
    func fillEvenOdd(_ outline: Outline, _ color: Color, over box: Box) {
        setSource(.color(color), over: box)
        trace(outline)
        unsafe cairo_set_fill_rule(context, CAIRO_FILL_RULE_EVEN_ODD)
        unsafe cairo_fill(context)
        unsafe cairo_set_fill_rule(context, CAIRO_FILL_RULE_WINDING)
    }

    func stroke(
        _ outline: Outline, _ paint: Paint, width: Double, join: Join = .round, dash: [Double] = [], over box: Box
    ) {
        setSource(paint, over: box)
        trace(outline)
        unsafe cairo_set_line_width(context, width)
        unsafe cairo_set_line_join(context, join == .round ? CAIRO_LINE_JOIN_ROUND : CAIRO_LINE_JOIN_MITER)
        unsafe cairo_set_line_cap(context, join == .round ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT)
        unsafe cairo_set_miter_limit(context, 4)
        unsafe cairo_set_dash(context, dash, Int32(clamping: dash.count), 0)
        unsafe cairo_stroke(context)
    }

    /// Draws with coarser edges: 4 by 4 samples a pixel, in about half the time.
    func quickly(_ body: () -> Void) {
        unsafe cairo_set_antialias(context, CAIRO_ANTIALIAS_FAST)
        body()
        unsafe cairo_set_antialias(context, CAIRO_ANTIALIAS_DEFAULT)
    }

    /// Draws with everything kept inside the outline.
    func clipped<Failure: Error>(to outline: Outline, _ body: () throws(Failure) -> Void) throws(Failure) {
        unsafe cairo_save(context)
        trace(outline)
        unsafe cairo_clip(context)
        defer { unsafe cairo_restore(context) }
        try body()
    }

    /// Draws a picture into a box, smoothly scaled.
    func draw(_ picture: Bitmap, in box: Box, opacity: Double = 1) {
        guard !box.isEmpty else { return }
        unsafe cairo_save(context)
        unsafe cairo_translate(context, box.left, box.top)
        unsafe cairo_scale(context, box.width / Double(picture.width), box.height / Double(picture.height))
        unsafe cairo_set_source_surface(context, picture.surface, 0, 0)
        unsafe cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_GOOD)
        unsafe cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
        unsafe cairo_rectangle(context, 0, 0, Double(picture.width), Double(picture.height))
        unsafe cairo_clip(context)
        unsafe cairo_paint_with_alpha(context, opacity)
        unsafe cairo_restore(context)
    }

    /// Paints one colour through a coverage, laid with its corner at a pixel of the picture.
    func paint(_ color: Color, through coverage: Coverage, _ place: PixelRect) {
        precondition(coverage.width >= place.width && coverage.height >= place.height)
        guard
            let mask = unsafe cairo_image_surface_create(
                CAIRO_FORMAT_A8, Int32(clamping: place.width), Int32(clamping: place.height)),
            let data = unsafe cairo_image_surface_get_data(mask)
        else { return }
        let stride = Int(unsafe cairo_image_surface_get_stride(mask))
        unsafe coverage.bytes.withUnsafeBytes { source in
            for row in 0..<place.height {
                // In bounds by the precondition.
                let line = unsafe UnsafeRawBufferPointer(
                    rebasing: source[(row * coverage.width)..<(row * coverage.width + place.width)])
                unsafe UnsafeMutableRawBufferPointer(start: data + row * stride, count: place.width)
                    .copyMemory(from: line)
            }
        }
        unsafe cairo_surface_mark_dirty(mask)
        setSource(.color(color), over: place.box)
        unsafe cairo_mask_surface(context, mask, Double(place.x), Double(place.y))
        unsafe cairo_surface_destroy(mask)
    }

    // MARK: Pixels

    /// A copy of a canvas that has a coverage alone.
    func coverage() throws(DrawingError) -> Coverage {
        unsafe cairo_surface_flush(surface)
        let status = unsafe cairo_status(context)
        guard status == CAIRO_STATUS_SUCCESS else { throw Canvas.failure(status) }
        precondition(unsafe cairo_image_surface_get_format(surface) == CAIRO_FORMAT_A8, "it has no colours")
        guard let data = unsafe cairo_image_surface_get_data(surface) else {
            throw Canvas.failure(CAIRO_STATUS_SURFACE_FINISHED)
        }
        let (width, height) = (
            Int(unsafe cairo_image_surface_get_width(surface)), Int(unsafe cairo_image_surface_get_height(surface))
        )
        let stride = Int(unsafe cairo_image_surface_get_stride(surface))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height)
        for row in 0..<height {
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: data + row * stride, count: width))
        }
        return Coverage(bytes: bytes, width: width, height: height)
    }

    /// A copy of some pixels.
    func ground(_ rect: PixelRect) throws(DrawingError) -> Ground {
        try withPixels { (pixels, stride) throws(DrawingError) in
            var copy: [UInt8] = []
            copy.reserveCapacity(rect.area * 4)
            for row in 0..<rect.height {
                let start = (rect.y - area.y + row) * stride + (rect.x - area.x) * 4
                let line = pixels.extracting(start..<(start + rect.width * 4))
                unsafe line.withUnsafeBufferPointer { unsafe copy.append(contentsOf: $0) }
            }
            return Ground(rect: rect, pixels: copy)
        }
    }

    /// Puts pixels in the place of those that are there, as far as the canvas goes.
    func lay(_ ground: Ground) {
        let rect = ground.rect
        let (left, right) = (max(rect.x, area.x), min(rect.x + rect.width, area.x + area.width))
        let (top, bottom) = (max(rect.y, area.y), min(rect.y + rect.height, area.y + area.height))
        guard left < right, top < bottom else { return }
        unsafe cairo_surface_flush(surface)
        guard let data = unsafe cairo_image_surface_get_data(surface) else { return }
        let stride = Int(unsafe cairo_image_surface_get_stride(surface))
        unsafe ground.pixels.withUnsafeBytes { source in
            for y in top..<bottom {
                // In bounds: these pixels lie in both.
                let first = ((y - rect.y) * rect.width + left - rect.x) * 4
                let line = unsafe UnsafeRawBufferPointer(rebasing: source[first..<(first + (right - left) * 4)])
                let start = (y - area.y) * stride + (left - area.x) * 4
                unsafe UnsafeMutableRawBufferPointer(start: data + start, count: line.count).copyMemory(from: line)
            }
        }
        unsafe cairo_surface_mark_dirty(surface)
    }

    /// What is drawn as a PNG file's bytes, without a copy of the pixels.
    func png() throws(DrawingError) -> [UInt8] {
        unsafe cairo_surface_flush(surface)
        let status = unsafe cairo_status(context)
        guard status == CAIRO_STATUS_SUCCESS else { throw Canvas.failure(status) }
        return try unsafe written(surface)
    }

    /// Lends the premultiplied pixels, four bytes each in the order B, G, R, A, with the bytes from row to row.
    func withPixels<Result>(_ body: (Span<UInt8>, _ stride: Int) throws(DrawingError) -> Result) throws(DrawingError)
        -> Result
    {
        unsafe cairo_surface_flush(surface)
        let status = unsafe cairo_status(context)
        guard status == CAIRO_STATUS_SUCCESS else { throw Canvas.failure(status) }
        guard let data = unsafe cairo_image_surface_get_data(surface) else {
            throw Canvas.failure(CAIRO_STATUS_SURFACE_FINISHED)
        }
        let stride = Int(unsafe cairo_image_surface_get_stride(surface))
        // The surface outlives the call, since `self` is borrowed for it.
        let pixels = unsafe Span(_unsafeStart: UnsafePointer(data), count: stride * area.height)
        return try body(pixels, stride)
    }
}

/// Gives memory that large drawings left behind back to the system.
func trimFreedMemory() { konza_trim_memory() }

/// A small picture that can be drawn any number of times.
@safe final class Bitmap: @unchecked Sendable {
    // Sendable: the surface is written only before it is shared; drawing from it reads it under the artist's lock.
    let width: Int
    let height: Int
    fileprivate let surface: OpaquePointer

    /// The most pixels that an image file may have: 16 million, 64 MB in memory.
    static let pixelLimit = 1 << 24

    fileprivate init(adopting surface: OpaquePointer) {
        unsafe self.surface = surface
        width = Int(unsafe cairo_image_surface_get_width(surface))
        height = Int(unsafe cairo_image_surface_get_height(surface))
    }

    deinit { unsafe cairo_surface_destroy(surface) }

    /// Premultiplied pixels, four bytes each in the order B, G, R, A.
    convenience init?(width: Int, height: Int, premultipliedBGRA pixels: [UInt8]) {
        guard width > 0, height > 0, pixels.count == width * height * 4,
            let surface = unsafe cairo_image_surface_create(
                CAIRO_FORMAT_ARGB32, Int32(clamping: width), Int32(clamping: height)),
            let data = unsafe cairo_image_surface_get_data(surface)
        else { return nil }
        // The rows of ARGB32 have no padding: their length is a multiple of four bytes already.
        for index in pixels.indices { unsafe data[index] = pixels[index] }
        unsafe cairo_surface_mark_dirty(surface)
        unsafe self.init(adopting: surface)
    }

    /// Reads a PNG (ISO/IEC 15948) that is not larger than the limit.
    convenience init?(png bytes: [UInt8]) {
        let file = FrameData(bytes)
        guard let chunks = try? PNGChunks(file), chunks.header.width * chunks.header.height <= Bitmap.pixelLimit else {
            return nil
        }
        self.init(file, chunks)
    }

    /// Decodes what the chunks keep of a file.
    convenience init?(_ file: FrameData, _ chunks: PNGChunks) {
        let source = ByteSource(file, chunks.ranges)
        let surface = unsafe withExtendedLifetime(source) {
            unsafe cairo_image_surface_create_from_png_stream(
                readBytes, Unmanaged.passUnretained(source).toOpaque())
        }
        guard let surface = unsafe surface else { return nil }
        guard unsafe cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS else {
            unsafe cairo_surface_destroy(surface)
            return nil
        }
        unsafe self.init(adopting: surface)
    }

    /// The picture as a PNG file's bytes.
    func png() throws(DrawingError) -> [UInt8] { try unsafe written(surface) }
}

private func written(_ surface: OpaquePointer) throws(DrawingError) -> [UInt8] {
    let sink = ByteSink()
    let status = withExtendedLifetime(sink) {
        unsafe cairo_surface_write_to_png_stream(surface, writeBytes, Unmanaged.passUnretained(sink).toOpaque())
    }
    guard status == CAIRO_STATUS_SUCCESS else {
        throw DrawingError(.engine, "cannot write the picture as PNG: cairo reports status \(status.rawValue)")
    }
    return sink.bytes
}

private final class ByteSource {
    private let file: FrameData
    private var rest: ArraySlice<Range<Int>>

    init(_ file: FrameData, _ ranges: [Range<Int>]) {
        self.file = file
        rest = ranges[...]
    }

    /// Fills the whole of a buffer.
    ///
    /// - Returns: false if there is less left.
    func read(into target: UnsafeMutableRawBufferPointer) -> Bool {
        var filled = 0
        while filled < target.count {
            guard let range = rest.first else { return false }
            let part = range.prefix(target.count - filled)
            unsafe file.withBytes { bytes in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[filled...]).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes[part]))
            }
            filled += part.count
            rest[rest.startIndex] = part.upperBound..<range.upperBound
            if part.upperBound == range.upperBound { rest.removeFirst() }
        }
        return true
    }
}

private final class ByteSink {
    var bytes: [UInt8] = []
}

private func readBytes(
    _ closure: UnsafeMutableRawPointer?, _ target: UnsafeMutablePointer<UInt8>?, _ length: UInt32
) -> cairo_status_t {
    guard let closure = unsafe closure, let target = unsafe target else { return CAIRO_STATUS_READ_ERROR }
    let source = unsafe Unmanaged<ByteSource>.fromOpaque(closure).takeUnretainedValue()
    let isWhole = unsafe source.read(into: UnsafeMutableRawBufferPointer(start: target, count: Int(length)))
    return isWhole ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_READ_ERROR
}

private func writeBytes(
    _ closure: UnsafeMutableRawPointer?, _ data: UnsafePointer<UInt8>?, _ length: UInt32
) -> cairo_status_t {
    guard let closure = unsafe closure, let data = unsafe data else { return CAIRO_STATUS_WRITE_ERROR }
    let sink = unsafe Unmanaged<ByteSink>.fromOpaque(closure).takeUnretainedValue()
    unsafe sink.bytes.append(contentsOf: UnsafeBufferPointer(start: data, count: Int(length)))
    return CAIRO_STATUS_SUCCESS
}
