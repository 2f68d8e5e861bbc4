internal import HTTPServing
internal import KonzaAPI
internal import KonzaSystem
internal import Specimens
internal import Storage

/// Large bodies lie in files without a name on the archive's disk until they are checked.
struct ScratchUploads: UploadStore {
    private let archive: SpecimenArchive

    init(_ archive: SpecimenArchive) {
        self.archive = archive
    }

    func makeFile(limit: Int) throws -> any UploadFile {
        do throws(SpecimenError) {
            return ScratchUpload(file: try archive.makeScratch(limit: Int64(limit)))
        } catch {
            throw Problem(error)
        }
    }
}

private struct ScratchUpload: UploadFile {
    let file: ScratchFile

    func write(_ bytes: [UInt8]) throws {
        do throws(StorageError) {
            try file.write(bytes)
        } catch {
            throw Problem(error)
        }
    }

    func reader() throws -> FileDescriptor {
        do throws(StorageError) {
            return try file.reader()
        } catch {
            throw Problem(error)
        }
    }
}
