import FleetMessaging
import Foundation
import KonzaAPI
import KonzaModel
import KonzaTesting
import Testing

/// The S3 server of the tests, with what is asked of it outside S3.
struct PictureStore {
    struct Kept: Decodable {
        let sha256: String
        let bytes: Int
        let type: String?
        let writes: Int
    }

    struct Asked: Decodable {
        let method: String
        let path: String
    }

    let server: ObjectServer

    init(_ options: [String] = []) throws { server = try ObjectServer(options) }

    private func ask<Value: Decodable>(_ path: String, _ arguments: [String] = []) throws -> Value {
        let outcome = try run("curl", ["-sf", "http://127.0.0.1:\(server.port)/-/\(path)"] + arguments)
        guard outcome.status == 0 else { throw Complaint("the S3 server: \(outcome.errors)") }
        return try JSONDecoder().decode(Value.self, from: outcome.output)
    }

    func objects() throws -> [String: Kept] { try ask("objects") }

    func log() throws -> [Asked] { try ask("log") }

    /// What is to go wrong with the next requests.
    func inject(_ faults: String) throws {
        let _: [String: Int] = try ask("faults", ["-X", "POST", "-d", faults])
    }
}

extension Station {
    /// Puts the account of the store where the program looks for it.
    func setAccount(_ secret: String = "konza-test-secret") throws {
        try "aws_access_key_id=KONZATEST\naws_secret_access_key=\(secret)\n".write(
            toFile: "\(folder.path)/fleet-store", atomically: true, encoding: .utf8)
    }

    func pictures() throws -> FleetPicturesSummary { try #require(try fleet().pictures) }

    /// The names that a postcard's picture and its small picture have in the store, with the hashes of what the station has.
    func objects(ofPostcard id: String, box: String = "knz07") throws -> [String: String] {
        let id = try #require(PostcardID(id))
        return [
            FleetObjectKey.picture(of: id, site: "konza", box: box):
                try hash("/v1/postcards/\(id)/image.jpg"),
            FleetObjectKey.thumbnail(of: id, site: "konza", box: box):
                try hash("/v1/postcards/\(id)/thumbnail.jpg"),
        ]
    }

    func hash(_ path: String) throws -> String {
        let reply = try get(path)
        #expect(reply.status == 200, "\(path)")
        var hash = SHA256()
        hash.update(Array(reply.body))
        return hash.hexadecimal()
    }

    var areAllPicturesStored: Bool {
        get throws {
            let pictures = try pictures()
            return pictures.waitingThumbnails == 0 && pictures.waitingOriginals == 0 && pictures.removing == 0
        }
    }
}

/// Pictures of a station on their way to an object store that checks signatures and hashes, with the real programs.
@Suite("Pictures of a station of a fleet")
struct FleetPictureTests {
    private let broker: RealBroker
    private let reader: FleetReader

    init() throws {
        broker = try RealBroker()
        reader = try FleetReader(broker)
    }

    private func station(_ store: PictureStore, _ more: String = "") throws -> Station {
        let station = try Station(
            Station.recorded(
                inFleetOf: "mqtt://127.0.0.1:\(broker.port)", "Store=\(store.server.address)\n\(more)"))
        try station.setAccount()
        return station
    }

    private func member(_ name: String, _ head: FleetMessageHead?) -> String? {
        guard case .object(let members)? = head?.body, case .string(let text)? = members[name] else { return nil }
        return text
    }

    /// The body of what the broker keeps of the latest picture; nil for nothing.
    private func latest() throws -> [String: JSONValue]? {
        let found = try run(
            "mosquitto_sub",
            ["-h", "127.0.0.1", "-p", "\(broker.port)", "-t", "konza/1/konza/knz07/latest", "-C", "1", "-W", "2"])
        guard case .object(let members)? = try? JSONReader.value(of: Array(found.output)),
            case .object(let body)? = members["body"]
        else { return nil }
        return body
    }

    @Test("are in the store with the right hash, once; the messages tell so; and what a person deletes goes from there")
    func stored() throws {
        defer { reader.end() }
        let store = try PictureStore(["--prefix", "konza/knz07/"])
        let station = try station(store, "HomeAssistant=yes\nPublicStore=https://pictures.example/konza")
        let before = try station.takePostcard()
        let program = RunningFleet(station)
        try program.start()
        let specimen = try station.openSpecimen()
        #expect(try station.post("/v1/specimens/\(specimen)/photographs").status == 201)
        let after = try station.takePostcard()
        try waitUntil("all are stored", seconds: 60) {
            try station.areAllPicturesStored && store.objects().count == 6
        }
        let photographs = try station.get("/v1/specimens/\(specimen)/photographs").json()["photographs"]
        let photograph = try #require(
            ((photographs as? [[String: Any]])?.first?["id"] as? String).flatMap { PhotographID($0) })
        let path = "/v1/specimens/\(specimen)/photographs/\(photograph)"
        var expected = try station.objects(ofPostcard: before).merging(try station.objects(ofPostcard: after)) { $1 }
        expected[FleetObjectKey.picture(of: photograph, site: "konza", box: "knz07")] = try station.hash("\(path)/file")
        expected[FleetObjectKey.thumbnail(of: photograph, site: "konza", box: "knz07")] = try station.hash(
            "\(path)/thumbnail.jpg")
        #expect(try store.objects().mapValues(\.sha256) == expected)
        #expect(try store.objects().values.allSatisfy { $0.writes == 1 && $0.type == "image/jpeg" })

        let id = try #require(PostcardID(after))
        try waitUntil("the messages tell of it", seconds: 30) {
            member("picture", reader.records[after]) == "stored"
        }
        let message = try #require(reader.records[after])
        #expect(
            message.rev >= 2 && member("key", message) == FleetObjectKey.picture(of: id, site: "konza", box: "knz07"))
        #expect(
            member("thumbnail", message) == "stored"
                && member("sha256", message) == expected[member("key", message) ?? ""])
        try waitUntil("the specimen's message tells of its photograph", seconds: 30) {
            guard case .object(let members)? = reader.records[specimen]?.body,
                case .array(let list)? = members["photographs"], case .object(let first)? = list.first
            else { return false }
            return first["picture"] == .string("stored")
                && first["key"] == .string(FleetObjectKey.picture(of: photograph, site: "konza", box: "knz07"))
        }
        try waitUntil("the broker keeps the latest", seconds: 30) { try latest()?["id"] == .string(after) }
        #expect(
            try latest()?["thumbnail"] == .string(FleetObjectKey.thumbnail(of: id, site: "konza", box: "knz07")))
        let found = try run(
            "mosquitto_sub",
            ["-h", "127.0.0.1", "-p", "\(broker.port)", "-t", "homeassistant/#", "-C", "1", "-W", "10"])
        #expect(found.text.contains("https://pictures.example/konza/"))
        let konza = try Programs.path("konza").path
        // konza-fleet tells the station about its broker and its store a moment after it has used them.
        try waitUntil("the screen tells of it", seconds: 30) {
            let shown = try run(konza, ["fleet", "--socket", station.socket]).text
            return shown.contains("takes them") && shown.contains("nothing waits")
        }

        #expect(try station.request("DELETE", "/v1/postcards/\(after)").status == 204)
        #expect(try station.request("DELETE", "\(path)").status == 204)
        try waitUntil("their objects are gone", seconds: 30) { try store.objects().count == 2 }
        #expect(try store.objects().mapValues(\.sha256) == station.objects(ofPostcard: before))
        try waitUntil("the latest is the one before", seconds: 60) { try latest()?["id"] == .string(before) }
    }

    @Test("whatever fails or is killed, each is stored once with its own bytes")
    func faults() throws {
        defer { reader.end() }
        let seed = RandomTest.seed(of: "pictures of a fleet")
        var generator = SeededGenerator(seed: seed)
        let store = try PictureStore(Bool.random(using: &generator) ? ["--plain"] : [])
        let station = try station(store)
        let program = RunningFleet(station)
        try program.start()
        let faults = [
            "500", "503", "409", "\"conflict\"", "\"slow\"", "\"truncated\"", "\"lost\"", "\"cut\"", "\"hash\"",
        ]
        var kept: Set<String> = []
        for round in 0..<6 {
            let list = (0..<Int.random(in: 1...3, using: &generator)).compactMap { _ in
                faults.randomElement(using: &generator)
            }
            try store.inject("[\(list.joined(separator: ","))]")
            kept.insert(try station.takePostcard())
            switch round {
            case 1, 4:
                program.cutOff()
                try program.start()
            case 2:
                station.cutOff()
                try station.start()
            case 3:
                let gone = try #require(kept.randomElement(using: &generator))
                #expect(try station.request("DELETE", "/v1/postcards/\(gone)").status == 204)
                kept.remove(gone)
            default: break
            }
        }
        // A new program asks at once, where the old one may be waiting after a failure.
        try store.inject("[]")
        program.cutOff()
        try program.start()
        try waitUntil("all are stored", seconds: 90) { try station.areAllPicturesStored }
        var expected: [String: String] = [:]
        for id in kept { expected.merge(try station.objects(ofPostcard: id)) { $1 } }
        let objects = try store.objects()
        #expect(objects.mapValues(\.sha256) == expected, "KONZA_SEED=\(seed)")
        #expect(objects.values.allSatisfy { $0.writes == 1 }, "KONZA_SEED=\(seed)")
    }

    @Test("an account that the store refuses, and a clock that is off, are said with what to do")
    func refused() throws {
        defer { reader.end() }
        let store = try PictureStore()
        let station = try station(store)
        try station.setAccount("another-secret")
        _ = try station.takePostcard()
        let program = RunningFleet(station)
        try program.start()
        try waitUntil("konzad knows why", seconds: 30) { try station.pictures().report?.kind == "credentials" }
        let konza = try Programs.path("konza").path
        // Pauses are drawn anew for each try (a few of them are over before this command has asked), and grow.
        var shown = try run(konza, ["fleet", "--socket", station.socket])
        try waitUntil("the next try is dated, not now", seconds: 60) {
            shown = try run(konza, ["fleet", "--socket", station.socket])
            return shown.text.contains("tried again at 20")
        }
        #expect(shown.text.contains("does not take them") && shown.text.contains("secret"), "\(shown.text)")
        let doctor = try run(konza, ["doctor", "--socket", station.socket])
        #expect(doctor.text.contains("aws_access_key_id"), "\(doctor.text)")
        #expect(try store.objects().isEmpty)
        // Put right, it goes on by itself.
        try station.setAccount()
        try waitUntil("it is stored", seconds: 60) { try station.areAllPicturesStored }
        #expect(try store.objects().count == 2)
        program.stop()

        let late = try PictureStore(["--clock", "7200"])
        let other = try self.station(late)
        _ = try other.takePostcard()
        let second = RunningFleet(other)
        try second.start()
        try waitUntil("konzad knows about the clock", seconds: 30) { try other.pictures().report?.kind == "clock" }
    }

    @Test("another object of the name stays as it is, which is said, and others go on")
    func otherContent() throws {
        defer { reader.end() }
        let store = try PictureStore()
        let station = try station(store)
        try store.inject("[\"swap\"]")
        let first = try station.takePostcard()
        let program = RunningFleet(station)
        try program.start()
        try waitUntil("konzad knows that the store does not take it", seconds: 60) {
            try station.pictures().refused == 1
        }
        #expect(try station.pictures().lastRefusal?.contains("another object") == true)
        let second = try station.takePostcard()
        try waitUntil("the others are stored", seconds: 60) { try store.objects().count == 4 }
        let expected = try station.objects(ofPostcard: first).merging(try station.objects(ofPostcard: second)) { $1 }
        let objects = try store.objects()
        #expect(objects.keys.sorted() == expected.keys.sorted())
        #expect(objects.filter { $0.value.sha256 != expected[$0.key] }.count == 1)
        #expect(objects.values.allSatisfy { $0.writes == 1 })
        // The store has them a moment before konzad hears of it.
        try waitUntil("the status says what is left", seconds: 20) {
            let fleet = try station.get("/v1/status").json()["fleet"] as? [String: Any]
            return (fleet?["health"] as? [String: Any])?["kind"] as? String == "fleet-store-refused"
        }
    }

    @Test(
        "over a network that costs by volume, or by policy, only the small pictures go",
        arguments: [("Interfaces=lo\nMeteredInterfaces=lo", "metered"), ("Originals=demand", "policy")])
    func held(settings: String, why: String) throws {
        defer { reader.end() }
        let store = try PictureStore()
        let station = try station(store, settings)
        let id = try station.takePostcard()
        let program = RunningFleet(station)
        try program.start()
        try waitUntil("the small one is stored and the other held", seconds: 30) {
            let pictures = try station.pictures()
            return pictures.waitingThumbnails == 0 && pictures.heldOriginals == 1 && pictures.heldBecause == why
        }
        #expect(
            try store.objects().keys.sorted() == station.objects(ofPostcard: id).keys.filter { $0.contains(".thumb") })
        try waitUntil("the message tells of the small one", seconds: 30) {
            member("thumbnail", reader.records[id]) == "stored"
        }
        #expect(member("picture", reader.records[id]) == (why == "policy" ? "kept" : "pending"))
        // What somebody asks for goes all the same.
        #expect(try station.request("PUT", "/v1/fleet/pictures/\(id)").status == 200)
        try waitUntil("the original is stored", seconds: 60) { try store.objects().count == 2 }
        #expect(try store.objects().mapValues(\.sha256) == station.objects(ofPostcard: id))
        #expect(try station.request("PUT", "/v1/fleet/pictures/01k2b3c4d5e6f7g8h9j0kmnpqr").status == 404)
    }

    @Test("a station without a store, and one whose network is not up, send nothing")
    func nowhere() throws {
        defer { reader.end() }
        let alone = try Station(Station.recorded(inFleetOf: "mqtt://127.0.0.1:\(broker.port)"))
        #expect(try alone.get("/v1/fleet/pictures").status == 409)
        #expect(try alone.fleet().pictures == nil)
        let store = try PictureStore()
        let station = try station(store, "Interfaces=none0")
        _ = try station.takePostcard()
        let program = RunningFleet(station)
        try program.start()
        try waitUntil("konzad knows why", seconds: 30) { try station.pictures().report?.state == .offline }
        #expect(try store.log().isEmpty)
    }

    @Test(
        "a postcard goes home by a public link: promised at once, filled when there is a network, gone when it is deleted"
    )
    func publicLink() throws {
        defer { reader.end() }
        let store = try PictureStore()
        let station = try station(store, "PublicStore=https://pictures.example/konza\nPublicLinks=yes\nOriginals=none")
        let id = try station.takePostcard()
        let path = "/v1/postcards/\(id)/public-link"
        #expect(try station.get(path).status == 404)
        #expect(try station.request("PUT", path, body: #"{"days":400}"#).status == 400)
        let promised = try station.request("PUT", path, body: #"{"days":7}"#)
        #expect(promised.status == 200)
        let link = try JSONDecoder().decode(PublicLinkReply.self, from: promised.body)
        #expect(link.state == .pending && !link.link.qr.isEmpty)
        let name = try #require(link.link.text.split(separator: "/").dropLast().last.map(String.init))
        #expect(link.link.text == "https://pictures.example/konza/p/\(name)/index.html" && name.utf8.count == 32)

        let program = RunningFleet(station)
        try program.start()
        try waitUntil("it is there", seconds: 30) {
            try JSONDecoder().decode(PublicLinkReply.self, from: try station.get(path).body).state == .stored
        }
        let objects = try store.objects()
        #expect(objects["p/\(name)/postcard.jpg"]?.sha256 == (try station.hash("/v1/postcards/\(id)/image.jpg")))
        #expect(objects["p/\(name)/index.html"]?.type == "text/html; charset=utf-8")
        let page = try station.get("/v1/fleet/pictures/\(id)/page")
        let text = String(decoding: page.body, as: UTF8.self)
        #expect(text.contains("noindex") && !text.contains("<script") && !text.contains(id), "\(text)")
        // Again it is the same link.
        let again = try station.request("PUT", path, body: #"{"days":30}"#)
        #expect(try JSONDecoder().decode(PublicLinkReply.self, from: again.body).link == link.link)

        #expect(try station.request("DELETE", "/v1/postcards/\(id)").status == 204)
        try waitUntil("nothing of it is left", seconds: 30) { try store.objects().isEmpty }
        #expect(try station.get(path).status == 404)
    }

    @Test("nothing becomes public where the operator does not allow it")
    func noPublicLink() throws {
        defer { reader.end() }
        let store = try PictureStore()
        let station = try station(store, "PublicStore=https://pictures.example/konza")
        let id = try station.takePostcard()
        #expect(try station.get("/v1/postcards/\(id)/public-link").status == 409)
        #expect(try station.request("PUT", "/v1/postcards/\(id)/public-link", body: #"{"days":7}"#).status == 409)
    }
}
