internal import JSONCoding

/// What a class is asked: the items of one quiz with what is right, made of the data that the pages have.
struct ClassQuiz: Sendable {
    /// One question.
    struct Item: Sendable, Equatable {
        let id: String
        let name: String
        /// In Spanish, where it is known.
        let nameEs: String?
        /// Every answer that is right: some countries lie in two continents.
        let right: [String]
    }

    /// Questions of one quiz at most: what a fast reader answers in five minutes.
    static let mostItems = 60
    /// How many groups there are to choose from.
    static let groupChoices = 4

    /// `continents` or `groups`.
    let name: String
    let items: [Item]
    /// All answers of the quiz.
    let options: [String]
    /// How many of the options are offered with each item; nil for all, in their order.
    let choiceCount: Int?

    /// The continents of forty countries.
    ///
    /// - Parameter world: the pages' `world.json`.
    /// - Returns: nil if it is none.
    static func continents(_ world: [UInt8]) -> ClassQuiz? {
        struct World: Decodable {
            struct Country: Decodable {
                let id: String
                let name: String
                let nameEs: String?
                let continent: String
                let continentAlso: [String]?
                let deck: String?
            }
            let items: [Country]
        }
        guard let world = try? JSONText.decode(World.self, from: world) else { return nil }
        func slug(_ name: String) -> String { String(name.lowercased().map { $0 == " " ? "-" : $0 }) }
        let items = world.items.filter { $0.deck != nil }.map { country in
            Item(
                id: country.id, name: country.name, nameEs: country.nameEs,
                right: ([country.continent] + (country.continentAlso ?? [])).map(slug))
        }
        return ClassQuiz(name: "continents", items: items, options: LearningPart.continents, choiceCount: nil)
    }

    /// The groups of the plants and animals of the prairie.
    ///
    /// - Parameter prairie: the pages' `prairie.json`.
    /// - Returns: nil if it is none.
    static func groups(_ prairie: [UInt8]) -> ClassQuiz? {
        struct Prairie: Decodable {
            struct Card: Decodable {
                let id: String
                let name: String
                let nameEs: String?
                let group: String
            }
            let items: [Card]
        }
        guard let prairie = try? JSONText.decode(Prairie.self, from: prairie) else { return nil }
        func slug(_ name: String) -> String { String(name.map { $0 == " " ? "-" : $0 }) }
        var options: [String] = []
        for card in prairie.items where !options.contains(slug(card.group)) { options.append(slug(card.group)) }
        let items = prairie.items.map {
            Item(id: $0.id, name: $0.name, nameEs: $0.nameEs, right: [slug($0.group)])
        }
        return ClassQuiz(name: "groups", items: items, options: options, choiceCount: groupChoices)
    }

    /// - Parameters:
    ///   - seed: of the class.
    ///   - member: a nickname. Each has an order of its own: nobody gains by looking at a neighbour's screen.
    /// - Returns: the numbers of the items in the order in which the member is asked.
    func order(seed: String, member: String) -> [Int] {
        var chance = SeededChance("\(seed) \(member)")
        return Array(chance.shuffled(Array(items.indices)).prefix(Self.mostItems))
    }

    /// - Parameters:
    ///   - item: the number of an item.
    ///   - seed: of the class.
    ///   - member: a nickname.
    /// - Returns: the answers to choose from.
    func choices(for item: Int, seed: String, member: String) -> [String] {
        guard let choiceCount, let right = items[item].right.first else { return options }
        var chance = SeededChance("\(seed) \(member) \(items[item].id)")
        return chance.choices(right, near: [options], count: choiceCount)
    }
}
