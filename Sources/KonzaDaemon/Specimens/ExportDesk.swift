internal import Interchange
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Settings
internal import Specimens
internal import Storage
internal import Synchronization

/// What is to be exported, and how.
struct ExportOrder: Sendable {
    var form: ExportForm
    var query: SpecimenQuery
    /// At most so many specimens; nil for all that match.
    var limit: Int?
    /// The account at SESAR that its rows are for.
    var sesarCode: String?
    var ending: MetPetDBSheets.Sheet.LineEnding
}

/// Writes specimens in the forms that others accept, into files that vanish once they are sent: however slowly a client
/// reads, nothing is held in memory for it.
final class ExportDesk: Sendable {
    /// The most specimens in one export.
    static let maximumSpecimens = 5000
    /// What the records of one export may take in memory, bytes.
    private static let maximumRecords = 64 << 20
    /// Exports that are written at one time.
    private static let concurrent = 2

    /// A written export.
    struct Written: Sendable {
        let file: ScratchFile
        let leftOut: Int
        let next: SpecimenCursor?
    }

    private struct State {
        var running = 0
        var written: [String: UInt64] = [:]
    }

    let specimens: SpecimenDesk
    private let state = Mutex(State())

    init(specimens: SpecimenDesk) {
        self.specimens = specimens
    }

    private var parts: StationParts { specimens.parts }
    private var archive: SpecimenArchive { parts.specimens }

    /// How many exports were written, by their forms.
    var tally: [String: UInt64] { state.withLock { $0.written } }

    /// Writes an export.
    ///
    /// - Throws: `cannot-export` for what the form cannot hold, `too-many-specimens`, `too-many-requests`,
    ///   `insufficient-storage`.
    func write(_ order: ExportOrder) async throws(Problem) -> Written {
        try take()
        defer { state.withLock { $0.running -= 1 } }
        let limit = parts.settings.current.specimens.maxExport
        do {
            let written = try await onBlockingThread { [self] in
                let (export, next) = try export(order)
                do throws(InterchangeError) { try export.check(order.form) } catch { throw Problem(error, order) }
                let file = try Problem.wording { () throws(SpecimenError) in try archive.makeScratch(limit: limit) }
                try fill(file, with: export, order, limit) { Task.isCancelled }
                return Written(file: file, leftOut: export.leftOut(order.form).count, next: next)
            }
            state.withLock { $0.written[order.form.rawValue, default: 0] += 1 }
            return written
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(.unavailable, "cannot export the specimens: \(error); try again when less is going on")
        }
    }

    /// What an export would hold.
    func check(_ order: ExportOrder) async throws(Problem) -> ExportCheckReply {
        try take()
        defer { state.withLock { $0.running -= 1 } }
        do {
            return try await onBlockingThread { [self] in
                let (export, next) = try export(order)
                var problem: Problem?
                do throws(InterchangeError) { try export.check(order.form) } catch { problem = Problem(error, order) }
                return ExportCheckReply(
                    format: order.form.rawValue, specimens: export.count,
                    leftOut: export.leftOut(order.form).map {
                        RefusedSpecimen(specimen: $0.specimen, number: $0.number, reasons: $0.reasons)
                    }, problem: problem, next: next?.description)
            }
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(.unavailable, "cannot look at the specimens: \(error); try again when less is going on")
        }
    }

    /// What MetPetDB said about an uploaded sheet, by the specimens here.
    func judgement(_ body: [UInt8]) throws(Problem) -> SheetJudgementReply {
        let reply: MetPetDBReply
        do throws(InterchangeError) { reply = try MetPetDBReply(body) } catch {
            throw Problem(.invalidRequest, "\(error); send what the server answered to the upload, as it is")
        }
        var refused: [RefusedSpecimen] = []
        for row in reply.refused {
            let number = row.number
            let specimen = try Problem.wording { () throws(SpecimenError) in
                try number.flatMap { number throws(SpecimenError) in try archive.specimen(number: number) }
            }
            refused.append(RefusedSpecimen(specimen: specimen?.id, number: number, reasons: row.refusals))
        }
        return SheetJudgementReply(rows: reply.rows.count, refused: refused, problem: reply.problem)
    }

    // MARK: Steps

    private func take() throws(Problem) {
        try state.withLock { state throws(Problem) in
            guard state.running < Self.concurrent else {
                throw Problem(
                    .tooManyRequests,
                    "cannot export the specimens: \(Self.concurrent) exports are being written; try again in a moment")
            }
            state.running += 1
        }
    }

    private func export(_ order: ExportOrder) throws(Problem) -> (SpecimenExport, next: SpecimenCursor?) {
        var found: [Specimen] = []
        var bytes = 0
        var query = order.query
        repeat {
            query.limit = min(SpecimenQuery.maximumLimit, (order.limit ?? .max) - found.count)
            let page = try Problem.wording { () throws(SpecimenError) in try archive.list(query) }
            found += page.specimens
            bytes += page.specimens.reduce(0) { $0 + $1.approximateSize }
            guard found.count <= Self.maximumSpecimens, bytes <= Self.maximumRecords else {
                throw Problem(
                    .tooManySpecimens,
                    "cannot export so many specimens at once: more than \(Self.maximumSpecimens), or more than "
                        + "\(Self.maximumRecords >> 20) MiB of records, match; narrow box, near, text or state, or "
                        + "take them in parts by limit and cursor")
            }
            query.cursor = page.next
        } while query.cursor != nil && found.count < order.limit ?? .max
        let export = SpecimenExport(
            found, photographs: ArchivedPhotographs(archive: archive), vocabulary: specimens.vocabulary.current,
            sesarCode: order.sesarCode, ending: order.ending)
        return (export, query.cursor)
    }

    /// Writes the form into the file. What the file refuses is kept aside: the form's own words are about the form.
    private func fill(
        _ file: ScratchFile, with export: SpecimenExport, _ order: ExportOrder, _ limit: Int64,
        isGivenUp: @escaping @Sendable () -> Bool
    ) throws(Problem) {
        let refusal = Mutex<StorageError?>(nil)
        do throws(InterchangeError) {
            try export.write(order.form) { piece throws(InterchangeError) in
                guard !isGivenUp() else { throw .stopped }
                do throws(StorageError) {
                    try file.write(piece)
                } catch {
                    refusal.withLock { $0 = error }
                    throw .stopped
                }
            }
        } catch {
            switch refusal.withLock({ $0 }) {
            case .tooLarge?:
                throw Problem(
                    .cannotExport,
                    "cannot export the specimens: the file would be larger than \(limit) bytes; raise [Specimens] "
                        + "MaxExport=, or export fewer", figures: ["limitBytes": Double(limit)])
            case let refusal?: throw Problem(refusal)
            case nil: throw Problem(error, order)
            }
        }
    }
}

extension Problem {
    fileprivate init(_ error: InterchangeError, _ order: ExportOrder) {
        switch error.reason {
        case .stopped: self.init(.unavailable, "cannot export the specimens: nobody waits for them any more")
        case .severalSheets, .nothingToWrite, .notUnderstood:
            self.init(
                .cannotExport,
                "\(error); GET /v1/specimens/export/check?format=\(order.form.rawValue) tells what is left out")
        case .photographUnreadable, .photographChanged, .recordUnwritable, .compression:
            self.init(.cannotExport, "\(error); see the health of the disk in GET /v1/status, and try again")
        }
    }
}

/// Photographs as the archive keeps them.
private struct ArchivedPhotographs: PhotographReader {
    private static let pieceSize = 64 << 10

    let archive: SpecimenArchive

    func read(
        _ photograph: Photograph, of specimen: Specimen, as rendition: PhotographRendition, into sink: ByteSink
    ) throws(InterchangeError) {
        guard
            let file = try? archive.openPhotograph(
                photograph.id, of: specimen.id, isThumbnail: rendition == .thumbnail)
        else {
            throw InterchangeError(.photographUnreadable, "cannot read \(photograph.fileName): its file is gone")
        }
        var offset = 0
        while true {
            guard let piece = try? file.bytes(at: offset, count: Self.pieceSize) else {
                throw InterchangeError(.photographUnreadable, "cannot read \(photograph.fileName): the disk fails")
            }
            if piece.isEmpty { return }
            try sink(piece)
            offset += piece.count
        }
    }
}

extension Specimen {
    /// About what it takes in memory, bytes: its texts, and room for the rest.
    fileprivate var approximateSize: Int {
        2048 + (description?.utf8.count ?? 0) + (fieldNotes?.utf8.count ?? 0)
            + photographs.reduce(0) { $0 + 512 + ($1.description?.utf8.count ?? 0) } + minerals.count * 128
            + measurements.count * 256 + (regions.count + references.count) * 128
    }
}
