/// Reads a template strictly: whatever the format does not know is refused, with the line and the path.
struct TemplateReader {
    private var palette: [String: Color] = [:]
    private var styles: [String: JSONNode] = [:]
    private var shapes: [String: (outline: Outline, viewBox: Box)] = [:]
    /// By language and by the text in whose place they stand.
    private var translations: [String: [String: Pattern]] = [:]
    /// The texts that stood somewhere.
    private var texts: Set<String> = []
    private var layerCount = 0

    /// The most layers, counting those inside others.
    static let layerLimit = 256

    struct Contents {
        var name: String
        var title: String
        var layers: [Layer]
        var collage: CollageDesign
    }

    mutating func read(_ node: JSONNode) throws(DrawingError) -> Contents {
        var object = try ObjectReader(node, "")
        _ = try object.string("$schema")
        let name = try object.requiredString("name")
        guard Template.isName(name) else {
            throw object.fault("name", "must be 1 to 64 lower-case letters, digits and \"-\", beginning with a letter")
        }
        let title = try object.requiredString("title")
        guard !title.isEmpty, title.count <= 128 else { throw object.fault("title", "must have 1 to 128 characters") }
        _ = try object.string("description")
        try readPalette(object.node("colors"))
        try readShapes(object.node("shapes"))
        try readTranslations(object.node("translations"))
        if let node = object.node("styles") {
            guard case .object(let members) = node.value else {
                throw ObjectReader.error(node.line, "styles", "must be an object, and is \(node.kind)")
            }
            for (name, style) in members {
                guard case .object = style.value else {
                    throw ObjectReader.error(style.line, "styles.\(name)", "must be an object, and is \(style.kind)")
                }
                styles[name] = style
            }
            for (name, style) in members { try checkStyle(style, "styles.\(name)") }
        }
        let collage = try object.node("collage").map { node throws(DrawingError) in try readCollage(node) }
        let layers = try readLayers(&object, "layers")
        for (language, words) in translations {
            if let stray = words.keys.sorted().first(where: { !texts.contains($0) }) {
                throw object.fault("translations", "\(language) translates what no text says: \"\(stray)\"")
            }
        }
        try object.finish()
        return Contents(name: name, title: title, layers: layers, collage: collage ?? CollageDesign())
    }

    private mutating func readTranslations(_ node: JSONNode?) throws(DrawingError) {
        guard let node else { return }
        guard case .object(let languages) = node.value else {
            throw ObjectReader.error(node.line, "translations", "must be an object, and is \(node.kind)")
        }
        for (language, member) in languages {
            let path = "translations.\(language)"
            guard PostcardFacts.languages.dropFirst().contains(language) else {
                let known = PostcardFacts.languages.dropFirst().joined(separator: ", ")
                throw ObjectReader.error(member.line, path, "is no language that cards are made in; these are \(known)")
            }
            guard case .object(let words) = member.value else {
                throw ObjectReader.error(member.line, path, "must be an object, and is \(member.kind)")
            }
            for (text, translation) in words {
                guard case .string(let translated) = translation.value else {
                    throw ObjectReader.error(
                        translation.line, "\(path).\(text)", "must be a text, and is \(translation.kind)")
                }
                do throws(Pattern.SyntaxError) {
                    translations[language, default: [:]][text] = try Pattern(parsing: translated)
                } catch {
                    throw ObjectReader.error(translation.line, "\(path).\(text)", "cannot be read: \(error.reason)")
                }
            }
        }
    }

    private mutating func segment(
        _ text: String, _ object: ObjectReader, when: [Condition] = [], startsLine: Bool = false
    ) throws(DrawingError) -> TextLayer.Segment {
        texts.insert(text)
        return TextLayer.Segment(
            pattern: try pattern(text, object), translations: translations.compactMapValues { $0[text] }, when: when,
            startsLine: startsLine)
    }

    private mutating func readPalette(_ node: JSONNode?) throws(DrawingError) {
        guard let node else { return }
        guard case .object(let members) = node.value else {
            throw ObjectReader.error(node.line, "colors", "must be an object, and is \(node.kind)")
        }
        for (name, member) in members { palette[name] = try color(member, "colors.\(name)") }
    }

    private func readCollage(_ node: JSONNode) throws(DrawingError) -> CollageDesign {
        var object = try ObjectReader(node, "collage")
        var design = CollageDesign()
        if let node = object.node("paper") { design.paper = try color(node, object.path(of: "paper")) }
        if let node = object.node("line") { design.line = try color(node, object.path(of: "line")) }
        design.landscape = try readCollageArea(&object, "landscape") ?? design.landscape
        design.portrait = try readCollageArea(&object, "portrait") ?? design.portrait
        try object.finish()
        return design
    }

    private func readCollageArea(
        _ object: inout ObjectReader, _ key: String
    ) throws(DrawingError) -> CollageDesign.Area? {
        guard let node = object.node(key) else { return nil }
        var inner = try ObjectReader(node, object.path(of: key))
        let area = CollageDesign.Area(
            at: try place(&inner), width: try requiredLength(&inner, "width"),
            height: try requiredLength(&inner, "height"))
        try inner.finish()
        return area
    }

    private mutating func readShapes(_ node: JSONNode?) throws(DrawingError) {
        guard let node else { return }
        guard case .object(let members) = node.value else {
            throw ObjectReader.error(node.line, "shapes", "must be an object, and is \(node.kind)")
        }
        for (name, member) in members {
            var object = try ObjectReader(member, "shapes.\(name)")
            shapes[name] = try shape(&object)
            try object.finish()
        }
    }

    private mutating func shape(_ object: inout ObjectReader) throws(DrawingError) -> (outline: Outline, viewBox: Box) {
        let data = try object.requiredString("data")
        let outline: Outline
        do throws(SVGPath.SyntaxError) {
            outline = try SVGPath.parse(data)
        } catch {
            throw object.fault("data", "is not path data: \(error.reason)")
        }
        guard let elements = try object.elements("viewBox", required: true), elements.count == 4 else {
            throw object.fault("viewBox", "must have four numbers: left, top, width, height")
        }
        var numbers: [Double] = []
        for (node, path) in elements {
            guard case .number(let value) = node.value, abs(value) <= 1e6 else {
                throw ObjectReader.error(node.line, path, "must be a number up to a million")
            }
            numbers.append(value)
        }
        let box = Box(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
        guard !box.isEmpty else { throw object.fault("viewBox", "must have a width and a height above 0") }
        return (outline, box)
    }

    /// Reads a style as a text that lacks nothing, so that a fault in it is reported even while no layer uses it.
    private mutating func checkStyle(_ style: JSONNode, _ path: String) throws(DrawingError) {
        var object = try ObjectReader(style, path)
        let whole = #"{"font":"","size":"1s","at":["0s","0s"],"text":"","paint":[]}"#
        guard let filler = try? JSONNode.parse(Array(whole.utf8)) else { return }
        object.use(defaults: filler)
        for key in ["type", "style", "when"] where object.has(key) {
            throw object.fault(key, "cannot stand in a style; give it in the layer")
        }
        _ = try text(&object)
        try object.finish()
    }

    // MARK: Layers

    private mutating func readLayers(_ object: inout ObjectReader, _ key: String) throws(DrawingError) -> [Layer] {
        var layers: [Layer] = []
        for (node, path) in try object.elements(key, required: true) ?? [] {
            layers.append(try layer(node, path))
        }
        return layers
    }

    private enum Kind: String, CaseIterable { case text, path, panel, band, frame, rule, image, group, labels }

    private mutating func layer(_ node: JSONNode, _ path: String) throws(DrawingError) -> Layer {
        layerCount += 1
        guard layerCount <= Self.layerLimit else {
            throw ObjectReader.error(node.line, path, "is one layer too many; the limit is \(Self.layerLimit)")
        }
        var object = try ObjectReader(node, path)
        guard let kind = try object.choice("type", Kind.self) else { throw object.fault("lacks the member \"type\"") }
        let when = try conditions(&object)
        let content: Layer.Content
        switch kind {
        case .text:
            if let name = try object.string("style") {
                guard let style = styles[name] else { throw object.fault("style", "names no style: \"\(name)\"") }
                object.use(defaults: style)
            }
            content = .text(try text(&object))
        case .path: content = .path(try drawing(&object))
        case .panel: content = .panel(try panel(&object))
        case .band: content = .band(try band(&object))
        case .frame: content = .frame(try frame(&object))
        case .rule: content = .rule(try rule(&object))
        case .image: content = .image(try image(&object))
        case .group: content = .group(try readLayers(&object, "layers"))
        case .labels: content = .labels(try labels(&object))
        }
        try object.finish()
        return Layer(when: when, content: content, path: path)
    }

    private func conditions(_ object: inout ObjectReader) throws(DrawingError) -> [Condition] {
        guard let node = object.node("when") else { return [] }
        let nodes: [JSONNode]
        if case .array(let elements) = node.value { nodes = elements } else { nodes = [node] }
        var result: [Condition] = []
        for node in nodes {
            guard case .string(let text) = node.value else {
                throw ObjectReader.error(node.line, object.path(of: "when"), "must be a string or an array of strings")
            }
            let isNegated = text.hasPrefix("!")
            guard let subject = Condition.Subject(rawValue: String(text.dropFirst(isNegated ? 1 : 0))) else {
                let names = Condition.Subject.allCases.map(\.rawValue).joined(separator: ", ")
                throw ObjectReader.error(
                    node.line, object.path(of: "when"),
                    "knows no \"\(text)\"; the conditions are \(names), each with \"!\" before it for the contrary")
            }
            result.append(Condition(subject: subject, isNegated: isNegated))
        }
        return result
    }

    private func pattern(_ text: String, _ object: ObjectReader) throws(DrawingError) -> Pattern {
        do throws(Pattern.SyntaxError) {
            return try Pattern(parsing: text)
        } catch {
            throw object.fault("text", "cannot be read: \(error.reason)")
        }
    }

    private mutating func text(_ object: inout ObjectReader) throws(DrawingError) -> TextLayer {
        var segments: [TextLayer.Segment] = []
        if let elements = try object.elements("segments") {
            for (node, path) in elements {
                var segment = try ObjectReader(node, path)
                let text = try segment.requiredString("text")
                let when = try conditions(&segment)
                let startsLine = try segment.bool("newLine")
                segments.append(try self.segment(text, segment, when: when, startsLine: startsLine))
                try segment.finish()
            }
            // A style check brings an empty text along.
            if let text = try object.string("text"), !text.isEmpty {
                throw object.fault("has both \"text\" and \"segments\"; give one")
            }
        } else {
            let text = try object.requiredString("text")
            segments = [try segment(text, object)]
        }
        let alignments: [String: LetteringRequest.Alignment] = ["left": .left, "center": .center, "right": .right]
        let anchor = try anchor(&object)
        var alignment: LetteringRequest.Alignment = anchor.x == 0 ? .left : anchor.x == 1 ? .right : .center
        if let name = try object.string("align") {
            guard let named = alignments[name] else {
                throw object.fault("align", "must be \"left\", \"center\" or \"right\"")
            }
            alignment = named
        }
        var arch = (top: Length(), bottom: Length())
        if let node = object.node("arch") {
            var inner = try ObjectReader(node, object.path(of: "arch"))
            arch = (try length(&inner, "top") ?? Length(), try length(&inner, "bottom") ?? Length())
            try inner.finish()
        }
        return TextLayer(
            segments: segments, separator: try object.string("separator") ?? "",
            fonts: TextLayer.families(try object.requiredString("font")),
            weight: Int(try object.number("weight", in: 100...1000) ?? 400),
            italic: try object.bool("italic"), size: try requiredLength(&object, "size"),
            tracking: (try object.number("tracking", in: -50...200) ?? 0) / 100,
            leading: try object.number("leading", in: 0.5...4) ?? 1, features: try object.string("features") ?? "",
            uppercase: try object.bool("uppercase"), alignment: alignment, fit: try fit(&object),
            at: try place(&object), anchor: anchor, rotation: try object.number("rotate", in: -180...180) ?? 0,
            lean: try object.number("lean", in: -60...60) ?? 0, archTop: arch.top, archBottom: arch.bottom,
            plate: try plate(&object), effects: try effects(&object, "paint", required: true))
    }

    /// A text whose words and place come from the picture.
    private mutating func labels(_ object: inout ObjectReader) throws(DrawingError) -> LabelsLayer {
        let standard = LabelsLayer.standard
        var layer = standard
        layer.most = Int(try object.number("most", in: 1...40) ?? Double(standard.most))
        layer.top = try length(&object, "top") ?? standard.top
        layer.bottom = try length(&object, "bottom") ?? standard.bottom
        if let font = try object.string("font") { layer.text.fonts = TextLayer.families(font) }
        layer.text.weight = Int(try object.number("weight", in: 100...1000) ?? Double(standard.text.weight))
        layer.text.italic = try object.bool("italic")
        layer.text.size = try length(&object, "size") ?? standard.text.size
        if object.has("paint") { layer.text.effects = try effects(&object, "paint", required: true) }
        if object.has("plate") { layer.text.plate = try plate(&object) }
        if let node = object.node("line") {
            var inner = try ObjectReader(node, object.path(of: "line"))
            layer.line = try paint(try inner.required("fill"), inner.path(of: "fill"))
            layer.lineWidth = try requiredLength(&inner, "width")
            try inner.finish()
        }
        return layer
    }

    private func fit(_ object: inout ObjectReader) throws(DrawingError) -> TextLayer.Fit? {
        guard let node = object.node("fit") else { return nil }
        var inner = try ObjectReader(node, object.path(of: "fit"))
        let fit = TextLayer.Fit(
            width: try requiredLength(&inner, "width"), lines: Int(try inner.number("lines", in: 1...20) ?? 1),
            minimum: (try inner.number("minimum", in: 5...100) ?? 60) / 100,
            overflow: try inner.choice("overflow", TextLayer.Fit.Overflow.self) ?? .refuse,
            preference: try inner.choice("prefer", TextLayer.Fit.Preference.self) ?? .shrink,
            fills: try inner.bool("fill"))
        try inner.finish()
        return fit
    }

    private mutating func plate(_ object: inout ObjectReader) throws(DrawingError) -> TextLayer.Plate? {
        guard let node = object.node("plate") else { return nil }
        var inner = try ObjectReader(node, object.path(of: "plate"))
        let plate = TextLayer.Plate(
            paddingX: try requiredLength(&inner, "paddingX"), paddingY: try requiredLength(&inner, "paddingY"),
            radius: try length(&inner, "radius") ?? Length(), notch: try length(&inner, "notch") ?? Length(),
            effects: try effects(&inner, "paint", required: true))
        try inner.finish()
        return plate
    }

    private mutating func drawing(_ object: inout ObjectReader) throws(DrawingError) -> PathLayer {
        let source: (outline: Outline, viewBox: Box)
        if let name = try object.string("shape") {
            guard let named = shapes[name] else { throw object.fault("shape", "names no shape: \"\(name)\"") }
            source = named
        } else {
            source = try shape(&object)
        }
        let width = try length(&object, "width")
        let height = try length(&object, "height")
        guard width != nil || height != nil else { throw object.fault("lacks a \"width\" or a \"height\"") }
        return PathLayer(
            outline: source.outline, viewBox: source.viewBox, at: try place(&object), anchor: try anchor(&object),
            width: width, height: height, rotation: try object.number("rotate", in: -180...180) ?? 0,
            effects: try effects(&object, "paint", required: true))
    }

    private mutating func panel(_ object: inout ObjectReader) throws(DrawingError) -> PanelLayer {
        PanelLayer(
            at: try place(&object), anchor: try anchor(&object), width: try requiredLength(&object, "width"),
            height: try requiredLength(&object, "height"), radius: try length(&object, "radius") ?? Length(),
            effects: try effects(&object, "paint", required: true))
    }

    private func band(_ object: inout ObjectReader) throws(DrawingError) -> BandLayer {
        guard let edge = try object.choice("edge", BandLayer.Edge.self) else {
            throw object.fault("lacks the member \"edge\"")
        }
        return BandLayer(
            edge: edge, size: try requiredLength(&object, "size"),
            fill: try paint(try object.required("fill"), object.path(of: "fill")),
            linen: (try object.number("linen", in: 0...100) ?? 0) / 100)
    }

    private func frame(_ object: inout ObjectReader) throws(DrawingError) -> FrameLayer {
        var ruleColor: Color?
        var ruleWidth = Length()
        var ruleGap = Length()
        if let node = object.node("rule") {
            var inner = try ObjectReader(node, object.path(of: "rule"))
            ruleColor = try color(try inner.required("color"), inner.path(of: "color"))
            ruleWidth = try requiredLength(&inner, "width")
            ruleGap = try length(&inner, "gap") ?? Length()
            try inner.finish()
        }
        return FrameLayer(
            top: try requiredLength(&object, "top"), right: try requiredLength(&object, "right"),
            bottom: try requiredLength(&object, "bottom"), left: try requiredLength(&object, "left"),
            fill: try paint(try object.required("fill"), object.path(of: "fill")),
            linen: (try object.number("linen", in: 0...100) ?? 0) / 100, ruleColor: ruleColor, ruleWidth: ruleWidth,
            ruleGap: ruleGap)
    }

    private enum Direction: String, CaseIterable { case horizontal, vertical }

    private func rule(_ object: inout ObjectReader) throws(DrawingError) -> RuleLayer {
        RuleLayer(
            at: try place(&object), anchor: try anchor(&object), length: try requiredLength(&object, "length"),
            thickness: try requiredLength(&object, "thickness"),
            isVertical: try object.choice("direction", Direction.self) == .vertical,
            fill: try paint(try object.required("fill"), object.path(of: "fill")))
    }

    private func image(_ object: inout ObjectReader) throws(DrawingError) -> ImageLayer {
        let file = try object.requiredString("file")
        let parts = file.split(separator: "/", omittingEmptySubsequences: false)
        guard file.hasSuffix(".png"), !file.utf8.contains(0), parts.allSatisfy({ !$0.isEmpty && $0 != ".." }) else {
            throw object.fault("file", "must name a .png file in the template's folder or below it")
        }
        let width = try length(&object, "width")
        let height = try length(&object, "height")
        guard width != nil || height != nil else { throw object.fault("lacks a \"width\" or a \"height\"") }
        return ImageLayer(
            file: file, at: try place(&object), anchor: try anchor(&object), width: width, height: height,
            opacity: try object.number("opacity", in: 0...1) ?? 1)
    }

    // MARK: Values

    private func anchor(_ object: inout ObjectReader) throws(DrawingError) -> Anchor {
        guard let name = try object.string("anchor") else { return Anchor(x: 0, y: 0) }
        guard let found = Anchor.names.first(where: { $0.name == name }) else {
            let names = Anchor.names.map(\.name).joined(separator: ", ")
            throw object.fault("anchor", "must be one of \(names)")
        }
        return found.anchor
    }

    private func place(_ object: inout ObjectReader) throws(DrawingError) -> Place {
        guard let elements = try object.elements("at", required: true), elements.count == 2 else {
            throw object.fault("at", "must have two lengths: from the left and from the top")
        }
        return Place(x: try length(elements[0].0, elements[0].1), y: try length(elements[1].0, elements[1].1))
    }

    private func length(_ object: inout ObjectReader, _ key: String) throws(DrawingError) -> Length? {
        guard let node = object.node(key) else { return nil }
        return try length(node, object.path(of: key))
    }

    private func requiredLength(_ object: inout ObjectReader, _ key: String) throws(DrawingError) -> Length {
        try length(try object.required(key), object.path(of: key))
    }

    private func length(_ node: JSONNode, _ path: String) throws(DrawingError) -> Length {
        guard case .string(let text) = node.value, let length = Length(parsing: text) else {
            throw ObjectReader.error(
                node.line, path, "must be a length such as \"4s\", \"50w\" or \"100h - 8s\" (units w, h, s, l, e)")
        }
        return length
    }

    private func color(_ node: JSONNode, _ path: String) throws(DrawingError) -> Color {
        guard case .string(let text) = node.value else {
            throw ObjectReader.error(node.line, path, "must be a colour, and is \(node.kind)")
        }
        if let named = palette[text] { return named }
        guard let color = Color(hex: text) else {
            throw ObjectReader.error(
                node.line, path, "must be a colour such as \"#204030\" or a name of \"colors\", and is \"\(text)\"")
        }
        return color
    }

    private func paint(_ node: JSONNode, _ path: String) throws(DrawingError) -> Paint {
        guard case .object = node.value else { return .color(try color(node, path)) }
        var object = try ObjectReader(node, path)
        let angle = try object.number("angle", in: -360...360) ?? 90
        var stops: [Paint.Stop] = []
        for (node, path) in try object.elements("stops", required: true) ?? [] {
            var stop = try ObjectReader(node, path)
            guard let position = try stop.number("at", in: 0...100) else { throw stop.fault("lacks the member \"at\"") }
            stops.append(
                Paint.Stop(
                    position: position / 100, color: try color(try stop.required("color"), stop.path(of: "color"))))
            try stop.finish()
        }
        guard stops.count >= 2 else { throw object.fault("stops", "must have two stops or more") }
        try object.finish()
        return .gradient(angle: angle, stops: stops)
    }

    // MARK: Effects

    private enum Coat: String, CaseIterable { case fill, stroke, shadow, extrude, bevel, inside }
    private enum Corner: String, CaseIterable { case round, miter }

    private mutating func effects(_ object: inout ObjectReader, _ key: String, required: Bool) throws(DrawingError)
        -> [Effect]
    {
        var result: [Effect] = []
        for (node, path) in try object.elements(key, required: required) ?? [] {
            var coat = try ObjectReader(node, path)
            result.append(try effect(&coat))
            try coat.finish()
        }
        return result
    }

    private mutating func effect(_ coat: inout ObjectReader) throws(DrawingError) -> Effect {
        let kinds = Coat.allCases.filter { coat.has($0.rawValue) }
        guard kinds.count == 1, let kind = kinds.first else {
            throw coat.fault(
                "must have exactly one of \"fill\", \"stroke\", \"shadow\", \"extrude\", \"bevel\", "
                    + "\"inside\"")
        }
        if kind == .inside { return .inside(try readLayers(&coat, "inside")) }
        let node = try coat.required(kind.rawValue)
        let path = coat.path(of: kind.rawValue)
        switch kind {
        case .fill: return .fill(try paint(node, path))
        case .stroke:
            return .stroke(
                try paint(node, path), width: try requiredLength(&coat, "width"),
                side: try coat.choice("side", Effect.Side.self) ?? .center,
                join: try coat.choice("join", Corner.self) == .miter ? .miter : .round)
        case .shadow:
            return .shadow(
                try color(node, path), x: try length(&coat, "x") ?? Length(), y: try length(&coat, "y") ?? Length(),
                blur: try length(&coat, "blur") ?? Length(), spread: try length(&coat, "spread") ?? Length())
        case .bevel:
            return .bevel(
                try color(node, path), x: try requiredLength(&coat, "x"), y: try requiredLength(&coat, "y"))
        case .extrude, .inside:
            let lit = try color(node, path)
            return .extrude(
                lit: lit,
                shade: try coat.node("shade").map { (node) throws(DrawingError) in
                    try color(node, coat.path(of: "shade"))
                } ?? lit,
                x: try requiredLength(&coat, "x"), y: try requiredLength(&coat, "y"),
                light: try coat.number("light", in: -360...360) ?? -90,
                edge: try coat.node("edge").map { (node) throws(DrawingError) in
                    try color(node, coat.path(of: "edge"))
                },
                edgeWidth: try length(&coat, "edgeWidth") ?? Length())
        }
    }
}

extension Template {
    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
        return text.utf8.count <= 64
            && text.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
            }
    }

    /// The largest template text, bytes.
    static let sizeLimit = 1 << 20

    /// Reads a template's JSON text. Image files are looked for in `folder`, when there are any.
    ///
    /// - Throws: `DrawingError` with `template`, which names the line and the path of the fault.
    public init(parsing json: [UInt8], folder: String? = nil) throws(DrawingError) {
        guard json.count <= Self.sizeLimit else {
            throw DrawingError(.template, "the template has more than \(Self.sizeLimit) bytes")
        }
        let node: JSONNode
        do throws(JSONNode.SyntaxError) {
            node = try JSONNode.parse(json)
        } catch {
            throw DrawingError(.template, "line \(error.line): \(error.reason)")
        }
        var reader = TemplateReader()
        let contents = try reader.read(node)
        name = contents.name
        title = contents.title
        layers = contents.layers
        collage = contents.collage
        self.folder = folder
        // FNV-1a, 64 bits.
        fingerprint = json.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// Reads a template's JSON text. Image files are looked for in `folder`, when there are any.
    ///
    /// - Throws: `DrawingError` with `template`, which names the line and the path of the fault.
    public init(parsing json: String, folder: String? = nil) throws(DrawingError) {
        try self.init(parsing: Array(json.utf8), folder: folder)
    }
}
