/// The parts of the menu, each with how far a player is: made of the games that belong to it.
struct LearningPart: Encodable, Equatable {
    enum State: String, Encodable {
        case untouched
        case started
        case done
    }

    static let continents = ["africa", "asia", "europe", "north-america", "oceania", "south-america"]

    /// The parts in the order of the menu, and the games of each. A part is done when all its games are.
    static let games: [(part: String, activities: [String])] = [
        ("jigsaw", ["jigsaw/easy", "jigsaw/hard"]),
        ("cards", ["cards"]),
        ("quiz/easy", ["quiz/easy"]),
        ("quiz/medium", ["quiz/medium"]),
        ("quiz/hard", continents.map { "quiz/hard/\($0)" }),
        ("quiz/states", ["quiz/states"]),
        ("facts", ["facts"]),
        ("prairie", ["prairie/who", "prairie/group", "prairie/food"]),
    ]

    let part: String
    let state: State
    /// Of what was ever found in one round of each of its games, the sum.
    let right: Int
    /// The sum of what there is to find in the games that were played; absent before the first.
    let of: Int?

    /// - Parameter best: of a player's games.
    /// - Returns: all parts.
    static func all(_ best: [ProgressRegister.Best]) -> [LearningPart] {
        games.map { part, activities in
            let played = activities.map { name in
                // The better of the two ways to play: with and without a clock.
                best.filter { $0.activity == name }.max { $0.right < $1.right }
            }
            let isDone = played.allSatisfy { $0.map { $0.right >= $0.of } ?? false }
            let known = played.compactMap { $0 }
            return LearningPart(
                part: part, state: isDone ? .done : known.isEmpty ? .untouched : .started,
                right: known.reduce(0) { $0 + $1.right }, of: known.isEmpty ? nil : known.reduce(0) { $0 + $1.of })
        }
    }
}
