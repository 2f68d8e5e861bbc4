public import KonzaAPI

/// What came of one round of a game, as the page reports it.
public struct LearningRound: Sendable, Equatable {
    /// One item that was asked.
    public struct Answer: Sendable, Equatable {
        /// Where it is from: `world`, `states`, `prairie`, or a station's deck.
        public let deck: String
        public let item: String
        public let isRight: Bool
    }

    /// The most answers of one round.
    public static let mostAnswers = 400

    /// Told apart from every other round, so that one that is sent again counts once: 32 hexadecimal digits.
    public let id: String
    /// ``LearnerProfile/everybody`` for whoever chose none.
    public let profile: LearnerProfile
    /// Such as `quiz/hard/africa`: 1 to 48 letters, digits, hyphens and slashes.
    public let activity: String
    /// The version of the game's rules and deck; scores of another version are not compared with it.
    public let rule: Int
    public let right: Int
    public let of: Int
    /// How many answers were given; at least as many as were right.
    public let asked: Int
    /// How long it took, seconds.
    public let seconds: Double
    /// Whether it was played against the clock.
    public let isTimed: Bool
    public let answers: [Answer]

    /// Whether everything was found.
    var isDone: Bool { right >= of }

    /// Reads the body of a request.
    ///
    /// - Throws: a problem that names every fault.
    public init(_ body: JSONValue?) throws(Problem) {
        var faults: [String] = []
        var values: [JSONValue] = []
        var rest = body
        if case .object(var members) = body {
            if let answers = members.removeValue(forKey: "answers") {
                if case .array(let array) = answers, array.count <= Self.mostAnswers {
                    values = array
                } else {
                    faults.append("/answers (expected an array of at most \(Self.mostAnswers))")
                }
            }
            rest = .object(members)
        }
        var members = RequestMembers(rest)
        for name in ["activity", "right", "of", "asked", "seconds"] where !members.has(name) {
            members.fault(name, "missing member")
        }
        let id = members.string("round") ?? ""
        let profileName = members.string("profile")
        let activity = members.string("activity") ?? ""
        let rule = members.integer("rule", in: 1...1000)
        let right = members.integer("right", in: 0...1000) ?? 0
        let of = members.integer("of", in: 1...1000) ?? 1
        let asked = members.integer("asked", in: 0...10_000) ?? 0
        let seconds = members.number("seconds", in: 0...86_400) ?? 0
        let isTimed = members.bool("timed")
        if !Self.isRoundID(id) { members.fault("round", "expected 32 hexadecimal digits") }
        if !Self.isName(activity, most: 48, with: "-/") {
            members.fault("activity", "expected letters, digits, - and /")
        }
        if right > of { members.fault("right", "cannot be more than of") }
        if asked < right { members.fault("asked", "cannot be less than right") }
        let profile: LearnerProfile? = profileName.map { LearnerProfile($0) } ?? .everybody
        if profile == nil { members.fault("profile", "expected a colour and an animal, as in blue-owl") }
        var answers: [Answer] = []
        for (index, value) in values.enumerated() {
            var one = RequestMembers(value, prefix: "/answers/\(index)")
            let deck = one.string("deck") ?? ""
            let item = one.string("item") ?? ""
            let isRight = one.bool("right")
            if !Self.isName(deck, most: 48, with: "-") { one.fault("deck", "expected letters, digits and -") }
            if !Self.isName(item, most: 40, with: "-") { one.fault("item", "expected letters, digits and -") }
            if isRight == nil { one.fault("right", "expected true or false") }
            try one.finish()
            answers.append(Answer(deck: deck, item: item, isRight: isRight ?? false))
        }
        for fault in faults { members.fault("answers", fault) }
        try members.finish()
        self.id = id
        self.profile = profile ?? .everybody
        self.activity = activity
        self.rule = rule ?? 1
        self.right = right
        self.of = of
        self.asked = asked
        self.seconds = seconds
        self.isTimed = isTimed ?? true
        self.answers = answers
    }

    private static func isRoundID(_ text: String) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func isName(_ text: String, most: Int, with marks: String) -> Bool {
        (1...most).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
                    || marks.utf8.contains(byte)
            }
    }
}
