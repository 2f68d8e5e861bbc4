/// A name at a point of the picture.
public struct PictureLabel: Hashable, Sendable {
    public var name: String
    /// Pixels from the left and the upper edge of the picture that is drawn on.
    public var x: Double
    public var y: Double
    /// Half the edge of a square about the point that holds the thing, pixels.
    public var reach: Double

    public init(name: String, x: Double, y: Double, reach: Double = 0) {
        (self.name, self.x, self.y, self.reach) = (name, x, y, reach)
    }
}

/// The names of what the camera sees, each above its point with a line down to it; below it at the upper edge of the picture.
struct LabelsLayer: Sendable {
    /// The most that are drawn; the others are left out.
    var most: Int
    /// Nothing is drawn above this, nor below the bottom.
    var top: Length
    var bottom: Length
    /// A name, as a text whose place is found.
    var text: TextLayer
    var line: Paint
    var lineWidth: Length

    /// What is drawn where no template says how.
    static let standard: LabelsLayer = {
        let text = TextLayer(
            segments: [], separator: "", fonts: ["Cabin"], weight: 600, italic: false, size: Length(short: 2.6),
            tracking: 0, leading: 1, features: "", uppercase: false, alignment: .center, fit: nil,
            at: Place(x: Length(), y: Length()), anchor: Anchor(x: 0.5, y: 1), rotation: 0, lean: 0,
            archTop: Length(), archBottom: Length(),
            plate: TextLayer.Plate(
                paddingX: Length(em: 40), paddingY: Length(em: 34), radius: Length(em: 30), notch: Length(),
                effects: [.fill(.color(Color(red: 0.086, green: 0.141, blue: 0.114, alpha: 1)))]),
            effects: [.fill(.color(Color(red: 0.965, green: 0.937, blue: 0.875, alpha: 1)))])
        return LabelsLayer(
            most: 12, top: Length(short: 3), bottom: Length(height: 100), text: text,
            line: .color(Color(red: 0.965, green: 0.937, blue: 0.875, alpha: 1)), lineWidth: Length(short: 0.25))
    }()

    /// How wide a character is at the most, on the average, parts of the em: a name that is wider all the same gets an ellipsis.
    private static let characterWidth = 0.6
    /// The height of a name with its plate, and how far it stands above its point, parts of the em.
    private static let rowHeight = 1.6
    private static let clearance = 1.2
    /// The rows that are tried above a point.
    private static let mostRows = 8
    /// Points that are nearer to each other than this are one spot, parts of the em.
    private static let spot = 0.25

    /// Where the names stand, the most important ones first: one that finds no room is left out, and so is one whose spot
    /// has a name already.
    ///
    /// - Parameters:
    ///   - labels: with the names.
    ///   - origin: what the picture is, where it is none of the camera's of here and now; empty otherwise.
    ///   - area: the part of the picture that shows, and where names may stand.
    ///   - metrics: of the picture.
    /// - Returns: the labels that are drawn, each with the box of its name.
    func placed(
        _ labels: [PictureLabel], _ origin: String = "", in area: Box, _ metrics: Metrics
    ) -> [(label: PictureLabel, box: Box)] {
        let em = text.size.pixels(metrics)
        let area = open(area, metrics)
        // No name covers the mark, and no line crosses it.
        var taken = origin.isEmpty ? [] : [(box: corner(for: origin, in: area, em), x: -Double.infinity)]
        var placed: [(label: PictureLabel, box: Box)] = []
        guard em > 0, area.left < area.right, area.top < area.bottom else { return [] }
        for label in labels where placed.count < most && label.x.isFinite && label.y.isFinite {
            guard (area.left...area.right).contains(label.x), (area.top...area.bottom).contains(label.y),
                !placed.contains(where: { Self.distance($0.label, label) < em * Self.spot })
            else { continue }
            let characters = Double(min(label.name.count, 60))
            let width = min((characters * Self.characterWidth + 1) * em, (area.right - area.left) * 0.6)
            guard let box = room(for: label, width, em, area, taken) else { continue }
            taken.append((box, label.x))
            // Its line, too, keeps other names away.
            let (top, bottom) = Self.line(label, box)
            taken.append(
                (Box(left: label.x, top: top, right: label.x, bottom: bottom).grown(x: em * 0.4, y: 0), label.x))
            placed.append((label, box))
        }
        return placed
    }

    /// The part of an area between top and bottom.
    func open(_ area: Box, _ metrics: Metrics) -> Box {
        var area = area
        area.top = max(area.top, top.pixels(metrics))
        area.bottom = min(area.bottom, bottom.pixels(metrics))
        return area
    }

    /// Where the mark stands that says what the picture is.
    func corner(for origin: String, in area: Box, _ em: Double) -> Box {
        let (left, top) = (area.left + em, area.top + em * 0.3)
        let width = min((Double(origin.count) * Self.characterWidth + 1) * em, area.right - left - em * 0.3)
        return Box(left: left, top: top, right: left + max(width, em), bottom: top + em * Self.rowHeight)
    }

    private static func distance(_ one: PictureLabel, _ other: PictureLabel) -> Double {
        ((one.x - other.x) * (one.x - other.x) + (one.y - other.y) * (one.y - other.y)).squareRoot()
    }

    /// The labels as layers of text and lines. A picture that is none of the camera's of here and now has a mark that says so, also
    /// without a name.
    ///
    /// - Parameters:
    ///   - labels: with the names.
    ///   - origin: what the picture is, where it is none of the camera's of here and now; empty otherwise.
    ///   - area: where they may stand.
    ///   - metrics: of the picture.
    ///   - path: of this layer.
    /// - Returns: layers whose paths tell their places, since kept drawings are told apart by these.
    func layers(
        _ labels: [PictureLabel], _ origin: String = "", in area: Box, _ metrics: Metrics, _ path: String
    ) -> [Layer] {
        let em = text.size.pixels(metrics)
        let open = open(area, metrics)
        guard em > 0, open.left < open.right, open.top < open.bottom else { return [] }
        let placed = placed(labels, origin, in: area, metrics)
        let names = placed.map { label, box in name(label.name, in: box, em, metrics, path) }
        let mark =
            origin.isEmpty
            ? []
            : [marked.name(origin, in: corner(for: origin, in: open, em), em, metrics, "\(path) mark")]
        return placed.map { leader($0.label, to: $0.box, metrics, path) } + names + mark
    }

    /// The same in the colours of what asks for attention.
    private var marked: LabelsLayer {
        var layer = self
        layer.text.plate = text.plate ?? Self.standard.text.plate
        layer.text.plate?.effects = [.fill(.color(Color(red: 0.949, green: 0.714, blue: 0.235, alpha: 1)))]
        layer.text.effects = [.fill(.color(Color(red: 0.165, green: 0.071, blue: 0.047, alpha: 1)))]
        return layer
    }

    /// From where to where the line between a name and its point goes down.
    private static func line(_ label: PictureLabel, _ box: Box) -> (top: Double, bottom: Double) {
        box.top > label.y ? (label.y, box.top) : (box.bottom, label.y)
    }

    /// The row nearest to a point where a name covers no other: above it, and below it at the upper edge, where none fits above.
    private func room(
        for label: PictureLabel, _ width: Double, _ em: Double, _ area: Box, _ taken: [(box: Box, x: Double)]
    ) -> Box? {
        let left = min(max(label.x - width / 2, area.left + em * 0.3), area.right - width - em * 0.3)
        let height = em * Self.rowHeight
        let isBelow = label.y - em * Self.clearance - height < area.top
        for row in 0..<Self.mostRows {
            let away = em * (Self.clearance + Double(row) * Self.rowHeight * 1.1)
            let top = isBelow ? label.y + away : label.y - away - height
            let box = Box(left: left, top: top, right: left + width, bottom: top + height)
            guard box.top >= area.top, box.bottom <= area.bottom else { return nil }
            let line = Self.line(label, box)
            let isFree = !taken.contains { (other, x) in
                let covers =
                    other.left < box.right && box.left < other.right && other.top < box.bottom && box.top < other.bottom
                // Names of one direction stand on one line, one above the other.
                let crosses =
                    abs(x - label.x) > em && other.left < label.x && label.x < other.right && other.top < line.bottom
                    && line.top < other.bottom
                return covers || crosses
            }
            if isFree { return box }
        }
        return nil
    }

    private func name(_ name: String, in box: Box, _ em: Double, _ metrics: Metrics, _ path: String) -> Layer {
        let point = Point((box.left + box.right) / 2, box.bottom - 0.4 * em)
        let width = box.width - em * 0.8
        var text = text
        text.segments = [TextLayer.Segment(pattern: Pattern(literal: name), when: [])]
        text.at = Place(x: Self.length(point.x, metrics), y: Self.length(point.y, metrics))
        text.anchor = Anchor(x: 0.5, y: 1)
        text.fit = TextLayer.Fit(width: Length(short: width / metrics.short * 100), minimum: 1, overflow: .ellipsis)
        return Layer(when: [], content: .text(text), path: "\(path) \(Self.key(point)) \(Int(width))")
    }

    private func leader(_ label: PictureLabel, to box: Box, _ metrics: Metrics, _ path: String) -> Layer {
        let (top, bottom) = Self.line(label, box)
        let start = Point(label.x, top)
        let rule = RuleLayer(
            at: Place(x: Self.length(label.x, metrics), y: Self.length(top, metrics)), anchor: Anchor(x: 0.5, y: 0),
            length: Self.length(max(1, bottom - top), metrics), thickness: lineWidth, isVertical: true, fill: line)
        return Layer(when: [], content: .rule(rule), path: "\(path) line \(Self.key(start)) \(Int(bottom.rounded()))")
    }

    private static func length(_ pixels: Double, _ metrics: Metrics) -> Length {
        Length(short: pixels / metrics.short * 100)
    }

    private static func key(_ point: Point) -> String { "\(Int(point.x.rounded())),\(Int(point.y.rounded()))" }
}

extension Template {
    /// Whether it has a layer of labels.
    public var drawsLabels: Bool { Self.hasLabels(layers) }

    private static func hasLabels(_ layers: [Layer]) -> Bool {
        layers.contains { layer in
            switch layer.content {
            case .labels: true
            case .group(let layers): hasLabels(layers)
            default: false
            }
        }
    }

    /// The labels that an overlay of this template shows, of those that the facts have.
    ///
    /// - Parameters:
    ///   - facts: with the labels, as the overlay is drawn with them.
    ///   - width: of the picture, pixels.
    ///   - height: of the picture, pixels.
    /// - Returns: the names at the points to which their lines lead, in the order of importance.
    public func drawnLabels(_ facts: PostcardFacts, width: Int, height: Int) -> [PictureLabel] {
        let metrics = Metrics(width: Double(width), height: Double(height))
        var drawn = Set<PictureLabel>()
        let labels = Self.rounded(facts.labels)
        func look(_ layers: [Layer]) {
            for layer in layers where layer.when.allSatisfy({ facts.fulfils($0, metrics) }) {
                switch layer.content {
                case .labels(let own):
                    drawn.formUnion(own.placed(labels, facts.pictureOrigin, in: metrics.whole, metrics).map(\.label))
                case .group(let layers): look(layers)
                default: break
                }
            }
        }
        look(layers)
        if facts.wantsLabels, !drawsLabels {
            let area = openArea(layers, facts, metrics)
            drawn.formUnion(LabelsLayer.standard.placed(labels, facts.pictureOrigin, in: area, metrics).map(\.label))
        }
        return labels.filter(drawn.contains)
    }

    /// Places in whole pixels: the sun's goes on by thousandths from card to card.
    private static func rounded(_ labels: [PictureLabel]) -> [PictureLabel] {
        labels.map { PictureLabel(name: $0.name, x: $0.x.rounded(), y: $0.y.rounded(), reach: $0.reach) }
    }

    /// The layers with the labels at their places.
    func layers(_ facts: PostcardFacts, _ metrics: Metrics) -> [Layer] {
        let labels = Self.rounded(facts.labels)
        var made = Self.placed(layers, labels, facts, metrics)
        let own = hasLabels(layers, facts, metrics)
        let added = facts.wantsLabels && !drawsLabels ? labels : []
        if !added.isEmpty || (!own && !facts.pictureOrigin.isEmpty) {
            // Below the lettering, which keeps its own room.
            let area = openArea(layers, facts, metrics)
            made = LabelsLayer.standard.layers(added, facts.pictureOrigin, in: area, metrics, "labels") + made
        }
        return made
    }

    /// Whether a layer of labels is drawn, which has the mark as well.
    private func hasLabels(_ layers: [Layer], _ facts: PostcardFacts, _ metrics: Metrics) -> Bool {
        layers.contains { layer in
            guard layer.when.allSatisfy({ facts.fulfils($0, metrics) }) else { return false }
            switch layer.content {
            case .labels: return true
            case .group(let inner): return hasLabels(inner, facts, metrics)
            default: return false
            }
        }
    }

    /// What of the picture the bands and frames leave open.
    private func openArea(_ layers: [Layer], _ facts: PostcardFacts, _ metrics: Metrics) -> Box {
        var area = metrics.whole
        for layer in layers where layer.when.allSatisfy({ facts.fulfils($0, metrics) }) {
            switch layer.content {
            case .group(let inner): area = area.intersection(openArea(inner, facts, metrics))
            case .frame(let frame): area = area.intersection(frame.hole(metrics))
            case .band(let band): area = area.intersection(band.rest(metrics))
            default: break
            }
        }
        return area
    }

    private static func placed(
        _ layers: [Layer], _ labels: [PictureLabel], _ facts: PostcardFacts, _ metrics: Metrics
    ) -> [Layer] {
        layers.map { layer in
            var layer = layer
            switch layer.content {
            case .labels(let own):
                layer.content = .group(own.layers(labels, facts.pictureOrigin, in: metrics.whole, metrics, layer.path))
            case .group(let layers): layer.content = .group(placed(layers, labels, facts, metrics))
            default: break
            }
            return layer
        }
    }
}
