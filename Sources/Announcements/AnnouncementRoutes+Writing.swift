internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import Storage

/// What rangers and officers write, and what they take away.
extension AnnouncementRoutes {
    private static let body = RequestBody(schema: "AnnouncementRequest", isRequired: true, limit: 128 << 10)
    /// Bytes of a body and of what follows it.
    static let longestBody = 16 << 10
    static let longestTitle = 200
    static let mostTranslations = 8

    var writingRoutes: [Route] {
        [
            Route(
                .post, "/v1/announcements", access: .everyone, operation: "writeAnnouncement",
                summary:
                    "Write an announcement: {\"title\": …, \"body\": …, \"isUrgent\": …, \"audience\": …}; for rangers, and officers who "
                    + "signed in",
                body: Self.body, replies: [Reply(201, "It is kept, and unread by everyone.", schema: "Announcement")],
                handler: .asynchronous { request in
                    let author = try writer(request)
                    let json = try request.json()
                    var announcement = try Self.read(json, over: nil)
                    let now = register.clock.utc()
                    if let end = announcement.endDate, end <= now, now >= .believedFrom {
                        throw Self.over(end)
                    }
                    if announcement.pubDate == nil { announcement.pubDate = Self.wholeSecond(register.clock.utc()) }
                    let entry = try written { () throws(AnnouncementRegister.WritingError) in
                        try register.write(announcement, by: author)
                    }
                    note("\(author) wrote the announcement \(entry.id)")
                    return try .created(row(entry), location: "/v1/announcements/\(entry.id)")
                }
            ).failing(.archiveUnavailable, .conflict),
            Route(
                .patch, "/v1/announcements/{id}", access: .everyone, operation: "changeAnnouncement",
                summary:
                    "Change an announcement, which everyone has to read again if a field that is hashed differs; for rangers, and "
                    + "officers who signed in",
                body: Self.body,
                replies: [Reply(200, "As it is now.", schema: "Announcement")],
                handler: .asynchronous { request in
                    let author = try writer(request)
                    let old = try found(request, Reader(key: nil, name: "", isCrew: true))
                    let announcement = try Self.read(try request.json(), over: old.announcement)
                    let entry = try written { () throws(AnnouncementRegister.WritingError) in
                        try register.change(old.id, to: announcement)
                    }
                    note("\(author) changed the announcement \(entry.id)")
                    var row = row(entry)
                    row.isUnreadAgain = entry.hash != old.hash
                    return try .json(row)
                }
            ).failing(.notFound, .archiveUnavailable, .conflict).taking("id", .string),
            Route(
                .delete, "/v1/announcements/{id}", access: .everyone, operation: "retireAnnouncement",
                summary: "Take an announcement away; for rangers, and officers who signed in",
                replies: [Reply(204, "Nobody is shown it any more.")],
                handler: .asynchronous { request in
                    let author = try writer(request)
                    try written { () throws(AnnouncementRegister.WritingError) in
                        try register.retire(request.parameter("id"))
                    }
                    note("\(author) retired the announcement \(request.parameter("id").prefix(40))")
                    return Response(status: 204)
                }
            ).failing(.notFound, .archiveUnavailable).taking("id", .string),
        ]
    }

    private func row(_ entry: AnnouncementRegister.Entry) -> Row {
        Row(entry, language: nil, now: register.clock.utc(), isWhole: true)
    }

    private func written<Value>(
        _ body: () throws(AnnouncementRegister.WritingError) -> Value
    ) throws(Problem) -> Value {
        do throws(AnnouncementRegister.WritingError) {
            return try body()
        } catch {
            switch error {
            case .unknown: throw Problem(.notFound, "cannot find the announcement: there is none, or it was retired")
            case .notWrittenHere(let source):
                throw Problem(
                    .conflict,
                    source == AnnouncementFiles.source
                        ? "cannot change the announcement: it is a file in \(files.folder); change that"
                        : "cannot change the announcement: it comes from a feed; retire it and write another")
            case .tooMany:
                throw Problem(
                    .conflict,
                    "cannot keep another announcement: there are \(AnnouncementRegister.mostWritten); retire some")
            case .storage(let error):
                throw Problem(.archiveUnavailable, "cannot keep the announcement: \(error); free or mend the disk")
            }
        }
    }

    // MARK: - Requests

    private static func over(_ end: UTCInstant) -> Problem {
        let detail = "is over by the station's clock (\(end.rfc3339)): nobody would be shown it; give a later one"
        return Problem(
            .invalidRequest, "cannot announce it: /endDate (\(detail))", status: 422,
            errors: [.init(path: "/endDate", detail: detail)])
    }

    /// An instant as people set it: fractions of a second would only be in the way.
    static func wholeSecond(_ instant: UTCInstant) -> UTCInstant {
        UTCInstant(nanoseconds: instant.nanoseconds / 1_000_000_000 * 1_000_000_000)
    }

    /// What a request says.
    ///
    /// - Parameters:
    ///   - json: the body.
    ///   - old: what it changes; nil for a new one, which needs a title.
    /// - Returns: the announcement.
    /// - Throws: a problem that names every fault.
    static func read(_ json: JSONValue?, over old: Announcement?) throws(Problem) -> Announcement {
        var rest = json
        var translations: JSONValue?
        if case .object(var members) = json {
            translations = members.removeValue(forKey: "translations")
            rest = .object(members)
        }
        var members = RequestMembers(rest)
        var announcement = old ?? Announcement(words: .init(title: ""))
        if members.has("language") {
            let language = members.string("language") ?? ""
            if Self.isLanguage(language) {
                announcement.language = language
            } else {
                members.fault("language", "expected a language such as en")
            }
        }
        words(&members, &announcement.words, isNew: old == nil)
        announcement.startDate = date("startDate", &members, announcement.startDate)
        announcement.endDate = date("endDate", &members, announcement.endDate)
        announcement.pubDate = date("pubDate", &members, announcement.pubDate)
        if let start = announcement.startDate, let end = announcement.endDate, end <= start {
            members.fault("endDate", "must be after startDate")
        }
        announcement.isUrgent = members.bool("isUrgent") ?? announcement.isUrgent
        announcement.isRequired = members.bool("isRequired") ?? announcement.isRequired
        if let audience = members.string("audience") {
            if let known = Announcement.Audience(rawValue: audience) {
                announcement.audience = known
            } else {
                members.fault("audience", "expected crew or everyone")
            }
        }
        if let format = members.string("format") {
            if let known = Announcement.Format(rawValue: format) {
                announcement.format = known
            } else {
                members.fault("format", "expected commonmark or plain")
            }
        }
        if let translations { try read(translations, into: &announcement, &members) }
        try members.finish()
        return announcement
    }

    private static func read(
        _ translations: JSONValue, into announcement: inout Announcement, _ members: inout RequestMembers
    ) throws(Problem) {
        guard case .object(let languages) = translations, languages.count <= mostTranslations else {
            return members.fault(
                "translations", "expected at most \(mostTranslations) languages with the words of each")
        }
        announcement.translations = [:]
        for (language, value) in languages.sorted(by: { $0.key < $1.key }) {
            guard isLanguage(language), language != announcement.language else {
                members.fault("translations", "expected languages such as es, other than that of the announcement")
                continue
            }
            var inner = RequestMembers(value, prefix: "/translations/\(language)")
            var words = Announcement.Words(title: "")
            Self.words(&inner, &words, isNew: true)
            try inner.finish()
            announcement.translations[language] = words
        }
    }

    private static func words(_ members: inout RequestMembers, _ words: inout Announcement.Words, isNew: Bool) {
        if isNew || members.has("title") {
            let title = members.string("title") ?? ""
            if let complaint = TextRule.complaint(title, upTo: longestTitle) { members.fault("title", complaint) }
            if title.isEmpty { members.fault("title", "cannot be empty") }
            words.title = title
        }
        words.body = text("body", &members, words.body)
        words.more = text("more", &members, words.more)
    }

    private static func text(_ name: String, _ members: inout RequestMembers, _ old: String) -> String {
        guard members.has(name) else { return old }
        let text = members.string(name) ?? ""
        if text.utf8.count > longestBody { members.fault(name, "at most \(longestBody) bytes") }
        if let complaint = TextRule.complaint(text, hasLines: true) { members.fault(name, complaint) }
        return text
    }

    private static func date(_ name: String, _ members: inout RequestMembers, _ old: UTCInstant?) -> UTCInstant? {
        guard members.has(name) else { return old }
        guard let text = members.string(name) else { return nil }
        guard let instant = UTCInstant(rfc3339: text) else {
            members.fault(name, "expected an RFC 3339 date-time such as 2026-05-30T14:03:07Z")
            return nil
        }
        return instant
    }

    static func isLanguage(_ text: String) -> Bool {
        (2...8).contains(text.utf8.count) && text.utf8.allSatisfy { (0x61...0x7A).contains($0) }
    }
}
