import Foundation
import KonzaAPI
import KonzaModel
import Testing

@Suite("A request about a specimen")
struct SpecimenRequestTests {
    private func value(_ members: [String: Any]) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: try JSONSerialization.data(withJSONObject: members))
    }

    /// The paths of what is at fault; empty if it is taken.
    private func faults(_ members: [String: Any]) throws -> [String] {
        var whole: [String: Any] = ["rockType": "Gneiss"]
        whole.merge(members) { $1 }
        let json = try value(whole)
        do throws(Problem) {
            _ = try SpecimenRequest(json)
            return []
        } catch {
            return (error.errors ?? []).map(\.path)
        }
    }

    private static let texts: [(String, Int)] = [
        ("rockType", 100), ("number", 35), ("collector", 50), ("country", 100), ("presentLocation", 50), ("igsn", 60),
        ("description", 20_000), ("fieldNotes", 20_000),
    ]

    @Test("takes a text as long as its bound, and none longer; characters count, not bytes", arguments: texts)
    func textBounds(name: String, limit: Int) throws {
        #expect(try faults([name: String(repeating: "ü", count: limit)]) == [])
        #expect(try faults([name: String(repeating: "a", count: limit + 1)]) == ["/\(name)"])
    }

    @Test(
        "takes lists of 200 entries, and none longer",
        arguments: ["metamorphicGrades", "metamorphicRegions", "regions", "references"])
    func listBounds(name: String) throws {
        #expect(try faults([name: (0..<200).map { "n\($0)" }]) == [])
        #expect(try faults([name: (0..<201).map { "n\($0)" }]) == ["/\(name)"])
        #expect(try faults([name: [String(repeating: "a", count: 101)]]) == ["/\(name)/0"])
        #expect(try faults([name: [""]]) == ["/\(name)/0"])
    }

    @Test("takes numbers in their ranges only")
    func ranges() throws {
        let good: [String: Any] = ["latitude": -90, "longitude": 180, "accuracy": 0.001, "altitude": -12_000]
        #expect(try faults(["position": good]) == [])
        for (name, number) in [
            ("latitude", 90.0001), ("longitude", -180.0001), ("accuracy", 0), ("altitude", 100_001),
            ("altitudeAccuracy", -1),
        ] as [(String, Double)] {
            var bad = good
            bad[name] = number
            #expect(try faults(["position": bad]) == ["/position/\(name)"])
        }
        for plane in [["strike": 361, "dip": 1], ["strike": 1, "dip": 91], ["strike": -1, "dip": 1]] {
            #expect(try faults(["measurements": [plane]]) != [])
        }
        let lines = Array(repeating: ["trend": 1, "plunge": 2], count: 201)
        #expect(try faults(["measurements": Array(lines.dropLast())]) == [])
        #expect(try faults(["measurements": lines]) == ["/measurements"])
        #expect(try faults(["minerals": Array(repeating: ["name": "Quartz"], count: 201)]) == ["/minerals"])
        #expect(
            try faults(["minerals": [["name": "Quartz", "amount": String(repeating: "1", count: 31)]]])
                == ["/minerals/0/amount"])
    }

    @Test(
        "takes the amount of a mineral as a number or as text",
        arguments: [
            ("30", "30"), ("5.5", "5.5"), ("5.50", "5.50"), ("5.0", "5.0"), ("0.10", "0.10"), ("0", "0"),
            ("0.00", "0.00"),
            ("100", "100"), ("1e1", "10"), ("2.50e1", "25"), ("1.00000000000000000001", "1.00000000000000000001"),
            ("\"5.50\"", "5.50"), ("\"x\"", "x"),
        ])
    func amounts(written: String, kept: String) throws {
        let body = #"{"rockType":"Gneiss","minerals":[{"name":"Quartz","amount":\#(written)}]}"#
        let request = try SpecimenRequest(JSONReader.value(of: Array(body.utf8)))
        #expect(request.patch.minerals == .set([Specimen.Mineral(name: "Quartz", amount: kept)]))
        for bad in ["-1.50", "100.50", "5.\(String(repeating: "0", count: 29))", "1.5e9"] {
            let body = #"{"rockType":"Gneiss","minerals":[{"name":"Quartz","amount":\#(bad)}]}"#
            let error = #expect(throws: Problem.self) { try SpecimenRequest(JSONReader.value(of: Array(body.utf8))) }
            #expect(error?.errors?.map(\.path) == ["/minerals/0/amount"])
        }
        for bad: Any in [-1, 100.5, true, [1]] {
            #expect(try faults(["minerals": [["name": "Quartz", "amount": bad]]]) == ["/minerals/0/amount"])
        }
    }

    @Test("for an occupation has defaults and bounds")
    func occupations() throws {
        let usual = try OccupationRequest(nil)
        #expect(usual.wantedAccuracy == nil && usual.timeLimit == 600 && usual.minimumDuration == 30)
        #expect(try OccupationRequest(value(["timeLimitSeconds": 5])).minimumDuration == 5)
        for bad: [String: Any] in [
            ["wantedAccuracy": 0], ["wantedAccuracy": 1001], ["timeLimitSeconds": 0], ["timeLimitSeconds": 86_401],
            ["minimumSeconds": -1], ["wanted": 1],
        ] {
            let json = try value(bad)
            #expect(throws: Problem.self) { try OccupationRequest(json) }
        }
    }

    @Test("for a photograph has bounds, in a body and in a query")
    func photographs() throws {
        let request = try PhotographRequest(query: ["scale": "250", "direction": "360", "imageType": "PHOTO"])
        #expect(request.scale == 250 && request.direction == 0 && request.imageType == .photograph)
        for bad in [
            ["scale": "0"], ["scale": "x"], ["direction": "361"], ["imageType": "X"],
            ["description": String(repeating: "a", count: 1025)],
        ] {
            #expect(throws: Problem.self) { try PhotographRequest(query: bad) }
        }
    }
}
