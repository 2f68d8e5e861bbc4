import Foundation
import KonzaLab
import Testing

/// `KONZA_REWRITE=1 make test TEST=ReliabilityPageTests` writes the page's list anew.
@Suite("The page on reliability")
struct ReliabilityPageTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/KonzaDaemon/Documentation.docc/Reliability.md")
    private static let begin =
        "<!-- begin scenarios: made by KONZA_REWRITE=1 make test TEST=ReliabilityPageTests -->\n"
    private static let end = "<!-- end scenarios -->\n"

    /// One table for each group, in the order in which they run.
    private static var tables: String {
        var groups: [String] = []
        let shown = Scenario.all.filter { $0.extent != .part }
        for scenario in shown where !groups.contains(scenario.group) { groups.append(scenario.group) }
        return groups.map { group in
            let rows = shown.filter { $0.group == group }.map { scenario in
                let words = scenario.promise.replacing("\n", with: " ").replacing("|", with: "\\|")
                return "| `\(scenario.name)` | \(words) |\n"
            }
            return "### \(group.capitalized)\n\n| scenario | promise |\n|---|---|\n" + rows.joined() + "\n"
        }.joined()
    }

    @Test("has every scenario's promise as the scenario itself gives it")
    func promises() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let begin = try #require(text.range(of: Self.begin))
        let end = try #require(text.range(of: Self.end))
        if ProcessInfo.processInfo.environment["KONZA_REWRITE"] == "1" {
            let new = text[..<begin.upperBound] + "\n" + Self.tables + text[end.lowerBound...]
            try String(new).write(to: Self.page, atomically: true, encoding: .utf8)
        } else {
            #expect(String(text[begin.upperBound..<end.lowerBound]) == "\n" + Self.tables)
        }
    }
}
