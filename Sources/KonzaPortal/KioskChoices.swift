internal import HTTPServing
internal import KonzaAPI
internal import Storage
internal import Synchronization

/// What an operator chose for those who come to the kiosk: the language and the template that they begin with.
final class KioskChoices: Sendable {
    /// Steps of the schema, oldest first.
    static let migrations = [
        Migration(
            name: "kiosk-choices-1",
            sql: """
                CREATE TABLE kiosk_choices (
                    only INTEGER PRIMARY KEY CHECK (only = 1), revision INTEGER NOT NULL, language TEXT, template TEXT
                ) STRICT;
                """)
    ]

    /// The longest name of a template, characters.
    static let longestName = 64

    /// Nil where nothing was chosen: the pages' own order of languages, konzad's template.
    struct Kept: Sendable, Equatable {
        /// Counts the changes, from 0 on.
        var revision: Int64 = 0
        /// RFC 5646.
        var language: String?
        var template: String?
    }

    /// RFC 5646, the one that visitors begin with without a choice first.
    let languages: [String]
    private let database: Database
    private let kept: Mutex<Kept>

    /// - Parameters:
    ///   - database: with the migrations.
    ///   - languages: of the pages.
    init(_ database: Database, languages: [String]) {
        self.database = database
        self.languages = languages
        let rows = try? database.read { connection throws(DatabaseError) in
            try connection.rows("SELECT revision, language, template FROM kiosk_choices") { row in
                Kept(
                    revision: row.integer(0), language: row.isNull(1) ? nil : row.text(1),
                    template: row.isNull(2) ? nil : row.text(2))
            }
        }
        kept = Mutex(rows?.first ?? Kept())
    }

    var current: Kept { kept.withLock { $0 } }

    /// The pages' languages, the chosen one first. A choice that the pages no longer have counts for nothing.
    var languagesInOrder: [String] {
        guard let chosen = current.language, languages.contains(chosen) else { return languages }
        return [chosen] + languages.filter { $0 != chosen }
    }

    /// - Returns: what is on the disk now.
    /// - Throws: if it cannot be kept.
    func choose(language: String?, template: String?) throws(StorageError) -> Kept {
        let revision = try database.write { connection throws(DatabaseError) in
            try connection.run(
                """
                INSERT INTO kiosk_choices VALUES (1, 1, ?, ?) ON CONFLICT (only) DO UPDATE
                SET revision = revision + 1, language = excluded.language, template = excluded.template
                """, [SQLValue(language), SQLValue(template)])
            return try connection.rows("SELECT revision FROM kiosk_choices") { $0.integer(0) }.first ?? 1
        }
        let now = Kept(revision: revision, language: language, template: template)
        kept.withLock { kept in if kept.revision < revision { kept = now } }
        return now
    }
}

/// `/v1/kiosk/choices`: what visitors begin with.
struct KioskChoicesRoutes: Sendable {
    private struct Answer: Encodable {
        let languages: [String]
        let language: String?
        let template: String?
    }

    let choices: KioskChoices

    var routes: [Route] {
        [
            Route(
                .get, "/v1/kiosk/choices", access: .only(.ranger, .keeper), operation: "getKioskChoices",
                summary: "The language and the template that visitors begin with",
                replies: [Reply(200, "What was chosen.", schema: "KioskChoices")],
                handler: .immediate { [choices] _ throws(Problem) in try Self.answer(choices, choices.current) }),
            Route(
                .put, "/v1/kiosk/choices", access: .only(.ranger, .keeper), operation: "putKioskChoices",
                summary:
                    "Choose the language and the template that visitors begin with; what is left out is as if never chosen",
                body: RequestBody(schema: "KioskChoicesRequest", isRequired: true, limit: 512),
                replies: [Reply(200, "What is chosen now.", schema: "KioskChoices")],
                handler: .asynchronous { [choices] request in
                    let (language, template) = try Self.wanted(try request.json(), choices)
                    let kept: KioskChoices.Kept
                    do throws(StorageError) {
                        kept = try choices.choose(language: language, template: template)
                    } catch {
                        throw Problem(
                            .archiveUnavailable, "cannot keep what visitors begin with: \(error); free or mend the disk"
                        )
                    }
                    return try Self.answer(choices, kept)
                }
            ).failing(.invalidRequest, .archiveUnavailable),
        ]
    }

    private static func answer(_ choices: KioskChoices, _ kept: KioskChoices.Kept) throws(Problem) -> Response {
        try .json(Answer(languages: choices.languages, language: kept.language, template: kept.template))
    }

    private static func wanted(
        _ value: JSONValue?, _ choices: KioskChoices
    ) throws(Problem) -> (language: String?, template: String?) {
        var members = RequestMembers(value)
        let language = members.string("language")
        let template = members.string("template")
        try members.finish()
        if let language, !choices.languages.contains(language) {
            throw Problem(
                .invalidRequest,
                "cannot begin in the language \"\(language.prefix(20))\": the pages have "
                    + choices.languages.joined(separator: ", "), status: 422)
        }
        if let template, !(1...KioskChoices.longestName).contains(template.utf8.count) {
            throw Problem(
                .invalidRequest,
                "cannot begin with this template: a name has 1 to \(KioskChoices.longestName) characters")
        }
        return (language, template)
    }
}
