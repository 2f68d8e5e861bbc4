import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Positioning

/// Random receivers on one gpsd against an oracle that keeps nothing but the list of what was said.
@Suite struct SceneTests {
    private static let count = RandomTest.cases(150)

    @Test("whatever receivers say, a position is of one of them, no better than justified and no fresher than said")
    func scenes() {
        let first = RandomTest.seed(of: "receivers")
        for index in 0..<Self.count {
            let seed = first &+ UInt64(index)
            var scene = Scene(seed: seed)
            let complaint = scene.run()
            if complaint != nil { print(scene.end) }
            #expect(complaint == nil, "seed \(seed)")
            if complaint != nil { return }
        }
    }
}
