import KonzaModel
import KonzaTestTraits
import Synchronization
import Testing

@testable import HTTPServing

@Suite(.offPool) struct FirstAskedTests {
    private struct Failure: Error {}

    @Test func `an answer is made once, however many ask at the same time, and not before`() async throws {
        let count = Atomic(0)
        let answer = FirstAsked {
            count.add(1, ordering: .relaxed)
            return [1, 2, 3]
        }
        #expect(count.load(ordering: .relaxed) == 0)
        let lengths = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<16 { group.addTask { try answer.data().count } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(lengths == [Int](repeating: 3, count: 16))
        #expect(count.load(ordering: .relaxed) == 1)
    }

    @Test func `one that could not be made is tried again`() throws {
        let count = Atomic(0)
        let answer = FirstAsked {
            guard count.add(1, ordering: .relaxed).newValue > 1 else { throw Failure() }
            return [1]
        }
        #expect(throws: Failure.self) { try answer.data() }
        #expect(try answer.data().count == 1)
    }
}
