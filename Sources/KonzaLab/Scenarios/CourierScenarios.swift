internal import Foundation
internal import KonzaTesting

/// konza-courier as systemd runs it: with its credentials, cut off from the network, killed.
extension Scenario {
    static let courier: [Scenario] = [courierSubmits, courierOffline]

    private static let courierSubmits = Scenario(
        "courier-submits", .guest, limitSeconds: 300,
        promise: """
            Only root can read the password in /etc/konza/credentials; the courier, a user of its own, gets it from \
            systemd. A specimen is brought to a server on this machine, once, though the courier is killed (kill -9) \
            and the server drops an answer; within 120 s its record says submitted, and nobody's journal has the password.
            """
    ) { station in
        let server = try StandInMetPetDB()
        server.start()
        defer { server.stop() }
        let courier = try CourierService(server, more: "Submit=yes\nEmail=\(StandInMetPetDB.email)\n", for: station)
        defer { courier.end() }
        let reply = try station.post(
            "/v1/specimens",
            #"{"number":"LAB-1","rockType":"gneiss","collector":"Doe, Jane","#
                + #""position":{"latitude":39.1069,"longitude":-96.6091,"accuracy":4.2}}"#)
        guard reply.status == 201, let id = reply["id"]?.text else {
            throw Complaint("a specimen is answered with \(reply.status): \(reply["detail"]?.text ?? "")")
        }
        // The server has taken the sample and nobody hears of it.
        let dropped = LockedValue(false)
        server.setFaults { request in
            guard request.method == "POST", request.path.hasPrefix("/api/samples"), !dropped.value else { return .none }
            dropped.set(true)
            return .dropAfter
        }
        let submit = try station.request("POST", "/v1/specimens/\(id)/submit")
        try station.expect(submit.status == 202, "submitting is answered with \(submit.status)")
        try station.until("the server has dropped an answer", within: 120, every: 0.5) {
            let failure = try station.get("/v1/outbox/\(id)/metpetdb")["lastFailure"]?.text
            guard dropped.value else { throw Complaint(failure ?? "\(server.requests.count) requests") }
            return true
        }
        try courier.kill()
        let recovery = try station.until("the record says submitted", within: 120, every: 0.5) {
            let state = try station.get("/v1/outbox/\(id)/metpetdb")["state"]?.text
            guard state == "submitted" else { throw Complaint("it says \(state ?? "nothing")") }
            return true
        }
        try station.expect(server.samples.count == 1, "the server has \(server.samples.count) samples, not one")
        try courier.expectItsOwnUser()
        let words = try Program("journalctl", "--no-pager", "-b").run().text
        try station.expect(!words.contains(StandInMetPetDB.password), "the journal has the password")
        station.note("submitted \(recovery.inTenths) s after the kill")
    }

    private static let courierOffline = Scenario(
        "courier-offline", .guest, limitSeconds: 240,
        promise: """
            Samples around a place are answered from the server; with the server gone, and with the courier stopped, \
            the same question is answered within 30 s from what is kept, with its age and the reason, and the position \
            is answered all the while. Another place is said to be unknown, with the reason, not empty.
            """
    ) { station in
        let server = try StandInMetPetDB()
        server.start()
        defer { server.stop() }
        let owner = server.ownerID
        server.change {
            $0.append(
                StandInSample(
                    id: UUID().uuidString.lowercased(), ownerID: owner, number: "LAB-2", isPublic: true,
                    rockType: "Gneiss", latitude: 39.11, longitude: -96.61))
        }
        let courier = try CourierService(server, for: station)
        defer { courier.end() }
        let around = "/v1/samples?near=39.1,-96.6&radius=10000"
        try station.until("the server's samples are answered", within: 60, every: 0.5) {
            let reply = try station.get(around)
            guard reply["source"]?.text == "server", reply["samples"]?.elements.first?["number"]?.text == "LAB-2"
            else { throw Complaint("\(reply.status) \(reply["detail"]?.text ?? reply["reason"]?.text ?? "")") }
            return true
        }
        server.stop()
        _ = try station.positionAnswered(within: 5) {
            try station.expectKept(around)
            try courier.stop()
            try station.expectKept(around)
        }
        let elsewhere = try station.get("/v1/samples?near=10,10&radius=10000", seconds: 30)
        try station.expect(
            elsewhere.status == 503 && elsewhere["detail"]?.text?.isEmpty == false,
            "a place that nobody asked of before is answered with \(elsewhere.status)")
    }
}

/// The installed courier, for one scenario.
private final class CourierService {
    private static let unit = "konza-courier.service"
    private static let secret = "/etc/konza/credentials/metpetdb-password"
    private let station: LabStation

    /// Configures it for a server, with the account's password, and starts it anew, konzad too.
    init(_ server: StandInMetPetDB, more: String = "", for station: LabStation) throws {
        self.station = station
        // The folder is the package's, and nobody but root looks into it.
        try (StandInMetPetDB.password + "\n").write(toFile: Self.secret, atomically: true, encoding: .utf8)
        try station.configure("\(Scenario.recordedStation)[MetPetDB]\nURL=\(server.baseURL)\n\(more)")
        try station.start()
        try Program("systemctl", "restart", Self.unit).succeed(seconds: 100)
    }

    /// Ends its process; systemd starts another.
    func kill() throws { try Program("systemctl", "kill", "--signal=SIGKILL", Self.unit).succeed() }

    func stop() throws { try Program("systemctl", "stop", Self.unit).succeed() }

    /// Runs as nobody else, who may not read the keeper's folder.
    func expectItsOwnUser() throws {
        let user = try Program("systemctl", "show", "-P", "User", Self.unit).succeed().text
        try station.expect(user.hasPrefix("konza-courier"), "the courier is run as \(user)")
        for name in ["konza-courier", "konza", "nobody"] {
            let look = try Program(
                "setpriv", "--reuid=\(name)", "--clear-groups", "cat", Self.secret
            ).run()
            try station.expect(look.status != 0 && look.output.isEmpty, "\(name) can read the password")
        }
    }

    func end() {
        _ = try? Program("systemctl", "stop", Self.unit).run()
        _ = try? Program("systemctl", "reset-failed", Self.unit).run()
        for path in [Self.secret, "/var/lib/konza-courier", "/var/cache/konza-courier"] {
            try? FileManager.default.removeItem(atPath: path)
        }
        _ = try? Program("systemctl", "start", Self.unit).run()
    }
}

extension LabStation {
    /// Samples come from what is kept, with age and reason.
    fileprivate func expectKept(_ target: String) throws {
        let reply = try get(target + "&maxAge=0", seconds: 30)
        try expect(
            reply.status == 200 && reply["source"]?.text == "cache"
                && reply["samples"]?.elements.first?["number"]?.text == "LAB-2",
            "kept samples are answered with \(reply.status): \(reply["detail"]?.text ?? reply["source"]?.text ?? "")")
        try expect(
            reply["ageSeconds"]?.number != nil && reply["reason"]?.text?.isEmpty == false,
            "the answer does not say how old it is, or why it is not newer")
    }
}
