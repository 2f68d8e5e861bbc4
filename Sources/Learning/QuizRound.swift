/// One round of a quiz: which item is asked, what was answered, and the time. `round.js` of the pages decides the same by the
/// same rules; `Tests/Pages/learning_vectors.json` holds both to one another. Time comes in as milliseconds of a clock that
/// never goes back.
struct QuizRound: Sendable {
    /// Answers nearer to the one before are a double tap, milliseconds.
    static let guardMilliseconds = 250.0

    /// Items in the order in which they are asked.
    let count: Int
    /// The time that it has, seconds; nil for no clock.
    let seconds: Double?
    /// Whether each answer was right, in their order.
    private(set) var answers: [Bool] = []
    /// What was found.
    private(set) var right = 0
    private(set) var isOver: Bool
    private let begun: Double
    private var last = -Double.infinity

    /// - Parameters:
    ///   - count: how many items there are.
    ///   - seconds: the time that it has; nil for no clock.
    ///   - now: when it begins.
    init(count: Int, seconds: Double?, at now: Double) {
        self.count = count
        self.seconds = seconds
        begun = now
        isOver = count == 0
    }

    /// The number of the item that is asked, from 0; nil when it is over.
    var item: Int? { isOver ? nil : answers.count }

    /// - Returns: seconds that are left; nil without a clock.
    func left(at now: Double) -> Double? { seconds.map { max(0, $0 - (now - begun) / 1000) } }

    /// Ends the round when its time is over.
    ///
    /// - Returns: whether it is over.
    @discardableResult
    mutating func tick(at now: Double) -> Bool {
        if !isOver, left(at: now) == 0 { isOver = true }
        return isOver
    }

    /// Takes an answer.
    ///
    /// - Returns: false where it does not count: too soon after the one before, or when the time is over.
    mutating func answer(_ isRight: Bool, at now: Double) -> Bool {
        guard !tick(at: now), now - last >= Self.guardMilliseconds else { return false }
        last = now
        answers.append(isRight)
        if isRight { right += 1 }
        if answers.count == count { isOver = true }
        return true
    }
}
