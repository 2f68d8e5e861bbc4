import Foundation
import KonzaAPI
import KonzaModel
import KonzaSystem
import Testing

@testable import KonzaCommand

@Suite("Submitting from a terminal")
struct SubmissionCommandTests {
    private typealias Replies = SpecimenReplies

    private let path = "/v1/specimens/\(Replies.id)"
    private let record = "/v1/outbox/\(Replies.id)/metpetdb"

    private func station(
        _ records: [Submission], events: [StationEvent] = [], courier: CourierReply? = Replies.atWork
    ) throws -> ScriptedConnection {
        ScriptedConnection(
            [
                "GET \(path)": [Replies.success(try Replies.one(try Replies.specimen()))],
                "POST \(path)/submit": [Replies.success(try Replies.entry(try Replies.submission(.ready)))],
                "GET /v1/outbox": [Replies.success(try Replies.outbox(records, courier))],
                "GET \(record)": try records.map { Replies.success(try Replies.entry($0)) },
                "POST \(record)/resolve": [Replies.success(try Replies.entry(try Replies.submission(.ready)))],
            ], events: events)
    }

    @Test("puts it into the outbox and says when nobody is there to send it")
    func queued() async throws {
        let station = try station([try Replies.submission(.ready)], courier: nil)
        let result = await run(["specimens", "submit", Replies.id, "--override", "narrow gorge"], station)
        #expect(result.code == 0)
        #expect(result.output == "KNZ-26-117  ready  waits for its turn\n")
        #expect(result.errors.contains("systemctl start konza-courier"))
        let body = try #require(station.requests.first { $0.method == .post }?.body)
        #expect(String(decoding: body, as: UTF8.self) == #"{"override":"narrow gorge","target":"metpetdb"}"#)
    }

    @Test("says of each photograph which it is of how many, and how much of it is gone")
    func progress() throws {
        let specimen = try Replies.specimen()
        let sending = try Replies.submission(.sending, version: 2) { $0.step = .photograph }
        var event = OutboxEvent(sending)
        var watch = SubmissionWatch(columns: 80)
        #expect(watch.progress(event) == nil && !watch.concerns(event))
        #expect(plain(watch.add(specimen, sending, now: Replies.now)) == "KNZ-26-117  sending, photographs")
        event.photograph = specimen.photographs[0].id
        event.sentBytes = 100_000
        event.totalBytes = 201_345
        #expect(watch.concerns(event))
        #expect(watch.progress(event)?.text == "KNZ-26-117  photograph 1 of 1: 100 kB of 201 kB (49 %)")
        // An older record than the one that is known says nothing.
        #expect(watch.take(try Replies.submission(.ready), now: Replies.now).isEmpty)
        let waits = try Replies.submission(.ready, version: 3) { $0.lastFailure = "no answer" }
        #expect(plain(watch.take(waits, now: Replies.now)) == "KNZ-26-117  ready\nKNZ-26-117  waits: no answer")
        #expect(watch.waiting == [specimen.id] && !watch.isSubmitted)
    }

    @Test("watches every state, and ends with 0 when it is submitted")
    func watched() async throws {
        let photograph = try #require(PhotographID(Replies.photograph))
        let creating = try Replies.submission(.sending, version: 2) { $0.step = .create }
        let picturing = try Replies.submission(.sending, version: 3) {
            $0.step = .photograph
            $0.pictures = [.init(id: photograph)]
        }
        let submitted = try Replies.submission(.submitted, version: 4) {
            $0.remoteID = "42"
            $0.pictures = [.init(id: photograph)]
            $0.pictures[0].state = .submitted
        }
        let station = try station(
            [try Replies.submission(.ready), creating, picturing, picturing, submitted],
            events: [
                try Replies.event(OutboxEvent(creating)), try Replies.event(OutboxEvent(picturing)),
            ])
        let result = await run(
            ["specimens", "submit", Replies.id, "--watch", "--color", "never"], station,
            console: RecordingConsole(terminal: (80, 24)))
        #expect(result.code == 0, "\(result.errors)")
        let lines = result.output.replacingOccurrences(of: "\r\u{1B}[K", with: "\n").split(separator: "\n")
            .map(String.init)
        #expect(
            lines == [
                "KNZ-26-117  ready", "KNZ-26-117  sending, a new sample", "KNZ-26-117  sending, photographs",
                "KNZ-26-117  photograph 1 of 1 arrived", "KNZ-26-117  submitted as 42",
            ])
    }

    @Test("prints the server's words per field when it refuses, and ends with 65")
    func refused() async throws {
        let refused = try Replies.submission(.refused, version: 2) {
            $0.refusals = [.init(field: "rock_type", words: "unknown\u{1B}[31m rock"), .init(words: "try again")]
        }
        let result = await run(
            ["specimens", "submit", Replies.id, "--watch"],
            try station([try Replies.submission(.ready), refused]))
        #expect(result.code == 65)
        #expect(result.output.contains("KNZ-26-117  REFUSED, in the words of metpetdb:\n"))
        #expect(result.output.contains("    rock_type: unknown[31m rock\n    try again\n"))
    }

    private func conflicting() throws -> Submission {
        try Replies.submission(.conflict, version: 2) {
            $0.conflict = .init(
                ours: #"{"number":"KNZ-26-117","description":"ours","latitude":39.5}"#,
                theirs: #"{"number":"KNZ-26-117","description":"theirs","latitude":39.5}"#,
                reason: "the sample was changed there")
        }
    }

    @Test("shows both sides of a conflict where they differ, and ends with 65")
    func conflict() async throws {
        let result = await run(
            ["specimens", "submit", Replies.id, "--watch"], try station([try conflicting()]))
        #expect(result.code == 65)
        #expect(
            result.output.contains(
                """
                KNZ-26-117 CONFLICT: the sample was changed there
                  description
                    ours    ours
                    theirs  theirs
                  2 fields alike
                """))
    }

    @Test("resolve shows both sides before it does anything, and asks")
    func resolves() async throws {
        let conflict = try conflicting()
        let looked = try station([conflict])
        let shown = await run(["specimens", "resolve", Replies.id], looked)
        #expect(shown.code == 0 && shown.output.contains("theirs  theirs"))
        #expect(shown.errors.contains("Nothing was changed."))
        let refused = try station([conflict])
        let no = await run(
            ["specimens", "resolve", Replies.id, "--keep", "ours"], refused, console: RecordingConsole(answer: "n"))
        #expect(no.code == 0 && no.errors.contains("Nothing was changed."))
        for station in [looked, refused] { #expect(station.requests.allSatisfy { $0.method == .get }) }
        let kept = try station([conflict])
        let yes = await run(
            ["specimens", "resolve", Replies.id, "--keep", "ours"], kept, console: RecordingConsole(answer: "y"))
        #expect(yes.code == 0, "\(yes.errors)")
        #expect(kept.requests.last?.body.map { String(decoding: $0, as: UTF8.self) } == #"{"keep":"ours"}"#)
        let none = await run(
            ["specimens", "resolve", Replies.id, "--keep", "ours"], try station([try Replies.submission(.ready)]))
        #expect(none.code == 65)
    }

    @Test("one that cannot be submitted does not hold back the others, and is told")
    func several() async throws {
        let other = "01m7yk27pwtvfqpyxwrn22s8hw"
        let specimen = try Replies.one(try Replies.specimen())
        let problem = Problem(.accuracyTooLow, "cannot submit KNZ-1: its position is not known")
        let second = specimen.replacingOccurrences(of: Replies.id, with: other)
        let station = ScriptedConnection([
            "GET \(path)": [Replies.success(specimen)], "GET /v1/specimens/\(other)": [Replies.success(second)],
            "POST \(path)/submit": [.failure(CommandFailure(problem))],
            "POST /v1/specimens/\(other)/submit": [
                Replies.success(try Replies.entry(try Replies.submission(.ready)))
            ],
        ])
        let result = await run(["specimens", "submit", Replies.id, other], station)
        #expect(result.code == 65)
        #expect(result.errors.contains("its position is not known"))
        #expect(result.output.contains("ready"))
    }

    @Test("the outbox says how each one stands, and how the courier is")
    func outbox() async throws {
        let waiting = try Replies.submission(.ready) {
            $0.lastFailure = "no answer from the server"
            $0.nextAttemptAt = Replies.now.advanced(bySeconds: 90)
        }
        let station = try station([waiting, try conflicting()], courier: .init(seenSecondsAgo: 5, hasNetwork: false))
        let result = await run(["specimens", "outbox"], station)
        #expect(result.code == 0)
        #expect(result.output.contains("ready      no answer from the server; tried again in 1 min 30 s\n"))
        #expect(result.output.contains("CONFLICT   the sample was changed there; konza specimens resolve shows"))
        #expect(result.output.contains("1 ready, 1 conflict\n"))
        #expect(result.output.contains("The courier has no network that it may use"))
    }
}
