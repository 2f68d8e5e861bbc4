public import KonzaModel
public import Storage

/// Why something could not be done with a specimen.
public enum SpecimenError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No specimen has this id, or it was deleted.
    case notFound(SpecimenID)
    /// The specimen has no such photograph.
    case photographNotFound(PhotographID)
    /// The specimen knows the photograph, and its file is not on the disk.
    case photographMissing(PhotographID)
    /// The specimen was never submitted to this target.
    case submissionNotFound(SpecimenID, SubmissionTarget)
    /// Another specimen has the number, letter case apart; `isDeleted` if that one is a tombstone.
    case numberTaken(String, by: SpecimenID, isDeleted: Bool)
    /// The idempotency key was used for another request.
    case keyConflict
    /// The specimen was changed since; this is its revision now.
    case revisionConflict(Int)
    /// The record of a submission was changed since; this is it now.
    case submissionConflict(Submission)
    case tooManyPhotographs(limit: Int)
    /// What is said about a specimen takes more bytes than its file may have.
    case tooLarge(bytes: Int, limit: Int)
    /// The caller's values cannot be kept.
    case invalid(String)
    case storage(StorageError)

    /// The disk has no space left, by its own word.
    var isDiskFull: Bool {
        if case .storage(let error) = self { error.isDiskFull } else { false }
    }

    public var description: String {
        switch self {
        case .notFound(let id): "cannot find specimen \(id): it was never opened here, or it is deleted"
        case .photographNotFound(let id): "cannot find photograph \(id): the specimen has none of that name"
        case .photographMissing(let id):
            "cannot open photograph \(id): its file is not there; restore it from a copy or delete it"
        case .submissionNotFound(let id, let target):
            "cannot find a submission of \(id) to \(target.rawValue): submit it first"
        case .numberTaken(let number, let id, let isDeleted):
            isDeleted
                ? "cannot use the number \(number): specimen \(id), which is deleted, keeps it until it is gone; "
                    + "restore that one or use another number"
                : "cannot use the number \(number): specimen \(id) has it; use another number"
        case .keyConflict: "cannot take the request: its Idempotency-Key was used for another one; use a new key"
        case .revisionConflict(let revision):
            "cannot change the specimen: it was changed since and is at revision \(revision); read it again"
        case .submissionConflict(let stored):
            "cannot write the submission: its record is at version \(stored.version); read it again"
        case .tooManyPhotographs(let limit):
            "cannot keep the photograph: the specimen has \(limit), the most there can be; delete one"
        case .tooLarge(let bytes, let limit):
            "cannot keep this: it takes \(bytes) bytes and may take \(limit); say less"
        case .invalid(let reason): "cannot accept this: \(reason)"
        case .storage(let error): error.description
        }
    }
}

/// Runs a body and words its error as a specimen's.
func specimens<Value>(_ body: () throws(StorageError) -> Value) throws(SpecimenError) -> Value {
    do throws(StorageError) {
        return try body()
    } catch {
        throw .storage(error)
    }
}
