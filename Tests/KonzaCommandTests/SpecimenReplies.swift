import Foundation
import KonzaAPI
import KonzaModel
import KonzaSystem

@testable import KonzaCommand

/// Answers about one specimen, made from the values that the daemon makes them from.
enum SpecimenReplies {
    static let id = "01m7yk27pwtvfqpyxwrn22s8ht"
    static let photograph = "01m7yk27pwtvfqpyxwrn22s8hv"
    static let now = UTCInstant(rfc3339: "2026-05-30T14:03:07Z") ?? UTCInstant(nanoseconds: 0)

    static func specimen(
        _ number: String = "KNZ-26-117", _ change: (inout Specimen) -> Void = { _ in }
    ) throws -> Specimen {
        guard let id = SpecimenID(id), let photograph = PhotographID(photograph),
            let place = Coordinate(latitude: 39.1069, longitude: -96.6091)
        else { throw CommandFailure("no fixture", .software) }
        var specimen = Specimen(id: id, number: number, rockType: "Gneiss", createdAt: now)
        specimen.collectionDate = CalendarDate("2026-05-30")
        specimen.minerals = [.init(name: "Garnet", amount: "15"), .init(name: "Biotite")]
        specimen.position = SpecimenPosition(place, accuracy: 4.2, source: .occupation, kind: .live)
        specimen.photographs = [
            Photograph(
                id: photograph, fileName: "\(number)-01.jpg", imageType: .fieldPhoto, mediaType: "image/jpeg",
                byteCount: 201_345, sha256: String(repeating: "0", count: 64), width: 1920, height: 1080,
                origin: "camera")
        ]
        change(&specimen)
        return specimen
    }

    static func submission(
        _ state: Submission.State, version: Int = 1, _ change: (inout Submission) -> Void = { _ in }
    ) throws -> Submission {
        var submission = Submission(specimen: try specimen().id, target: .metpetdb, changedAt: now)
        submission.state = state
        submission.version = version
        change(&submission)
        return submission
    }

    static func json(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }

    static func one(_ specimen: Specimen, _ submissions: [Submission] = []) throws -> String {
        try json(SpecimenReply(specimen, submissions: submissions))
    }

    static func page(_ specimens: [Specimen], next: String? = nil) throws -> String {
        try json(SpecimenPageReply(specimens: specimens.map { SpecimenReply($0, submissions: []) }, next: next))
    }

    static func entry(_ submission: Submission) throws -> String {
        try json(OutboxEntry(submission, number: "KNZ-26-117"))
    }

    static func outbox(_ submissions: [Submission], _ courier: CourierReply?) throws -> String {
        let counts = Dictionary(grouping: submissions, by: \.state.rawValue).mapValues(\.count)
        return try json(
            OutboxReply(
                submissions: submissions.map { OutboxEntry($0, number: "KNZ-26-117") }, next: nil, counts: counts,
                courier: courier))
    }

    static let atWork = CourierReply(seenSecondsAgo: 3, hasNetwork: true)

    static func success(_ text: String) -> Result<StationReply, CommandFailure> {
        .success(StationReply(status: 200, body: Array(text.utf8)))
    }

    static func event(_ event: OutboxEvent) throws -> StationEvent {
        StationEvent(name: "outbox", data: Array(try json(event).utf8))
    }
}
