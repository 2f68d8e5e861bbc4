internal import HTTPServing
internal import KonzaAPI

/// `POST /v1/kiosk/heartbeat`: the kiosk's page says that it runs, and hears which pages the portal has.
struct KioskRoutes: Sendable {
    private struct Answer: Encodable {
        /// Of the pages that the portal serves; a page of another build loads itself anew.
        let build: String
        /// Counts the changes of what visitors begin with; a page that began with others loads itself anew.
        let choices: Int64
    }

    /// The longest name of a screen or a build, characters.
    private static let longestName = 64

    let presence: KioskPresence
    let build: String
    let choices: KioskChoices

    var routes: [Route] {
        [
            Route(
                .post, "/v1/kiosk/heartbeat", access: .only(.kiosk, .ranger), operation: "postHeartbeat",
                summary: "The kiosk's page runs",
                body: RequestBody(schema: "HeartbeatRequest", isRequired: true, limit: 512),
                replies: [Reply(200, "The pages that the portal has.", schema: "Heartbeat")],
                handler: .immediate { [presence, build, choices] request throws(Problem) in
                    presence.note(try Self.heartbeat(try request.json()))
                    return try .json(Answer(build: build, choices: choices.current.revision))
                }
            ).failing(.invalidRequest)
        ]
    }

    private static func heartbeat(_ value: JSONValue?) throws(Problem) -> KioskPresence.Heartbeat {
        var members = RequestMembers(value)
        let screen = members.string("screen")
        let build = members.string("build")
        let isIdle = members.bool("idle")
        try members.finish()
        guard let screen, let build, let isIdle, isName(screen), isName(build) else {
            throw Problem(
                .invalidRequest,
                "cannot take the heartbeat: it has a screen and a build, of 1 to \(longestName) letters, digits and -._+, "
                    + "and says whether the kiosk is idle")
        }
        return KioskPresence.Heartbeat(screen: screen, build: build, isIdle: isIdle)
    }

    private static func isName(_ text: String) -> Bool {
        (1...longestName).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789-._+".unicodeScalars.contains($0))
            }
    }
}
