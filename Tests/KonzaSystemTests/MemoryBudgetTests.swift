import Foundation
import Glibc
import KonzaSystem
import KonzaTesting
import Testing

/// One bound on what clients can make the process hold.
@Suite struct MemoryBudgetTests {
    @Test func `what is reserved is counted by use and given back at the end of its life`() throws {
        let budget = MemoryBudget(bytes: 1000)
        var first = budget.reserve(300, for: .bodies, account: 1001)
        let second = try #require(budget.reserve(100, for: .pictures, account: nil))
        #expect(budget.figures.reserved == [.bodies: 300, .pictures: 100])
        #expect(budget.figures.total == 400)
        #expect(second.grow(to: 200) && second.bytes == 200)
        #expect(second.grow(to: 50) && second.bytes == 200)
        second.shrink(to: 150)
        #expect(first?.bytes == 300)
        first = nil
        #expect(budget.figures.reserved == [.bodies: 0, .pictures: 150])
        second.release()
        second.release()
        #expect(budget.figures.total == 0)
        #expect(budget.figures.peak == 500)
        #expect(budget.figures.refusals.isEmpty)
    }

    @Test func `a user comes to a half, root and the own user to the capacity, and nobody beyond`() throws {
        let budget = MemoryBudget(bytes: 1000)
        let stranger = geteuid() &+ 1001
        #expect(budget.reserve(501, for: .bodies, account: Account(user: stranger)) == nil)
        let half = try #require(budget.reserve(500, for: .bodies, account: Account(user: stranger)))
        #expect(!half.grow(to: 501))
        #expect(budget.reserve(251, for: .bodies, account: Account(user: stranger + 1)) == nil)
        #expect(budget.reserve(501, for: .answers, account: 0) == nil)
        let rest = try #require(budget.reserve(500, for: .answers, account: 0))
        let trusted: [UInt32?] = [0, geteuid(), nil]
        for user in trusted { #expect(budget.reserve(1, for: .events, account: user.map { Account(user: $0) }) == nil) }
        #expect(rest.grow(to: 700, isForced: true))
        #expect(budget.figures.peak == 1200)
        #expect(budget.figures.refusals == [.bodies: 3, .answers: 1, .events: 3])
        #expect(budget.reserve(.max, for: .pictures, account: Account(user: stranger)) == nil)
        #expect(budget.reserve(.max, for: .pictures, account: nil) == nil)
    }

    @Test func `the capacity holds and nothing is lost, whatever is reserved, grown, shrunk and released`() {
        let seed = RandomTest.seed(of: "a memory budget")
        let steps = RandomTest.cases(20_000)
        var generator = SeededGenerator(seed: seed)
        let budget = MemoryBudget(bytes: 10_000)
        var held: [MemoryReservation] = []
        for _ in 0..<steps {
            let amount = Int.random(in: 0...3000, using: &generator)
            switch (Int.random(in: 0..<5, using: &generator), held.indices.randomElement(using: &generator)) {
            case (0, let index?): held.remove(at: index)
            case (1, let index?): _ = held[index].grow(to: amount)
            case (2, let index?): held[index].shrink(to: amount)
            default:
                let users: [Account?] = [nil, 0, 1001, 1002, 1003]
                let user = users.randomElement(using: &generator) ?? nil
                let use = MemoryBudget.Use.allCases.randomElement(using: &generator) ?? .bodies
                if let reservation = budget.reserve(amount, for: use, account: user) { held.append(reservation) }
            }
            let figures = budget.figures
            #expect(figures.total == held.reduce(0) { $0 + $1.bytes }, "seed \(seed)")
            #expect(figures.total == figures.reserved.values.reduce(0, +), "seed \(seed)")
            #expect(figures.total <= budget.capacity && figures.peak <= budget.capacity, "seed \(seed)")
        }
        held = []
        #expect(budget.figures.total == 0, "seed \(seed)")
    }
}
