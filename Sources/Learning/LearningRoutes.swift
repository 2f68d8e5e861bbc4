public import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import Storage

/// `/v1/learning`: what players have reached, and the decks of the station.
public struct LearningRoutes: Sendable {
    private struct Activity: Encodable {
        let activity: String
        let timed: Bool
        let rule: Int
        let right: Int
        let of: Int
        /// Of the best round.
        let seconds: Double
        /// The best share of right answers, 0 to 1.
        let accuracy: Double
        let plays: Int
        let state: LearningPart.State
    }

    private struct Item: Encodable {
        let deck: String
        let item: String
        let seen: Int
        let right: Int
        /// 1 to 5.
        let box: Int
        let dueAt: UTCInstant
    }

    private struct Progress: Encodable {
        /// Absent where none was chosen.
        let profile: String?
        /// Whether what the asking device reaches is kept here.
        let kept: Bool
        let parts: [LearningPart]
        let activities: [Activity]
        let items: [Item]
    }

    private struct Days: Encodable {
        struct Day: Encodable {
            /// UTC, as 2026-11-22.
            let day: String
            let activity: String
            let plays: Int
            let finishes: Int
            let medianSeconds: Double
        }

        let days: [Day]
    }

    private let register: ProgressRegister
    private let decks: DeckFolder
    let classes: ClassRegister
    let link: @Sendable (String) -> String

    /// - Parameters:
    ///   - register: keeps what players have reached.
    ///   - decks: of the station.
    ///   - classes: of now.
    ///   - link: makes of a class's code the address of the page to join, with the code as its query.
    public init(
        _ register: ProgressRegister, decks: DeckFolder, classes: ClassRegister,
        link: @escaping @Sendable (String) -> String
    ) {
        self.register = register
        self.decks = decks
        self.classes = classes
        self.link = link
    }

    public var routes: [Route] { progressRoutes + deckRoutes + classRoutes }

    // MARK: - Progress

    private static let profile = [
        QueryParameter(
            "profile", "A colour and an animal, as in blue-owl; without one, of everybody at this device.", .string)
    ]

    private var progressRoutes: [Route] {
        [
            Route(
                .get, "/v1/learning/progress", access: .everyone, operation: "getLearningProgress",
                summary: "What a player has reached", query: Self.profile,
                replies: [
                    Reply(
                        200, "Each part of the menu, the best of each game, and what is known of each item.",
                        schema: "LearningProgress")
                ],
                handler: .asynchronous { request in try progress(of: try profile(request), request.principal) }
            ).failing(.invalidRequest, .archiveUnavailable),
            Route(
                .delete, "/v1/learning/progress", access: .only(.kiosk, .collector, .ranger, .keeper),
                operation: "resetLearningProgress", summary: "Forgets what a player has reached", query: Self.profile,
                replies: [Reply(204, "Nothing of it is kept.")],
                handler: .asynchronous { request in
                    let profile = try profile(request)
                    let owner = try owner(request.principal)
                    try kept { () throws(StorageError) in try register.reset(profile, of: owner) }
                    return Response(status: 204)
                }
            ).failing(.invalidRequest, .archiveUnavailable),
            Route(
                .post, "/v1/learning/rounds", access: .only(.kiosk, .collector, .ranger, .keeper),
                operation: "addLearningRound",
                summary: "Notes how a round of a game went; one that is sent again counts once",
                body: RequestBody(schema: "LearningRoundRequest", isRequired: true, limit: 64 << 10),
                replies: [
                    Reply(
                        200, "What the player has reached, this round included; it is on the disk.",
                        schema: "LearningProgress")
                ],
                handler: .asynchronous { request in
                    let round = try LearningRound(try request.json())
                    let owner = try owner(request.principal)
                    guard try kept({ () throws(StorageError) in try register.note(round, of: owner) }) else {
                        throw Problem(
                            .conflict,
                            "cannot note the round: this player has \(ProgressRegister.mostActivities) games already; "
                                + "reset the progress first")
                    }
                    return try progress(of: round.profile, request.principal)
                }
            ).failing(.invalidRequest, .malformedRequest, .conflict, .archiveUnavailable),
            Route(
                .get, "/v1/learning/days", access: .only(.kiosk, .ranger, .keeper), operation: "listLearningDays",
                summary: "How often the games were played on each of the last thirty days, by whomever",
                replies: [
                    Reply(
                        200, "Games that were played less than five times on a day are left out.",
                        schema: "LearningDays")
                ],
                handler: .asynchronous { _ in
                    let days = try kept { () throws(StorageError) in try register.days() }
                    return try .json(
                        Days(
                            days: days.map {
                                Days.Day(
                                    day: $0.day, activity: $0.activity, plays: $0.plays, finishes: $0.finishes,
                                    medianSeconds: $0.medianSeconds)
                            }))
                }
            ).failing(.archiveUnavailable),
        ]
    }

    private func progress(of profile: LearnerProfile, _ principal: Principal) throws(Problem) -> Response {
        let owner = Self.owner(principal)
        var best: [ProgressRegister.Best] = []
        var items: [ProgressRegister.Item] = []
        if let owner {
            best = try kept { () throws(StorageError) in try register.best(profile, of: owner) }
            items = try kept { () throws(StorageError) in try register.items(profile, of: owner) }
        }
        return try .json(
            Progress(
                profile: profile == .everybody ? nil : profile.name, kept: owner != nil, parts: LearningPart.all(best),
                activities: best.map {
                    Activity(
                        activity: $0.activity, timed: $0.isTimed, rule: $0.rule, right: $0.right, of: $0.of,
                        seconds: $0.seconds, accuracy: $0.accuracy, plays: $0.plays,
                        state: $0.right >= $0.of ? .done : .started)
                },
                items: items.map {
                    Item(deck: $0.deck, item: $0.item, seen: $0.seen, right: $0.right, box: $0.box, dueAt: $0.due)
                }))
    }

    private func profile(_ request: Request) throws(Problem) -> LearnerProfile {
        guard let name = request.query("profile"), !name.isEmpty else { return .everybody }
        guard let profile = LearnerProfile(name) else {
            throw Problem(
                .invalidRequest,
                "cannot find the profile \(name.prefix(40)): it is a colour (\(LearnerProfile.colours.joined(separator: ", "))), "
                    + "a hyphen, and an animal (\(LearnerProfile.animals.joined(separator: ", ")))")
        }
        return profile
    }

    /// Whose progress it is: a paired device's, or the kiosk's; nil for a device that is not paired.
    private static func owner(_ principal: Principal) -> String? {
        guard principal.has([.kiosk, .collector, .ranger, .keeper]) else { return nil }
        // The kiosk's own browser may have proved who it is, or come over loopback.
        return principal.has([.kiosk]) ? "kiosk" : principal.client ?? "kiosk"
    }

    private func owner(_ principal: Principal) throws(Problem) -> String {
        guard let owner = Self.owner(principal) else {
            throw Problem(
                .forbidden,
                "cannot keep the progress of a device that is not paired with the station: its keeper can begin that "
                    + "with konza pair")
        }
        return owner
    }

    private func kept<Value>(_ body: () throws(StorageError) -> Value) throws(Problem) -> Value {
        do throws(StorageError) {
            return try body()
        } catch {
            throw Problem(.archiveUnavailable, "cannot use the players' progress: \(error); free or mend the disk")
        }
    }

    // MARK: - Decks

    private struct DeckList: Encodable {
        struct Entry: Encodable {
            let name: String
            /// Absent where the deck cannot be used.
            let title: Deck.Text?
            let items: Int
            /// What is wrong with the deck, for whoever made it.
            let complaint: String?
        }

        let decks: [Entry]
    }

    private var deckRoutes: [Route] {
        [
            Route(
                .get, "/v1/learning/decks", access: .everyone, operation: "listDecks",
                summary: "The decks that the station has added",
                replies: [Reply(200, "All of them, by name.", schema: "DeckList")],
                handler: .asynchronous { _ in
                    try .json(
                        DeckList(
                            decks: decks.list().map {
                                DeckList.Entry(
                                    name: $0.name, title: $0.deck?.title, items: $0.deck?.items.count ?? 0,
                                    complaint: $0.complaint)
                            }))
                }),
            Route(
                .get, "/v1/learning/decks/{name}", access: .everyone, operation: "getDeck",
                summary: "The cards of a deck",
                replies: [Reply(200, "The deck; pictures are below it, by their names.", schema: "Deck")],
                handler: .asynchronous { request in
                    guard let deck = decks.deck(request.parameter("name")) else {
                        throw Problem(
                            .notFound, "cannot find the deck: GET /v1/learning/decks lists those that can be used")
                    }
                    return try .json(deck)
                }
            ).failing(.notFound).taking("name", .string),
            Route(
                .get, "/v1/learning/decks/{name}/pictures/{file}", access: .everyone, operation: "getDeckPicture",
                summary: "The picture of a card", produces: ["image/jpeg", "image/png", "image/webp"],
                replies: [Reply(200, "The picture.")],
                handler: .asynchronous { request in
                    guard
                        let picture = decks.picture(
                            request.parameter("file"), of: request.parameter("name"))
                    else { throw Problem(.notFound, "cannot find the picture: no card of the deck has it") }
                    return .bytes(picture.bytes, type: picture.type)
                }
            ).failing(.notFound).taking("name", .string).taking("file", .string),
        ]
    }
}
