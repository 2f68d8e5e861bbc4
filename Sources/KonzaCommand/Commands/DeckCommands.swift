internal import KonzaAPI
internal import KonzaSystem

// decks: cards for the learning games.

/// What the portal answers to `GET /v1/learning/decks`.
struct DeckListReply: Decodable {
    struct Title: Decodable { let en: String }

    struct Entry: Decodable {
        let name: String
        let title: Title?
        let items: Int
        let complaint: String?
    }

    let decks: [Entry]
}

extension CommandContext {
    func decks() async throws(CommandFailure) -> ExitCode {
        let body = try await portal.send(StationRequest(path: "/v1/learning/decks")).body
        let _: DeckListReply = try present(body) { reply in
            guard !reply.decks.isEmpty else { return [Line("The station has added no deck")] }
            let width = min(40, reply.decks.map { $0.name.count }.max() ?? 0)
            return reply.decks.map { deck in
                let name = Line(deck.name, .strong).padded(to: width) + "  "
                guard let title = deck.title?.en else { return name + Line(deck.complaint ?? "", .bad) }
                return name + Line("\(Figures.count(deck.items, "card")): \(title)")
            }
        }
        return .ok
    }

    func checkDecks() async throws(CommandFailure) -> ExitCode {
        var isSound = true
        for path in invocation.operands {
            let complaints = try Self.complaints(path)
            guard complaints.isEmpty else {
                isSound = false
                try show(complaints.map { Line("\(path): \($0)", .bad) })
                continue
            }
            try show(Line("\(path): sound"))
        }
        return isSound ? .ok : .data
    }

    private static func complaints(_ path: String) throws(CommandFailure) -> [String] {
        let parts = folderAndName(of: path)
        guard Deck.isDeck(parts.name) else {
            return ["its name must end in .json or .csv, and have nothing but letters, digits and -_."]
        }
        let bytes = try contents(path, limit: Deck.largestFile)
        let deck: Deck
        do throws(Problem) {
            deck = try Deck.read(bytes, name: parts.name)
        } catch {
            return error.errors?.map { "\($0.path): \($0.detail)" } ?? [error.detail]
        }
        var found: [String] = []
        for item in deck.items {
            guard let picture = item.picture, let type = Deck.pictureType(picture) else { continue }
            let file = parts.folder.isEmpty ? picture : "\(parts.folder)/\(picture)"
            do throws(CommandFailure) {
                let bytes = try contents(file, limit: Deck.largestPicture)
                if !Deck.isPicture(bytes, type: type) { found.append("\(item.id): \(picture) is no \(type)") }
            } catch {
                found.append("\(item.id): \(error.message)")
            }
        }
        return found
    }

    private static func contents(_ path: String, limit: Int) throws(CommandFailure) -> [UInt8] {
        do throws(SystemError) {
            let file = try MappedFile(path, limit: limit)
            return file.bytes(0..<file.count)
        } catch {
            throw CommandFailure("cannot read the deck's file: \(error)", .noInput)
        }
    }
}
