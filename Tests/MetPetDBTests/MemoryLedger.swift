import KonzaModel
import KonzaTesting
import MetPetDB
import Synchronization

/// Keeps records in memory as a durable store would, and "crashes" at chosen writes: before the record is durable, or
/// after it, so that the writer does not learn of it.
final class MemoryLedger: OutboxLedger, Sendable {
    enum Crash {
        case beforeDurable
        case afterDurable
    }

    private struct State {
        var records: [SpecimenID: Submission] = [:]
        var history: [Submission] = []
        var progress: [(sent: Int, total: Int)] = []
    }

    private let state = Mutex(State())
    private let folder: String
    private let crash: @Sendable () -> Crash?

    /// - Parameters:
    ///   - folder: where photographs are, each by its id.
    ///   - crash: asked at every write.
    init(folder: String = "", crash: @escaping @Sendable () -> Crash? = { nil }) {
        self.folder = folder
        self.crash = crash
    }

    subscript(id: SpecimenID) -> Submission? {
        get { state.withLock { $0.records[id] } }
        set { state.withLock { $0.records[id] = newValue } }
    }

    /// Every record that became durable, in order.
    var history: [Submission] { state.withLock { $0.history } }
    var progress: [(sent: Int, total: Int)] { state.withLock { $0.progress } }

    func record(_ submission: Submission) throws(LedgerError) -> Submission {
        let crash = crash()
        if crash == .beforeDurable { throw LedgerError(.unavailable, "cannot write: crashed before it was durable") }
        let kept = state.withLock { state -> Submission? in
            guard (state.records[submission.specimen]?.version ?? 1) == submission.version else { return nil }
            var kept = submission
            kept.version += 1
            state.records[submission.specimen] = kept
            state.history.append(kept)
            return kept
        }
        guard let kept else { throw LedgerError(.superseded, "cannot write: version \(submission.version) is old") }
        if crash == .afterDurable { throw LedgerError(.unavailable, "cannot go on: crashed after it was durable") }
        return kept
    }

    func path(of photograph: Photograph, in specimen: Specimen) throws(LedgerError) -> String {
        "\(folder)/\(photograph.id)"
    }

    func progress(_ photograph: PhotographID, of specimen: SpecimenID, sentBytes: Int, totalBytes: Int) {
        state.withLock { $0.progress.append((sentBytes, totalBytes)) }
    }
}
