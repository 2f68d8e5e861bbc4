public import KonzaModel
public import KonzaSystem
public import Storage

/// A photograph that is to be kept.
public struct PhotographDraft: Sendable {
    public var content: FileContent
    /// A small JPEG of it.
    public var thumbnail: FileContent?
    public var imageType: Photograph.ImageType
    /// `image/jpeg` or `image/png`.
    public var mediaType: String
    /// Pixels.
    public var width: Int
    public var height: Int
    /// Millimetres.
    public var scale: Int?
    public var description: String?
    /// Degrees from true north.
    public var direction: Double?
    public var takenAt: UTCInstant?
    /// The same by the receiver's time, where that contradicted the system's clock, by which `takenAt` is.
    public var receiverTime: UTCInstant?
    /// `camera` or `upload`.
    public var origin: String
    public var cameraSource: SourceKind?

    public init(
        content: FileContent, thumbnail: FileContent?, imageType: Photograph.ImageType, mediaType: String, width: Int,
        height: Int, origin: String
    ) {
        self.content = content
        self.thumbnail = thumbnail
        self.imageType = imageType
        self.mediaType = mediaType
        self.width = width
        self.height = height
        self.origin = origin
    }
}

extension SpecimenArchive {
    /// Keeps a photograph of a specimen and returns when it is durable: the picture's files, the specimen's, the row.
    ///
    /// - Returns: the specimen as it is now, and the photograph.
    /// - Throws: `notFound`, `tooManyPhotographs`, and what the disk refuses, `insufficientStorage` among it.
    public func add(
        _ draft: PhotographDraft, to id: SpecimenID, at instant: UTCInstant
    ) throws(SpecimenError) -> (specimen: Specimen, photograph: Photograph) {
        let bytes = Int64(draft.content.count).addingClamped(Int64(draft.thumbnail?.count ?? 0))
        return try writing(to: id, taking: bytes.addingClamped(Self.indexAllowance), for: "photograph") {
            database throws(SpecimenError) in
            let old = try living(id)
            guard old.specimen.photographs.count < Self.maximumPhotographs else {
                throw .tooManyPhotographs(limit: Self.maximumPhotographs)
            }
            var new = old
            new.photographsTaken += 1
            let photograph = photograph(of: draft, in: new)
            new.specimen.photographs.append(photograph)
            try writeFiles(draft, photograph, folder(of: id))
            do throws(SpecimenError) {
                return (try put(new, over: old, at: instant, database), photograph)
            } catch {
                if case .storage(.database(let failure)) = error, failure.needsReopening { throw error }
                removeFiles(of: photograph, in: folder(of: id))
                throw error
            }
        }
    }

    private func photograph(of draft: PhotographDraft, in stored: StoredSpecimen) -> Photograph {
        let isPNG = draft.mediaType == "image/png"
        let count = String(stored.photographsTaken)
        let name = stored.specimen.number.unicodeScalars.map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil) || scalar == "-"
                ? Character(scalar) : "_"
        }
        var photograph = Photograph(
            id: newPhotographID(),
            fileName: "\(String(name))-\(count.utf8.count < 2 ? "0" : "")\(count).\(isPNG ? "png" : "jpg")",
            imageType: draft.imageType, mediaType: draft.mediaType, byteCount: draft.content.count,
            sha256: draft.content.sha256(), width: draft.width, height: draft.height, origin: draft.origin)
        photograph.scale = draft.scale
        photograph.description = draft.description
        photograph.direction = draft.direction
        photograph.takenAt = draft.takenAt
        photograph.receiverTime = draft.receiverTime
        photograph.cameraSource = draft.cameraSource
        return photograph
    }

    private func writeFiles(_ draft: PhotographDraft, _ photograph: Photograph, _ path: String) throws(SpecimenError) {
        var items: [DurableFiles.Item] = []
        if let thumbnail = draft.thumbnail {
            items.append(DurableFiles.Item(name: SpecimenNames.thumbnail(photograph.id), content: thumbnail))
        }
        items.append(DurableFiles.Item(name: SpecimenNames.photograph(photograph), content: draft.content))
        try specimens { () throws(StorageError) in
            try storing { () throws(FileError) in try files.write(items, in: path) }
        }
    }

    /// Deletes a photograph: the specimen's file first, so that from here on it is gone.
    ///
    /// - Returns: the specimen as it is now.
    /// - Throws: `notFound`, `photographNotFound`, and what the disk refuses.
    @discardableResult
    public func delete(
        photograph id: PhotographID, of specimen: SpecimenID, at instant: UTCInstant
    ) throws(SpecimenError) -> Specimen {
        try writing(to: specimen, usesReserve: true) { database throws(SpecimenError) in
            let old = try living(specimen)
            var new = old
            guard let index = old.specimen.photographs.firstIndex(where: { $0.id == id }) else {
                throw .photographNotFound(id)
            }
            let photograph = new.specimen.photographs.remove(at: index)
            let changed = try put(new, over: old, at: instant, database)
            removeFiles(of: photograph, in: folder(of: specimen))
            try? store.operations.synchronizeFolder(folder(of: specimen))
            return changed
        }
    }

    func removeFiles(of photograph: Photograph, in path: String) {
        for name in [SpecimenNames.photograph(photograph), SpecimenNames.thumbnail(photograph.id)] {
            try? store.operations.remove("\(path)/\(name)")
        }
    }

    /// Opens a photograph or its small copy.
    ///
    /// - Parameters:
    ///   - id: of the photograph.
    ///   - specimen: that it is of.
    ///   - isThumbnail: the small copy.
    /// - Returns: the open file, and what the specimen says about it.
    /// - Throws: `notFound`, `photographNotFound`, `photographMissing`.
    public func openPhotograph(
        _ id: PhotographID, of specimen: SpecimenID, isThumbnail: Bool = false
    ) throws(SpecimenError) -> OpenPhotograph {
        guard let photograph = try stored(specimen).specimen.photographs.first(where: { $0.id == id }) else {
            throw .photographNotFound(id)
        }
        let path = path(of: photograph, specimen, isThumbnail: isThumbnail)
        do throws(FileError) {
            return OpenPhotograph(
                descriptor: try Folder.open(path), mediaType: isThumbnail ? "image/jpeg" : photograph.mediaType,
                entityTag: isThumbnail ? "\(id)-thumbnail" : photograph.sha256)
        } catch {
            guard error.isAbsent else { throw .storage(.file(error)) }
            throw .photographMissing(id)
        }
    }

    /// Where a photograph's file lies.
    public func path(of photograph: Photograph, _ id: SpecimenID, isThumbnail: Bool = false) -> String {
        let name = isThumbnail ? SpecimenNames.thumbnail(photograph.id) : SpecimenNames.photograph(photograph)
        return "\(folder(of: id))/\(name)"
    }
}

/// A photograph that is open for reading. The descriptor stays good when it is deleted meanwhile.
public struct OpenPhotograph: ~Copyable, Sendable {
    public let descriptor: FileDescriptor
    public let mediaType: String
    /// Without quotes; a photograph never changes under its id.
    public let entityTag: String

    /// A range of the file's bytes; fewer only where it ends.
    ///
    /// - Throws: `archive` if the disk gives an error.
    public func bytes(at offset: Int, count: Int) throws(SpecimenError) -> [UInt8] {
        try specimens { () throws(StorageError) in
            try storing { () throws(FileError) in
                try Folder.read(descriptor.number, at: offset, count: count, path: "the photograph")
            }
        }
    }

    /// Gives up the descriptor.
    public consuming func takeDescriptor() -> FileDescriptor { descriptor }
}
