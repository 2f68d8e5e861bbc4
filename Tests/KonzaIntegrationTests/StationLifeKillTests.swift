import Foundation
import KonzaTesting
import Testing

/// Kills the portal at random moments while people read, muster, go out and come back, and an officer
/// corrects.
@Suite("A portal that is killed in the middle of station life", .serialized)
struct StationLifeKillTests {
    /// What was answered with success, and so must hold for ever.
    private struct Promises {
        var read: Set<String> = []
        /// The sequence of the muster.
        var muster: Int?
        /// Keys of trips, with their paths.
        var trips: [String: String] = [:]
        /// What was said last of a trip, by its path; nothing while an answer is missing.
        var expected: [String: String] = [:]
        var returned: Set<String> = []
        var reasons: [String] = []
    }

    private static let soon =
        Date.now.addingTimeInterval(20 * 86_400).formatted(.iso8601.year().month().day()) + "T00:00:0"

    @Test("loses nothing of muster, trips, reading and corrections that it acknowledged, and does nothing twice")
    func killed() throws {
        let kills = RandomTest.cases(3)
        let seed = RandomTest.seed(of: "StationLifeKillTests")
        var random = SeededGenerator(seed: seed)
        let station = try Station("\(Station.recorded)\n[Portal]\nLoopback=kiosk\n[Muster]\nUntil=23:59")
        defer { withExtendedLifetime(station) {} }
        let portal = try RunningPortal(station)
        let socket = ["--unix-socket", "\(portal.state)/portal.sock"]
        var notices: [String] = []
        for number in 0..<3 {
            let made = try portal.konza(["announce", "--title", "Notice \(number)", "--body", "Read this.", "--json"])
            let json = try JSONSerialization.jsonObject(with: made.output) as? [String: Any]
            notices.append(try #require(json?["id"] as? String))
        }
        var musters: [Int: Int] = [:]
        var promises = Promises()
        for kill in 0..<kills {
            let name = "Crew \(String(UnicodeScalar(UInt8(65 + kill % 26))))\(kill / 26 == 0 ? "" : "x\(kill / 26)")"
            let person = try portal.addPerson(name)
            var screen = PersonBrowser(portal: portal)
            #expect(try screen.signIn(#"{"name":"\#(name)","pin":"\#(person.pin)"}"#).status == 201)
            promises.read = []
            promises.muster = nil
            let killer = Process()
            killer.executableURL = URL(fileURLWithPath: "/bin/sh")
            killer.arguments = [
                "-c",
                "sleep 0.\(Int.random(in: 100...799, using: &random)); kill -9 \(portal.process.processIdentifier)",
            ]
            try killer.run()
            var turn = 0
            while try work(
                Int.random(in: 0..<9, using: &random), "\(kill)-\(turn)", screen, person, notices, portal, &promises)
            {
                turn += 1
            }
            killer.waitUntilExit()
            try portal.killAndRestart()
            if let sequence = promises.muster { musters[person.number] = sequence }
            try check(kill, name, person, promises, musters, notices, portal, socket)
        }
    }

    @Test(
        "a kill while a step is asked for leaves it done once or not at all, as it was answered, and asked again it is done once",
        arguments: ["read", "muster", "start", "extend", "return", "correct"])
    func everyStep(step: String) throws {
        let station = try Station("\(Station.recorded)\n[Portal]\nLoopback=kiosk\n[Muster]\nUntil=23:59")
        defer { withExtendedLifetime(station) {} }
        let portal = try RunningPortal(station)
        // From before the request is read to after it was answered.
        for (round, milliseconds) in [4, 9, 14, 20].enumerated() {
            let person = try portal.addPerson("Crew \(String(UnicodeScalar(UInt8(65 + round))))")
            func signIn() throws -> PersonBrowser {
                var screen = PersonBrowser(portal: portal)
                let proof = #"{"name":"\#(person.number)","pin":"\#(person.pin)"}"#
                #expect(try screen.signIn(proof).status == 201)
                return screen
            }
            var screen = try signIn()
            let act = try self.step(step, round, person, portal)
            #expect(try act.timesDone(screen) == 0)
            let killer = Process()
            killer.executableURL = URL(fileURLWithPath: "/bin/sh")
            killer.arguments = [
                "-c", "sleep \(Double(milliseconds) / 1000); kill -9 \(portal.process.processIdentifier)",
            ]
            try killer.run()
            let status = try act.ask(screen)
            killer.waitUntilExit()
            try portal.killAndRestart()
            screen = try signIn()
            let times = try act.timesDone(screen)
            #expect([200, 201].contains(status) ? times == 1 : times <= 1 && status == 0, "\(status), round \(round)")
            // Corrections are records of their own: nobody makes one again that is there.
            if times == 0 || step != "correct" { #expect(try [200, 201].contains(act.ask(screen))) }
            #expect(try act.timesDone(screen) == 1, "round \(round)")
            #expect(try portal.konza(["muster", "verify"]).status == 0)
        }
    }

    /// What is asked for, and how often it was done by what is kept.
    private struct Step {
        let ask: (PersonBrowser) throws -> Int
        let timesDone: (PersonBrowser) throws -> Int
    }

    private func step(_ name: String, _ round: Int, _ person: MadeAccount, _ portal: RunningPortal) throws -> Step {
        func known(_ path: String) throws -> [String: Any] {
            try portal.askOther("http://localhost\(path)", ["--unix-socket", "\(portal.state)/portal.sock"]).json()
        }
        func records() throws -> [[String: Any]] {
            try known("/v1/muster/records?person=\(person.number)")["records"] as? [[String: Any]] ?? []
        }
        let leader = "Party \(round)"
        func start() throws -> RunningPortal.Answer {
            try portal.post(
                "/v1/trips", #"{"leader":"\#(leader)","destination":"20B","expectedAt":"\#(Self.soon)0Z"}"#,
                ["-H", "Idempotency-Key: step-\(round)"])
        }
        switch name {
        case "read":
            let made = try portal.konza(["announce", "--title", "Notice \(round)", "--body", "Read this.", "--json"])
            let json = try JSONSerialization.jsonObject(with: made.output) as? [String: Any]
            let id = try #require(json?["id"] as? String)
            return Step(ask: { try $0.get("/v1/announcements/\(id)").status }) { screen in
                let list = try screen.get("/v1/announcements").json()["announcements"] as? [[String: Any]] ?? []
                return list.count { $0["id"] as? String == id && $0["isRead"] as? Bool == true }
            }
        case "muster":
            return Step(ask: { try $0.send("POST", "/v1/muster").status }) { _ in
                try records().count { $0["kind"] as? String == "muster" }
            }
        case "start":
            return Step(ask: { _ in try start().status }) { _ in
                let trips = try known("/v1/trips")["trips"] as? [[String: Any]] ?? []
                return trips.count { $0["leader"] as? String == leader }
            }
        case "extend", "return":
            let path = try #require(try start().field("location"))
            let body = name == "extend" ? #"{"expectedAt":"\#(Self.soon)5Z"}"# : #"{"how":"on foot"}"#
            return Step(ask: { _ in try portal.post("\(path)/\(name)", body).status }) { _ in
                let trip = try known(path)
                guard name == "return" else {
                    return (trip["expectedAt"] as? String)?.hasPrefix("\(Self.soon)5") == true ? 1 : 0
                }
                let events = trip["events"] as? [[String: Any]] ?? []
                return events.count { $0["kind"] as? String == "returned" }
            }
        default:
            let reason = "seen \(round)"
            return Step(
                ask: { _ in
                    try portal.askOther(
                        "http://localhost/v1/muster/corrections",
                        [
                            "--unix-socket", "\(portal.state)/portal.sock", "-X", "POST", "-H",
                            "Content-Type: application/json", "-d",
                            #"{"person":"\#(person.number)","state":"excused","reason":"\#(reason)"}"#,
                        ]
                    ).status
                },
                timesDone: { _ in try records().count { $0["reason"] as? String == reason } })
        }
    }

    /// One request.
    ///
    /// - Returns: whether there was an answer.
    private func work(
        _ what: Int, _ turn: String, _ screen: PersonBrowser, _ person: MadeAccount, _ notices: [String],
        _ portal: RunningPortal, _ promises: inout Promises
    ) throws -> Bool {
        switch what {
        case 0...2:
            let answer = try screen.get("/v1/announcements/\(notices[what])")
            if answer.status == 200 { promises.read.insert(notices[what]) }
            return answer.status != 0
        case 3, 4:
            let answer = try screen.send("POST", "/v1/muster")
            guard answer.status == 201 || answer.status == 200 else { return answer.status != 0 }
            #expect(promises.read.count == notices.count, "nothing is mustered before all is read")
            let sequence = (try answer.json()["record"] as? [String: Any])?["sequence"] as? Int
            #expect(promises.muster == nil || promises.muster == sequence)
            promises.muster = sequence
            return true
        case 5:
            let answer = try portal.post(
                "/v1/trips", #"{"leader":"Trip \#(turn)","destination":"20B","expectedAt":"\#(Self.soon)0Z"}"#,
                ["-H", "Idempotency-Key: k\(turn)"])
            if answer.status == 201 { promises.trips["k\(turn)"] = answer.field("location") }
            return answer.status != 0
        case 6:
            guard let path = promises.trips.values.sorted().last(where: { !promises.returned.contains($0) }) else {
                return true
            }
            promises.expected[path] = nil
            let time = "\(Self.soon)\(turn.utf8.count % 9 + 1)Z"
            let answer = try portal.post("\(path)/extend", #"{"expectedAt":"\#(time)"}"#)
            if answer.status == 200 { promises.expected[path] = time }
            return answer.status != 0
        case 7:
            guard let path = promises.trips.values.sorted().first(where: { !promises.returned.contains($0) }) else {
                return true
            }
            let answer = try portal.post("\(path)/return", #"{"how":"on foot"}"#)
            if answer.status == 200 { promises.returned.insert(path) }
            return answer.status != 0
        default:
            let answer = try portal.askOther(
                "http://localhost/v1/muster/corrections",
                [
                    "--unix-socket", "\(portal.state)/portal.sock", "-X", "POST", "-H",
                    "Content-Type: application/json", "-d",
                    #"{"person":"\#(person.number)","state":"excused","reason":"seen \#(turn)"}"#,
                ], seconds: 2)
            if answer.status == 201 { promises.reasons.append("seen \(turn)") }
            return answer.status != 0
        }
    }

    private func check(
        _ kill: Int, _ name: String, _ person: MadeAccount, _ promises: Promises, _ musters: [Int: Int],
        _ notices: [String], _ portal: RunningPortal, _ socket: [String]
    ) throws {
        #expect(try portal.konza(["muster", "verify"]).status == 0, "kill \(kill)")
        for (number, sequence) in musters {
            let records =
                try portal.askOther("http://localhost/v1/muster/records?person=\(number)", socket).json()["records"]
                as? [[String: Any]] ?? []
            let own = records.filter { $0["kind"] as? String == "muster" }.compactMap { $0["sequence"] as? Int }
            #expect(own == [sequence], "kill \(kill): person \(number)")
        }
        let records =
            try portal.askOther(
                "http://localhost/v1/muster/records?person=\(person.number)&limit=1000", socket
            ).json()["records"] as? [[String: Any]] ?? []
        let reasons = records.compactMap { $0["reason"] as? String }
        for reason in promises.reasons where reason.hasPrefix("seen \(kill)-") {
            #expect(reasons.count { $0 == reason } == 1, "kill \(kill): \(reason)")
        }
        for (key, path) in promises.trips {
            let again = try portal.post(
                "/v1/trips", #"{"leader":"Again","destination":"20B","expectedAt":"\#(Self.soon)0Z"}"#,
                ["-H", "Idempotency-Key: \(key)"])
            #expect(again.field("location") == path, "kill \(kill): \(key)")
            let trip = try portal.askOther("http://localhost\(path)", socket).json()
            #expect(!promises.returned.contains(path) || trip["state"] as? String == "returned", "kill \(kill)")
            if let expected = promises.expected[path] {
                #expect((trip["expectedAt"] as? String)?.prefix(19) == expected.prefix(19), "kill \(kill)")
            }
            // Nothing but a hand ends a trip.
            let events = trip["events"] as? [[String: Any]] ?? []
            #expect(trip["state"] as? String != "returned" || events.count { $0["kind"] as? String == "returned" } == 1)
        }
        var screen = PersonBrowser(portal: portal)
        #expect(try screen.signIn(#"{"name":"\#(name)","pin":"\#(person.pin)"}"#).status == 201)
        let list = try screen.get("/v1/announcements").json()["announcements"] as? [[String: Any]] ?? []
        let read = Set(list.filter { $0["isRead"] as? Bool == true }.compactMap { $0["id"] as? String })
        #expect(read.isSuperset(of: promises.read), "kill \(kill): what was read is read")
    }
}
