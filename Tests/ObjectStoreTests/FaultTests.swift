import Foundation
import KonzaModel
import KonzaTesting
import ObjectStore
import Testing

@Suite("An object store with faults", .serialized)
struct FaultTests {
    private static let faults = [
        "500", "503", "409", "403", "\"conflict\"", "\"slow\"", "\"truncated\"", "\"lost\"", "\"cut\"", "\"hash\"",
        "null", "null",
    ]

    @Test("whatever goes wrong, what succeeded is there with its hash, was written once, and is never replaced")
    func property() throws {
        let seed = RandomTest.seed(of: "FaultTests")
        var generator = SeededGenerator(seed: seed)
        let bench = try Bench(Bool.random(using: &generator) ? ["--plain"] : [])
        var expected: [String: String] = [:]
        var failures = 0
        for number in 0..<150 {
            // Now and then a name that is taken, with the same bytes or with others.
            let name = "konza/knz07/\(Int.random(in: 0...number, using: &generator))"
            let bytes = (0..<Int.random(in: 0...40_000, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let object = try Bench.upload(name, bytes)
            let list = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                Self.faults.randomElement(using: &generator) ?? "null"
            }
            try bench.inject("[\(list.joined(separator: ","))]")
            var outcome: ObjectPutOutcome?
            for _ in 0..<8 where outcome == nil {
                do {
                    outcome = try bench.client.put(object)
                } catch {
                    failures += 1
                    #expect(error.isTransient || error.reason == .forbidden, "\(error)")
                }
            }
            switch outcome {
            case .stored:
                #expect(expected[name] == nil, "\(name) was replaced")
                expected[name] = object.sha256
            case .wasThere:
                // An answer of this call's own may have been lost.
                #expect(expected[name] == nil || expected[name] == object.sha256)
                expected[name] = object.sha256
            case .otherContent(let facts): #expect(facts.sha256 == expected[name])
            case nil: Issue.record("\(name) did not get through")
            }
        }
        let kept = try bench.objects()
        #expect(kept.mapValues(\.sha256) == expected)
        #expect(kept.values.allSatisfy { $0.writes == 1 })
        #expect(failures > 0)
    }
}
