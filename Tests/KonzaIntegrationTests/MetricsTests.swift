import Foundation
import Testing

@Suite("The page of metrics")
struct MetricsTests {
    @Test("serves no figure that the documentation does not name, and the documentation names none that is not served")
    func documented() throws {
        let station = try Station()
        try waitUntil("a position is there", seconds: 20) {
            try station.get("/v1/position").json()["state"] as? String == "fix"
        }
        // A counter by label begins with its first sample.
        #expect(try station.post("/v1/postcards").status == 201)
        #expect(try station.get("/v1/position?unknown=1").status == 400)
        let page = String(decoding: try station.get("/metrics").body, as: UTF8.self)
        let served = Set(
            page.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map { String($0.split(separator: " ")[2]) })
        let article = try Self.text("KonzaDaemon/Documentation.docc/Metrics.md")
        let named = Set(
            article.matches(of: /`((?:konza|process)_[a-z_]+)`/).map { String($0.output.1) })
        #expect(served.subtracting(named).isEmpty)
        #expect(served.count > 25)
        // A figure that has no value yet, such as an age, is not on the page: the sources say that it is served.
        let source = try Self.sources(below: "KonzaDaemon") + Self.sources(below: "HTTPServing")
        for name in named { #expect(source.contains("\"\(name)\""), "\(name) is documented and not served") }
    }

    private static func sources(below folder: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/\(folder)")
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        return try (files?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
    }

    private static func text(_ path: String) throws -> String {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return try String(
            contentsOf: tests.deletingLastPathComponent().appendingPathComponent("Sources/\(path)"), encoding: .utf8)
    }
}
