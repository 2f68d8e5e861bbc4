public import KonzaModel
public import Storage

/// Why something could not be done with a postcard.
public enum PostcardError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No postcard has this id.
    case notFound(PostcardID)
    /// The index knows the postcard, and its picture is not on the disk.
    case pictureMissing(PostcardID, PostcardPicture)
    case storage(StorageError)

    /// The disk has no space left, by its own word.
    public var isDiskFull: Bool {
        if case .storage(let error) = self { error.isDiskFull } else { false }
    }

    public var description: String {
        switch self {
        case .notFound(let id): "cannot find postcard \(id): it was never kept or has been deleted"
        case .pictureMissing(let id, let picture):
            "cannot open the \(picture.rawValue) of \(id): its file is not there; restore it from a copy or delete it"
        case .storage(let error): error.description
        }
    }
}

/// Runs a body and words its error as a postcard's.
func postcards<Value>(_ body: () throws(StorageError) -> Value) throws(PostcardError) -> Value {
    do throws(StorageError) {
        return try body()
    } catch {
        throw .storage(error)
    }
}
