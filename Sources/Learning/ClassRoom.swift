/// One class at one quiz: who has joined, and how far they are. Nothing of it is kept: it lives in memory until it is over.
struct ClassRoom: Sendable {
    enum State: String, Sendable, Encodable {
        /// Members join; nobody is asked yet.
        case open
        case running
        case over
    }

    /// How an answer was judged.
    struct Judgement: Sendable, Equatable {
        let isRight: Bool
        /// All that would have been right.
        let right: [String]
    }

    private struct Member {
        let name: String
        let order: [Int]
        var round: QuizRound?
    }

    /// How far a member is, as the shared board shows it: not how many were right.
    struct Progress: Sendable, Equatable {
        /// A colour and an animal.
        let name: String
        let asked: Int
        let of: Int
    }

    /// Members at most: of the 48 nicknames, so that none is left without one.
    static let mostMembers = 40

    let quiz: ClassQuiz
    let seconds: Double
    /// When it was opened, milliseconds of the steady clock.
    let openedAt: Double
    private let seed: String
    /// Nicknames in the order in which they are given.
    private let names: [String]
    /// By the tickets of the members.
    private var members: [String: Member] = [:]
    /// Tickets in the order of joining.
    private var tickets: [String] = []
    private var startedAt: Double?
    private var endedAt: Double?

    init(_ quiz: ClassQuiz, seconds: Double, seed: String, at now: Double) {
        self.quiz = quiz
        self.seconds = seconds
        self.seed = seed
        openedAt = now
        var chance = SeededChance("\(seed) names")
        names = chance.shuffled(
            LearnerProfile.colours.flatMap { colour in LearnerProfile.animals.map { "\(colour)-\($0)" } })
    }

    // MARK: - The teacher's

    mutating func start(at now: Double) {
        guard startedAt == nil, endedAt == nil else { return }
        startedAt = now
        for ticket in tickets { begin(ticket, at: now) }
    }

    mutating func end(at now: Double) { if state(at: now) != .over { endedAt = now } }

    private mutating func begin(_ ticket: String, at start: Double) {
        guard let member = members[ticket] else { return }
        members[ticket]?.round = QuizRound(count: member.order.count, seconds: seconds, at: start)
    }

    // MARK: - The members'

    /// - Returns: the nickname of the new member; nil where the class is full or over.
    mutating func join(_ ticket: String, at now: Double) -> String? {
        guard tickets.count < Self.mostMembers, state(at: now) != .over else { return nil }
        let name = names[tickets.count]
        members[ticket] = Member(name: name, order: quiz.order(seed: seed, member: name))
        tickets.append(ticket)
        // Whoever comes late has the time that is left to all.
        if let startedAt { begin(ticket, at: startedAt) }
        return name
    }

    /// Takes an answer: what is right and whether it came in time is decided here.
    ///
    /// - Parameters:
    ///   - ticket: of the member.
    ///   - number: of the question, from 1. An answer to another one than that which is asked counts nothing, so that one may
    ///     be sent again.
    ///   - choice: what was chosen.
    ///   - now: when it came.
    /// - Returns: nil where it does not count.
    mutating func answer(_ ticket: String, number: Int, choice: String, at now: Double) -> Judgement? {
        guard state(at: now) == .running, let member = members[ticket], var round = member.round,
            let asked = round.item, asked == number - 1
        else { return nil }
        let item = member.order[asked]
        guard quiz.choices(for: item, seed: seed, member: member.name).contains(choice) else { return nil }
        let right = quiz.items[item].right
        guard round.answer(right.contains(choice), at: now) else { return nil }
        members[ticket]?.round = round
        return Judgement(isRight: right.contains(choice), right: right)
    }

    /// What a member is asked now; nil before it starts, when it is over, and when all is answered.
    func question(_ ticket: String, at now: Double) -> (number: Int, item: ClassQuiz.Item, choices: [String])? {
        guard state(at: now) == .running, let member = members[ticket], let asked = member.round?.item else {
            return nil
        }
        let item = member.order[asked]
        return (asked + 1, quiz.items[item], quiz.choices(for: item, seed: seed, member: member.name))
    }

    /// A member's own figures; nil for none.
    func figures(_ ticket: String) -> (name: String, right: Int, asked: Int, of: Int)? {
        members[ticket].map {
            ($0.name, $0.round?.right ?? 0, $0.round?.answers.count ?? 0, $0.order.count)
        }
    }

    // MARK: - The board

    func state(at now: Double) -> State {
        if endedAt != nil { return .over }
        guard let startedAt else { return .open }
        let isDone = !tickets.isEmpty && members.values.allSatisfy { $0.round?.isOver == true }
        return isDone || now - startedAt >= seconds * 1000 ? .over : .running
    }

    /// Seconds that are left; all of them before it starts.
    func left(at now: Double) -> Double {
        guard let startedAt else { return seconds }
        return state(at: now) == .over ? 0 : max(0, seconds - (now - startedAt) / 1000)
    }

    /// In the order of joining, which says nothing of how anybody does.
    var progress: [Progress] {
        tickets.compactMap { members[$0] }.map {
            Progress(name: $0.name, asked: $0.round?.answers.count ?? 0, of: $0.order.count)
        }
    }

    /// What all have found together.
    var right: Int { members.values.reduce(0) { $0 + ($1.round?.right ?? 0) } }

    /// What was missed most, for the teacher to look at with all: at most `count` items, none of which says who missed it.
    func missed(_ count: Int) -> [(item: ClassQuiz.Item, times: Int)] {
        var times: [Int: Int] = [:]
        for member in members.values {
            for (index, isRight) in (member.round?.answers ?? []).enumerated() where !isRight {
                times[member.order[index], default: 0] += 1
            }
        }
        return times.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(count).map {
            (quiz.items[$0.key], $0.value)
        }
    }
}
