import Foundation
import KonzaTesting
import Testing

@Suite("A portal on a hostile network", .serialized)
struct PortalHostileTests {
    let station: Station
    let portal: RunningPortal
    private let port: Int

    init() throws {
        port = Int(try freeLoopbackPort())
        station = try Station("\(Station.recorded)\n[Portal]\nListen=127.0.0.1:\(port)")
        portal = try RunningPortal(station)
    }

    /// Opens connections from other addresses, sends what begins a handshake or nothing, and holds them until it is ended.
    private static let holder = """
        import socket, sys, time
        held = []
        for number in range(int(sys.argv[2])):
            one = socket.socket()
            one.settimeout(2)
            one.bind((f"127.0.0.{2 + number % int(sys.argv[4])}", 0))
            try:
                one.connect(("127.0.0.1", int(sys.argv[1])))
                one.send(bytes.fromhex(sys.argv[3]))
                held.append(one)
            except OSError:
                pass
        print(len(held), flush=True)
        time.sleep(600)
        """

    private func served() throws -> Bool {
        try portal.askOther("https://127.0.0.1:\(port)/v1/session", ["-k"], seconds: 10).status == 200
            && portal.ask("/v1/session", seconds: 10).status == 200
    }

    @Test(
        "serves others while one address, or twenty, hold a thousand connections without a handshake, or with a slow one",
        arguments: ["", "1603010200", "160301020001"], [1, 20])
    func halfOpen(beginning: String, addresses: Int) throws {
        #expect(try served())
        let holder = Process()
        let output = Pipe()
        holder.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        holder.arguments = ["-c", Self.holder, "\(port)", "1000", beginning, "\(addresses)"]
        holder.standardOutput = output
        try holder.run()
        defer { end(holder) }
        // The first line is written when all were tried.
        #expect(!output.fileHandleForReading.availableData.isEmpty)
        for _ in 0..<5 { #expect(try served()) }
    }

    @Test(
        "refuses what is too long, and goes on",
        arguments: [
            ["-H", "Cookie: \(String(repeating: "a=b; ", count: 20_000))"],
            ["-H", "X-Long: \(String(repeating: "x", count: 100_000))"],
            (0..<900).flatMap { ["-H", "X-\($0): \($0)"] },
            ["-H", "Cookie: __Host-konza=\(String(repeating: "0", count: 64)); __Host-konza=1"],
        ])
    func tooLong(fields: [String]) throws {
        let answer = try portal.askOther("https://127.0.0.1:\(port)/v1/postcards", ["-k"] + fields)
        #expect(answer.status == 0 || (400..<500).contains(answer.status), "\(answer.status)")
        #expect(
            try portal.askOther("https://127.0.0.1:\(port)/\(String(repeating: "a", count: 9000))", ["-k"]).status
                >= 400)
        #expect(try served())
    }

    @Test(
        "finds no way around the paths",
        arguments: [
            "/v1/gallery/../postcards", "/v1/gallery/%2e%2e/postcards", "/v1/gallery/..%2fpostcards/image.jpg",
            "/v1//postcards", "/v1/./postcards", "/V1/postcards", "/v1/postcards/", "/v1/postcards;x", "//v1/postcards",
            "/pages/..%2f..%2fetc%2fpasswd", "/pages/%252e%252e/x", "/v1/position/../postcards", "/v1/postcards%00",
        ])
    func paths(path: String) throws {
        let answer = try portal.askOther("https://127.0.0.1:\(port)\(path)", ["-k"])
        #expect([400, 403, 404].contains(answer.status), "\(answer.status)")
    }
}
