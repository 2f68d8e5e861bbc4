/// A name at a point of the picture.
public struct PictureLabel: Hashable, Sendable {
    public var name: String
    /// Pixels from the left and the upper edge of the picture that is drawn on.
    public var x: Double
    public var y: Double

    public init(name: String, x: Double, y: Double) {
        (self.name, self.x, self.y) = (name, x, y)
    }
}

/// The names of what the camera sees, each above its point with a line down to it.
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

    /// The labels as layers of text and lines, the most important ones first: a name that finds no room is left out.
    ///
    /// - Parameters:
    ///   - labels: with the names.
    ///   - metrics: of the picture.
    ///   - path: of this layer.
    /// - Returns: layers whose paths tell their places, since kept drawings are told apart by these.
    func layers(_ labels: [PictureLabel], _ metrics: Metrics, _ path: String) -> [Layer] {
        let em = text.size.pixels(metrics)
        let (top, bottom) = (top.pixels(metrics), min(bottom.pixels(metrics), metrics.height))
        var taken: [(box: Box, x: Double)] = []
        var names: [Layer] = []
        var lines: [Layer] = []
        guard em > 0 else { return [] }
        for label in labels where names.count < most && label.x.isFinite && label.y.isFinite {
            guard (0...metrics.width).contains(label.x), (top...max(top, bottom)).contains(label.y) else { continue }
            let characters = Double(min(label.name.count, 60))
            let width = min((characters * Self.characterWidth + 1) * em, metrics.width * 0.6)
            guard let box = room(for: label, width, em, top, taken, metrics) else { continue }
            taken.append((box, label.x))
            // Its line, too, keeps other names away.
            taken.append(
                (Box(left: label.x, top: box.bottom, right: label.x, bottom: label.y).grown(x: em * 0.4, y: 0), label.x)
            )
            let middle = (box.left + box.right) / 2
            names.append(name(label, at: Point(middle, box.bottom - 0.4 * em), width - em * 0.8, metrics, path))
            lines.append(leader(label, from: box.bottom, metrics, path))
        }
        return lines + names
    }

    /// The lowest row above a point where a name covers no other.
    private func room(
        for label: PictureLabel, _ width: Double, _ em: Double, _ top: Double, _ taken: [(box: Box, x: Double)],
        _ metrics: Metrics
    ) -> Box? {
        let left = min(max(label.x - width / 2, em * 0.3), metrics.width - width - em * 0.3)
        for row in 0..<Self.mostRows {
            let below = label.y - em * (Self.clearance + Double(row) * Self.rowHeight * 1.1)
            let box = Box(left: left, top: below - em * Self.rowHeight, right: left + width, bottom: below)
            guard box.top >= top else { return nil }
            let isFree = !taken.contains { (other, x) in
                let covers =
                    other.left < box.right && box.left < other.right && other.top < box.bottom && box.top < other.bottom
                // Names of one direction stand on one line, one above the other.
                let crosses =
                    abs(x - label.x) > em && other.left < label.x && label.x < other.right && other.top < label.y
                    && box.bottom < other.bottom
                return covers || crosses
            }
            if isFree { return box }
        }
        return nil
    }

    private func name(
        _ label: PictureLabel, at point: Point, _ width: Double, _ metrics: Metrics, _ path: String
    ) -> Layer {
        var text = text
        text.segments = [TextLayer.Segment(pattern: Pattern(literal: label.name), when: [])]
        text.at = Place(x: Self.length(point.x, metrics), y: Self.length(point.y, metrics))
        text.anchor = Anchor(x: 0.5, y: 1)
        text.fit = TextLayer.Fit(width: Length(short: width / metrics.short * 100), minimum: 1, overflow: .ellipsis)
        return Layer(when: [], content: .text(text), path: "\(path) \(Self.key(point)) \(Int(width))")
    }

    private func leader(_ label: PictureLabel, from top: Double, _ metrics: Metrics, _ path: String) -> Layer {
        let start = Point(label.x, top)
        let rule = RuleLayer(
            at: Place(x: Self.length(label.x, metrics), y: Self.length(top, metrics)), anchor: Anchor(x: 0.5, y: 0),
            length: Self.length(max(1, label.y - top), metrics), thickness: lineWidth, isVertical: true, fill: line)
        return Layer(when: [], content: .rule(rule), path: "\(path) line \(Self.key(start)) \(Int(label.y.rounded()))")
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

    /// The layers with the labels at their places.
    func layers(_ facts: PostcardFacts, _ metrics: Metrics) -> [Layer] {
        // Places in whole pixels: the sun's goes on by thousandths from card to card.
        let labels = facts.labels.map { PictureLabel(name: $0.name, x: $0.x.rounded(), y: $0.y.rounded()) }
        var made = Self.placed(layers, labels, facts, metrics)
        if facts.wantsLabels, !labels.isEmpty, !drawsLabels {
            // Below the lettering, which keeps its own room.
            made = LabelsLayer.standard.layers(labels, metrics, "labels") + made
        }
        return made
    }

    private static func placed(
        _ layers: [Layer], _ labels: [PictureLabel], _ facts: PostcardFacts, _ metrics: Metrics
    ) -> [Layer] {
        layers.map { layer in
            var layer = layer
            switch layer.content {
            case .labels(let own): layer.content = .group(own.layers(labels, metrics, layer.path))
            case .group(let layers): layer.content = .group(placed(layers, labels, facts, metrics))
            default: break
            }
            return layer
        }
    }
}
