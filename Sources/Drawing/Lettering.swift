internal import CPangoCairo
internal import Glibc

/// How a text is set, in pixels of the picture.
struct LetteringRequest: Hashable, Sendable {
    enum Alignment: Hashable, Sendable { case left, center, right }

    var text: String
    var family: String
    /// 100 to 900 (CSS Fonts 4, 2.2).
    var weight: Int
    var italic: Bool
    /// The em, pixels.
    var size: Double
    /// Extra space after each character, pixels.
    var tracking: Double
    /// The distance of baselines in parts of the font's own.
    var leading: Double
    /// OpenType features, as `font-feature-settings` writes them.
    var features: String
    var alignment: Alignment
    /// Where lines break, pixels; nil keeps each paragraph on one line.
    var width: Double?
    /// How many lines there may be before the last one ends with an ellipsis.
    var ellipsisLines: Int?
}

/// A text that has been set: its outline with the first baseline's left end at the origin.
struct Lettering: Sendable {
    /// A picture that stands for characters that have no outline (colour emoji).
    struct Inset: Sendable {
        var picture: Bitmap
        var box: Box
    }

    var outline: Outline
    var insets: [Inset]
    var lineCount: Int
    var isEllipsised: Bool
    /// The height of a capital H, pixels.
    var capHeight: Double
    /// The last baseline, pixels below the first.
    var lastBaseline: Double
    /// What the ink covers, or the text's advance where there is no ink.
    var ink: Box
}

/// Pango's font map. It may be used from any thread, by one at a time: the artist's lock sees to that.
@safe final class Typesetter: @unchecked Sendable {
    // Sendable: every use is under the owner's Mutex, and nothing that Pango owns leaves these methods.
    private let fontMap: UnsafeMutablePointer<PangoFontMap>
    private let context: OpaquePointer
    /// Families that were asked for, and whether they are installed.
    private var families: [String: Bool] = [:]

    init() throws(DrawingError) {
        guard let map = unsafe konza_font_map_new(), let context = unsafe pango_font_map_create_context(map) else {
            throw DrawingError(.engine, "cannot set text: Pango gives no font map for FreeType; install libpangocairo")
        }
        unsafe fontMap = map
        unsafe self.context = context
        // One pixel is one point, whatever a display would say.
        unsafe pango_cairo_context_set_resolution(context, 72)
        let options = unsafe cairo_font_options_create()
        unsafe cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        unsafe cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        unsafe cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        unsafe pango_cairo_context_set_font_options(context, options)
        unsafe cairo_font_options_destroy(options)
        unsafe pango_context_set_round_glyph_positions(context, 0)
        unsafe pango_context_set_base_dir(context, PANGO_DIRECTION_LTR)
    }

    deinit {
        unsafe konza_unref(UnsafeMutableRawPointer(context))
        unsafe konza_unref(fontMap)
    }

    /// Whether fontconfig knows a family of this name.
    func hasFamily(_ name: String) -> Bool {
        if let known = families[name] { return known }
        let isInstalled =
            unsafe pango_font_map_get_family(fontMap, name) != nil || konza_family_is_installed(name) != 0
        families[name] = isInstalled
        return isInstalled
    }

    /// The family, of some in order of preference, that has most of a text's letters; the first of several that have as
    /// many. A text in one hand looks better than one whose letters come from two fonts by turns.
    func family(among families: [String], for text: String, weight: Int, italic: Bool) -> String? {
        guard families.count > 1 else { return families.first }
        let letters = Set(text.unicodeScalars.filter { $0.properties.isAlphabetic })
        var best: (family: String, count: Int)?
        for family in families where hasFamily(family) {
            let count = coverage(of: letters, family, weight, italic)
            if count > best?.count ?? -1 { best = (family, count) }
            if count == letters.count { break }
        }
        return best?.family ?? families.first
    }

    /// How many of some letters a font has.
    private func coverage(of letters: Set<Unicode.Scalar>, _ family: String, _ weight: Int, _ italic: Bool) -> Int {
        let description = unsafe Layout.description(family, weight, italic, size: 12)
        defer { unsafe pango_font_description_free(description) }
        guard let font = unsafe pango_context_load_font(context, description) else { return 0 }
        defer { unsafe konza_unref(UnsafeMutableRawPointer(font)) }
        return letters.count { unsafe pango_font_has_char(font, $0.value) != 0 }
    }

    /// Sets a text.
    ///
    /// - Throws: `DrawingError` with `font`, when the family is not installed, or `glyph`, when no installed font
    ///   has one of the characters.
    func set(_ request: LetteringRequest) throws(DrawingError) -> Lettering {
        guard hasFamily(request.family) else {
            throw DrawingError(
                .font,
                "cannot set the text: the font family \"\(request.family)\" is not installed; "
                    + "install it or name another one in the template")
        }
        let layout = try unsafe Layout(context, request)
        let missing = layout.missingCharacters(in: request.text)
        guard missing.isEmpty else {
            let list = missing.map { "\"\($0)\" (U+\(hexadecimal($0.value)))" }.joined(separator: ", ")
            throw DrawingError(
                .glyph,
                "cannot set the text: no installed font has \(list); install a font for that script or change the text")
        }
        var cap = request
        cap.text = "H"
        cap.width = nil
        cap.ellipsisLines = nil
        let capital = try unsafe Layout(context, cap).outline().bounds
        let outline = try layout.outline()
        let insets = try layout.insets()
        let baselines = layout.baselines()
        var ink = insets.map(\.box).reduce(outline.bounds) { $0?.union($1) ?? $1 }
        if ink == nil {
            ink = Box(left: 0, top: -(capital?.height ?? request.size * 0.7), right: layout.width, bottom: 0)
        }
        return Lettering(
            outline: outline, insets: insets, lineCount: baselines.count, isEllipsised: layout.isEllipsised,
            capHeight: capital.map { -$0.top } ?? request.size * 0.7, lastBaseline: baselines.last ?? 0,
            ink: ink ?? Box(x: 0, y: 0, width: 0, height: 0))
    }

    private func hexadecimal(_ value: UInt32) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - text.count)) + text
    }
}

/// One PangoLayout, with its first baseline taken as the origin.
@safe private struct Layout: ~Copyable {
    private let layout: OpaquePointer
    private let originY: Double

    init(_ context: OpaquePointer, _ request: LetteringRequest) throws(DrawingError) {
        guard let layout = unsafe pango_layout_new(context) else {
            throw DrawingError(.engine, "cannot set text: Pango gives no layout; free some memory and try again")
        }
        unsafe self.layout = layout
        let description = unsafe Self.description(
            request.family, request.weight, request.italic, size: request.size)
        unsafe pango_layout_set_font_description(layout, description)
        unsafe pango_font_description_free(description)
        let attributes = unsafe pango_attr_list_new()
        if request.tracking != 0 {
            let spacing = Int32(clamping: Int((request.tracking * Double(PANGO_SCALE)).rounded()))
            unsafe pango_attr_list_insert(attributes, pango_attr_letter_spacing_new(spacing))
        }
        if !request.features.isEmpty {
            unsafe pango_attr_list_insert(attributes, pango_attr_font_features_new(request.features))
        }
        unsafe pango_layout_set_attributes(layout, attributes)
        unsafe pango_attr_list_unref(attributes)
        unsafe pango_layout_set_line_spacing(layout, Float(request.leading))
        let alignment =
            switch request.alignment {
            case .left: PANGO_ALIGN_LEFT
            case .center: PANGO_ALIGN_CENTER
            case .right: PANGO_ALIGN_RIGHT
            }
        unsafe pango_layout_set_alignment(layout, alignment)
        if let width = request.width {
            unsafe pango_layout_set_width(layout, Int32(clamping: Int((width * Double(PANGO_SCALE)).rounded(.up))))
            unsafe pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
            if let lines = request.ellipsisLines {
                unsafe pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END)
                unsafe pango_layout_set_height(layout, Int32(clamping: -lines))
            }
        }
        unsafe pango_layout_set_text(layout, request.text, -1)
        originY = Double(unsafe pango_layout_get_baseline(layout)) / Double(PANGO_SCALE)
    }

    deinit { unsafe konza_unref(UnsafeMutableRawPointer(layout)) }

    /// A font's description, which the caller frees.
    static func description(_ family: String, _ weight: Int, _ italic: Bool, size: Double) -> OpaquePointer? {
        let description = unsafe pango_font_description_new()
        unsafe pango_font_description_set_family(description, family)
        unsafe pango_font_description_set_weight(description, PangoWeight(rawValue: UInt32(clamping: weight)))
        unsafe pango_font_description_set_style(description, italic ? PANGO_STYLE_ITALIC : PANGO_STYLE_NORMAL)
        unsafe pango_font_description_set_absolute_size(description, size * Double(PANGO_SCALE))
        return unsafe description
    }

    var isEllipsised: Bool { unsafe pango_layout_is_ellipsized(layout) != 0 }

    /// The advance of the longest line, pixels.
    var width: Double {
        var logical = PangoRectangle()
        unsafe pango_layout_get_extents(layout, nil, &logical)
        return Double(logical.width) / Double(PANGO_SCALE)
    }

    /// The baselines from the top, pixels below the first.
    func baselines() -> [Double] {
        var result: [Double] = []
        let iterator = unsafe pango_layout_get_iter(layout)
        defer { unsafe pango_layout_iter_free(iterator) }
        repeat {
            result.append(Double(unsafe pango_layout_iter_get_baseline(iterator)) / Double(PANGO_SCALE) - originY)
        } while unsafe pango_layout_iter_next_line(iterator) != 0
        return result
    }

    private func forEachRun(
        _ body: (_ run: UnsafeMutablePointer<PangoLayoutRun>, _ x: Double, _ baseline: Double) throws(DrawingError) ->
            Void
    ) throws(DrawingError) {
        let iterator = unsafe pango_layout_get_iter(layout)
        defer { unsafe pango_layout_iter_free(iterator) }
        repeat {
            guard let run = unsafe pango_layout_iter_get_run_readonly(iterator) else { continue }
            var logical = PangoRectangle()
            unsafe pango_layout_iter_get_run_extents(iterator, nil, &logical)
            let baseline = Double(unsafe pango_layout_iter_get_baseline(iterator)) / Double(PANGO_SCALE)
            try unsafe body(run, Double(logical.x) / Double(PANGO_SCALE), baseline - originY)
        } while unsafe pango_layout_iter_next_run(iterator) != 0
    }

    /// The characters that no font has, and letters for which the font has nothing but a blank, each once.
    func missingCharacters(in text: String) -> [Unicode.Scalar] {
        var missing: [Unicode.Scalar] = []
        let bytes = Array(text.utf8)
        try? unsafe forEachRun { run, _, _ throws(DrawingError) in
            guard let glyphs = unsafe run.pointee.glyphs, let item = unsafe run.pointee.item else { return }
            // By cluster, which may have several glyphs: whether one of them has ink.
            var hasInk: [Int: Bool] = [:]
            for index in 0..<Int(unsafe glyphs.pointee.num_glyphs) {
                let glyph = unsafe glyphs.pointee.glyphs[index].glyph
                var value: UInt32 = 0
                if unsafe konza_glyph_is_unknown(glyph, &value) != 0 {
                    guard let scalar = Unicode.Scalar(value), !missing.contains(scalar) else { continue }
                    missing.append(scalar)
                    continue
                }
                var ink = PangoRectangle()
                unsafe pango_font_get_glyph_extents(item.pointee.analysis.font, glyph, &ink, nil)
                let offset = Int(unsafe item.pointee.offset) + Int(unsafe glyphs.pointee.log_clusters[index])
                hasInk[offset, default: false] = hasInk[offset] == true || ink.width > 0
            }
            for offset in hasInk.keys.sorted() where hasInk[offset] == false && bytes.indices.contains(offset) {
                let scalar = String(decoding: bytes[offset...].prefix(4), as: UTF8.self).unicodeScalars.first
                guard let scalar, scalar.isDrawn, !missing.contains(scalar) else { continue }
                missing.append(scalar)
            }
        }
        return missing
    }

    /// The shapes of all characters that have an outline.
    func outline() throws(DrawingError) -> Outline {
        let scratch = try Scratch.unbounded()
        try unsafe forEachRun { run, x, baseline throws(DrawingError) in
            guard let font = unsafe run.pointee.item?.pointee.analysis.font, unsafe konza_font_has_colour(font) == 0
            else { return }
            unsafe cairo_move_to(scratch.context, x, baseline)
            unsafe pango_cairo_glyph_string_path(scratch.context, font, run.pointee.glyphs)
        }
        return scratch.path()
    }

    /// The characters that are pictures.
    func insets() throws(DrawingError) -> [Lettering.Inset] {
        var result: [Lettering.Inset] = []
        try unsafe forEachRun { run, x, baseline throws(DrawingError) in
            guard let font = unsafe run.pointee.item?.pointee.analysis.font, unsafe konza_font_has_colour(font) != 0
            else { return }
            var ink = PangoRectangle()
            unsafe pango_glyph_string_extents(run.pointee.glyphs, font, &ink, nil)
            let scale = Double(PANGO_SCALE)
            let box = Box(
                left: (x + Double(ink.x) / scale).rounded(.down) - 1,
                top: (baseline + Double(ink.y) / scale).rounded(.down) - 1,
                right: (x + Double(ink.x + ink.width) / scale).rounded(.up) + 1,
                bottom: (baseline + Double(ink.y + ink.height) / scale).rounded(.up) + 1)
            guard ink.width > 0, ink.height > 0, box.width * box.height <= Double(Bitmap.pixelLimit) else { return }
            let scratch = try Scratch(width: Int(box.width), height: Int(box.height))
            unsafe cairo_move_to(scratch.context, x - box.left, baseline - box.top)
            unsafe pango_cairo_show_glyph_string(scratch.context, font, run.pointee.glyphs)
            guard let picture = scratch.bitmap() else { return }
            result.append(Lettering.Inset(picture: picture, box: box))
        }
        return result
    }
}

extension Unicode.Scalar {
    /// Whether it is a letter or digit that leaves ink.
    fileprivate var isDrawn: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter, .decimalNumber:
            !properties.isDefaultIgnorableCodePoint
        default: false
        }
    }
}

/// A small surface to take shapes and pictures from.
@safe private struct Scratch: ~Copyable {
    let width: Int
    let height: Int
    private let surface: OpaquePointer
    let context: OpaquePointer

    init(width: Int, height: Int) throws(DrawingError) {
        try unsafe self.init(
            adopting: cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(clamping: width), Int32(clamping: height)),
            width: width, height: height)
    }

    /// A surface without edges. Cairo leaves glyphs out of a path that lie far outside the surface it is made on.
    static func unbounded() throws(DrawingError) -> Scratch {
        try unsafe Scratch(
            adopting: cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, nil), width: 0, height: 0)
    }

    private init(adopting surface: OpaquePointer?, width: Int, height: Int) throws(DrawingError) {
        guard let surface = unsafe surface else {
            throw DrawingError(.engine, "cannot set text: no memory for a surface; free some and try again")
        }
        guard let context = unsafe cairo_create(surface) else {
            unsafe cairo_surface_destroy(surface)
            throw DrawingError(.engine, "cannot set text: no memory for a drawing context; free some and try again")
        }
        self.width = width
        self.height = height
        unsafe self.surface = surface
        unsafe self.context = context
    }

    deinit {
        unsafe cairo_destroy(context)
        unsafe cairo_surface_destroy(surface)
    }

    func path() -> Outline {
        guard let path = unsafe cairo_copy_path(context) else { return Outline() }
        defer { unsafe cairo_path_destroy(path) }
        var outline = Outline()
        var index = 0
        let count = Int(unsafe path.pointee.num_data)
        guard let data = unsafe path.pointee.data else { return outline }
        func point(_ offset: Int) -> Point {
            let point = unsafe data[index + offset].point
            return Point(point.x, point.y)
        }
        while index < count {
            let header = unsafe data[index].header
            switch header.type {
            case CAIRO_PATH_MOVE_TO: outline.elements.append(.move(point(1)))
            case CAIRO_PATH_LINE_TO: outline.elements.append(.line(point(1)))
            case CAIRO_PATH_CURVE_TO: outline.elements.append(.curve(point(1), point(2), point(3)))
            default: outline.elements.append(.close)
            }
            index += max(1, Int(header.length))
        }
        // Cairo opens a new subpath after each close; one that nothing follows is no shape.
        if case .move = outline.elements.last { outline.elements.removeLast() }
        return outline
    }

    func bitmap() -> Bitmap? {
        unsafe cairo_surface_flush(surface)
        guard let data = unsafe cairo_image_surface_get_data(surface) else { return nil }
        let pixels = unsafe Array(UnsafeBufferPointer(start: data, count: width * height * 4))
        return Bitmap(width: width, height: height, premultipliedBGRA: pixels)
    }
}
