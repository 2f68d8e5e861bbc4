internal import KonzaModel

/// A deck of cards for the learning games that a station adds: one file of JSON or CSV, with pictures beside it.
public struct Deck: Sendable, Encodable, Equatable {
    /// The largest file of a deck, bytes.
    public static let largestFile = 1 << 20
    /// The largest picture of a card, bytes.
    public static let largestPicture = 2 << 20
    /// The fewest cards: a question has four answers to choose from.
    public static let fewestItems = 4
    public static let mostItems = 200
    /// The most facts about one card.
    public static let mostFacts = 4
    /// Characters of a name, of a group and of a title.
    static let longestName = 80
    /// Characters of a fact and of a credit.
    static let longestFact = 240

    /// A text in English, and in Spanish where it is known.
    public struct Text: Sendable, Encodable, Equatable {
        public let en: String
        public let es: String?
    }

    public struct Item: Sendable, Encodable, Equatable {
        /// Known by it in the progress: letters, digits and hyphens.
        public let id: String
        public let name: Text
        /// What the card is sorted by.
        public let group: Text?
        /// The name of a file beside the deck.
        public let picture: String?
        public let facts: [Text]
        /// Whose picture it is.
        public let credit: String?
    }

    public let title: Text
    public let items: [Item]

    /// Whether a file's name says that it is a deck.
    public static func isDeck(_ name: String) -> Bool {
        (name.hasSuffix(".json") || name.hasSuffix(".csv")) && isFileName(name)
    }

    /// The media type of a picture by its name; nil for one that browsers may not show.
    public static func pictureType(_ name: String) -> String? {
        guard isFileName(name) else { return nil }
        switch name.lowercased().split(separator: ".").last {
        case "jpg", "jpeg": return "image/jpeg"
        case "png": return "image/png"
        case "webp": return "image/webp"
        default: return nil
        }
    }

    /// Whether the bytes begin as those of a picture of that type.
    public static func isPicture(_ bytes: [UInt8], type: String) -> Bool {
        PictureKind(bytes)?.mediaType == type
    }

    /// A plain name in a folder, whatever somebody has written into a deck.
    private static func isFileName(_ name: String) -> Bool {
        (1...100).contains(name.utf8.count) && !name.hasPrefix(".")
            && name.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
                    || "-_.".utf8.contains(byte)
            }
    }

    /// Reads a deck.
    ///
    /// - Parameters:
    ///   - bytes: of the file.
    ///   - name: of the file: its ending says what it is.
    /// - Returns: the deck, all of whose cards are sound.
    /// - Throws: a problem that names each fault, as `/items/3/name` (JSON) or `line 4, name` (CSV).
    public static func read(_ bytes: [UInt8], name: String) throws(Problem) -> Deck {
        guard bytes.count <= largestFile else {
            throw Problem(.bodyTooLarge, "cannot take the deck: it has more than \(largestFile >> 10) KiB")
        }
        return name.hasSuffix(".csv") ? try DeckTable.read(bytes, name: name) : try fromJSON(bytes)
    }

    private static func fromJSON(_ bytes: [UInt8]) throws(Problem) -> Deck {
        var members = RequestMembers(try JSONReader.value(of: bytes))
        members.require("title")
        members.require("items")
        let title = members.text("title", upTo: longestName)
        let items = members.objects("items", count: mostItems) { item in Self.item(&item) } ?? []
        var faults = Self.faults(items)
        for fault in faults { members.fault(fault.path, fault.detail) }
        faults.removeAll()
        do throws(Problem) {
            try members.finish()
        } catch {
            throw Self.refused(error.errors ?? [])
        }
        return Deck(title: title ?? Text(en: "", es: nil), items: items)
    }

    private static func item(_ members: inout RequestMembers) -> Item? {
        members.require("id")
        members.require("name")
        let id = members.string("id") ?? ""
        let name = members.text("name", upTo: longestName)
        let group = members.text("group", upTo: longestName)
        let picture = members.string("picture")
        let credit = members.words("credit", upTo: longestFact)
        var facts: [Text] = []
        for (index, value) in (members.array("facts", count: mostFacts) ?? []).enumerated() {
            var one = RequestMembers(.object(["fact": value]), prefix: "\(members.prefix)/facts/\(index)")
            if let fact = one.text("fact", upTo: longestFact) { facts.append(fact) }
            members.adopt(one)
        }
        return Item(
            id: id, name: name ?? Text(en: "", es: nil), group: group, picture: picture, facts: facts, credit: credit)
    }

    /// What is wrong with cards beside one another; paths as `items/3/id`.
    static func faults(_ items: [Item]) -> [Problem.Fault] {
        var found: [Problem.Fault] = []
        if items.count < fewestItems {
            found.append(.init(path: "items", detail: "at least \(fewestItems) cards, these are \(items.count)"))
        }
        var ids: Set<String> = []
        var names: Set<String> = []
        for (index, item) in items.enumerated() {
            func fault(_ member: String, _ detail: String) {
                found.append(.init(path: "items/\(index)/\(member)", detail: detail))
            }
            if !isID(item.id) { fault("id", "expected 1 to 40 small letters, digits and hyphens") }
            if !ids.insert(item.id).inserted { fault("id", "another card has it already") }
            if !names.insert(item.name.en.lowercased()).inserted {
                fault("name", "another card has it already: both would be the right answer")
            }
            if let picture = item.picture, pictureType(picture) == nil {
                fault("picture", "expected the name of a .jpg, .png or .webp file beside the deck")
            }
            if item.picture == nil, item.facts.count < 2 {
                fault("facts", "a card without a picture needs two facts to be known by")
            }
        }
        return found
    }

    static func isID(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    }

    static func refused(_ faults: [Problem.Fault]) -> Problem {
        Problem(
            .invalidRequest,
            "cannot take the deck: "
                + faults.map { "\($0.path.isEmpty ? "file" : $0.path) (\($0.detail))" }.joined(separator: ", "),
            errors: faults)
    }
}

extension RequestMembers {
    /// A text: a string, which is English, or `{"en": …, "es": …}`.
    fileprivate mutating func text(_ name: String, upTo limit: Int) -> Deck.Text? {
        guard case .object = peek(name) else {
            return words(name, upTo: limit).map { Deck.Text(en: $0, es: nil) }
        }
        guard let value = take(name) else { return nil }
        return object(value, at: "\(prefix)/\(name)") { languages in
            languages.require("en")
            let english = languages.words("en", upTo: limit)
            let spanish = languages.words("es", upTo: limit)
            return english.map { Deck.Text(en: $0, es: spanish) }
        }
    }
}
