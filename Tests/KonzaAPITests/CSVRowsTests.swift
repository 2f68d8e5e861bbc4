import Foundation
import KonzaTesting
import Testing

@testable import KonzaAPI

@Suite("Comma-separated values")
struct CSVRowsTests {
    /// By scalars: with an accent over it a quotation mark is no character of its own.
    private static func doubled(_ cell: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in cell.unicodeScalars { scalars.append(contentsOf: scalar == "\"" ? [scalar, scalar] : [scalar]) }
        return String(scalars)
    }

    private static func rows(_ text: String) -> [[String]] { CSVRows(text).rows.map(\.cells) }

    @Test(
        "are read by RFC 4180, with the line ends of every system, without empty rows",
        arguments: [
            ("a,b\r\nc,d\r\n", [["a", "b"], ["c", "d"]]), ("a,b\nc,d", [["a", "b"], ["c", "d"]]),
            ("a\rb\r", [["a"], ["b"]]), ("\u{FEFF}a\n\n\nb\n", [["a"], ["b"]]), ("", []), ("\n", []),
            (",\n", [["", ""]]),
            // Semicolons, as spreadsheets write them where a comma is in numbers; they say so in the first line.
            ("\u{FEFF}a;b\r\n1,5;\"c;d\"\r\n", [["a", "b"], ["1,5", "c;d"]]),
            ("a,b;c\nd;e,f\n", [["a", "b;c"], ["d;e", "f"]]),
            ("a\nb;c\n", [["a"], ["b;c"]]),
            // What is quoted, and lines that are empty, say nothing of what stands between cells.
            ("\r\n\na;b\n1,5;2\n", [["a", "b"], ["1,5", "2"]]),
            ("\"a,\"\"b\";c\n1,5;2\n", [["a,\"b", "c"], ["1,5", "2"]]),
            ("\"a;\"\";b\"\nc,d\n", [["a;\";b"], ["c", "d"]]), ("\"a\n;\",b\nc;d\n", [["a\n;", "b"], ["c;d"]]),
            ("\"a,b\",\"c\"\"d\"\n", [["a,b", "c\"d"]]), ("\"a\r\nb\",c\n", [["a\r\nb", "c"]]),
            ("\"\",x", [["", "x"]]), ("a,\n", [["a", ""]]), ("é,ü\u{301}\n", [["é", "ü\u{301}"]]),
        ])
    func read(text: String, rows: [[String]]) {
        #expect(Self.rows(text) == rows)
        #expect(CSVRows(text).strayQuote == nil && CSVRows(text).unclosedQuote == nil)
    }

    @Test("say where a row begins, where a quotation mark stands within a cell, and which one is not closed")
    func places() {
        let table = CSVRows("a\n\"b\nb\"\n\nc\n")
        #expect(table.rows.map(\.line) == [1, 2, 5])
        #expect(CSVRows("a\n\nb,c\"d\n").strayQuote == .init(row: 2, line: 3))
        #expect(CSVRows("\"a\"b\"\n").strayQuote == .init(row: 1, line: 1))
        #expect(CSVRows("a\n\"b\nc").unclosedQuote == .init(row: 2, line: 2))
        #expect(CSVRows(String(repeating: "x\n", count: 50), limit: 10).rows.count == 11)
    }

    @Test("are what was written, whatever the cells are")
    func roundTrip() {
        let seed = RandomTest.seed(of: "CSV")
        var state = seed
        func next(_ bound: UInt64) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % bound)
        }
        let letters = ["a", "\"", ",", "\r\n", "\n", "\r", " ", "'", "=", "ñ", "\u{301}", "🦬"]
        for _ in 0..<500 {
            let rows = (0..<1 + next(5)).map { _ in
                (0..<2 + next(4)).map { _ in (0..<next(6)).map { _ in letters[next(12)] }.joined() }
            }
            let text = rows.map { row in
                row.map { "\"\(Self.doubled($0))\"" }.joined(separator: ",") + "\r\n"
            }.joined()
            #expect(Self.rows(text) == rows, "KONZA_SEED=\(seed)")
        }
    }
}
