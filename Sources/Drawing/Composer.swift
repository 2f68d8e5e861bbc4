internal import Glibc

/// Turns a template and the facts into things to draw on a picture of one size.
struct Composer {
    let facts: PostcardFacts
    let typesetter: Typesetter
    let images: ImageStore
    let folder: String?
    /// Where items are kept for the next drawing, and what they are kept for.
    var kept: (store: ItemStore, drawing: DrawingKey)?

    /// What the picture will say, which together with the template and the size tells one overlay from another.
    static func texts(_ layers: [Layer], _ facts: PostcardFacts, _ metrics: Metrics) throws(DrawingError) -> [String?] {
        var result: [String?] = []
        for layer in layers {
            guard layer.when.allSatisfy({ facts.fulfils($0, metrics) }) else {
                result.append(nil)
                continue
            }
            switch layer.content {
            case .text(let text): result.append(try text.text(facts, metrics, layer.path))
            case .group(let layers): result += try texts(layers, facts, metrics)
            default: result.append("")
            }
            for effect in layer.effects {
                if case .inside(let layers) = effect { result += try texts(layers, facts, metrics) }
            }
        }
        return result
    }

    /// The items of a picture's layers: those that were made before for the same words, and others anew.
    func items(_ layers: [Layer], _ metrics: Metrics) throws(DrawingError) -> [DrawItem] {
        var result: [DrawItem] = []
        for layer in layers where layer.when.allSatisfy({ facts.fulfils($0, metrics) }) {
            if case .group(let layers) = layer.content {
                result += try items(layers, metrics)
                continue
            }
            let texts = try Self.texts([layer], facts, metrics)
            let key = kept.map { ItemStore.Key(drawing: $0.drawing, path: layer.path, texts: texts) }
            if let key, let known = kept?.store.items[key] {
                result += known
                continue
            }
            var made = try items(layer, metrics)
            for index in made.indices {
                made[index].key = ([layer.path] + texts.map { $0 ?? "" }).joined(separator: "\n")
                made[index].isFixed = layer.isFixed
            }
            if let key { kept?.store.items.insert(made, for: key, cost: 1) }
            result += made
        }
        return result
    }

    /// The items of layers that are seen through a shape.
    private func inside(_ layers: [Layer], _ metrics: Metrics) throws(DrawingError) -> [DrawItem] {
        var result: [DrawItem] = []
        for layer in layers where layer.when.allSatisfy({ facts.fulfils($0, metrics) }) {
            result += try items(layer, metrics)
        }
        return result
    }

    private func items(_ layer: Layer, _ metrics: Metrics) throws(DrawingError) -> [DrawItem] {
        switch layer.content {
        case .text(let text): try items(text, metrics, layer.path)
        case .path(let path): try item(path, metrics).map { [$0] } ?? []
        case .panel(let panel): try item(panel, metrics).map { [$0] } ?? []
        case .band(let band): items(band, metrics)
        case .frame(let frame): items(frame, metrics)
        case .rule(let rule): [item(rule, metrics)]
        case .image(let image): [try item(image, metrics, layer.path)]
        case .group(let layers): try inside(layers, metrics)
        // These have been replaced by a group of what they are made of.
        case .labels: []
        }
    }

    // MARK: Text

    private func items(_ layer: TextLayer, _ metrics: Metrics, _ path: String) throws(DrawingError) -> [DrawItem] {
        guard let text = try layer.text(facts, metrics, path), text.contains(where: { !$0.isWhitespace }) else {
            return []
        }
        let fitted = try layer.fitted(text, metrics, typesetter, path)
        var metrics = metrics
        metrics.em = fitted.em
        var lettering = fitted.lettering
        let frame = Box(
            left: lettering.ink.left, top: -lettering.capHeight, right: lettering.ink.right,
            bottom: lettering.lastBaseline)
        bend(&lettering, frame, top: layer.archTop.pixels(metrics), bottom: layer.archBottom.pixels(metrics))
        let hold = Point(
            frame.left + frame.width * layer.anchor.x, frame.top + (frame.bottom - frame.top) * layer.anchor.y)
        let place = layer.at.point(metrics)
        let turn = Turn(degrees: layer.rotation)
        func put(_ point: Point) -> Point { place + turn.apply(point - hold) }

        var result: [DrawItem] = []
        if let plate = layer.plate {
            let box = frame.grown(x: plate.paddingX.pixels(metrics), y: plate.paddingY.pixels(metrics))
            let shape = plate.outline(box, metrics).mapped(put)
            result +=
                try Shape(outline: shape, box: shape.bounds ?? box).item(plate.effects, metrics, inside: inside)
                .map { [$0] } ?? []
        }
        let outline = lettering.outline.mapped(put)
        let insets = lettering.insets.map { inset in
            let center = Point((inset.box.left + inset.box.right) / 2, (inset.box.top + inset.box.bottom) / 2)
            return Lettering.Inset(picture: inset.picture, box: inset.box.moved(by: put(center) - center))
        }
        let corner = put(Point(frame.left, frame.top))
        let box = outline.bounds ?? Box(x: corner.x, y: corner.y, width: frame.width, height: frame.height)
        result +=
            try Shape(outline: outline, insets: insets, box: box).item(layer.effects, metrics, inside: inside)
            .map { [$0] } ?? []
        return result
    }

    private func bend(_ lettering: inout Lettering, _ frame: Box, top: Double, bottom: Double) {
        guard top != 0 || bottom != 0, frame.width > 0, frame.bottom > frame.top else { return }
        func rise(_ point: Point) -> Double {
            let across = 2 * (point.x - frame.left) / frame.width - 1
            let down = (point.y - frame.top) / (frame.bottom - frame.top)
            return (1 - across * across) * (top * (1 - down) + bottom * down)
        }
        lettering.outline = lettering.outline.subdivided(step: max(2, frame.width / 300)).mapped {
            Point($0.x, $0.y - rise($0))
        }.thinned(tolerance: 0.03)
        lettering.insets = lettering.insets.map { inset in
            let center = Point((inset.box.left + inset.box.right) / 2, (inset.box.top + inset.box.bottom) / 2)
            return Lettering.Inset(picture: inset.picture, box: inset.box.moved(by: Point(0, -rise(center))))
        }
    }

    // MARK: Shapes

    private func item(_ layer: PathLayer, _ metrics: Metrics) throws(DrawingError) -> DrawItem? {
        let view = layer.viewBox
        var scaleX = layer.width.map { $0.pixels(metrics) / view.width }
        var scaleY = layer.height.map { $0.pixels(metrics) / view.height }
        scaleX = scaleX ?? scaleY
        scaleY = scaleY ?? scaleX
        guard let scaleX, let scaleY, scaleX > 0, scaleY > 0 else { return nil }
        let hold = Point(view.left + view.width * layer.anchor.x, view.top + view.height * layer.anchor.y)
        let place = layer.at.point(metrics)
        let turn = Turn(degrees: layer.rotation)
        let outline = layer.outline.mapped { point in
            let local = point - hold
            return place + turn.apply(Point(local.x * scaleX, local.y * scaleY))
        }
        let corner = place - Point((hold.x - view.left) * scaleX, (hold.y - view.top) * scaleY)
        let box = Box(x: corner.x, y: corner.y, width: view.width * scaleX, height: view.height * scaleY)
        var metrics = metrics
        metrics.em = box.height
        return try Shape(outline: outline, box: box).item(layer.effects, metrics, inside: inside)
    }

    private func item(_ layer: PanelLayer, _ metrics: Metrics) throws(DrawingError) -> DrawItem? {
        let width = layer.width.pixels(metrics)
        let height = layer.height.pixels(metrics)
        guard width > 0, height > 0 else { return nil }
        let place = layer.at.point(metrics)
        let box = Box(
            x: place.x - width * layer.anchor.x, y: place.y - height * layer.anchor.y, width: width, height: height)
        var metrics = metrics
        metrics.em = height
        return try Shape(outline: Outline(box, radius: layer.radius.pixels(metrics)), box: box)
            .item(layer.effects, metrics, inside: inside)
    }

    private func items(_ layer: BandLayer, _ metrics: Metrics) -> [DrawItem] {
        let box = layer.box(metrics)
        return [sheet(box.moved(by: metrics.origin), layer.fill, over: box, linen: layer.linen, metrics)]
    }

    private func items(_ layer: FrameLayer, _ metrics: Metrics) -> [DrawItem] {
        let whole = metrics.whole.moved(by: metrics.origin)
        let hole = layer.hole(metrics).moved(by: metrics.origin)
        let strips = [
            Box(left: whole.left, top: whole.top, right: whole.right, bottom: hole.top),
            Box(left: whole.left, top: hole.bottom, right: whole.right, bottom: whole.bottom),
            Box(left: whole.left, top: hole.top, right: hole.left, bottom: hole.bottom),
            Box(left: hole.right, top: hole.top, right: whole.right, bottom: hole.bottom),
        ]
        var result: [DrawItem] = []
        for strip in strips where !strip.isEmpty {
            result.append(sheet(strip, layer.fill, over: whole, linen: layer.linen, metrics))
        }
        if let color = layer.ruleColor {
            let width = max(1, layer.ruleWidth.pixels(metrics).rounded())
            let gap = max(0, layer.ruleGap.pixels(metrics).rounded())
            let inner = hole.grown(by: gap)
            let outer = inner.grown(by: width)
            for side in [
                Box(left: outer.left, top: outer.top, right: outer.right, bottom: inner.top),
                Box(left: outer.left, top: inner.bottom, right: outer.right, bottom: outer.bottom),
                Box(left: outer.left, top: inner.top, right: inner.left, bottom: inner.bottom),
                Box(left: inner.right, top: inner.top, right: outer.right, bottom: inner.bottom),
            ] {
                for strip in strips {
                    // Cut at the strips' borders, so that no piece joins two of them.
                    let piece = Box(
                        left: max(side.left, strip.left), top: max(side.top, strip.top),
                        right: min(side.right, strip.right), bottom: min(side.bottom, strip.bottom))
                    if !piece.isEmpty { result.append(sheet(piece, .color(color), over: piece, linen: 0, metrics)) }
                }
            }
        }
        return result
    }

    /// A rectangle on whole pixels, woven or plain.
    private func sheet(_ box: Box, _ fill: Paint, over: Box, linen: Double, _ metrics: Metrics) -> DrawItem {
        DrawItem(bounds: box) { (canvas: borrowing Canvas) throws(DrawingError) in
            canvas.fill(Outline(box), fill, over: over)
            guard linen > 0 else { return }
            let thread = max(1, (metrics.short / 540).rounded())
            Self.weave(canvas, box, thread: thread, strength: linen)
        }
    }

    /// Threads in both directions, each a little lighter or darker than the next, as in linen-finish card.
    private static func weave(_ canvas: borrowing Canvas, _ box: Box, thread: Double, strength: Double) {
        func shade(_ index: Int, _ salt: UInt64) -> Color {
            var mixed = (UInt64(bitPattern: Int64(index)) &+ salt) &* 0x9E37_79B9_7F4A_7C15
            mixed = (mixed ^ (mixed >> 29)) &* 0xBF58_476D_1CE4_E5B9
            let noise = Double(mixed >> 40) / Double(1 << 24)
            let isLight = index % 2 == 0
            return Color(
                red: isLight ? 1 : 0.25, green: isLight ? 1 : 0.2, blue: isLight ? 0.96 : 0.1,
                alpha: strength * (0.4 + 0.6 * noise) * (isLight ? 0.6 : 0.3))
        }
        var index = Int((box.top / thread).rounded(.down))
        while Double(index) * thread < box.bottom {
            let row = Box(
                left: box.left, top: max(box.top, Double(index) * thread), right: box.right,
                bottom: min(box.bottom, Double(index + 1) * thread))
            canvas.fill(Outline(row), .color(shade(index, 1)), over: row)
            index += 1
        }
        index = Int((box.left / thread).rounded(.down))
        while Double(index) * thread < box.right {
            let column = Box(
                left: max(box.left, Double(index) * thread), top: box.top,
                right: min(box.right, Double(index + 1) * thread), bottom: box.bottom)
            canvas.fill(Outline(column), .color(shade(index, 2)), over: column)
            index += 1
        }
    }

    private func item(_ layer: RuleLayer, _ metrics: Metrics) -> DrawItem {
        let length = max(1, layer.length.pixels(metrics))
        let thickness = max(1, layer.thickness.pixels(metrics).rounded())
        let width = layer.isVertical ? thickness : length
        let height = layer.isVertical ? length : thickness
        let place = layer.at.point(metrics)
        let box = Box(
            x: (place.x - width * layer.anchor.x).rounded(), y: (place.y - height * layer.anchor.y).rounded(),
            width: width.rounded(), height: height.rounded())
        return sheet(box, layer.fill, over: box, linen: 0, metrics)
    }

    private func item(_ layer: ImageLayer, _ metrics: Metrics, _ path: String) throws(DrawingError) -> DrawItem {
        let picture = try images.picture(layer.file, folder: folder, path)
        let aspect = Double(picture.width) / Double(picture.height)
        var width = layer.width?.pixels(metrics)
        var height = layer.height?.pixels(metrics)
        width = width ?? height.map { $0 * aspect }
        height = height ?? width.map { $0 / aspect }
        let place = layer.at.point(metrics)
        let box = Box(
            x: place.x - (width ?? 0) * layer.anchor.x, y: place.y - (height ?? 0) * layer.anchor.y,
            width: width ?? 0, height: height ?? 0)
        let opacity = layer.opacity
        return DrawItem(bounds: box.grown(by: 1)) { (canvas: borrowing Canvas) throws(DrawingError) in
            canvas.draw(picture, in: box, opacity: opacity)
        }
    }
}

/// A rotation about the origin.
private struct Turn {
    let cosine: Double
    let sine: Double

    init(degrees: Double) {
        cosine = cos(degrees * .pi / 180)
        sine = sin(degrees * .pi / 180)
    }

    func apply(_ point: Point) -> Point {
        Point(point.x * cosine - point.y * sine, point.x * sine + point.y * cosine)
    }
}

extension Layer {
    /// Whether nothing in it depends on the facts, but for whether it is drawn.
    fileprivate var isFixed: Bool {
        let isLiteral =
            switch content {
            case .text(let text): text.segments.allSatisfy { $0.pattern.isLiteral && $0.translations.isEmpty }
            case .group(let layers): layers.allSatisfy(\.isFixed)
            default: true
            }
        return isLiteral
            && effects.allSatisfy {
                guard case .inside(let layers) = $0 else { return true }
                return layers.allSatisfy(\.isFixed)
            }
    }

    fileprivate var effects: [Effect] {
        switch content {
        case .text(let text): text.effects + (text.plate?.effects ?? [])
        case .path(let path): path.effects
        case .panel(let panel): panel.effects
        default: []
        }
    }
}

extension TextLayer.Plate {
    /// The plate around a box.
    fileprivate func outline(_ box: Box, _ metrics: Metrics) -> Outline {
        let notch = self.notch.pixels(metrics)
        guard notch > 0 else { return Outline(box, radius: radius.pixels(metrics)) }
        let middle = (box.top + box.bottom) / 2
        return Outline([
            .move(Point(box.left - notch, box.top)), .line(Point(box.right + notch, box.top)),
            .line(Point(box.right, middle)), .line(Point(box.right + notch, box.bottom)),
            .line(Point(box.left - notch, box.bottom)), .line(Point(box.left, middle)), .close,
        ])
    }
}
