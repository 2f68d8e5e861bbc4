import KonzaModel
import KonzaSystem
import KonzaTesting
import Testing

@testable import Postcards
@testable import Samples
@testable import Specimens
@testable import Storage

/// The station's own day, as a number template asks for it.
let day = CivilTime(noon)

/// A specimen that is to be opened, with a member of every kind.
func specimenDraft(
    _ archive: SpecimenArchive, _ rockType: String = "Gneiss", at instant: UTCInstant = noon,
    place: Coordinate? = Coordinate(latitude: 39.1069, longitude: -96.6091)
) -> Specimen {
    var specimen = Specimen(id: archive.newID(at: instant), number: "", rockType: rockType, createdAt: instant)
    specimen.collector = "Müller, Jörg"
    specimen.minerals = [.init(name: "Quartz", amount: "15"), .init(name: "Garnet")]
    specimen.measurements = [
        StructuralMeasurement(
            kind: .plane, azimuth: 2.5, inclination: 30, declinationApplied: 12.5, declinationSource: "given")
    ]
    if let place { specimen.position = SpecimenPosition(place, accuracy: 3.25, source: .fix, kind: .live) }
    return specimen
}

extension SpecimenArchive {
    /// Opens a specimen with the next number of the standard template.
    @discardableResult
    func openNext(_ rockType: String = "Gneiss", key: IdempotencyKey? = nil) throws -> Specimen {
        try open(specimenDraft(self, rockType), number: .next(.standard, day), key: key).specimen
    }

    @discardableResult
    func addPicture(_ mark: String, to id: SpecimenID) throws -> Photograph {
        try add(photographDraft(mark), to: id, at: noon).photograph
    }

    func bytes(of photograph: Photograph, _ id: SpecimenID) throws -> [UInt8] {
        let open = try openPhotograph(photograph.id, of: id)
        return try Folder.read(open.descriptor.number, at: 0, count: photograph.byteCount + 1, path: "photograph")
    }

    /// All specimens that the list gives, page by page.
    func all(_ query: SpecimenQuery = SpecimenQuery(), pageSize: Int = 3) throws -> [Specimen] {
        var query = query
        query.limit = pageSize
        var found: [Specimen] = []
        repeat {
            let page = try list(query)
            found += page.specimens
            query.cursor = page.next
        } while query.cursor != nil
        return found
    }
}

func photographDraft(_ mark: String, bytes: Int = 400) -> PhotographDraft {
    var draft = PhotographDraft(
        content: FileContent(Array(repeating: mark.utf8.first ?? 0, count: bytes)),
        thumbnail: FileContent(Array("small \(mark)".utf8)), imageType: .fieldPhoto, mediaType: "image/jpeg",
        width: 640, height: 480, origin: "camera")
    draft.takenAt = noon
    draft.direction = 123.5
    return draft
}

/// A specimen's files are what the index says of it, and nothing lies there that it does not name.
func expectFiles(
    of specimen: Specimen, _ archive: SpecimenArchive, in folder: TemporaryFolder, _ comment: Comment,
    location: SourceLocation = #_sourceLocation
) throws {
    let path = SpecimenNames.folder(specimen.id)
    let file = try #require(folder.contents("\(path)/specimen.json"), comment, sourceLocation: location)
    #expect(StoredText.decode(Specimen.self, file) == specimen, comment, sourceLocation: location)
    for photograph in specimen.photographs {
        let bytes = try archive.bytes(of: photograph, specimen.id)
        #expect(FileContent(bytes).sha256() == photograph.sha256, comment, sourceLocation: location)
    }
    let submissions = try archive.submissions(of: specimen.id)
    for submission in submissions {
        let file = try #require(
            folder.contents("\(path)/\(SpecimenNames.submission(submission.target))"), comment, sourceLocation: location
        )
        #expect(StoredText.decode(Submission.self, file) == submission, comment, sourceLocation: location)
    }
    let known =
        ["specimen.json"] + submissions.map { SpecimenNames.submission($0.target) }
        + specimen.photographs.flatMap { [SpecimenNames.photograph($0), SpecimenNames.thumbnail($0.id)] }
    #expect(Set(folder.files(below: path)) == Set(known), comment, sourceLocation: location)
}
