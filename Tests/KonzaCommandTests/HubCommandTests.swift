import Testing

@testable import KonzaCommand

@Suite("konza hub")
struct HubCommandTests {
    private static let box = """
        {"box":"knz07","site":"konza","state":"silent","software":"konza 1.2","silentSeconds":7325,
         "health":{"level":"degraded","kind":"camera-disconnected","reason":"no camera answers; check its cable"},
         "parts":{"camera":{"level":"failed","kind":"camera-disconnected"},"archive":{"level":"ok","kind":"ok"}},
         "latitude":39.10012,"longitude":-96.6,"postcards":17,"specimens":1,"quarantined":2,
         "logs":[{"log":"01kb","lastSeq":40,"missing":3},{"log":"01kc","lastSeq":2,"missing":0}],
         "refusals":[{"topic":"konza/1/konza/knz07/postcard","reason":"it is no JSON object","times":2}]}
        """

    @Test("lists boxes with what matters about each, and passes on what is asked for")
    func boxes() async throws {
        let young = #"{"box":"new","site":"lab","state":"unknown"}"#
        let hub = ScriptedConnection(["GET /v1/boxes": "{\"boxes\":[\(Self.box),\(young)]}"])
        let answer = await run(["hub", "boxes", "--state", "silent"], hub)
        #expect(answer.code == 0)
        #expect(
            answer.output == """
                Box    Site   State    Heard             Health
                knz07  konza  silent   2 h 2 min ago     degraded: no camera answers; check its cable
                new    lab    unknown  never             

                """)
        #expect(hub.requests.first?.target == "/v1/boxes?state=silent")
    }

    @Test("shows one box with its parts that are not well, its gaps and its refusals")
    func box() async throws {
        let hub = ScriptedConnection(["GET /v1/boxes/knz07": Self.box])
        let answer = await run(["hub", "show", "knz07"], hub)
        #expect(answer.code == 0)
        #expect(
            answer.output == """
                knz07 at konza: silent, heard 2 h 2 min ago, konza 1.2
                Health     degraded: no camera answers; check its cable
                           camera: camera-disconnected
                Place      39.10012, -96.60000
                Records    17 postcards, 1 specimen
                Messages   1 to 40 of log 01kb: 3 are missing
                Messages   1 to 2 of log 01kc: none is missing
                Did not fit: 2 messages; the last of them
                           konza/1/konza/knz07/postcard: it is no JSON object (2 times)

                """)
    }

    @Test("says of a box of which nothing fits how much came, and why")
    func unfit() async throws {
        let hub = ScriptedConnection([
            "GET /v1/boxes/badbox": """
            {"box":"badbox","site":"konza","state":"unknown","silentSeconds":60,"quarantined":3,
             "refusals":[{"topic":"konza/1/konza/badbox/postcard","reason":"no JSON","times":1}]}
            """
        ])
        let answer = await run(["hub", "show", "badbox"], hub)
        #expect(
            answer.output == """
                badbox at konza: unknown, heard 1 min ago
                Did not fit: 3 messages: nothing of this box could be kept; the last of them
                           konza/1/konza/badbox/postcard: no JSON

                """)
    }

    @Test("an export is asked for page by page, and what the pages say to each other is not in it")
    func export() async throws {
        let hub = ScriptedConnection([
            "GET /v1/sensorthings": [
                .success(StationReply(status: 200, body: Array("{\"id\":\"a\"}\n{\"next\":\"6b\"}\n".utf8))),
                .success(StationReply(status: 200, body: Array("{\"id\":\"b\"}\n".utf8))),
            ]
        ])
        let answer = await run(["hub", "export", "--sensorthings", "--box", "knz07", "-o", "-"], hub)
        #expect(answer.code == 0 && answer.output == "{\"id\":\"a\"}\n{\"id\":\"b\"}\n")
        #expect(
            hub.requests.map(\.target) == ["/v1/sensorthings?box=knz07", "/v1/sensorthings?box=knz07&after=6b"])
        #expect(await run(["hub", "export"], hub).code == 64)
    }

    @Test(
        "says how the hub is, in its exit status too", arguments: [("ok", Int32(0)), ("degraded", 69), ("failed", 69)])
    func status(_ level: String, _ code: Int32) async throws {
        let hub = ScriptedConnection([
            "GET /v1/status": """
            {"version":"1.2","health":{"level":"\(level)","kind":"ok","reason":"workers that take messages: 1 of 1"},
             "kept":3,"quarantined":1,"receipts":2}
            """
        ])
        let answer = await run(["hub"], hub)
        #expect(answer.code == code)
        #expect(answer.output.contains("konza-hub 1.2: workers that take messages: 1 of 1\n3 messages kept, 2 records"))
    }

    @Test("asks the socket that is named, else the system's")
    func sockets() {
        #expect(SocketChoice.hubPath(option: nil, environment: [:]) == "/run/konza-hub/hub.sock")
        #expect(SocketChoice.hubPath(option: nil, environment: ["KONZA_HUB_SOCKET": "/a"]) == "/a")
        #expect(SocketChoice.hubPath(option: "/b", environment: ["KONZA_HUB_SOCKET": "/a"]) == "/b")
    }
}
