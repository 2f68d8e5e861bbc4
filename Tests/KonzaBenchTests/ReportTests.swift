import Foundation
import Testing

@testable import KonzaBench

@Suite("Reports") struct ReportTests {
    @Test(
        "A goal is met within its bound only",
        arguments: [
            (Goal.Bound.atMost(150), 150.0, true), (.atMost(150), 150.1, false), (.below(1), 1, false),
            (.below(1), 0.99, true), (.atLeast(20_000), 20_000, true), (.atLeast(20_000), 19_999, false),
            (.atMostOneIn(200), 1.0 / 200, true), (.atMostOneIn(8), 0.1251, false),
        ])
    func verdicts(bound: Goal.Bound, measured: Double, isMet: Bool) {
        #expect(Goal("x", measured, bound, "ms").isMet == isMet)
    }

    @Test("A goal without a measurement is neither met nor missed")
    func unmeasured() {
        let goal = Goal("x", nil, .below(1), "ms")
        #expect(goal.isMet == nil)
        let row = Goal.table([goal]).rows[0]
        #expect(row.values["verdict"] == .text("not measured"))
        #expect(row.values["measured"] == nil)
    }

    @Test("The table of goals says what was measured, the target and the verdict")
    func goals() {
        let rows = Goal.table([Goal("a", 160.25, .atMost(150), "ms"), Goal("b", 21_000, .atLeast(20_000), "/s")]).rows
        #expect(rows[0].values["target"] == .text("at most 150 ms"))
        #expect(rows[0].values["verdict"] == .text("NOT MET"))
        #expect(rows[1].values["verdict"] == .text("met"))
    }

    @Test(
        "Figures keep three significant digits, and round to the nearest",
        arguments: [
            (1234.5, "1235"), (12.345, "12.3"), (1.2345, "1.23"), (0.12345, "0.123"), (0.012345, "0.0123"),
            (0, "0.0000"),
            (-1.5, "-1.50"), (Double.infinity, "∞"), (-0.00001, "0.0000"),
        ])
    func figures(value: Double, text: String) {
        #expect(Value.figure(value).text == text)
    }

    @Test(
        "A share is one part in so many, a multiple so many times",
        arguments: [
            (1.0 / 623, "1/623"), (0.153, "1/6.5"), (0.04, "1/25"), (0.9, "1/1.1"), (1.0, "x1.00"), (9.87, "x9.87"),
            (12.3, "x12"), (20_481.0, "x20481"), (0.0, "0"),
        ] as [(Double, String)])
    func ratios(value: Double, text: String) {
        #expect(Value.ratio(value).text == text)
        #expect(Value.ratio(value).isNumber)
    }

    @Test("A long note goes on in the next line, indented, and no line exceeds a terminal's")
    func notes() {
        var table = table
        table.notes = [String(repeating: "words ", count: 60)]
        let lines = table.text.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 120 })
        #expect(lines.last?.hasPrefix("  words") == true)
        #expect(lines.joined(separator: " ").components(separatedBy: "words").count == 61)
    }

    @Test("The widest line of stamping fits a terminal")
    func width() {
        var table = StampingTable.empty(subject: "a photograph (/a/rather/long/path/to/some/picture/of/the/hills.jpg)")
        table.rows = [
            Row([
                "way": .text("full decode, last resort"), "medianMs": .figure(1234.5), "spreadPercent": .count(100),
                "netMs": .figure(1234.5), "toLibrary": .ratio(1.0 / 12_345), "toCopy": .ratio(123_456),
                "peakMegabytes": .figure(0.12345), "bytes": .count(12_345_678),
                "outsideDecibels": .number(123.4, decimals: 1), "insideDecibels": .number(100.1, decimals: 1),
            ])
        ]
        #expect(table.text.split(separator: "\n").allSatisfy { $0.count <= 120 })
        #expect(table.text.contains("insi") && table.text.contains("less start"))
    }

    private let table = Table(
        name: "t", title: "Title", columns: [Column("a", "way"), Column("b", "ms")],
        rows: [
            Row(group: "first", ["a": .text("one"), "b": .number(1.5, decimals: 1)]),
            Row(group: "first", ["a": .text("two")]),
            Row(group: "second", ["a": .text("three"), "b": .number(12.25, decimals: 1)]),
        ], notes: ["a note"])

    @Test("A table stands in columns, figures to the right, a heading before each group")
    func text() {
        #expect(
            table.text == """
                Title
                =====
                way      ms
                -----  ----

                first
                one     1.5
                two

                second
                three  12.3
                * a note

                """)
    }

    @Test("Rows of one group come together in their order, groups in the order of their first rows")
    func groups() {
        var table = table
        table.rows.append(Row(group: "first", ["a": .text("late")]))
        table.gatherGroups()
        #expect(table.rows.map { $0.values["a"]?.text } == ["one", "two", "late", "three"])
    }

    @Test("A table in JSON has a member for each figure that was measured, and writes infinity as a word")
    func json() throws {
        var table = table
        table.rows.append(Row(["b": .number(.infinity, decimals: 1)]))
        let text = try jsonDocument([table], about: ["model": "m"])
        let parsed = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect((parsed["machine"] as? [String: String]) == ["model": "m"])
        let rows = try #require((parsed["t"] as? [String: Any])?["rows"] as? [[String: Any]])
        #expect(rows[0]["b"] as? Double == 1.5)
        #expect(rows[0]["group"] as? String == "first")
        #expect(rows[1]["b"] == nil)
        #expect(rows[3]["b"] as? String == "infinite")
    }
}
