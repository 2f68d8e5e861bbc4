import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Positioning

/// Random receivers on one gpsd against an oracle that keeps nothing but the list of what was said.
@Suite struct SceneTests {
    private static let count = ProcessInfo.processInfo.environment["KONZA_SCENES"].flatMap(Int.init) ?? 150
    private static let seed =
        ProcessInfo.processInfo.environment["KONZA_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)

    @Test("whatever receivers say, a position is of one of them, no better than justified and no fresher than said")
    func scenes() {
        print("seed \(Self.seed), \(Self.count) scenes")
        for index in 0..<Self.count {
            let seed = Self.seed &+ UInt64(index)
            var scene = Scene(seed: seed)
            let complaint = scene.run()
            if complaint != nil { print(scene.end) }
            #expect(complaint == nil, "seed \(seed)")
            if complaint != nil { return }
        }
    }
}
