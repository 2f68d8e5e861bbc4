internal import KonzaAPI
internal import KonzaModel

/// An answer cut back to what was asked, in the order in which it is shown.
struct SampleListing: Sendable {
    let samples: [FoundSample]
    let total: Int
    let isComplete: Bool
    let wholeWithin: Double?
    /// The middle of the circle that was asked about.
    let center: Coordinate?

    /// - Parameters:
    ///   - answer: to the search's ``SampleSearch/asked``.
    ///   - coverage: whose answer it is.
    ///   - search: what was asked.
    init(_ answer: SampleAnswer, _ coverage: AnswerOrigin.Coverage, of search: SampleSearch) {
        let isAnswer = coverage == .answer
        guard case .circle(let center, let radius) = search.query.area else {
            samples = answer.samples
            total = max(answer.total, answer.samples.count)
            isComplete = isAnswer && answer.isWhole
            wholeWithin = nil
            self.center = nil
            return
        }
        self.center = center
        samples = answer.samples.filter { search.query.area.contains($0) }.sighted(from: center).map(\.sample)
        // The answer is whole around the point of the grid; around the place itself it is so much less.
        var offset = 0.0
        if case .circle(let point, _) = search.asked.area { offset = point.distance(to: center) }
        let whole = answer.wholeWithin.map { max(0, $0 - offset) }
        let hasAll = answer.isWhole || whole.map { $0 >= radius } == true
        total = hasAll ? samples.count : max(answer.total, samples.count)
        isComplete = isAnswer && hasAll
        wholeWithin = isAnswer && !hasAll ? whole : nil
    }
}

/// Where a page begins, in which answer.
struct SampleCursor: Sendable, Equatable, CustomStringConvertible {
    /// Of an answer of the server; else of what is known here.
    var isKnown: Bool
    var stamp: Int64
    var offset: Int
    /// Where `here` was on the first page.
    var center: Coordinate?

    init(isKnown: Bool, stamp: Int64, offset: Int, center: Coordinate?) {
        self.isKnown = isKnown
        self.stamp = stamp
        self.offset = offset
        self.center = center
    }

    static let form = TextForm(
        "[ak]_(?:0|-?[1-9][0-9]{0,17})_(?:0|[1-9][0-9]{0,2}|1000)(?:_\(TextForm.latitude)_\(TextForm.longitude))?",
        examples: ["a_7_50"], expected: "the member next of a page",
        accepts: { text in
            let parts = text.split(separator: "_", omittingEmptySubsequences: false)
            let hasPlainNumbers = parts.count > 2 && parts[1...2].allSatisfy { "\(Int64($0) ?? .min)" == $0 }
            let hasPlainPlace = parts.dropFirst(3).allSatisfy { TextForm.decimals(String($0)) != nil }
            return hasPlainNumbers && hasPlainPlace && SampleCursor(text) != nil
        })

    /// - Returns: nil if it is none that this program makes.
    init?(_ text: String) {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 3 || parts.count == 5, ["a", "k"].contains(parts[0]), let stamp = Int64(parts[1]),
            let offset = Int(parts[2]), (0...SampleAnswer.mostSamples).contains(offset)
        else { return nil }
        isKnown = parts[0] == "k"
        self.stamp = stamp
        self.offset = offset
        guard parts.count == 5 else { return }
        guard let latitude = Double(parts[3]), let longitude = Double(parts[4]),
            let center = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        self.center = center
    }

    /// All characters stand in a URI as they are.
    var description: String {
        let start = "\(isKnown ? "k" : "a")_\(stamp)_\(offset)"
        return center.map { "\(start)_\($0.latitude)_\($0.longitude)" } ?? start
    }
}
