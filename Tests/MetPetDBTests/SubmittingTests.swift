import Foundation
import KonzaModel
import KonzaTestTraits
import KonzaTesting
import Testing

@testable import MetPetDB

@Suite("Submitting a specimen", .offPool)
struct SubmittingTests {
    let field: Field
    let ledger: MemoryLedger

    init() throws {
        field = try Field()
        ledger = MemoryLedger(folder: field.folder.path)
    }

    @Test("Everything that the server has a field for arrives in it, and the photographs byte for byte")
    func whole() throws {
        let specimen = try field.specimen()
        field.ready(specimen, in: ledger)
        let record = try #require(try field.settle(specimen, ledger))
        #expect(record.state == .submitted)
        #expect(record.remarks == nil)
        #expect(record.submittedRevision == specimen.revision)
        #expect(record.submittedAt != nil)
        let sample = try #require(field.server.samples.first)
        #expect(field.server.samples.count == 1)
        #expect(record.remoteID == sample.id)
        #expect(sample.number == "KNZ-2026-0001")
        #expect(sample.rockType == "Gneiss")
        #expect(sample.latitude == 39.1069123)
        #expect(sample.longitude == -96.6091234)
        #expect(sample.locationError == 4.2)
        #expect(sample.sesarNumber == "IEKIO0001")
        #expect(sample.metamorphicGrades == ["Amphibolite facies"])
        #expect(sample.metamorphicRegions == ["Flint Hills"])
        #expect(sample.minerals == [.init(name: "Quartz", amount: "40"), .init(name: "Garnet", amount: "x")])
        #expect(sample.collectionDate == "2026-05-30")
        #expect(sample.regions == ["Kansas", "Riley County"])
        #expect(sample.references == ["2004-061314"])
        let (text, line) = DescriptionLine.split(sample.description ?? "")
        #expect(text == specimen.description)
        #expect(line == DescriptionLine(specimen))
        #expect(sample.images.map(\.fileName) == ["KNZ-2026-0001-01.jpg", "KNZ-2026-0001-02.jpg"])
        for (image, photograph) in zip(sample.images, specimen.photographs) {
            #expect(Data(image.bytes) == (try Data(contentsOf: URL(filePath: "\(field.folder.path)/\(photograph.id)"))))
            #expect(image.ownerID == field.server.ownerID)
            #expect(image.imageType == 4)
            #expect(image.scale == 120)
        }
        #expect(field.server.addedTerms == 0)
        #expect(ledger.progress.contains { $0.sent == $0.total && $0.total > 3000 })
    }

    @Test("Every call that writes is preceded by a durable record of it")
    func durableBefore() throws {
        let specimen = try field.specimen()
        field.ready(specimen, in: ledger)
        let seen = Shared<[String]>([])
        let ledger = self.ledger
        field.server.setFaults { request in
            if request.method == "POST", request.path != "/api/auth/token/create/" {
                let record = ledger.history.last
                seen.with {
                    $0.append("\(request.path) \(record?.state.rawValue ?? "") \(record?.step?.rawValue ?? "")")
                }
            }
            return .none
        }
        _ = try field.settle(specimen, ledger)
        #expect(
            seen.with { $0 } == [
                "/api/samples/ sending create", "/api/images/ sending photograph", "/api/images/ sending photograph",
            ])
    }

    @Test("Whatever goes wrong once with a sample, it ends as one sample", arguments: StandInFault.allCases)
    func faultyCreate(_ fault: StandInFault) throws {
        try settle(after: fault, at: "POST /api/samples/")
    }

    @Test("Whatever goes wrong once with a photograph, it is there once", arguments: StandInFault.allCases)
    func faultyImage(_ fault: StandInFault) throws {
        // Images know no half-way.
        guard fault != .refuseHalfway else { return }
        try settle(after: fault, at: "POST /api/images/")
    }

    @Test("Whatever goes wrong once with looking and logging in, it ends", arguments: StandInFault.allCases)
    func faultyReading(_ fault: StandInFault) throws {
        for kind in ["GET /api/samples/", "GET /api/samples/*/", "POST /api/auth/token/create/"] {
            field.server.clear()
            try settle(after: fault, at: kind)
        }
    }

    private func settle(after fault: StandInFault, at kind: String) throws {
        let specimen = try field.specimen()
        let ledger = MemoryLedger(folder: field.folder.path)
        field.ready(specimen, in: ledger)
        let isDone = Shared(false)
        field.server.setFaults { request in
            guard request.kind == kind else { return .none }
            return isDone.with { done in
                defer { done = true }
                return done ? .none : fault
            }
        }
        let record = try field.settle(specimen, ledger, seconds: 1)
        #expect(record?.state == .submitted, "\(kind): \(record?.lastFailure ?? "no end")")
        #expect(isDone.with { $0 })
        #expect(field.server.samples.count == 1)
        let sample = try #require(field.server.samples.first)
        #expect(sample.images.map(\.fileName).sorted() == specimen.photographs.map(\.fileName))
        #expect(sample.minerals.count == 2, "the lists are completed")
        #expect(sample.metamorphicGrades == ["Amphibolite facies"])
    }

    @Test("A server that is down for a week is asked ever more seldom, at most once an hour, and gets it in the end")
    func downForAWeek() throws {
        let specimen = try field.specimen(photographs: 1)
        field.ready(specimen, in: ledger)
        field.server.setFaults { _ in .badGateway }
        let start = field.clock.utc()
        var pauses: [Double] = []
        while field.clock.utc().seconds(since: start) < 7 * 86_400 {
            let record = try #require(ledger[specimen.id])
            let left = try field.submitter(ledger).run(record, of: specimen, vocabulary: field.vocabulary)
            #expect(left.state == .ready)
            let pause = try #require(left.nextAttemptAt).seconds(since: field.clock.utc())
            pauses.append(pause)
            field.clock.advance(bySeconds: pause)
        }
        // Full jitter at one half of 10, 20, 40 ... 3600 seconds.
        #expect(pauses.prefix(4) == [5, 10, 20, 40])
        #expect(pauses.last == 1800)
        #expect(ledger[specimen.id]?.lastFailure?.contains("502") == true)
        field.server.setFaults(nil)
        #expect(try field.settle(specimen, ledger)?.state == .submitted)
        #expect(field.server.samples.count == 1)
    }

    @Test("A token that was revoked elsewhere is replaced once; a wrong password is not tried again at once")
    func revokedToken() throws {
        let specimen = try field.specimen(photographs: 0)
        field.ready(specimen, in: ledger)
        let submitter = try field.submitter(ledger)
        _ = try submitter.client.account()
        field.server.revokeTokens()
        let record = try submitter.run(
            try #require(ledger[specimen.id]), of: specimen, vocabulary: field.vocabulary)
        #expect(record.state == .submitted)

        field.server.clear()
        let stranger = Submitter(
            client: try Field.client(field.server.baseURL, password: "wrong"), ledger: ledger, clock: field.clock)
        field.ready(specimen, in: ledger)
        let refused = try stranger.run(try #require(ledger[specimen.id]), of: specimen, vocabulary: field.vocabulary)
        #expect(refused.state == .ready)
        #expect(refused.lastFailure?.contains("Unable to log in") == false)
        #expect(refused.lastFailure?.contains("Unable to login with provided credentials.") == true)
        #expect(field.server.requests.count == 1)
    }

    @Test("A field that the server refuses is refused in its own words, and a corrected specimen goes through")
    func refused() throws {
        var specimen = try field.specimen(photographs: 0)
        field.ready(specimen, in: ledger)
        // An id that the server does not have any more: 400 after the row is stored.
        var vocabulary = field.vocabulary
        vocabulary.terms[.metamorphicGrades] = [.init(name: "Amphibolite facies", id: "nope")]
        let submitter = try field.submitter(ledger)
        let record = try submitter.run(try #require(ledger[specimen.id]), of: specimen, vocabulary: vocabulary)
        #expect(record.state == .refused)
        #expect(record.refusals.map(\.words) == ["Invalid metamorphic_grade id: nope"])
        #expect(field.server.samples.count == 1)

        specimen.revision += 1
        specimen.description = "Corrected."
        var again = record
        again.state = .ready
        ledger[specimen.id] = again
        #expect(try field.settle(specimen, ledger)?.state == .submitted)
        #expect(field.server.samples.count == 1)
        #expect(field.server.samples.first?.metamorphicGrades == ["Amphibolite facies"])
        #expect(field.server.samples.first?.description?.hasPrefix("Corrected.") == true)
    }

    @Test("A photograph that the server refuses does not hold up the others, and is tried again after a change")
    func refusedPhotograph() throws {
        var specimen = try field.specimen(photographs: 2)
        specimen.photographs[0].imageType = .drawing
        try Data("no picture at all".utf8).write(
            to: URL(filePath: "\(field.folder.path)/\(specimen.photographs[0].id)"))
        specimen.photographs[0].byteCount = 17
        field.ready(specimen, in: ledger)
        let record = try #require(try field.settle(specimen, ledger))
        #expect(record.state == .refused)
        #expect(record.refusals == [.init(field: "KNZ-2026-0001-01.jpg", words: "not an image")])
        #expect(field.server.samples.first?.images.map(\.fileName) == ["KNZ-2026-0001-02.jpg"])

        specimen.photographs.removeFirst()
        try field.addPhotograph(to: &specimen, 2, bytes: 100)
        specimen.revision += 1
        ledger[specimen.id]?.state = .ready
        #expect(try field.settle(specimen, ledger)?.state == .submitted)
        #expect(field.server.samples.first?.images.count == 2)
    }

    @Test("A server that cannot take images at all leaves the sample submitted but for them, and is asked again")
    func imagesAlwaysFail() throws {
        let specimen = try field.specimen(photographs: 2)
        field.ready(specimen, in: ledger)
        field.server.quirks.imagesAlwaysFail = true
        let waiting = try field.settle(specimen, ledger, most: 5)
        #expect(waiting == nil)
        #expect(ledger[specimen.id]?.submittedRevision == specimen.revision)
        #expect(ledger[specimen.id]?.lastFailure?.contains("AssertionError") == true)
        field.server.quirks.imagesAlwaysFail = false
        #expect(try field.settle(specimen, ledger)?.state == .submitted)
        #expect(field.server.samples.first?.images.count == 2)
    }

    @Test("A number that somebody else has too is no conflict, and their sample stays as it is")
    func numberOfAnother() throws {
        let specimen = try field.specimen(photographs: 1)
        let theirs = StandInSample(
            id: UUID().uuidString.lowercased(), ownerID: field.server.otherOwnerID, number: specimen.number,
            isPublic: true, rockType: "Slate", latitude: 1, longitude: 1)
        field.server.change { $0.append(theirs) }
        field.ready(specimen, in: ledger)
        #expect(try field.settle(specimen, ledger)?.state == .submitted)
        #expect(field.server.samples.count == 2)
        #expect(field.server.samples.contains(theirs))
    }

    @Test("A number under which one's own account has something else is a conflict that shows both sides")
    func ownNumberTwice() throws {
        let specimen = try field.specimen(photographs: 1)
        let other = StandInSample(
            id: UUID().uuidString.lowercased(), ownerID: field.server.ownerID, number: specimen.number,
            rockType: "Slate", latitude: 1, longitude: 1)
        field.server.change { $0.append(other) }
        field.ready(specimen, in: ledger)
        var record = try #require(try field.settle(specimen, ledger))
        #expect(record.state == .conflict)
        #expect(record.conflict?.ours.contains("Gneiss") == true)
        #expect(record.conflict?.theirs.contains("Slate") == true)
        #expect(field.server.samples == [other])

        // Theirs: that sample is left alone, and this specimen needs another number.
        var left = record
        let isLeft = left.resolveConflict(.theirs, revision: specimen.revision, at: field.clock.utc())
        #expect(isLeft)
        #expect(left.state == .draft)
        #expect(left.remoteID == nil)

        // Ours: it is the same rock after all.
        let isEnded = record.resolveConflict(.ours, revision: specimen.revision, at: field.clock.utc())
        #expect(isEnded)
        ledger[specimen.id] = record
        #expect(try field.settle(specimen, ledger)?.state == .submitted)
        #expect(field.server.samples.map(\.rockType) == ["Gneiss"])
        #expect(field.server.samples.first?.id == other.id)
    }
}

@Suite("A sample that is on the server", .offPool)
struct LaterChangeTests {
    let field: Field
    let ledger: MemoryLedger
    var specimen: Specimen

    init() throws {
        field = try Field()
        ledger = MemoryLedger(folder: field.folder.path)
        specimen = try field.specimen(photographs: 1)
        field.ready(specimen, in: ledger)
        let record = try field.settle(specimen, ledger)
        #expect(record?.state == .submitted)
        specimen.revision += 1
        specimen.description = "Seen again."
        specimen.collector = nil
        try field.addPhotograph(to: &specimen, 1, bytes: 500)
        makeReady()
    }

    private func makeReady() {
        ledger[specimen.id]?.state = .ready
    }

    @Test("A later edit is an update with coordinates, and only the new photograph is uploaded")
    func update() throws {
        #expect(try field.settle(specimen, ledger)?.state == .submitted)
        let sample = try #require(field.server.samples.first)
        #expect(field.server.samples.count == 1)
        #expect(sample.description?.hasPrefix("Seen again.") == true)
        #expect(sample.collectorName == nil)
        #expect(sample.latitude == 39.1069123)
        #expect(sample.images.count == 2)
    }

    @Test("Whatever goes wrong once with an update, it ends well", arguments: StandInFault.allCases)
    func faultyUpdate(_ fault: StandInFault) throws {
        let isDone = Shared(false)
        field.server.setFaults { request in
            guard request.kind == "PUT /api/samples/*/" else { return .none }
            return isDone.with { done in
                defer { done = true }
                return done ? .none : fault
            }
        }
        var record = try field.settle(specimen, ledger, seconds: 1)
        if fault == .refuseHalfway {
            // The server's words; the collector tries again.
            #expect(record?.state == .refused)
            makeReady()
            record = try field.settle(specimen, ledger)
        }
        #expect(record?.state == .submitted)
        #expect(field.server.samples.first?.description?.hasPrefix("Seen again.") == true)
        #expect(field.server.samples.first?.images.count == 2)
    }

    @Test("A sample that somebody changed is a conflict with both sides, and is not overwritten")
    func changedThere() throws {
        field.server.change { $0[0].description = "Changed by hand." }
        let record = try #require(try field.settle(specimen, ledger))
        #expect(record.state == .conflict)
        #expect(record.conflict?.reason.contains("description") == true)
        #expect(record.conflict?.ours.contains("Seen again.") == true)
        #expect(record.conflict?.theirs.contains("Changed by hand.") == true)
        #expect(field.server.samples.first?.description == "Changed by hand.")
    }

    @Test("The choice of a side is carried out, and the photographs follow", arguments: ConflictChoice.allCases)
    func choice(_ choice: ConflictChoice) throws {
        field.server.change { $0[0].description = "Changed by hand." }
        var record = try #require(try field.settle(specimen, ledger))
        let isEnded = record.resolveConflict(choice, revision: specimen.revision, at: field.clock.utc())
        #expect(isEnded)
        ledger[specimen.id] = record
        #expect(try field.settle(specimen, ledger)?.state == .submitted)
        let sample = try #require(field.server.samples.first)
        #expect(sample.images.count == 2)
        #expect((sample.description == "Changed by hand.") == (choice == .theirs))
    }

    @Test("A change between the choice and the update is a conflict again")
    func changedAgain() throws {
        field.server.change { $0[0].description = "Changed by hand." }
        var record = try #require(try field.settle(specimen, ledger))
        record.resolveConflict(.ours, revision: specimen.revision, at: field.clock.utc())
        ledger[specimen.id] = record
        field.server.change { $0[0].country = "Canada" }
        #expect(try field.settle(specimen, ledger)?.state == .conflict)
        #expect(field.server.samples.first?.country == "Canada")
    }

    @Test("What others add beside it, such as images, is no change of it")
    func imagesOfOthers() throws {
        let owner = field.server.otherOwnerID
        field.server.change {
            $0[0].images.append(
                .init(id: "x", fileName: "theirs.jpg", ownerID: owner, imageType: 1, isPublic: true, bytes: []))
        }
        #expect(try field.settle(specimen, ledger)?.state == .submitted)
    }

    @Test("A sample that was deleted there is not made anew unasked")
    func deletedThere() throws {
        field.server.change { $0.removeAll() }
        var record = try #require(try field.settle(specimen, ledger))
        #expect(record.state == .conflict)
        #expect(field.server.samples.isEmpty)
        record.resolveConflict(.ours, revision: specimen.revision, at: field.clock.utc())
        ledger[specimen.id] = record
        #expect(try field.settle(specimen, ledger)?.state == .submitted)
        #expect(field.server.samples.first?.images.count == 2)
    }

    @Test("A sample that was given to somebody else is a conflict")
    func givenAway() throws {
        let owner = field.server.otherOwnerID
        field.server.change {
            $0[0].ownerID = owner
            $0[0].isPublic = true
        }
        #expect(try field.settle(specimen, ledger)?.state == .conflict)
        #expect(field.server.samples.first?.description?.hasPrefix("Banded") == true)
    }
}
