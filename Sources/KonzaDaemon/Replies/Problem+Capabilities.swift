internal import Capture
internal import Drawing
internal import JPEGCoding
internal import KonzaAPI
internal import KonzaModel
internal import Postcards
internal import Stamping
internal import Storage

extension Problem {
    /// What could not be done with a postcard.
    init(_ error: PostcardError) {
        switch error {
        case .notFound, .pictureMissing: self.init(.notFound, "\(error)")
        case .storage(let failure): self.init(failure)
        }
    }

    /// What the store could not do.
    init(_ error: StorageError) {
        switch error {
        case .file where error.isDiskFull, .database where error.isDiskFull, .unavailable where error.isDiskFull:
            self.init(.insufficientStorage, "\(error); delete something, or make room on the disk")
        case .insufficientStorage(let shortage):
            self.init(
                .insufficientStorage, "\(error)",
                figures: [
                    "neededBytes": Double(shortage.needed), "freeBytes": Double(shortage.free),
                    "reserveBytes": Double(shortage.reserve), "storedBytes": Double(shortage.stored),
                    "prunableBytes": Double(shortage.prunable),
                ])
        case .unavailable(let health):
            self.init(health.kind == "index-rebuilding" ? .indexRebuilding : .archiveUnavailable, "\(error)")
        case .invalid: self.init(.invalidRequest, "\(error)")
        case .tooLarge(_, let limit): self.init(.bodyTooLarge, "\(error)", figures: ["limitBytes": Double(limit)])
        case .tooManyInProgress: self.init(.tooManyRequests, "\(error)")
        case .database(let failure) where failure.isRebuilding: self.init(.indexRebuilding, "\(error)")
        case .file, .database: self.init(.archiveUnavailable, "\(error)")
        }
    }

    /// What the camera could not do.
    init(_ error: CameraError) {
        self.init(.cameraUnavailable, error.message)
    }

    /// What could not be drawn.
    init(_ error: DrawingError) {
        self.init(error.code == .unknownTemplate ? .unknownTemplate : .cannotDraw, error.message)
    }

    /// What could not be stamped.
    init(_ error: StampingError) {
        switch error {
        case .coding(let error) where error.cause == .memoryBusy || error.cause == .outOfMemory:
            self.init(.unavailable, "\(error); try again in a moment")
        case .unsupported: self.init(.unsupportedFrame, "\(error)")
        case .structure, .overlaySize, .coding: self.init(.cannotStamp, "\(error)")
        }
    }

    /// Why an uploaded picture is not taken.
    init(_ refusal: ForeignPicture.Refusal) {
        switch refusal {
        case .unfit, .tooLarge: self.init(.notAPicture, "\(refusal)")
        case .busy: self.init(.unavailable, "\(refusal)")
        }
    }
}
