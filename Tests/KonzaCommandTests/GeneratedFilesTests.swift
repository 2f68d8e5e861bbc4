import Foundation
import KonzaTesting
import Testing

@testable import KonzaCommand

/// `KONZA_REWRITE=1 make test TEST=GeneratedFilesTests` writes the files anew.
@Suite("The files made from the declarations")
struct GeneratedFilesTests {
    private static let config = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "config")
    private static let rewrites = ProcessInfo.processInfo.environment["KONZA_REWRITE"] == "1"

    @Test("have the completion for bash as it is declared")
    func completion() throws {
        let file = Self.config.appending(path: "completion/konza.bash")
        if Self.rewrites { try BashCompletion.script.write(to: file, atomically: true, encoding: .utf8) }
        #expect(try String(contentsOf: file, encoding: .utf8) == BashCompletion.script)
    }

    @Test("have the commands in konza(1) as they are declared")
    func manual() throws {
        let file = Self.config.appending(path: "man/konza.1")
        let text = try String(contentsOf: file, encoding: .utf8)
        let begin = try #require(text.range(of: ManualPage.begin + "\n"))
        let end = try #require(text.range(of: ManualPage.end))
        if Self.rewrites {
            let new = text[..<begin.upperBound] + ManualPage.section + text[end.lowerBound...]
            try String(new).write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(text[begin.upperBound..<end.lowerBound] == ManualPage.section)
        }
    }

    @Test("have examples of a day in the field that a terminal of 80 columns shows whole")
    func fieldDay() {
        // man(7) indents a section by 7 columns and an example by 4 more.
        for line in FieldDay.steps.flatMap(\.lines).flatMap({ $0.split(separator: "\n") }) {
            #expect(line.count <= 80 - 11, "\(line)")
        }
    }

    @Test("complete commands, parts, options and values in bash itself")
    func completes() throws {
        let rows: [(words: [String], expected: [String])] = [
            (["konza", "po"], ["postcard", "postcards", "portal"]),
            (["konza", "postcards", "de"], ["delete"]),
            (["konza", "where", "--format", ""], ["decimal", "dms", "geo", "utm"]),
            (["konza", "--color", "never", "where", "--wa"], ["--watch"]),
            (["konza", "postcards", "get", "--or"], ["--original"]),
            (["konza", "help", "do"], ["doctor"]),
            // An option that takes other words in another command.
            (["konza", "specimens", "export", "--format", "metpetdb-"], ["metpetdb-csv", "metpetdb-sheets"]),
            (["konza", "specimens", "re"], ["restore", "resolve"]),
            (["konza", "specimens", "vocabulary", "min"], ["minerals"]),
            (["konza", "specimens", "photograph", "KNZ-1", "/etc/host.c"], ["/etc/host.conf"]),
        ]
        for row in rows {
            let words = row.words.map { "'\($0)'" }.joined(separator: " ")
            let script = """
                source '\(Self.config.path())/completion/konza.bash'
                COMP_WORDS=(\(words)); COMP_CWORD=\(row.words.count - 1)
                _konza; printf '%s\\n' "${COMPREPLY[@]}"
                """
            let output = try ProgramRun("/bin/bash", ["--norc", "-c", script]).text
            let found = output.split(separator: "\n").map(String.init)
            #expect(found == row.expected, "\(row.words)")
        }
    }

    @Test(
        "are manual pages that man finds nothing wrong with",
        arguments: [
            "konza.1", "konza-courier.8", "konza-fleet.8", "konza-hub.8", "konza-kiosk.8", "konza-portal.8", "konzad.8",
            "konzad.conf.5",
        ])
    func lint(page: String) throws {
        let run = try ProgramRun(
            "/usr/bin/man", ["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", Self.config.path() + "/man/\(page)"])
        #expect(run.errors == "" && run.status == 0)
    }
}
