import Foundation
import KonzaTesting
import Testing

@Suite("What was acknowledged is kept")
struct EnduranceTests {
    @Test("kill -9 at random moments of a capture storm loses nothing that was acknowledged")
    func killStorm() throws {
        let seed = RandomTest.seed(of: "a capture storm")
        var random = SeededGenerator(seed: seed)
        let film = try Film()
        let station = try Station(film.settings)
        var acknowledged: [String: String] = [:]
        for _ in 0..<8 {
            let storm = Storm(socket: station.socket, clients: 3)
            usleep(UInt32.random(in: 500_000...2_000_000, using: &random))
            station.cutOff()
            acknowledged.merge(storm.finish()) { $1 }
            try station.start()
        }
        #expect(acknowledged.count > 5, "the storm was no storm")
        let kept = try listed(station)
        for (id, checksum) in acknowledged {
            #expect(kept[id] == checksum, "\(id) was acknowledged and is lost or another")
        }
        try checkFiles(station, kept)
    }

    /// Every postcard that the station lists, with the checksum of its picture.
    private func listed(_ station: Station) throws -> [String: String] {
        var kept: [String: String] = [:]
        var cursor = ""
        repeat {
            let page = try station.get("/v1/postcards?limit=200\(cursor)").json()
            for postcard in page["postcards"] as? [[String: Any]] ?? [] {
                kept[postcard["id"] as? String ?? ""] = postcard["sha256"] as? String ?? ""
            }
            cursor = (page["next"] as? String).map { "&cursor=\($0)" } ?? ""
        } while !cursor.isEmpty
        return kept
    }

    /// No torn file, no leftover, no orphan: the pictures on disk are those listed, byte for byte.
    private func checkFiles(_ station: Station, _ kept: [String: String]) throws {
        let root = station.folder.appendingPathComponent("state")
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }
        #expect(files.filter { $0.lastPathComponent.contains(".tmp") }.isEmpty)
        let pictures = files.filter {
            $0.pathExtension == "jpg" && $0.path.contains("/postcards/")
                && $0.lastPathComponent.split(separator: ".").count == 2
        }
        let sums = try run("sha256sum", pictures.map(\.path)).text.split(separator: "\n")
        var onDisk: [String: String] = [:]
        for sum in sums {
            let parts = sum.split(separator: " ", maxSplits: 1)
            let name = parts[1].split(separator: "/").last?.split(separator: ".").first ?? ""
            onDisk[String(name)] = String(parts[0])
        }
        #expect(onDisk == kept)
        let index = try #require(files.first { $0.pathExtension == "db" })
        #expect(try run("sqlite3", [index.path, "PRAGMA integrity_check"]).text == "ok\n")
    }

    @Test("a postcard in flight is finished when the daemon is told to stop")
    func stopsCleanly() throws {
        let film = try Film()
        let station = try Station(film.settings)
        let storm = Storm(socket: station.socket, clients: 2)
        usleep(600_000)
        let begin = Date()
        #expect(station.stop() == 0)
        #expect(Date().timeIntervalSince(begin) < 5)
        let acknowledged = storm.finish()
        try station.start()
        for id in acknowledged.keys { #expect(try station.get("/v1/postcards/\(id)").status == 200) }
    }
}

/// A Motion-JPEG recording of a few small frames, by ffmpeg: quick also for a debug build.
private final class Film {
    private let path = NSTemporaryDirectory() + "konza-film-\(UUID().uuidString.prefix(8)).mjpeg"

    init() throws {
        let outcome = try run(
            "ffmpeg",
            [
                "-loglevel", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=320x240:rate=10:duration=1", "-c:v",
                "mjpeg", "-q:v", "4", "-f", "mjpeg", path,
            ])
        guard outcome.status == 0 else { throw Complaint("ffmpeg: \(outcome.errors)") }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var settings: String {
        """
        [Position]
        Source=recorded
        [Camera]
        Source=recorded
        Recording=\(path)
        [Postcards]
        Template=band
        """
    }
}

/// Clients that take postcards one after another until the socket is gone.
private final class Storm: @unchecked Sendable {
    // Sendable: a lock guards the results.
    private let lock = NSLock()
    private var acknowledged: [String: String] = [:]
    private let group = DispatchGroup()

    init(socket: String, clients: Int) {
        for _ in 0..<clients {
            DispatchQueue.global().async(group: group) { [self] in
                var failures = 0
                while failures < 3 {
                    let outcome = try? run(
                        "curl",
                        [
                            "-sS", "-m", "10", "--unix-socket", socket, "-X", "POST", "-d", "{}", "-H",
                            "Content-Type: application/json", "-w", "\n%{http_code}",
                            "http://localhost/v1/postcards",
                        ], seconds: 20)
                    if !note(outcome?.text ?? "") { failures += 1 }
                }
            }
        }
    }

    private func note(_ text: String) -> Bool {
        let lines = text.components(separatedBy: "\n")
        guard lines.last == "201",
            let object = try? JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any],
            let id = object["id"] as? String
        else { return false }
        lock.withLock { acknowledged[id] = object["sha256"] as? String ?? "" }
        return true
    }

    /// What was acknowledged: the id and the picture's checksum.
    func finish() -> [String: String] {
        group.wait()
        return lock.withLock { acknowledged }
    }
}
