import KonzaModel
import KonzaTesting
import Testing

@testable import Capture

@Suite struct CameraMachineTests {
    private let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

    @Test func itOpensRestsStreamsAndRestsAgain() {
        var machine = CameraMachine()
        #expect(machine.step(now: start, isWanted: false) == .open)
        #expect(machine.handle(.opened, now: start) == .proceed)
        #expect(machine.step(now: start, isWanted: false) == .waitForDemand(milliseconds: 2000))
        #expect(machine.step(now: start, isWanted: true) == .startStream)
        #expect(machine.handle(.started, now: start) == .proceed)
        #expect(machine.step(now: start, isWanted: true) == .waitForFrame(milliseconds: 1000))
        #expect(machine.step(now: start, isWanted: false) == .stopStream)
        #expect(machine.handle(.stopped, now: start) == .proceed)
        #expect(machine.state == .resting)
    }

    @Test func aFailedOpenIsTriedAgainAfterGrowingPausesAndAtOnceWhenADeviceAppears() {
        var machine = CameraMachine()
        var pauses: [Int32] = []
        for _ in 0..<7 {
            _ = machine.handle(.openFailed, now: start)
            guard case .waitForDevice(let milliseconds) = machine.step(now: start, isWanted: true) else {
                Issue.record("no pause")
                return
            }
            pauses.append(milliseconds)
        }
        #expect(pauses == [251, 501, 1001, 2001, 5001, 5001, 5001])
        #expect(machine.step(now: start.advanced(bySeconds: 5), isWanted: true) == .open)
        #expect(machine.handle(.deviceAdded, now: start) == .proceed)
        #expect(machine.step(now: start, isWanted: true) == .open)
    }

    @Test func onlyAGoodFrameShortensThePauseAgain() {
        var machine = CameraMachine()
        for _ in 0..<4 {
            _ = machine.handle(.opened, now: start)
            _ = machine.handle(.started, now: start)
            _ = machine.handle(.frame(isGood: false), now: start)
            #expect(machine.handle(.lost, now: start) == .close)
        }
        #expect(machine.failuresInRow == 4)
        _ = machine.handle(.opened, now: start)
        _ = machine.handle(.started, now: start)
        _ = machine.handle(.frame(isGood: true), now: start)
        #expect(machine.failuresInRow == 0)
    }

    @Test func timeoutsRestartOnceAndCloseAtTheTenthInARow() {
        var machine = CameraMachine()
        _ = machine.handle(.opened, now: start)
        _ = machine.handle(.started, now: start)
        var reactions = (0..<9).map { _ in machine.handle(.timedOut, now: start) }
        #expect(reactions == [.restartStream] + [CameraMachine.Reaction](repeating: .proceed, count: 8))
        _ = machine.handle(.frame(isGood: false), now: start)
        reactions = (0..<10).map { _ in machine.handle(.timedOut, now: start) }
        #expect(reactions.first == .restartStream)
        #expect(reactions.last == .close)
        #expect(reactions.dropFirst().dropLast().allSatisfy { $0 == .proceed })
    }

    /// Whatever happens, a closed machine opens again within its longest pause, and a resting one streams on demand.
    @Test func noSequenceOfEventsLeavesItStuck() {
        let seed: UInt64 = 0x6B6F_6E7A
        var random = SeededGenerator(seed: seed)
        let events: [CameraMachine.Event] = [
            .opened, .openFailed, .deviceAdded, .started, .stopped, .frame(isGood: true), .frame(isGood: false),
            .timedOut, .streamBroke, .lost,
        ]
        var machine = CameraMachine()
        var now = start
        for _ in 0..<20_000 {
            now = now.advanced(bySeconds: Double.random(in: 0...2, using: &random))
            let event = events.randomElement(using: &random) ?? .lost
            let reaction = machine.handle(event, now: now)
            if reaction == .close, case .closed = machine.state {
            } else if reaction == .close {
                Issue.record("closed without the state, seed \(seed)")
            }
            let later = now.advanced(bySeconds: 5.001)
            switch machine.state {
            case .closed: #expect(machine.step(now: later, isWanted: true) == .open, "seed \(seed)")
            case .resting: #expect(machine.step(now: now, isWanted: true) == .startStream, "seed \(seed)")
            case .streaming: #expect(machine.step(now: now, isWanted: false) == .stopStream, "seed \(seed)")
            }
        }
    }
}
