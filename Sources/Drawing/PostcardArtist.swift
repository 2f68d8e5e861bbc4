public import KonzaModel
internal import Synchronization

/// Draws what a template puts over a picture. Each drawing is done once for a template, size and wording, and kept
/// while there is room for it. May be used from any thread.
public final class PostcardArtist: Sendable {
    /// The smallest and the largest edge of a picture, pixels.
    public static let edgeRange = 64...16_384

    fileprivate struct Key: Hashable {
        var drawing: DrawingKey
        var texts: [String?]
    }

    /// What tells one overlay from another: template, size and all that is written.
    public struct Wording: Hashable, Sendable {
        fileprivate let key: Key
    }

    /// A part of an overlay that does not touch the others, so that a new message leaves the lettering as it is.
    private struct PartKey: Hashable {
        var whole: Key
        var area: PixelRect
    }

    private enum Part {
        case patches([Overlay.Patch])
        /// What a part's fixed items look like without the others.
        case ground(Ground)
    }

    private struct Workshop: ~Copyable {
        var typesetter: Typesetter?
        var images = ImageStore()
        var items = ItemStore()
        /// Which parts make up a whole overlay.
        var wholes: LeastRecentlyUsed<Key, [PartKey]>
        var parts: LeastRecentlyUsed<PartKey, Part>

        /// The patches of a whole overlay, if all its parts are still there.
        mutating func kept(_ key: Key) -> [Overlay.Patch]? {
            guard let keys = wholes[key] else { return nil }
            var patches: [Overlay.Patch] = []
            for key in keys {
                guard case .patches(let part) = parts[key] else { return nil }
                patches += part
            }
            return patches
        }

        /// The patches of a part, drawn now: its fixed items at most once, and the others over them. Rows that the others
        /// do not reach are cut from the fixed items alone, at most once too.
        mutating func draw(_ items: [PlacedItem], _ area: PixelRect, _ whole: Key) throws(DrawingError)
            -> [Overlay.Patch]
        {
            let (fixed, others) = Ground.split(items)
            guard let rect = fixed.ground, let first = others.first else {
                let canvas = try Canvas(area)
                for each in items { try each.item.draw(canvas) }
                return try PatchCutter.patches(canvas)
            }
            var key = PartKey(whole: whole, area: rect)
            key.whole.texts = fixed.items.map(\.item.key)
            let ground = try ground(fixed.items, key)
            let rows = others.dropFirst().reduce(first.rect) { $0.union($1.rect) }.rows(of: area)
            var patches: [Overlay.Patch] = []
            for part in [area.y..<rows.lowerBound, rows.upperBound..<(area.y + area.height)] where !part.isEmpty {
                var key = key
                key.whole.texts.append("rows \(part)")
                if case .patches(let known) = parts[key] {
                    patches += known
                } else {
                    let cut = PatchCutter.patches(ground, rows: part)
                    parts.insert(.patches(cut), for: key, cost: PostcardArtist.cost(cut))
                    patches += cut
                }
            }
            let canvas = try Canvas(
                PixelRect(x: area.x, y: rows.lowerBound, width: area.width, height: rows.count))
            canvas.lay(ground)
            for each in others { try each.item.draw(canvas) }
            return patches + (try PatchCutter.patches(canvas))
        }

        /// What fixed items look like, drawn now if they were not before.
        private mutating func ground(_ items: [PlacedItem], _ key: PartKey) throws(DrawingError) -> Ground {
            if case .ground(let known) = parts[key] { return known }
            let canvas = try Canvas(key.area)
            for each in items { try each.item.draw(canvas) }
            let ground = try canvas.ground(key.area)
            parts.insert(.ground(ground), for: key, cost: ground.pixels.count + 256)
            return ground
        }

        /// The fonts, opened when first asked for.
        mutating func openTypesetter() throws(DrawingError) -> Typesetter {
            if let typesetter { return typesetter }
            let opened = try Typesetter()
            typesetter = opened
            return opened
        }
    }

    private let workshop: Mutex<Workshop>

    /// - Parameter cacheBytes: how much the kept drawings may take together, bytes.
    public init(cacheBytes: Int = 16 << 20) {
        workshop = Mutex(
            Workshop(wholes: LeastRecentlyUsed(limit: 64), parts: LeastRecentlyUsed(limit: cacheBytes)))
    }

    /// Draws a template over a picture of a size.
    ///
    /// - Throws: `DrawingError` with `size`, `font`, `glyph`, `value`, `overflow`, `file` or `engine`.
    public func overlay(template: Template, width: Int, height: Int, facts: PostcardFacts) throws(DrawingError)
        -> Overlay
    {
        let key = try wording(template: template, width: width, height: height, facts: facts).key
        let drawing = key.drawing
        let metrics = Metrics(width: Double(width), height: Double(height))
        return try workshop.withLock { (workshop) throws(DrawingError) in
            if let patches = workshop.kept(key) { return Overlay(width: width, height: height, patches: patches) }
            let typesetter = try workshop.openTypesetter()
            let composer = Composer(
                facts: facts, typesetter: typesetter, images: workshop.images, folder: template.folder,
                kept: (workshop.items, drawing))
            let items = try composer.items(template.layers(facts, metrics), metrics)
            var partKeys: [PartKey] = []
            let patches = try Self.patches(items, width, height) { (drawn, area) throws(DrawingError) in
                var whole = key
                whole.texts = drawn.map(\.item.key)
                let part = PartKey(whole: whole, area: area)
                partKeys.append(part)
                if case .patches(let kept) = workshop.parts[part] { return kept }
                let patches = try workshop.draw(drawn, area, whole)
                workshop.parts.insert(.patches(patches), for: part, cost: Self.cost(patches))
                return patches
            }
            workshop.wholes.insert(partKeys, for: key, cost: 1)
            return Overlay(width: width, height: height, patches: patches)
        }
    }

    /// What an overlay will say, known without drawing it.
    ///
    /// - Throws: `DrawingError` with `size` or `value`.
    public func wording(template: Template, width: Int, height: Int, facts: PostcardFacts) throws(DrawingError)
        -> Wording
    {
        try Self.check(width, height)
        try Self.check(facts)
        let metrics = Metrics(width: Double(width), height: Double(height))
        let layers = template.layers(facts, metrics)
        var texts = try Composer.texts(layers, facts, metrics)
        if !facts.labels.isEmpty { texts.append(Self.places(layers)) }
        let drawing = DrawingKey(
            name: template.name, fingerprint: template.fingerprint, folder: template.folder, width: width,
            height: height)
        return Wording(key: Key(drawing: drawing, texts: texts))
    }

    /// Draws a template ahead of its first use, so that fonts are open and the drawing is kept.
    ///
    /// - Throws: what `overlay` throws.
    public func warmUp(template: Template, width: Int, height: Int, facts: PostcardFacts) throws(DrawingError) {
        _ = try overlay(template: template, width: width, height: height, facts: facts)
    }

    /// Lets go of kept drawings, images and fonts; the next drawing opens them again.
    public func releaseMemory() {
        workshop.withLock { workshop in
            workshop.wholes.removeAll()
            workshop.parts.removeAll()
            workshop.images.forget()
            workshop.items.items.removeAll()
            workshop.typesetter = nil
        }
        trimFreedMemory()
    }

    /// Which of the font families are not installed.
    public func missingFonts(of template: Template) throws(DrawingError) -> [String] {
        try workshop.withLock { (workshop) throws(DrawingError) in
            let typesetter = try workshop.openTypesetter()
            return template.fontFamilies.filter { !typesetter.hasFamily($0) }
        }
    }

    /// How many bytes the kept drawings take.
    public var cachedBytes: Int { workshop.withLock { $0.parts.cost } }

    // MARK: Drawing

    /// What tells labels at their places from the same elsewhere.
    private static func places(_ layers: [Layer]) -> String {
        layers.map { layer in
            guard case .group(let inner) = layer.content else { return layer.path }
            return places(inner)
        }.joined(separator: "\n")
    }

    private static func check(_ width: Int, _ height: Int) throws(DrawingError) {
        guard edgeRange.contains(width), edgeRange.contains(height) else {
            throw DrawingError(
                .size,
                "cannot draw for a picture of \(width)x\(height): each edge must have \(edgeRange.lowerBound) to "
                    + "\(edgeRange.upperBound) pixels")
        }
    }

    private static func check(_ facts: PostcardFacts) throws(DrawingError) {
        for (name, text) in [("place", facts.place), ("message", facts.message)] {
            let control = text.unicodeScalars.first { scalar in
                scalar.properties.generalCategory == .control && !(name == "message" && scalar == "\n")
            }
            if let control {
                throw DrawingError(
                    .value,
                    "cannot draw the \(name): it has the control character U+"
                        + String(control.value, radix: 16, uppercase: true) + "; remove it")
            }
        }
    }

    /// Draws the items, those that touch one another together.
    static func patches(
        _ items: [DrawItem], _ width: Int, _ height: Int,
        _ draw: ([PlacedItem], PixelRect) throws(DrawingError) -> [Overlay.Patch]
    ) throws(DrawingError) -> [Overlay.Patch] {
        var placed: [PlacedItem] = []
        for item in items {
            let rect = PixelRect(touching: item.bounds, pictureWidth: width, pictureHeight: height)
            if let rect { placed.append(PlacedItem(item: item, rect: rect)) }
        }
        var patches: [Overlay.Patch] = []
        for area in PatchCutter.clusters(placed.map(\.rect)) {
            patches += try draw(placed.filter { $0.rect.overlaps(area) }, area)
        }
        return patches
    }

    fileprivate static func cost(_ patches: [Overlay.Patch]) -> Int {
        patches.reduce(256) { $0 + $1.pixels.count + 128 }
    }
}

/// A store that forgets what was asked for longest ago when it grows over its limit.
struct LeastRecentlyUsed<Key: Hashable, Value> {
    private var entries: [Key: (value: Value, cost: Int, used: UInt64)] = [:]
    private var tick: UInt64 = 0
    private(set) var cost = 0
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    subscript(_ key: Key) -> Value? {
        mutating get {
            tick += 1
            entries[key]?.used = tick
            return entries[key]?.value
        }
    }

    /// Keeps a value. One that costs more than the limit by itself is not kept.
    mutating func insert(_ value: Value, for key: Key, cost added: Int) {
        if let old = entries.removeValue(forKey: key) { cost -= old.cost }
        guard added <= limit else { return }
        tick += 1
        entries[key] = (value, added, tick)
        cost += added
        while cost > limit, let oldest = entries.min(by: { $0.value.used < $1.value.used }) {
            entries.removeValue(forKey: oldest.key)
            cost -= oldest.value.cost
        }
    }

    mutating func removeAll() {
        entries = [:]
        cost = 0
    }
}

extension Template {
    /// The font families that the layers name, each once.
    public var fontFamilies: [String] {
        var families: [String] = []
        func visit(_ layers: [Layer]) {
            for layer in layers {
                switch layer.content {
                case .text(let text): families += text.fonts.filter { !families.contains($0) }
                case .labels(let labels): families += labels.text.fonts.filter { !families.contains($0) }
                case .group(let layers): visit(layers)
                default: break
                }
            }
        }
        visit(layers)
        return families
    }
}
