import Foundation
import Testing

@testable import Settings

/// `KONZA_REWRITE=1 make test TEST=ManualPageTests` writes the section anew.
@Suite("konzad.conf(5)")
struct ManualPageTests {
    @Test("documents every key as the table that reads it does")
    func keys() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "config/man/konzad.conf.5")
        let text = try String(contentsOf: file, encoding: .utf8)
        let begin = try #require(text.range(of: ".\\\" begin: keys\n"))
        let end = try #require(text.range(of: ".\\\" end: keys"))
        if ProcessInfo.processInfo.environment["KONZA_REWRITE"] == "1" {
            let new = text[..<begin.upperBound] + SettingsReference.manPageSection + text[end.lowerBound...]
            try String(new).write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(text[begin.upperBound..<end.lowerBound] == SettingsReference.manPageSection)
        }
    }
}
