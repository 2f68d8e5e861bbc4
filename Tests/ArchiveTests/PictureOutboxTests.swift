import Foundation
import KonzaModel
import KonzaSystem
import KonzaTesting
import Testing

@testable import Forwarding
@testable import Postcards
@testable import Specimens
@testable import Storage

extension ForwardedArchives {
    fileprivate func begin(_ address: String = "https://s3.example/konza") throws {
        try outbox.turn(true, log: "log")
        while try outbox.addOlder() {}
        try outbox.turnPictures(true, address: address)
        while try outbox.addOlderPictures() {}
    }

    fileprivate func steps(_ limit: Int = 100, all: Bool = true, at now: UTCInstant = noon) throws -> [PictureEntry] {
        try outbox.pictures(limit: limit, allOriginals: all, at: now) { id, part, media in
            "konza/knz07/\(id)\(part == .thumbnail ? ".thumb" : "")\(media == "image/png" ? ".png" : ".jpg")"
        }
    }

    @discardableResult
    fileprivate func confirm(
        _ step: PictureEntry, _ outcome: PictureReceipt.Outcome? = nil, rev: Int64? = nil,
        at now: UTCInstant = noon,
        tells: Bool = false
    ) throws -> Bool {
        let outcome = outcome ?? (step.isRemoval ? .removed : .stored)
        let receipt = PictureReceipt(id: step.id, part: step.part, rev: rev ?? step.rev, outcome: outcome)
        return try outbox.confirmPictures([receipt], at: now, tellsThumbnails: tells) == 1
    }

    fileprivate func prune(_ id: PostcardID) throws {
        try store.changing { database throws(StorageError) in
            _ = try postcards.delete([id], isPruned: true, from: database)
        }
    }
}

@Suite("The outbox of pictures")
struct PictureOutboxTests {
    private let folder: TemporaryFolder
    private let archives: ForwardedArchives

    init() throws {
        folder = try TemporaryFolder()
        archives = try ForwardedArchives(folder)
    }

    private func rows() throws -> [String] { try folder.sqlite("SELECT count(*) FROM pictures") }

    @Test("grows no rows without a store")
    func off() throws {
        try archives.outbox.turn(true, log: "log")
        _ = try archives.postcards.keep(draft("a"))
        #expect(try archives.steps().isEmpty)
        #expect(try rows() == ["0"])
    }

    @Test("has the pictures from before and after, small ones first, each under a name that stays")
    func order() throws {
        let first = try archives.postcards.keep(draft("a")).id.description
        let specimen = try archives.specimens.openNext()
        try archives.specimens.addPicture("before", to: specimen.id)
        try archives.begin()
        let second = try archives.postcards.keep(draft("b")).id.description
        try archives.specimens.addPicture("after", to: specimen.id)
        let photographs = try archives.specimens.specimen(specimen.id).photographs.map(\.id.description)
        #expect(photographs.count == 2)
        let steps = try archives.steps()
        let ids = [first, second] + photographs
        #expect(steps.map(\.id) == ids.sorted() + ids.sorted())
        #expect(steps.map(\.part) == Array(repeating: .thumbnail, count: 4) + Array(repeating: .original, count: 4))
        #expect(steps.allSatisfy { !$0.isRemoval && $0.rev == 1 && $0.key.contains($0.id) })
        for step in steps where step.part == .original {
            #expect(step.record == (step.kind == .postcard ? step.id : specimen.id.description))
            let own =
                step.kind == .postcard
                ? try archives.postcards.record(try #require(PostcardID(step.id))).sha256
                : try archives.specimens.specimen(specimen.id).photographs.first { $0.id.description == step.id }?
                    .sha256
            #expect(step.sha256 == own && own != nil)
        }
        #expect(try archives.steps() == steps)
        // Another name of the station changes no object's.
        let renamed = try archives.outbox.pictures(limit: 100, allOriginals: true, at: noon) { _, _, _ in "other" }
        #expect(renamed == steps)
    }

    @Test("lets go of what is confirmed as it was listed, and tells of the record anew")
    func receipts() throws {
        try archives.begin()
        let id = try archives.postcards.keep(draft("a")).id.description
        let rev = { try archives.outbox.entries(limit: 10).first { $0.id == id }?.rev }
        #expect(try rev() == 1)
        let steps = try archives.steps()
        #expect(try !archives.confirm(steps[0], rev: 2))
        #expect(try !archives.confirm(steps[0], .removed))
        #expect(try archives.confirm(steps[0]))
        #expect(try !archives.confirm(steps[0]))
        // The original follows: one message tells of both.
        #expect(try rev() == 1)
        #expect(try archives.outbox.latestPicture() == LatestPicture(id: id, thumbnailKey: steps[0].key, key: nil))
        #expect(try archives.confirm(steps[1]))
        #expect(try rev() == 2)
        #expect(try archives.steps().isEmpty)
        #expect(try archives.outbox.latestPicture()?.key == steps[1].key)
        let state = try #require(try archives.outbox.pictureStates(of: [id])[id]?.first)
        #expect(state.isStored && state.isThumbnailStored && state.key == steps[1].key)
        // Where no original follows soon, the small picture is told of at once.
        let other = try archives.postcards.keep(draft("b")).id.description
        let thumbnail = try #require(try archives.steps().first)
        try archives.confirm(thumbnail, tells: true)
        #expect(try archives.outbox.entries(limit: 10).first { $0.id == other }?.rev == 2)
    }

    @Test("holds originals back by policy, and sends one that somebody asks for")
    func demand() throws {
        try archives.begin()
        let first = try archives.postcards.keep(draft("a")).id.description
        _ = try archives.postcards.keep(draft("b"))
        for step in try archives.steps(all: false) { try archives.confirm(step) }
        #expect(try archives.steps(all: false).isEmpty)
        #expect(try archives.outbox.wantOriginal(first) == false)
        #expect(try archives.outbox.wantOriginal("01k2b3c4d5e6f7g8h9j0kmnpqr") == nil)
        let wanted = try archives.steps(all: false)
        #expect(wanted.map(\.id) == [first] && wanted.first?.part == .original)
        try archives.confirm(wanted[0])
        #expect(try archives.outbox.wantOriginal(first) == true)
        #expect(try archives.outbox.isOriginalStored(first) == true)
        #expect(try archives.outbox.pictureFigures().originals == 1)
    }

    @Test("removes what a person deletes, keeps still about what grew too old, and forgets what nobody can have stored")
    func deleted() throws {
        try archives.begin()
        let known = try archives.postcards.keep(draft("a")).id
        let aged = try archives.postcards.keep(draft("b")).id
        for step in try archives.steps() { try archives.confirm(step) }
        let underWay = try archives.postcards.keep(draft("c")).id
        let sent = try archives.steps()
        let unknown = try archives.postcards.keep(draft("d")).id
        for id in [known, underWay, unknown] { try archives.postcards.delete(id) }
        try archives.prune(aged)
        let removals = try archives.steps()
        #expect(removals.allSatisfy { $0.isRemoval })
        #expect(Set(removals.map(\.id)) == Set([known, underWay].map(\.description)))
        #expect(removals.count == 4 && removals.allSatisfy { $0.rev == 2 })
        // What was stored meanwhile is no news: the object has to go.
        for step in sent { #expect(try !archives.confirm(step)) }
        for step in removals { #expect(try archives.confirm(step)) }
        #expect(try archives.steps().isEmpty)
        #expect(try rows() == ["0"])
    }

    @Test("follows the photographs of a specimen, its deletion and its return")
    func photographs() throws {
        try archives.begin()
        let id = try archives.specimens.openNext().id
        try archives.specimens.addPicture("a", to: id)
        try archives.specimens.addPicture("b", to: id)
        for step in try archives.steps() { try archives.confirm(step) }
        let photographs = try archives.specimens.specimen(id).photographs.map(\.id)
        _ = try archives.specimens.delete(photograph: photographs[0], of: id, at: noon)
        let removals = try archives.steps()
        #expect(removals.map(\.id) == Array(repeating: photographs[0].description, count: 2))
        #expect(removals.allSatisfy { $0.isRemoval })
        for step in removals { try archives.confirm(step) }
        try archives.specimens.delete(id, at: noon)
        #expect(try archives.steps().map(\.id) == Array(repeating: photographs[1].description, count: 2))
        #expect(try archives.steps().allSatisfy { $0.isRemoval })
        _ = try archives.specimens.restore(id, at: noon)
        let back = try archives.steps()
        #expect(back.map(\.id) == Array(repeating: photographs[1].description, count: 2))
        #expect(back.allSatisfy { !$0.isRemoval && $0.rev == 3 })
    }

    @Test("leaves a picture alone that the store does not take, longer and longer, and any other goes on")
    func deferred() throws {
        try archives.begin()
        _ = try archives.postcards.keep(draft("a"))
        let bad = try #require(try archives.steps().first)
        try archives.confirm(bad, .deferred)
        #expect(try !archives.steps().contains { $0.id == bad.id && $0.part == bad.part })
        #expect(try archives.steps().count == 1)
        let again = try #require(try archives.steps(at: noon.advanced(bySeconds: 61)).first)
        #expect(again.part == .thumbnail && again.tries == 1)
        try archives.confirm(again, .deferred, at: noon.advanced(bySeconds: 61))
        #expect(try archives.steps(at: noon.advanced(bySeconds: 170)).count == 1)
        #expect(try archives.steps(at: noon.advanced(bySeconds: 190)).count == 2)
        // By a clock that was years ahead it would wait for years.
        #expect(try archives.steps(at: noon.advanced(bySeconds: -400 * 86_400)).count == 2)
        #expect(try archives.outbox.pictureFigures().deferred == 1)
        // No file of it any more: nothing to store.
        try archives.confirm(again, .absent)
        #expect(try archives.outbox.pictureFigures().thumbnails == 0)
    }

    @Test("stores everything again in another store, and nothing again in the same one")
    func moved() throws {
        try archives.begin()
        let id = try archives.postcards.keep(draft("a")).id
        for step in try archives.steps() { try archives.confirm(step) }
        try archives.outbox.turnPictures(false, address: "")
        let meanwhile = try archives.postcards.keep(draft("b")).id
        try archives.begin()
        #expect(try archives.steps().map(\.id) == Array(repeating: meanwhile.description, count: 2))
        try archives.begin("https://other.example/konza")
        #expect(try archives.steps().count == 4)
        // Off, a deletion by a person counts all the same.
        for step in try archives.steps() { try archives.confirm(step) }
        try archives.outbox.turnPictures(false, address: "")
        try archives.postcards.delete(id)
        try archives.begin("https://other.example/konza")
        #expect(try archives.steps().map(\.isRemoval) == [true, true])
    }

    @Test(
        "a public link has two objects under one name, which go at its end, when it is taken back and with the postcard"
    )
    func publicLinks() throws {
        try archives.begin()
        let ids = try ["a", "b", "c", "d"].map { try archives.postcards.keep(draft($0)).id }
        for step in try archives.steps() { try archives.confirm(step) }
        let end = noon.advanced(bySeconds: 7 * 86_400)
        #expect(try archives.outbox.publicLink(of: ids[0].description) == nil)
        for id in ids {
            let link = try #require(try archives.outbox.publish(id.description, name: "n\(id)", until: end))
            #expect(link == PublicLinkState(pageKey: "p/n\(id)/index.html", endsAt: end, isStored: false))
        }
        #expect(try archives.outbox.publish("01k2b3c4d5e6f7g8h9j0kmnpqr", name: "x", until: end) == nil)
        // They come before everything that is not to go.
        _ = try archives.postcards.keep(draft("e"))
        let steps = try archives.steps(8)
        #expect(steps.allSatisfy { $0.key.hasPrefix("p/") } && Set(steps.map(\.part)) == [.publicPicture, .publicPage])
        #expect(steps.allSatisfy { ($0.sha256 != nil) == ($0.part == .publicPicture) })
        let revision = try archives.outbox.entries(limit: 10).map(\.rev)
        for step in steps { try archives.confirm(step) }
        // The fleet's database is told nothing of it.
        #expect(try archives.outbox.entries(limit: 10).map(\.rev) == revision)
        #expect(try archives.outbox.publicLink(of: ids[0].description)?.isStored == true)
        // Again: the same name, another end.
        let later = end.advanced(bySeconds: 86_400)
        let again = try #require(try archives.outbox.publish(ids[3].description, name: "other", until: later))
        #expect(again.pageKey == "p/n\(ids[3])/index.html" && again.endsAt == later)

        #expect(try archives.outbox.unpublish(ids[0].description))
        #expect(try !archives.outbox.unpublish(ids[0].description))
        try archives.postcards.delete(ids[1])
        // What grew too old at the station stays public until its end.
        try archives.prune(ids[2])
        func removals() throws -> Set<String> {
            Set(try archives.steps().filter { $0.isRemoval && $0.key.hasPrefix("p/") }.map(\.id))
        }
        #expect(try removals() == [ids[0].description, ids[1].description])
        #expect(try !archives.outbox.endPublic(at: end.advanced(bySeconds: -1)))
        #expect(try archives.outbox.endPublic(at: end))
        #expect(try removals() == Set(ids[..<3].map(\.description)))
        #expect(try archives.outbox.publicLink(of: ids[2].description) == nil)
        #expect(try archives.outbox.publicLink(of: ids[3].description) != nil)
    }
}
