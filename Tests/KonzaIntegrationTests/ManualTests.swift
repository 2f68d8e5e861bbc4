import Foundation
import KonzaTesting
import Testing

/// konza's own manual and help are made of the same declarations; those of the other programs are written by hand.
@Suite("The manuals of the programs that serve")
struct ManualTests {
    @Test(
        "describe the options that the programs name in their help, and no others",
        arguments: ["konzad", "konza-courier", "konza-portal", "konza-fleet", "konza-hub"])
    func options(of program: String) throws {
        let help = try run(Programs.path(program).path, ["--help"])
        #expect(help.status == 0)
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("config/man/\(program).8").path
        let manual = try run("man", ["--no-hyphenation", "-E", "UTF-8", "-l", "-P", "cat", page])
        #expect(manual.status == 0, "\(manual.errors)")
        let named = Self.options(help.text)
        let usual: Set = ["--help", "--version", "--verbose"]
        #expect(named.isSuperset(of: usual))
        #expect(Self.options(try Self.section("OPTIONS", manual.text)) == named)
        let synopsis = try Self.section("SYNOPSIS", manual.text)
        #expect(named.subtracting(usual).filter { !synopsis.contains($0) } == [])
    }

    /// The options that lines begin with; "--enrol CODE --hub URL" are two.
    private static func options(_ text: String) -> Set<String> {
        let lines = text.matches(of: /(?m)^ +(?:-[a-z], )?(--[a-z-]+)(?: [A-Z]+ (--[a-z-]+))?/)
        return Set(lines.flatMap { [$0.1, $0.2].compactMap { $0 } }.map(String.init))
    }

    private static func section(_ heading: String, _ page: String) throws -> String {
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0 == heading })
        return lines[(start + 1)...].prefix { $0.isEmpty || $0.hasPrefix(" ") }.joined(separator: "\n")
    }
}
