internal import KonzaModel
internal import Stamping

/// A drawing on a kind of frame.
struct StampingCase: Hashable, Sendable {
    static let sizes = [(640, 480), (1280, 720), (1920, 1080), (3840, 2160)].map {
        PixelSize(width: $0.0, height: $0.1)
    }
    /// What the numbers to reach are stated for.
    static let usual = PixelSize(width: 1920, height: 1080)

    let drawing: OverlayChoice
    let kind: FrameKind

    var name: String { "\(drawing.name), \(kind.size), \(kind.subsamplingName), \(kind.restartName)" }

    /// Without what all that are counted have in common.
    var shortName: String { "\(drawing.name), \(kind.restartName)" }

    /// Programs decode and encode all in any case: restart markers are nothing to them.
    var suitsPrograms: Bool { !kind.hasRestarts && drawing.change == .none }

    /// Whether it is of the size and sampling that the numbers to reach are stated for.
    var isUsual: Bool { kind.size == Self.usual && !kind.isHalfHeight }

    init(_ drawing: OverlayChoice, _ kind: FrameKind) {
        self.drawing = drawing
        self.kind = kind
    }

    /// A case of the usual size and sampling.
    init(usual template: String, _ change: OverlayChoice.Change = .none, hasRestarts: Bool) {
        self.init(
            OverlayChoice(template: template, change: change),
            FrameKind(size: Self.usual, isHalfHeight: false, hasRestarts: hasRestarts))
    }

    /// All that is to be measured, in the table's order.
    static func all(templates: [String], _ options: BenchOptions) -> [StampingCase] {
        let templates = templates.filter { options.wants(template: $0) }
        var cases: [StampingCase] = []
        for size in sizes where options.wants(size: "\(size)") {
            for template in templates {
                for isHalfHeight in options.isQuick ? [false] : [false, true] {
                    for hasRestarts in [true, false] {
                        let kind = FrameKind(size: size, isHalfHeight: isHalfHeight, hasRestarts: hasRestarts)
                        cases.append(StampingCase(OverlayChoice(template: template), kind))
                    }
                }
            }
            guard size == usual else { continue }
            let further = StampingGoal.all.map(\.stampingCase).filter { templates.contains($0.drawing.template) }
            cases += further.filter { !cases.contains($0) }
        }
        return cases
    }
}

/// A number to reach: how little of libjpeg-turbo's time a stamp takes.
struct StampingGoal {
    let stampingCase: StampingCase
    /// At most one part in so many.
    let parts: Double
    /// Whether the first stamp with a drawing is to reach it too.
    let includesCold: Bool

    static let all = [
        // The band as the template draws it is opaque.
        StampingGoal(
            stampingCase: StampingCase(usual: "band", hasRestarts: true), parts: 200, includesCold: false),
        StampingGoal(
            stampingCase: StampingCase(usual: "band", .halfTransparent, hasRestarts: true), parts: 8,
            includesCold: true),
        StampingGoal(stampingCase: StampingCase(usual: "band", hasRestarts: false), parts: 5, includesCold: true),
        StampingGoal(
            stampingCase: StampingCase(usual: "band", .top, hasRestarts: false), parts: 8, includesCold: true),
        StampingGoal(stampingCase: StampingCase(usual: "frame", hasRestarts: false), parts: 3, includesCold: true),
        StampingGoal(stampingCase: StampingCase(usual: "vintage", hasRestarts: true), parts: 6, includesCold: false),
        StampingGoal(stampingCase: StampingCase(usual: "vintage", hasRestarts: false), parts: 5, includesCold: false),
    ]

    /// Of which the first postcard of a process is measured too.
    static let first = StampingCase(usual: "vintage", hasRestarts: true)

    /// At most what libjpeg-turbo takes without any drawing.
    static let newWords = [true, false].map { StampingCase(usual: "vintage", hasRestarts: $0) }

    /// Holds the goals against what was measured.
    ///
    /// - Parameter ratio: Of a way of a case to libjpeg-turbo RGB on the same frame; nil if it was not measured.
    /// - Returns: The goals with their figures.
    static func judged(_ ratio: (StampingCase, _ way: String) -> Double?) -> [Goal] {
        all.flatMap { goal in
            (goal.includesCold ? [Contestants.cached, Contestants.cold] : [Contestants.cached]).map { way in
                let state = way == Contestants.cached ? "cached" : "cold"
                return Goal(
                    "\(goal.stampingCase.shortName), \(state)", ratio(goal.stampingCase, way),
                    .atMostOneIn(goal.parts), "of \(LibraryContestant.name)")
            }
        }
            + newWords.map { each in
                Goal(
                    "\(each.shortName), new words, drawing included", ratio(each, NewWords.name), .atMostOneIn(1),
                    "of \(LibraryContestant.name)")
            }
    }
}
