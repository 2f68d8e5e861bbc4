internal import HTTPServing
internal import KonzaAPI

/// `/v1/kiosk/cards/{key}`: a page says what became of the card that its request with this `Idempotency-Key` and
/// `Konza-Keep: when-seen` asked for.
struct UnseenCardRoutes: Sendable {
    private static let path = "/v1/kiosk/cards/{key}"
    /// Who may ask for a card.
    private static let people = Access.only(.kiosk, .collector, .ranger, .keeper)

    let cards: UnseenCards

    var routes: [Route] {
        [
            Route(
                .put, "\(Self.path)/seen", access: Self.people, operation: "seeCard",
                summary: "The visitor has seen the card: it is kept", replies: [Reply(204, "It is noted.")],
                handler: .asynchronous { request in
                    try cards.see(try Self.key(request))
                    return .noContent
                }
            ).failing(.notFound, .archiveUnavailable).taking("key", .name(UnseenCards.longestKey)),
            Route(
                .delete, Self.path, access: Self.people, operation: "giveUpCard",
                summary: "Nobody sees the card any more: it is deleted as soon as it is there",
                replies: [Reply(204, "It is noted.")],
                handler: .asynchronous { request in
                    cards.giveUp(try Self.key(request))
                    return .noContent
                }
            ).failing(.notFound).taking("key", .name(UnseenCards.longestKey)),
        ]
    }

    private static func key(_ request: Request) throws(Problem) -> String {
        let key = request.parameter("key")
        guard UnseenCards.isKey(key) else {
            throw Problem(
                .notFound,
                "cannot find the card: a key has 1 to \(UnseenCards.longestKey) letters, digits and -")
        }
        return UnseenCards.key(key, of: request.principal)
    }
}
