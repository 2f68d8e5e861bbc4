internal import Feeds
public import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import Markup
internal import Storage

/// `/v1/announcements`: what is to be known before going out; `/v1/announcement-feeds`: what the courier brings of it.
public struct AnnouncementRoutes: Sendable {
    /// Who reads, as far as announcements go.
    public struct Reader: Sendable, Equatable {
        /// By what reading is kept; nil for somebody whose reading is not, such as a visitor at the kiosk.
        public var key: String?
        /// For the log and as an author.
        public var name: String
        public var isCrew: Bool

        public init(key: String?, name: String, isCrew: Bool) {
            self.key = key
            self.name = name
            self.isCrew = isCrew
        }
    }

    struct Row: Encodable {
        let id: String
        let title: String
        /// Of the words that follow (RFC 5646).
        let language: String
        let startDate: UTCInstant?
        let endDate: UTCInstant?
        let pubDate: UTCInstant
        let isUrgent: Bool
        let isRead: Bool
        /// Whether the reader has read it as it was before.
        let isChanged: Bool
        /// Whether it must have been read before mustering.
        let isRequired: Bool
        let isActive: Bool
        let audience: Announcement.Audience
        /// written, file or feed.
        let source: String
        let hash: String
        // Of one alone:
        var body: String?
        var more: String?
        var format: Announcement.Format?
        var bodyBlocks: [MarkupNode]?
        var moreBlocks: [MarkupNode]?
        var link: String?
        var author: String?
        /// All languages, with the words of each.
        var translations: [String: Announcement.Words]?
        /// Of the answer to a change: whether a field that is hashed differs now.
        var isUnreadAgain: Bool?

        init(_ entry: AnnouncementRegister.Entry, language: String?, now: UTCInstant, isWhole: Bool) {
            let announcement = entry.announcement
            let translation = Translations.find(language, in: announcement.translations)
            let words = translation ?? announcement.words
            id = entry.id
            title = words.title
            let tags = Dictionary(uniqueKeysWithValues: announcement.translations.keys.map { ($0, $0) })
            self.language = Translations.find(language, in: tags) ?? announcement.language
            startDate = announcement.startDate
            endDate = announcement.endDate
            pubDate = announcement.pubDate ?? entry.madeAt
            isUrgent = announcement.isUrgent
            isRead = entry.isRead
            isChanged = entry.isChanged
            isRequired = announcement.isRequired
            isActive = entry.isActive(at: now)
            audience = announcement.audience
            source = entry.source.isEmpty ? "written" : entry.source == AnnouncementFiles.source ? "file" : "feed"
            hash = entry.hash
            guard isWhole else { return }
            body = words.body
            more = words.more
            format = announcement.format
            if announcement.format == .commonmark {
                // What cannot be read as CommonMark is shown as it is written.
                bodyBlocks = try? MarkupText(words.body, allowsPictures: false).blocks
                moreBlocks = words.more.isEmpty ? nil : try? MarkupText(words.more, allowsPictures: false).blocks
            }
            link = announcement.link
            author = entry.author
            translations = announcement.translations.merging([announcement.language: announcement.words]) { $1 }
        }
    }

    private struct FeedRow: Encodable {
        let title: String
        /// Seconds since it was last heard of, in whole minutes; absent if that is not known.
        let ageSeconds: Int?
        /// For the crew: where it is, and why the last question got no valid answer.
        let source: String?
        let fault: String?
    }

    private struct List: Encodable {
        let announcements: [Row]
        let unread: Int
        let unreadUrgent: Int
        /// Urgent ones for the crew that this reader is not shown.
        let hiddenUrgent: Int
        let feeds: [FeedRow]
        /// For the crew: what is wrong with files.
        let faults: [String]?
    }

    let register: AnnouncementRegister
    let files: AnnouncementFiles
    let reader: @Sendable (Request) -> Reader
    let writer: @Sendable (Request) throws -> String
    let note: @Sendable (String) -> Void

    /// - Parameters:
    ///   - register: the announcements.
    ///   - files: those that the keeper writes into a folder.
    ///   - reader: who somebody is.
    ///   - writer: whose name stands at what somebody writes; throws for whoever may not.
    ///   - note: takes a line for the log: who wrote or retired which.
    package init(
        _ register: AnnouncementRegister, files: AnnouncementFiles, reader: @escaping @Sendable (Request) -> Reader,
        writer: @escaping @Sendable (Request) throws -> String,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.register = register
        self.files = files
        self.reader = reader
        self.writer = writer
        self.note = note
    }

    public var routes: [Route] { readingRoutes + writingRoutes + feedRoutes }

    static let language = QueryParameter(
        "language", "The language of the words, where there are some in it (RFC 5646).", .string)

    private var readingRoutes: [Route] {
        [
            Route(
                .get, "/v1/announcements", access: .everyone, operation: "listAnnouncements",
                summary: "The announcements: urgent unread ones first, then unread, then read",
                query: [
                    Self.language,
                    QueryParameter("all", "For the crew: also what has not begun or has ended.", .boolean),
                ],
                replies: [Reply(200, "Those for whoever asks.", schema: "AnnouncementList")],
                handler: .asynchronous { request in try list(request) }
            ).failing(.archiveUnavailable),
            Route(
                .get, "/v1/announcements/{id}", access: .everyone, operation: "getAnnouncement",
                summary: "One announcement, which is read by that, where whoever asks is known",
                query: [Self.language], replies: [Reply(200, "The announcement.", schema: "Announcement")],
                handler: .asynchronous { request in try one(request) }
            ).failing(.notFound, .archiveUnavailable).taking("id", .string),
        ]
    }

    private func list(_ request: Request) throws(Problem) -> Response {
        let who = reader(request)
        let now = register.clock.utc()
        let wantsAll = request.query("all") == "true" && who.isCrew
        let entries = try kept { () throws(StorageError) in
            try register.list(for: who.key, isCrew: true, all: wantsAll)
        }
        let seen = entries.filter { who.isCrew || $0.announcement.audience == .everyone }
        let active = seen.filter { $0.isActive(at: now) }
        let feeds = try kept { () throws(StorageError) in try register.feedStates() }
        let isBelieved = now >= .believedFrom
        var response = try Response.json(
            List(
                announcements: seen.map { Row($0, language: request.query("language"), now: now, isWhole: false) },
                unread: active.count { !$0.isRead },
                unreadUrgent: active.count { !$0.isRead && $0.announcement.isUrgent },
                hiddenUrgent: entries.count {
                    !who.isCrew && $0.announcement.audience == .crew && $0.announcement.isUrgent && $0.isActive(at: now)
                },
                feeds: feeds.sorted { $0.key < $1.key }.map { source, state in
                    let heard = [state.fetchedAt, state.checkedAt].compactMap { $0 }.max()
                    return FeedRow(
                        title: state.title,
                        ageSeconds: isBelieved ? heard.map { Int(max(0, now.seconds(since: $0)) / 60) * 60 } : nil,
                        source: who.isCrew ? source : nil, fault: who.isCrew ? state.fault : nil)
                },
                faults: who.isCrew ? files.faults : nil))
        if case .bytes(let bytes) = response.body {
            var hash = SHA256()
            hash.update(bytes)
            response.entityTag = String(hash.hexadecimal().prefix(32))
        }
        // Another reader of the same browser gets another list.
        response.headers["cache-control"] = "private, no-cache"
        return response
    }

    private func one(_ request: Request) throws(Problem) -> Response {
        let who = reader(request)
        var entry = try found(request, who)
        if let key = who.key, !entry.isRead, request.method == .get {
            // Where it cannot be written down it is shown all the same, and stays unread.
            if (try? register.markRead(entry.id, hash: entry.hash, by: key)) == true { entry = try found(request, who) }
        }
        var response = try Response.json(
            Row(entry, language: request.query("language"), now: register.clock.utc(), isWhole: true))
        response.headers["cache-control"] = "private, no-store"
        return response
    }

    func found(_ request: Request, _ who: Reader) throws(Problem) -> AnnouncementRegister.Entry {
        let id = request.parameter("id")
        let entry = try kept { () throws(StorageError) in try register.find(id, for: who.key, isCrew: who.isCrew) }
        guard let entry else { throw Self.unknown(id) }
        return entry
    }

    static func unknown(_ id: String) -> Problem {
        Problem(.notFound, "cannot find the announcement \(id.prefix(40)): there is none, or it is not for you")
    }

    func kept<Value>(_ body: () throws(StorageError) -> Value) throws(Problem) -> Value {
        do throws(StorageError) {
            return try body()
        } catch {
            throw Problem(.archiveUnavailable, "cannot use the announcements: \(error); free or mend the disk")
        }
    }
}
