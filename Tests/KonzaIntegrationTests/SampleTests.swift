import Foundation
import KonzaTesting
import Testing

/// Samples of MetPetDB with the real programs: konzad, konza-courier, konza and curl, against a stand-in of the server.
@Suite("Samples near a place")
struct SampleTests {
    private let server: StandInMetPetDB
    private let station: Station
    private let courier: RunningCourier

    init() throws {
        server = try StandInMetPetDB()
        server.start()
        station = try Station("\(Station.recorded)\n[MetPetDB]\nURL=\(server.baseURL)\n")
        courier = RunningCourier(folder: station.folder.path)
    }

    private func add(
        _ number: String, _ latitude: Double?, _ longitude: Double?, rock: String = "Gneiss",
        _ change: (inout StandInSample) -> Void = { _ in }
    ) {
        var sample = StandInSample(
            id: UUID().uuidString.lowercased(), ownerID: server.ownerID, number: number, isPublic: true, rockType: rock,
            latitude: latitude, longitude: longitude)
        change(&sample)
        server.change { $0.append(sample) }
    }

    private func get(_ path: String, status: Int = 200) throws -> [String: Any] {
        let reply = try station.get(path)
        #expect(reply.status == status, "\(path): \(String(decoding: reply.body, as: UTF8.self))")
        return try reply.json()
    }

    private func numbers(_ page: [String: Any]) -> [String] {
        (page["samples"] as? [[String: Any]] ?? []).compactMap { $0["number"] as? String }
    }

    /// How often the server was asked for samples.
    private var searches: Int { server.requests.count { $0.path == "/api/samples/" } }

    private static let around = "/v1/samples?near=39.1,-96.6&radius=10000"

    @Test("come from the server with the way there, then from the cache with their age, and anew when that is wanted")
    func near() throws {
        try waitUntil("a position is there", seconds: 20) { try get("/v1/position")["state"] as? String == "fix" }
        let position = try get("/v1/position")
        let latitude = try #require(position["latitude"] as? Double)
        let longitude = try #require(position["longitude"] as? Double)
        add("far", latitude + 0.08, longitude)
        add("near", latitude, longitude + 0.05) { $0.collectionDate = "2009-07-04" }
        // In the box around the circle, outside of the circle.
        add("corner", latitude + 0.07, longitude + 0.1)
        try courier.start()
        let path = "/v1/samples?near=here&radius=10000"
        let first = try get(path)
        #expect(numbers(first) == ["near", "far"])
        #expect(first["source"] as? String == "server" && first["coverage"] as? String == "answer")
        #expect(first["ageSeconds"] as? Int == 0)
        #expect(first["total"] as? Int == 2 && first["isComplete"] as? Bool == true)
        #expect((first["position"] as? [String: Any])?["source"] as? String == "recorded")
        let sample = try #require((first["samples"] as? [[String: Any]])?.first)
        // The trail is walked meanwhile: a few metres are no matter at 4.3 km.
        #expect(abs((sample["distance"] as? Double ?? 0) - 4314) < 60)
        #expect(abs((sample["bearing"] as? Double ?? 0) - 90) < 1)

        let asked = searches
        #expect(try get(path)["source"] as? String == "cache")
        #expect(try get(path)["reason"] == nil, "fresh enough")
        #expect(searches == asked)
        #expect(try get(path + "&refresh=yes")["source"] as? String == "server")
        #expect(try get(path + "&maxAge=0")["source"] as? String == "server")
        #expect(searches > asked)

        let table = try konza("samples", "--near", "here", "--radius", "10km")
        #expect(table.contains("near    Gneiss") && table.contains(" E "))
        #expect(table.contains("2009-07-04") && table.contains("Kept on the station"))
        #expect(table.contains("Distances are from a recorded position."))
        #expect(try konza("samples", "--near", "here", "--summary").contains("Rock types  Gneiss 2"))
        let id = try #require(sample["id"] as? String)
        #expect(try konza("sample", id).hasPrefix("Sample near"))
        #expect(try konza("regions").contains("asked just now"))
    }

    @Test("without courier and network are answered from the cache, after a restart too, also around other places")
    func offline() throws {
        add("a", 39.1, -96.6)
        add("b", 39.12, -96.6, rock: "Schist")
        try courier.start()
        _ = try get(Self.around)
        _ = try get("/v1/samples/summary?near=39.1,-96.6&radius=10000")
        courier.end()
        station.cutOff()
        try station.start()

        let kept = try get(Self.around)
        #expect(numbers(kept) == ["a", "b"])
        #expect(kept["source"] as? String == "cache" && kept["coverage"] as? String == "answer")
        let old = try get(Self.around + "&maxAge=0&wait=0")
        #expect(numbers(old) == ["a", "b"])
        #expect(old["source"] as? String == "cache" && old["ageSeconds"] as? Int != nil)
        #expect((old["reason"] as? String)?.contains("courier") == true)

        let other = try get("/v1/samples?near=39.13,-96.6&radius=2000&wait=0")
        #expect(numbers(other) == ["b"])
        #expect(other["coverage"] as? String == "known" && other["isComplete"] as? Bool == false)
        #expect(
            try konza("samples", "--near", "39.13,-96.6", "--radius", "2km", "--wait", "0").contains(
                "MetPetDB may have more"))
        let sums = try get("/v1/samples/summary?bbox=-97,39,-96,40&rockType=schist&wait=0")
        #expect(sums["coverage"] as? String == "known" && sums["total"] as? Int == 1)
        let id = try #require(server.samples.first?.id)
        let listed = try get("/v1/samples/\(id)?wait=0")
        #expect(listed["coverage"] as? String == "known")
        #expect((listed["sample"] as? [String: Any])?["number"] as? String == "a")

        for path in [
            "/v1/samples?near=10,10&wait=0", "/v1/regions?wait=0&refresh=yes", Self.around + "&refresh=yes&wait=0",
            "/v1/samples/00000000-0000-0000-0000-000000000000?wait=0",
        ] {
            let problem = try get(path, status: 503)
            let detail = try #require(problem["detail"] as? String)
            #expect(detail.hasPrefix("cannot ") && detail.contains("konza-courier"), "\(path): \(detail)")
        }
        // Another server's samples are not this one's.
        try station.reload("\(Station.recorded)\n[MetPetDB]\nURL=http://127.0.0.1:9\n")
        try waitUntil("the settings are taken", seconds: 10) {
            try station.get(Self.around + "&wait=0").status == 503
        }
    }

    @Test("are looked for in a region, whose names are known offline from what is kept")
    func regions() throws {
        add("in", 39.1, -96.6) { $0.regions = ["Flint Hills"] }
        add("out", 39.1, -96.6) { $0.regions = ["Ozarks"] }
        try courier.start()
        #expect(numbers(try get("/v1/samples?region=Flint%20Hills")) == ["in"])
        _ = try get(Self.around)
        courier.end()
        station.cutOff()
        try station.start()
        #expect(numbers(try get("/v1/samples?region=Flint%20Hills")) == ["in"])
        #expect(numbers(try get("/v1/samples?region=Ozarks&wait=0")) == ["out"])
        let known = try get("/v1/regions?wait=0")
        #expect(known["coverage"] as? String == "known" && known["regions"] as? [String] == ["Flint Hills", "Ozarks"])
        #expect(try get("/v1/samples?region=Ozarks&bbox=1,2,3,4", status: 400)["kind"] as? String == "invalid-request")
    }

    @Test("have their pictures fetched, checked, and kept for when there is no network and for visitors")
    func pictures() throws {
        let picture = try station.get("/v1/camera/frame.jpg").body
        func image(_ bytes: Data, isPublic: Bool = true) -> StandInImage {
            StandInImage(
                id: UUID().uuidString.lowercased(), fileName: "a.jpg", ownerID: server.ownerID, imageType: 3,
                isPublic: isPublic, bytes: [UInt8](bytes))
        }
        let good = image(picture)
        let html = image(Data("<script>alert(1)</script>".utf8))
        let cut = image(picture.prefix(picture.count / 2))
        let bomb = image(LargePictures.jpeg(edge: 65_000))
        let large = image(picture + Data(count: 8 << 20))
        let own = image(picture, isPublic: false)
        add("pictured", 39.1, -96.6) { $0.images = [good, html, cut, bomb, large, own] }
        try courier.start()
        let sample = try #require(server.samples.first?.id)
        let path = "/v1/samples/\(sample)"
        let details = try get(path)
        #expect((details["images"] as? [[String: Any]])?.count == 6)
        // The small copies come beforehand, as far as they are pictures.
        try waitUntil("the small copies are kept", seconds: 30) {
            Set(try get("\(path)?wait=0")["keptThumbnails"] as? [String] ?? []) == [good.id, own.id]
        }
        let thumbnail = try station.get("\(path)/images/\(good.id)/thumbnail.jpg?wait=0")
        #expect(
            thumbnail.status == 200 && thumbnail.body.starts(with: [0xFF, 0xD8, 0xFF]) && thumbnail.body.count < 61_000)
        #expect(thumbnail.body != picture, "a copy made here, not the server's bytes")
        let whole = try station.get("\(path)/images/\(good.id)/file")
        #expect(whole.status == 200 && whole.body == picture)
        #expect(whole.headers["content-type"] == "image/jpeg", "whatever the server calls it")
        for bad in [html, cut, bomb, large] {
            let problem = try get("\(path)/images/\(bad.id)/file", status: 404)
            #expect((problem["detail"] as? String)?.hasPrefix("cannot ") == true, "\(problem)")
        }
        _ = try get("\(path)/images/\(sample)/file", status: 404)
        // The account goes nowhere with them: they are asked for without it.
        let asked = server.requests.filter { $0.path.hasPrefix("/media/") }
        #expect(!asked.isEmpty && asked.allSatisfy { $0.headers["authorization"] == nil })

        courier.end()
        station.cutOff()
        try station.start()
        let offline = try get("\(path)?wait=0")
        #expect(offline["keptFiles"] as? [String] == [good.id])
        #expect(try station.get("\(path)/images/\(good.id)/file").body == picture)
        let missing = try get("\(path)/images/\(html.id)/file?wait=0", status: 503)
        #expect((missing["detail"] as? String)?.contains("konza-courier") == true)
        // A visitor sees what is kept and public.
        let visitor = ["Konza-On-Behalf-Of: visitor 10.0.0.7"]
        let shown = try station.request("GET", path, headers: visitor).json()
        #expect((shown["images"] as? [[String: Any]])?.count == 5)
        #expect(
            try station.request("GET", "\(path)/images/\(good.id)/thumbnail.jpg", headers: visitor).status == 200)
        #expect(
            try station.request("GET", "\(path)/images/\(own.id)/thumbnail.jpg", headers: visitor).status == 404)
        #expect(try station.request("GET", "\(path)/images/\(html.id)/file", headers: visitor).status == 503)
    }

    @Test("over a network that is not allowed are not asked for, which is said at once")
    func networks() throws {
        add("a", 39.1, -96.6)
        try station.reload("\(Station.recorded)\n[MetPetDB]\nURL=\(server.baseURL)\n[Courier]\nInterfaces=nosuch*\n")
        try courier.start()
        try waitUntil("the courier says that it has no network", seconds: 20) {
            (try get("/v1/outbox")["courier"] as? [String: Any])?["hasNetwork"] as? Bool == false
        }
        let problem = try get(Self.around + "&wait=50", status: 503)
        #expect((problem["detail"] as? String)?.contains("there is no network that konza-courier may use") == true)
        #expect(server.requests.isEmpty)
    }

    @Test("are paged and grouped by place without losing or repeating one, and pages of another answer are refused")
    func pages() throws {
        for (index, offset) in [0.0, 0.01, 0.01, 0.01, 0.02, 0.03].enumerated() {
            add("S\(index)", 39.1 + offset, -96.6)
        }
        try courier.start()
        var found: [String] = []
        var path: String? = Self.around + "&limit=4"
        var cursor = ""
        while let next = path {
            let page = try get(next)
            #expect(page["total"] as? Int == 6)
            found += numbers(page)
            path = (page["next"] as? String).map { Self.around + "&limit=4&cursor=\($0)" }
            cursor = page["next"] as? String ?? cursor
        }
        #expect(found.first == "S0" && found.last == "S5")
        #expect(Set(found).count == 6 && found.count == 6)

        let grouped = try get(Self.around + "&group=place&limit=2")
        let places = try #require(grouped["places"] as? [[String: Any]])
        #expect(places.map { $0["count"] as? Int } == [1, 3])
        #expect((places[1]["samples"] as? [Any])?.count == 3)
        #expect(grouped["samples"] == nil && grouped["next"] != nil)
        #expect(try konza("samples", "--near", "39.1,-96.6", "--places").contains("3 samples at 39.110000° N"))

        _ = try get(Self.around + "&refresh=yes")
        #expect(try get(Self.around + "&cursor=\(cursor)", status: 409)["kind"] as? String == "conflict")
        for bad in ["x", "a_1", "a_1_99999", "a_1_2_91_0"] {
            _ = try get(Self.around + "&cursor=\(bad)", status: 400)
        }
    }

    @Test("are narrowed in the vocabulary's spelling, and a request that means nothing is refused with its reason")
    func filters() throws {
        add("gneiss", 39.1, -96.6) {
            $0.metamorphicGrades = ["Amphibolite facies"]
            $0.minerals = [.init(name: "Garnet", amount: "x"), .init(name: "Quartz", amount: "x")]
            $0.collectorName = "Doe, Jane"
            $0.collectionDate = "2009-07-04"
        }
        add("schist", 39.1, -96.6, rock: "Schist") { $0.minerals = [.init(name: "Quartz", amount: "x")] }
        add("private", 39.1, -96.6, rock: "Schist") { $0.isPublic = false }
        try courier.start()
        for (query, expected) in [
            ("rockType=GNEISS&rockType=marble", ["gneiss"]), ("grade=amphibolite", ["gneiss"]),
            ("mineral=garnet&mineral=quartz", ["gneiss", "schist"]),
            ("mineral=garnet&mineral=quartz&allMinerals=yes", ["gneiss"]), ("collector=Doe,%20Jane", ["gneiss"]),
            ("from=2009-07-04&to=2009-07-04", ["gneiss"]), ("to=2009-07-03", []),
            ("access=public", ["gneiss", "schist"]),
        ] {
            #expect(numbers(try get("\(Self.around)&\(query)")).sorted() == expected, "\(query)")
        }
        for (query, status) in [
            ("near=here&bbox=1,2,3,4", 400), ("radius=5", 400), ("near=91,0", 400), ("bbox=1,2,3", 400),
            ("from=2009", 400), ("from=2010-01-01&to=2009-01-01", 422), ("near=1,1&radius=nan", 400),
            ("rockType=Gneis", 422), ("region=", 400), ("access=mine", 400), ("nonsense=1", 400),
        ] {
            let detail = try get("/v1/samples?\(query)", status: status)["detail"] as? String
            #expect(detail?.hasPrefix("cannot ") == true, "\(query)")
        }
        // Without an account nobody has private samples, and nobody is told that there are none.
        let problem = try get("\(Self.around)&access=private", status: 503)
        #expect((problem["detail"] as? String)?.contains("there is no account") == true)
    }

    @Test("of the station's account are seen with its credentials, and one sample is shown with all its parts")
    func account() throws {
        add("mine", 39.1, -96.6) {
            $0.isPublic = false
            $0.regions = ["Kansas", "Flint Hills"]
            $0.subsamples = [.init(id: UUID().uuidString.lowercased(), name: "TS-1", analyses: ["Garnet", nil])]
            $0.description = "Road cut"
        }
        let settings = "\(Station.recorded)\n[MetPetDB]\nURL=\(server.baseURL)\nEmail=\(StandInMetPetDB.email)\n"
        try station.reload(settings)
        try courier.start(password: StandInMetPetDB.password)
        var page: [String: Any] = [:]
        try waitUntil("both programs have the settings", seconds: 20) {
            let reply = try station.get(Self.around + "&access=private&wait=5")
            page = try reply.json()
            return reply.status == 200
        }
        #expect(numbers(page) == ["mine"])
        let id = try #require(server.samples.first?.id)
        let details = try get("/v1/samples/\(id)")
        #expect(details["coverage"] as? String == "answer" && details["description"] as? String == "Road cut")
        #expect((details["subsamples"] as? [[String: Any]])?.first?["name"] as? String == "TS-1")
        #expect((details["analyses"] as? [String: Any])?["total"] as? Int == 2)
        #expect(try konza("sample", id).contains("Analyses    2: Garnet"))
        _ = try get("/v1/samples/00000000-0000-0000-0000-000000000000", status: 404)
        _ = try get("/v1/samples/%2E%2E", status: 404)
        let regions = try #require(try get("/v1/regions")["regions"] as? [String])
        #expect(regions == regions.sorted { $0.lowercased() < $1.lowercased() })
    }

    @Test("that come too late for whoever asked are kept for the next one")
    func late() throws {
        add("slow", 39.1, -96.6)
        server.quirks.delaySeconds = 1
        try courier.start()
        try waitUntil("the courier is there", seconds: 20) { try get("/v1/outbox")["courier"] != nil }
        let problem = try get(Self.around + "&wait=0.5", status: 503)
        #expect((problem["detail"] as? String)?.contains("nothing about this is kept") == true)
        try waitUntil("the answer is kept", seconds: 30) {
            let reply = try station.get(Self.around + "&wait=0").json()
            return reply["source"] as? String == "cache" && reply["reason"] == nil
        }
    }

    @Test("come over the servlet by setting, and its hostile documents leave neither an answer nor a trace of a file")
    func servlet() throws {
        add("old", 39.1, -96.6) {
            $0.comments = ["seen in 2010"]
            $0.metamorphicGrades = ["Amphibolite"]
        }
        try station.reload(
            "\(Station.recorded)\n[MetPetDB]\nURL=http://127.0.0.1:9\nBackend=servlet\nServletURL=\(server.baseURL)\n")
        try courier.start()
        let secret = "secret-\(UUID().uuidString)"
        let file = station.folder.appendingPathComponent("secret.txt")
        try secret.write(to: file, atomically: true, encoding: .utf8)
        let entities = (0..<30).map { "<!ENTITY e\($0 + 1) \"&e\($0);&e\($0);\">" }.joined()
        let hostile = [
            "<!DOCTYPE set [<!ENTITY x SYSTEM \"file://\(file.path)\">]><set><resultCount><int>1</int></resultCount>"
                + "<sample><number><string>&x;</string></number><id><long>1</long></id></sample></set>",
            "<!DOCTYPE set [<!ENTITY e0 \"ha\">\(entities)]><set>&e30;</set>",
            String(repeating: "<set>", count: 100_000), "<set><resultCount>", "",
        ]
        for document in hostile {
            server.setLegacyReply(document)
            var text = ""
            try waitUntil("the servlet is asked", seconds: 20) {
                let reply = try station.get(Self.around + "&wait=10")
                text = String(decoding: reply.body, as: UTF8.self)
                #expect(reply.status == 503 && !text.contains(secret))
                return text.contains("\(server.baseURL)")
            }
        }
        server.setLegacyReply(bytes: nil)
        let page = try get(Self.around)
        #expect(numbers(page) == ["old"])
        #expect(numbers(try get(Self.around + "&grade=amphibolite%20facies")) == ["old"])
        let details = try get("/v1/samples/1")
        #expect(details["comments"] as? [String] == ["seen in 2010"])
        // What is kept outlives a server that has gone bad.
        server.setLegacyReply(hostile[0])
        let kept = try get(Self.around + "&maxAge=0")
        #expect(numbers(kept) == ["old"] && kept["source"] as? String == "cache" && kept["reason"] != nil)
        #expect(try get(Self.around + "&collector=Doe", status: 400)["kind"] as? String == "invalid-request")
    }

    @Test("are answered as the contract says, and the courier's reports are read strictly")
    func contract() throws {
        #expect(try station.request("POST", "/v1/errands/samples-1", body: #"{"sampels":1}"#).status == 400)
        #expect(try station.request("POST", "/v1/errands/samples-1", body: #"{"regions":[]}"#).status == 404)
        add("a", 39.1, -96.6) { $0.subsamples = [.init(id: "x", name: "TS", analyses: [nil])] }
        try courier.start()
        let check = SchemaCheck(try get("/v1/openapi.json"))
        let id = try #require(server.samples.first?.id)
        for (path, schema) in [
            (Self.around, "SamplePage"), (Self.around + "&group=place", "SamplePage"),
            ("/v1/samples/\(id)", "SampleDetails"), ("/v1/regions", "Regions"),
            ("/v1/samples/summary?near=39.1,-96.6", "SampleSummary"),
        ] {
            let faults = check.faults(in: try get(path), against: ["$ref": "#/components/schemas/\(schema)"])
            #expect(faults.isEmpty, "\(path): \(faults.joined(separator: "; "))")
        }
        // An errand as a courier sees it.
        courier.end()
        let box = "/v1/samples?bbox=-97,39,-96,40&wait=5"
        let asker = Process()
        asker.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        asker.arguments = ["curl", "-s", "-o", "/dev/null", "--unix-socket", station.socket, "http://localhost\(box)"]
        try asker.run()
        defer { kill(asker.processIdentifier, SIGKILL) }
        var errand: [String: Any] = [:]
        try waitUntil("the question is an errand", seconds: 20) {
            let reply = try station.get("/v1/errands?wait=1")
            if reply.status == 200 { errand = try reply.json() }
            return errand["kind"] as? String == "samples"
        }
        let faults = check.faults(in: errand, against: ["$ref": "#/components/schemas/Errand"])
        #expect(faults.isEmpty, "\(faults)")
    }

    @Test(
        "where there are more than an answer holds are the nearest thousand, with how far they are all, in little memory"
    )
    func thousands() throws {
        let crowd = (0..<1100).map { index in
            var sample = StandInSample(
                id: UUID().uuidString.lowercased(), ownerID: server.ownerID, number: "C\(index)", isPublic: true,
                rockType: "Gneiss", latitude: 39.1 + Double(index) * 0.00005, longitude: -96.6)
            sample.minerals = [.init(name: "Quartz", amount: "x"), .init(name: "Garnet", amount: "x")]
            return sample
        }
        server.change { $0 += crowd.reversed() }
        try courier.start()
        let first = try get(Self.around + "&limit=200&wait=55")
        #expect(numbers(first) == (0..<200).map { "C\($0)" })
        #expect(first["total"] as? Int == 1100 && first["isComplete"] as? Bool == false)
        let whole = try #require(first["wholeWithin"] as? Double)
        var (pages, next) = ([first], first["next"] as? String)
        while let cursor = next {
            pages.append(try get(Self.around + "&limit=200&cursor=\(cursor)"))
            next = pages.last?["next"] as? String
        }
        let samples = pages.flatMap { $0["samples"] as? [[String: Any]] ?? [] }
        #expect(Set(samples.compactMap { $0["id"] as? String }).count == samples.count)
        // 5.6 m lie between two of them.
        let within = samples.count { ($0["distanceFromCenter"] as? Double ?? .infinity) <= whole }
        #expect(whole > 2000 && abs(Double(within) - whole / 5.56) < 5)
        let status = try String(
            contentsOfFile: "/proc/\(station.process.processIdentifier)/status", encoding: .utf8)
        let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        let kibibytes = try #require(peak.split(separator: " ").compactMap { Int($0) }.first)
        print("peak memory of konzad: \(kibibytes) KiB, \(samples.count) samples, whole within \(whole) m")
        #expect(kibibytes < 96 << 10)
    }

    @Test("that are more text than a station takes are refused with the advice to narrow the search")
    func oversized() throws {
        for index in 0..<1000 {
            add("B\(index)", 39.1, -96.6) {
                $0.minerals = (0..<60).map { .init(name: "\($0) " + String(repeating: "x", count: 90), amount: "x") }
            }
        }
        try courier.start()
        let problem = try get(Self.around + "&wait=55", status: 400)
        #expect((problem["detail"] as? String)?.contains("narrow the search") == true)
    }

    @Test("are asked about in turn with what waits to be sent, so that neither waits for ever")
    func turns() throws {
        let id = try #require(
            try station.post(
                "/v1/specimens", #"{"rockType":"Gneiss","position":{"latitude":39,"longitude":-96,"accuracy":3}}"#
            ).json()["id"] as? String)
        let askers = try (1...2).map { index in
            let asker = Process()
            asker.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            asker.arguments = [
                "curl", "-s", "-o", "/dev/null", "--unix-socket", station.socket,
                "http://localhost\(Self.around)&wait=50&owner=\(index)",
            ]
            try asker.run()
            return asker
        }
        defer { for asker in askers { kill(asker.processIdentifier, SIGKILL) } }
        // A submission that is handed out again and again in vain is delayed: the questions are there before it.
        try waitUntil("both questions are asked", seconds: 20) {
            // Read to its end: Foundation takes the first page of a file without a size for the whole.
            let sockets = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/net/unix")).readToEnd() ?? Data()
            return String(decoding: sockets, as: UTF8.self).split(separator: "\n").count {
                $0.hasSuffix(" \(station.socket)") && $0.contains(" 0001 03 ")
            } == 2
        }
        try station.reload("\(Station.recorded)\n[MetPetDB]\nURL=\(server.baseURL)\nSubmit=yes\n")
        try waitUntil("submitting is allowed", seconds: 20) {
            try station.post("/v1/specimens/\(id)/submit").status == 202
        }
        var kinds: [String] = []
        try waitUntil("both questions are taken", seconds: 30) {
            kinds.append(try get("/v1/errands?wait=1")["kind"] as? String ?? "")
            return kinds.count { $0 == "samples" } == 2
        }
        let first = try #require(kinds.firstIndex(of: "samples"))
        #expect(kinds[first + 1] == "submission", "\(kinds)")
    }

    private func konza(_ arguments: String...) throws -> String {
        let outcome = try run(Programs.path("konza").path, ["--socket", station.socket] + arguments)
        #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
        return outcome.text
    }
}
