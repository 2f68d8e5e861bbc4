/// What a postcard looks like: layers that are drawn one over another, placed in parts of the picture's size, so that
/// one template serves every size and both orientations. The format is described in the page "Templates".
public struct Template: Sendable {
    /// The name by which requests choose it: lower-case letters, digits and `-`, at most 64.
    public let name: String
    /// What people call it.
    public let title: String
    let layers: [Layer]
    let collage: CollageDesign
    /// The folder that the names of image files are relative to.
    let folder: String?
    /// Tells this text of a template from any other.
    let fingerprint: UInt64
}

/// A length made of parts of the picture, or of the text's em.
struct Length: Equatable, Hashable, Sendable {
    /// Hundredths of the picture's width, height, short edge and long edge, and of the em.
    var width = 0.0
    var height = 0.0
    var short = 0.0
    var long = 0.0
    var em = 0.0

    func pixels(_ metrics: Metrics) -> Double {
        (width * metrics.width + height * metrics.height + short * metrics.short + long * metrics.long
            + em * metrics.em) / 100
    }
}

/// What lengths are relative to, pixels.
struct Metrics: Hashable, Sendable {
    var width: Double
    var height: Double
    var em: Double = 0
    /// Where the place 0, 0 lies in the picture.
    var origin = Point(0, 0)

    var short: Double { min(width, height) }
    var long: Double { max(width, height) }
    var whole: Box { Box(x: 0, y: 0, width: width, height: height) }
}

struct Place: Equatable, Hashable, Sendable {
    var x: Length
    var y: Length

    func point(_ metrics: Metrics) -> Point {
        metrics.origin + Point(x.pixels(metrics), y.pixels(metrics))
    }
}

/// Which point of a thing lies at its place.
struct Anchor: Equatable, Hashable, Sendable {
    /// 0 left, 0.5 middle, 1 right; 0 top, 0.5 middle, 1 bottom.
    var x: Double
    var y: Double

    static let names: [(name: String, anchor: Anchor)] = [
        ("top-left", Anchor(x: 0, y: 0)), ("top", Anchor(x: 0.5, y: 0)), ("top-right", Anchor(x: 1, y: 0)),
        ("left", Anchor(x: 0, y: 0.5)), ("center", Anchor(x: 0.5, y: 0.5)), ("right", Anchor(x: 1, y: 0.5)),
        ("bottom-left", Anchor(x: 0, y: 1)), ("bottom", Anchor(x: 0.5, y: 1)), ("bottom-right", Anchor(x: 1, y: 1)),
    ]
}

/// Something that must hold for a layer or a segment to be drawn.
struct Condition: Equatable, Hashable, Sendable {
    enum Subject: String, CaseIterable, Sendable {
        case portrait, landscape, place, date, position, elevation, sun, moon, trail, labels, message, recorded
    }

    var subject: Subject
    var isNegated: Bool
}

struct Layer: Sendable {
    enum Content: Sendable {
        case text(TextLayer)
        case path(PathLayer)
        case panel(PanelLayer)
        case band(BandLayer)
        case frame(FrameLayer)
        case rule(RuleLayer)
        case image(ImageLayer)
        case group([Layer])
        case labels(LabelsLayer)
    }

    var when: [Condition]
    var content: Content
    /// Where it stands in the template, such as `layers[3]`.
    var path: String
}

struct TextLayer: Sendable {
    struct Segment: Sendable {
        var pattern: Pattern
        /// What stands in its place on cards in other languages.
        var translations: [String: Pattern] = [:]
        var when: [Condition]
        /// It begins a new line, where others follow a separator.
        var startsLine = false
    }

    struct Fit: Sendable {
        enum Overflow: String, CaseIterable, Sendable { case ellipsis, refuse }
        enum Preference: String, CaseIterable, Sendable { case shrink, wrap }
        var width: Length
        var lines = 1
        /// The smallest size, in parts of the layer's size.
        var minimum = 0.6
        var overflow = Overflow.refuse
        var preference = Preference.shrink
        /// The size is made whatever fills the width.
        var fills = false
    }

    /// A shape behind the text that follows its size.
    struct Plate: Sendable {
        var paddingX: Length
        var paddingY: Length
        var radius: Length
        /// How far the ends are cut in, like a ribbon's; 0 for none.
        var notch: Length
        var effects: [Effect]
    }

    var segments: [Segment]
    var separator: String
    /// Families, the first one preferred.
    var fonts: [String]
    var weight: Int
    var italic: Bool
    var size: Length
    /// Parts of the em.
    var tracking: Double
    var leading: Double
    var features: String
    var uppercase: Bool
    var alignment: LetteringRequest.Alignment
    var fit: Fit?
    var at: Place
    var anchor: Anchor
    /// Degrees clockwise.
    var rotation: Double
    /// Degrees by which uprights lean to the right.
    var lean: Double
    /// How far the top and the bottom edge rise in the middle.
    var archTop: Length
    var archBottom: Length
    var plate: Plate?
    var effects: [Effect]
}

struct PathLayer: Sendable {
    var outline: Outline
    var viewBox: Box
    var at: Place
    var anchor: Anchor
    var width: Length?
    var height: Length?
    var rotation: Double
    var effects: [Effect]
}

struct PanelLayer: Sendable {
    var at: Place
    var anchor: Anchor
    var width: Length
    var height: Length
    var radius: Length
    var effects: [Effect]
}

struct BandLayer: Sendable {
    enum Edge: String, CaseIterable, Sendable { case top, bottom, left, right }
    var edge: Edge
    var size: Length
    var fill: Paint
    /// The strength of a woven texture, 0 to 1.
    var linen: Double

    /// What it covers. Edges lie on whole pixels, so that an opaque band is opaque to its last row.
    func box(_ metrics: Metrics) -> Box {
        let isAcross = edge == .top || edge == .bottom
        let size = min(max(1, size.pixels(metrics).rounded()), isAcross ? metrics.height : metrics.width)
        var box = metrics.whole
        switch edge {
        case .top: box.bottom = size
        case .bottom: box.top = metrics.height - size
        case .left: box.right = size
        case .right: box.left = metrics.width - size
        }
        return box
    }

    /// What it leaves open.
    func rest(_ metrics: Metrics) -> Box {
        let own = box(metrics)
        var rest = metrics.whole
        switch edge {
        case .top: rest.top = own.bottom
        case .bottom: rest.bottom = own.top
        case .left: rest.left = own.right
        case .right: rest.right = own.left
        }
        return rest
    }
}

struct FrameLayer: Sendable {
    var top: Length
    var right: Length
    var bottom: Length
    var left: Length
    var fill: Paint
    var linen: Double
    /// A line along the opening's edge, inside the frame.
    var ruleColor: Color?
    var ruleWidth: Length
    /// The line's distance from the opening.
    var ruleGap: Length

    /// The opening, on whole pixels.
    func hole(_ metrics: Metrics) -> Box {
        func size(_ length: Length) -> Double { max(0, length.pixels(metrics).rounded()) }
        return Box(
            left: size(left), top: size(top), right: max(size(left), metrics.width - size(right)),
            bottom: max(size(top), metrics.height - size(bottom)))
    }
}

struct RuleLayer: Sendable {
    var at: Place
    var anchor: Anchor
    var length: Length
    var thickness: Length
    var isVertical: Bool
    var fill: Paint
}

struct ImageLayer: Sendable {
    var file: String
    var at: Place
    var anchor: Anchor
    var width: Length?
    var height: Length?
    var opacity: Double
}

/// One coat of paint on a shape. A shape's coats are laid one over another.
enum Effect: Sendable {
    enum Side: String, CaseIterable, Sendable { case center, inside, outside }

    case fill(Paint)
    case stroke(Paint, width: Length, side: Side, join: Canvas.Join)
    case shadow(Color, x: Length, y: Length, blur: Length, spread: Length)
    /// A block behind the face, lit on the sides that look towards the light.
    case extrude(lit: Color, shade: Color, x: Length, y: Length, light: Double, edge: Color?, edgeWidth: Length)
    /// Light or shade along the inner edge, on the side that the displacement comes from.
    case bevel(Color, x: Length, y: Length)
    /// Layers seen through the shape, placed in parts of the shape's box.
    case inside([Layer])
}
