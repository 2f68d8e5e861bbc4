import Foundation
import KonzaAPI
import KonzaModel
import KonzaSystem
import KonzaTesting
import Synchronization
import Testing

@testable import Capture
@testable import KonzaDaemon
@testable import Positioning
@testable import Postcards
@testable import Specimens
@testable import Storage

/// Scenes of waits that begin and end in random order.
@Suite("Every wait") struct WaitTests {
    @Test("ends by a reset, a reload, a hang-up, the stop or its time-out, and leaves nothing behind")
    func scenes() async throws {
        let count = RandomTest.cases(60)
        let seed = RandomTest.seed(of: "waits")
        let desks = try Desks()
        for number in 0..<count {
            var scene = Scene(desks: desks, seed: seed &+ UInt64(number))
            try await scene.play()
            if count > 1000, number % 1000 == 999 { print("waits: \(number + 1) scenes") }
            let left = desks.leftovers(scene.desk)
            #expect(left.isEmpty, "scene \(number), KONZA_SEED=\(seed &+ UInt64(number)) ended by \(scene.ending)")
            guard left.isEmpty else { return }
        }
    }
}

private struct Scene {
    enum Ending: CaseIterable {
        case timeOut
        case hangUp
        case stop
    }

    let desks: Desks
    let desk: PostcardDesk
    let ending: Ending
    private var random: SeededGenerator
    private var tasks: [Task<Void, Never>] = []
    private let running = Running()

    final class Running: Sendable {
        let count = Mutex(0)
    }

    init(desks: Desks, seed: UInt64) {
        self.desks = desks
        desk = PostcardDesk(parts: desks.parts)
        var random = SeededGenerator(seed: seed)
        ending = Ending.allCases.randomElement(using: &random) ?? .timeOut
        self.random = random
    }

    mutating func play() async throws {
        desks.reportFix()
        for _ in 0..<Int.random(in: 4...24, using: &random) {
            step()
            for _ in 0..<Int.random(in: 0...20, using: &random) { await Task.yield() }
        }
        try await end()
    }

    private mutating func step() {
        let clock = desks.clock
        switch Int.random(in: 0..<20, using: &random) {
        case 0...8: begin()
        case 9, 10: desks.parts.board.reset()
        case 11, 12: desks.reportFix()
        case 13: desks.replaceCamera(expected: Bool.random(using: &random))
        case 14: tasks.randomElement(using: &random)?.cancel()
        case 15: desks.outbox.flush()
        case 16: clock.setUTC(UTCInstant(nanoseconds: Int64.random(in: Int64.min...Int64.max, using: &random)))
        case 17 where Int.random(in: 0..<4, using: &random) == 0: try? desks.publishFrame()
        default: clock.advance(bySeconds: [0.01, 0.5, 1, 3, 7].randomElement(using: &random) ?? 1)
        }
    }

    private mutating func begin() {
        let (desks, desk, clock) = (desks, desk, desks.clock)
        let user = UInt32.random(in: 0...3, using: &random)
        // Few keys, so that requests meet.
        let key =
            Bool.random(using: &random)
            ? IdempotencyKey(
                key: "k\(Int.random(in: 0...3, using: &random))-\(ObjectIdentifier(running))", requestHash: "h")
            : nil
        let seconds = Double.random(in: 0...20, using: &random)
        switch Int.random(in: 0..<7, using: &random) {
        case 0:
            let instant = desks.receiverNow.advanced(bySeconds: 0.5)
            add { _ = await desks.parts.board.position(at: instant, waitingAtMost: seconds) }
        case 1:
            let trigger = clock.monotonic().advanced(bySeconds: 0.001)
            add { _ = try? await desks.parts.hub.shot(exposedNotBefore: trigger, timeoutSeconds: seconds) }
        case 2:
            add { _ = try? await desk.take(PostcardRequest(), key: key, account: Account(user: user)) }
        case 3, 4:
            let countdown = Int.random(in: 1...10, using: &random)
            add {
                _ = try? await desk.take(
                    PostcardRequest(countdownSeconds: countdown), key: key, account: Account(user: user))
            }
        case 5:
            add { _ = try? await desks.outbox.nextErrand(waitingSeconds: seconds) }
        default:
            let errand = Errand(id: "", kind: "sample", sample: "\(user)")
            add { _ = try? await desks.outbox.questions.ask(errand, waitingSeconds: seconds) { _ in } }
        }
    }

    private mutating func add(_ body: @escaping @Sendable () async -> Void) {
        running.count.withLock { $0 += 1 }
        tasks.append(
            Task { [running] in
                await body()
                running.count.withLock { $0 -= 1 }
            })
    }

    /// One way to end is enough for everything that waits: no other help comes.
    private func end() async throws {
        let (desk, running, clock) = (desk, running, desks.clock)
        func isOver() -> Bool { running.count.withLock { $0 } == 0 && desk.isIdle }
        switch ending {
        case .timeOut: try await pass(isOver)
        case .hangUp:
            for task in tasks { task.cancel() }
            try await settle("hang-ups end waits") { running.count.withLock { $0 } == 0 }
            // Nobody hangs up on a countdown: the client may be gone while it runs.
            try await pass(isOver)
        case .stop:
            try await desks.close(desk) {
                for task in tasks { task.cancel() }
                desks.replaceCamera(expected: false)
            }
            try await settle("the stop ends waits") {
                clock.advance(bySeconds: 0.02)
                return isOver()
            }
        }
        for task in tasks { await task.value }
        // What is drawn ahead for a postcard ends a little later.
        try await settle("sleepers wake") {
            clock.advance(bySeconds: 1)
            return clock.sleeperCount == 0
        }
    }

    /// Lets time pass until all is over. What works on another thread, as stamping does, may begin to wait late.
    private func pass(_ isOver: () -> Bool) async throws {
        var rounds = 0
        try await settle("time ends waits") {
            rounds += 1
            if rounds % 200 == 0 { desks.clock.advance(bySeconds: 5) }
            return isOver()
        }
    }
}
