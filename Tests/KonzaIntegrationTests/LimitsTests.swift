import Foundation
import KonzaTesting
import Synchronization
import Testing

/// Every route that takes a body, at its limits, sixteen at a time: konzad refuses and stays small.
@Suite struct LimitsTests {
    /// Anonymous memory of a process, sampled every few milliseconds: pages of mapped files can be taken back. By proc(5)'s statm,
    /// in pages: all that is resident, less what is of files.
    private final class Peak: Sendable {
        private let state = Mutex((bytes: 0, isOver: false))

        init(of process: Int32) {
            Thread.detachNewThread { [self] in
                while !state.withLock({ $0.isOver }) {
                    let text = (try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8)) ?? ""
                    let pages = text.split(separator: " ", maxSplits: 3).dropFirst().prefix(2).compactMap { Int($0) }
                    let own = pages.count == 2 ? (pages[0] - pages[1]) * sysconf(Int32(_SC_PAGESIZE)) : 0
                    state.withLock { $0.bytes = max($0.bytes, own) }
                    usleep(5000)
                }
            }
        }

        var bytes: Int { state.withLock { $0.bytes } }

        func stop() { state.withLock { $0.isOver = true } }
    }

    private static func json(_ bytes: Int) -> [(name: String, body: Data)] {
        let lists = "[" + String(repeating: "[],", count: (bytes - 4) / 3) + "0]"
        var members = "{"
        var number = 0
        while members.utf8.count < bytes - 24 {
            members += "\"\(String(number, radix: 36))\":1,"
            number += 1
        }
        return [
            ("blanks", Data(repeating: 0x20, count: bytes)),
            ("a string", Data(("{\"a\":\"" + String(repeating: "x", count: bytes - 8) + "\"}").utf8)),
            ("lists", Data(lists.utf8)), ("members", Data((members + "\"z\":1}").utf8)),
        ]
    }

    /// What is as long as a picture may be, and small files of large pictures.
    private static func pictures(_ type: String, _ bytes: Int) -> [(name: String, body: Data)] {
        if type == "image/png" {
            let head = Data([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])
            return [("zeros", head + Data(count: bytes - 8)), ("3000 x 3000", LargePictures.png(edge: 3000))]
        }
        let head = Data([0xff, 0xd8])
        return [
            ("fill bytes", head + Data(repeating: 0xff, count: bytes - 2)),
            ("2200 x 2200, progressive", LargePictures.jpeg(edge: 2200)),
            ("14142 x 14142, progressive", LargePictures.jpeg(edge: 14142)),
        ]
    }

    @Test func `every route that takes a body stays within 200 MB at its limits`() throws {
        let station = try Station(Station.recorded + "\n[Specimens]\nMaxPhotograph=4M")
        let created = try run(
            "curl",
            [
                "-s", "--unix-socket", station.socket, "--json",
                #"{"number":"A-1","rockType":"Gneiss","collector":"x"}"#, "http://localhost/v1/specimens",
            ])
        let specimen = try #require(
            (try JSONSerialization.jsonObject(with: created.output) as? [String: Any])?["id"] as? String)
        let document = try run("curl", ["-s", "--unix-socket", station.socket, "http://localhost/v1/openapi.json"])
        let api = try #require(try JSONSerialization.jsonObject(with: document.output) as? [String: Any])
        let paths = try #require(api["paths"] as? [String: [String: Any]])
        let peak = Peak(of: station.process.processIdentifier)
        defer { peak.stop() }
        var tried = 0
        // Routes have few limits between them, and bodies take long to make.
        var made: [String: [(name: String, body: Data)]] = [:]
        for (path, methods) in paths.sorted(by: { $0.key < $1.key }) {
            for (method, operation) in methods.sorted(by: { $0.key < $1.key }) {
                guard let body = (operation as? [String: Any])?["requestBody"] as? [String: Any],
                    let content = body["content"] as? [String: Any]
                else { continue }
                let url = path.replacing("{id}", with: specimen).replacing("{specimen}", with: specimen)
                    .replacing("{target}", with: "metpetdb").replacing(/\{\w+\}/, with: "x")
                for type in content.keys.sorted() {
                    let limit = try limit(of: method, url, type, station)
                    // The JSON of a route that takes photographs, too, is short.
                    let isPicture = type.hasPrefix("image/")
                    let bytes = isPicture || content["image/png"] == nil ? limit : 65_536
                    let key = "\(isPicture ? type : "text") \(bytes)"
                    let bodies = made[key] ?? (isPicture ? Self.pictures(type, bytes) : Self.json(bytes))
                    made[key] = bodies
                    for (name, body) in bodies {
                        tried += 1
                        let statuses = try ask(method, url, type, body, station)
                        #expect(statuses.count == 16, "\(method) \(path) \(type) \(name): \(statuses)")
                        #expect(
                            statuses.allSatisfy { (200..<500).contains($0) || [503, 507].contains($0) },
                            "\(method) \(path) \(type) \(name): \(statuses)")
                        #expect(peak.bytes < 200_000_000, "\(method) \(path) \(type) \(name): \(peak.bytes)")
                        try #require(station.process.isRunning, "\(method) \(path) \(type) \(name)")
                    }
                }
            }
        }
        #expect(tried >= 40)
        #expect(try station.get("/v1/status").status == 200)
    }

    /// What the route says of a body that is announced to be larger than any.
    private func limit(of method: String, _ path: String, _ type: String, _ station: Station) throws -> Int {
        let answer = try run(
            "curl",
            [
                "-s", "--unix-socket", station.socket, "-X", method.uppercased(), "-H", "Content-Type: \(type)",
                "-H", "Content-Length: 1099511627776", "http://localhost\(path)",
            ])
        let problem = try JSONSerialization.jsonObject(with: answer.output) as? [String: Any]
        let figures = try #require(problem?["figures"] as? [String: Double], "\(path): \(answer.text)")
        return Int(try #require(figures["limitBytes"]))
    }

    /// The statuses of sixteen requests at once.
    private func ask(
        _ method: String, _ path: String, _ type: String, _ body: Data, _ station: Station
    ) throws -> [Int] {
        let file = station.folder.appendingPathComponent("body")
        try body.write(to: file)
        let answers = try run(
            "curl",
            [
                "-s", "--unix-socket", station.socket, "--parallel", "--parallel-immediate", "--parallel-max", "16",
                "-X", method.uppercased(), "-H", "Content-Type: \(type)", "-H", "Expect:", "--data-binary",
                "@\(file.path)", "-o", "/dev/null", "-w", "%{http_code}\n", "http://localhost\(path)#[1-16]",
            ], seconds: 300)
        return answers.text.split(separator: "\n").compactMap { Int($0) }
    }
}
