internal import FoundationEssentials
internal import Glibc
internal import HTTPTransfer
internal import KonzaAPI
internal import KonzaClient
internal import KonzaModel
internal import KonzaSystem
internal import MetPetDB

/// konzad's outbox as the submitters see it: records are written over the local API, and photographs fetched from it into
/// one file at a time.
final class StationLedger: OutboxLedger {
    /// Seconds between two words on the same photograph.
    private static let progressInterval = 0.25

    private let station: StationClient
    private let folder: String
    private let clock = SystemClock()
    private var toldAt: MonotonicInstant?
    private let target: SubmissionTarget

    /// - Parameters:
    ///   - station: konzad.
    ///   - target: where the records belong.
    ///   - folder: for the photograph that is being sent.
    init(_ station: StationClient, target: SubmissionTarget, folder: String) {
        self.station = station
        self.target = target
        self.folder = folder
    }

    func record(_ submission: Submission) throws(LedgerError) -> Submission {
        do throws(ClientError) {
            let path = "/v1/outbox/\(submission.specimen)/\(submission.target.rawValue)"
            var record = submission
            record.lastFailure = record.lastFailure.map(Self.shortened)
            let answer = try station.send("PUT", path, record)
            guard let kept = try? JSONDecoder().decode(Submission.self, from: Data(answer.body)) else {
                throw ClientError.unexpected("cannot read konzad's answer; konzad and konza-courier differ in version")
            }
            return kept
        } catch {
            let isLost = error.kind == .submissionConflict || error.kind == .notFound
            throw LedgerError(isLost ? .superseded : .unavailable, error.description)
        }
    }

    /// konzad takes 4096 bytes for the reason of a failure, and servers answer with pages.
    private static func shortened(_ words: String) -> String {
        words.utf8.count <= 4096 ? words : String(decoding: words.utf8.prefix(4000), as: UTF8.self) + "..."
    }

    func path(of photograph: Photograph, in specimen: Specimen) throws(LedgerError) -> String {
        let path = "\(folder)/photograph"
        do throws(ClientError) {
            try station.download("/v1/specimens/\(specimen.id)/photographs/\(photograph.id)/file", toFile: path)
        } catch {
            throw LedgerError(.unavailable, error.description)
        }
        guard Self.sha256(path) == photograph.sha256 else {
            throw LedgerError(.unavailable, "cannot send the photograph \(photograph.fileName): its file was changed")
        }
        return path
    }

    func progress(_ photograph: PhotographID, of specimen: SpecimenID, sentBytes: Int, totalBytes: Int) {
        let now = clock.monotonic()
        if sentBytes < totalBytes, let toldAt, now.seconds(since: toldAt) < Self.progressInterval { return }
        toldAt = now
        struct Progress: Encodable { let photograph: PhotographID, sentBytes: Int, totalBytes: Int }
        // Nothing depends on it.
        _ = try? station.send(
            "POST", "/v1/outbox/\(specimen)/\(target.rawValue)/progress",
            Progress(photograph: photograph, sentBytes: sentBytes, totalBytes: totalBytes))
    }

    /// Gives the room of the last photograph back.
    func forgetPhotograph() { unsafe unlink("\(folder)/photograph") }

    private static func sha256(_ path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var hash = SHA256()
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe read(descriptor, &chunk, chunk.count)
            if count == 0 { return hash.hexadecimal() }
            guard count > 0 else { return nil }
            hash.update(Array(chunk.prefix(count)))
        }
    }
}
