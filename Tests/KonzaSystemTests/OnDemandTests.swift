import KonzaSystem
import Synchronization
import Testing

@Suite("A value on demand")
struct OnDemandTests {
    @Test("is made when it is first asked for, once, however many ask at the same time")
    func once() async {
        let made = Atomic(0)
        let value = OnDemand {
            // Whoever else asks by now has to wait.
            for _ in 0..<1000 { _ = made.load(ordering: .relaxed) }
            return made.add(1, ordering: .relaxed).newValue
        }
        #expect(made.load(ordering: .relaxed) == 0)
        let found = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<16 { group.addTask { await onBlockingThread { value.value } } }
            return await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(found == [1])
        #expect(made.load(ordering: .relaxed) == 1)
    }
}
