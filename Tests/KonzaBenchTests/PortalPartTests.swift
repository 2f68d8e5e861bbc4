import Testing

@testable import KonzaBench

@Suite("The portal's figures, as the script that drives the browser writes them") struct PortalPartTests {
    private static let document = """
        {"rows": [{"group": "page", "what": "first screen", "value": 171.25, "unit": "ms", "p50Ms": 171.25, "n": 10},
                  {"group": "at rest", "what": "memory", "value": 22.5, "unit": "MB"},
                  {"group": "page", "what": "another screen", "value": 31, "unit": "ms"}],
         "goals": [{"what": "first screen", "value": 171.25, "unit": "ms", "atMost": 300},
                   {"what": "preview", "value": 20.5, "unit": "frames/s", "atLeast": 24},
                   {"what": "memory", "value": 0.3, "unit": "", "atMostOneIn": 4}],
         "notes": ["a note"], "failures": ["cannot measure card: it is late"]}
        """

    @Test("become rows in their groups, and goals with their verdicts")
    func figures() throws {
        let report = try PortalPart.report(Array(Self.document.utf8))
        let names = report.table.rows.map { $0.values["what"] }
        #expect(names == [.text("first screen"), .text("another screen"), .text("memory")])
        #expect(report.table.rows[0].values["value"] == .figure(171.25))
        #expect(report.table.rows[0].values["n"] == .count(10))
        #expect(report.table.rows[1].values["p50Ms"] == nil)
        #expect(report.goals.map(\.isMet) == [true, false, false])
        #expect(report.table.notes == ["a note"])
        #expect(report.failures == ["cannot measure card: it is late"])
    }

    @Test(
        "are refused where something is missing",
        arguments: [
            "[]", "{}", #"{"rows": [{}], "goals": [], "notes": [], "failures": []}"#,
            #"{"rows": [], "goals": [{"what": "x", "unit": "ms"}], "notes": [], "failures": []}"#,
            #"{"rows": [], "goals": [], "notes": [1], "failures": []}"#, "no JSON",
        ])
    func faults(document: String) {
        #expect(throws: (any Error).self) { try PortalPart.report(Array(document.utf8)) }
    }
}
