import Cryptography
import Foundation
import KonzaModel
import KonzaSystem
import KonzaTesting
import Synchronization
import Testing

@testable import People

@Suite("Passphrases")
struct PassphraseTests {
    @Test(
        "are refused that are short, common, a run, one thing again and again, or the own name",
        arguments: [
            "fourteen chars", "passwordpassword", "Password Password", "abcdefghijklmnopqrs", "987654321098765",
            "aaaaaaaaaaaaaaaaaaaa", "abcabcabcabcabcabc", "Ana Torres Ana Torres", "anatorres20262026",
            "tab\tinside it is not",
            "",
        ])
    func refused(text: String) {
        #expect(throws: PeopleError.self) { try PassphraseRules.checked(text, name: "Ana Torres") }
    }

    @Test(
        "are taken without any rule of composition, in every script, and long ones",
        arguments: [
            "fifteen letters", "tallgrass burns in april", "la pradera arde en abril", "草原は四月に燃えることがある。今年も",
            String(repeating: "word by word ", count: 9),
        ])
    func taken(text: String) throws {
        #expect(try !PassphraseRules.checked(text, name: "Ana Torres").isEmpty)
    }

    @Test("are the same however Unicode writes them, and whichever space is typed (RFC 8265)")
    func normalised() throws {
        let composed = try PassphraseRules.checked("caf\u{E9} am Fluss, abends", name: "x")
        #expect(try PassphraseRules.checked("cafe\u{301} am\u{A0}Fluss, abends ", name: "x") == composed)
        #expect(throws: PeopleError.self) {
            try PassphraseRules.checked(String(repeating: "ab cd", count: 26), name: "x")
        }
    }

    @Test("that the station makes keep its own rules, and differ")
    func made() throws {
        let made = (0..<50).map { _ in PeopleSecret.passphrase() }
        #expect(Set(made).count == 50)
        for one in made { #expect(try PassphraseRules.checked(one, name: "x").count == 24) }
        let pins = (0..<50).map { _ in PeopleSecret.pin() }
        #expect(pins.allSatisfy { $0.utf8.count == 6 && Int($0) != nil } && Set(pins).count > 40)
    }
}

@Suite("The hashing of passphrases")
struct PassphraseHashingTests {
    private static let quick = HashCost(passes: 1, memory: 8192 * 8)

    @Test("takes no less than two passes over 19 MiB, whatever the board, and keeps what was measured")
    func cost() {
        #expect(HashCost.least == HashCost(passes: 2, memory: 19_922_944))
        #expect(HashCost("2 19922944") == .least && HashCost("9 19922944")?.passes == 9)
        for bad in ["", "1 19922944", "513 19922944", "2 19922943", "2", "x y"] {
            #expect(HashCost(bad) == nil, "\(bad)")
        }
        #expect(HashCost(HashCost.least.text) == .least)
        // A clock that stands still is a board without a limit: at most so many passes.
        #expect(HashCost.measured(by: { 0 }) { _ in } == HashCost(passes: 512, memory: 19 << 20))
    }

    @Test(
        "makes as many passes as take half a second, whatever disturbs two of five samples, and at least two",
        arguments: [
            // Seconds of a pass, and of the memory in each hash; the passes: 0.5 s of which 0.005 s are the memory's, and so on.
            (0.0025, 0.005, UInt64(198)), (0.0001, 0.0002, 512), (0.4, 0.1, 2), (0.02, 0.0, 25),
        ])
    func measured(pass: Double, memory: Double, passes: UInt64) {
        var (now, count) = (0.0, 0)
        let cost = HashCost.measured(by: { now }) { made in
            count += 1
            now += memory + pass * Double(made) + (count == 2 || count == 4 ? 3 : 0)
        }
        #expect(count == 6)
        // What the memory takes is a larger part of the sixth hash than of the last one.
        #expect(cost.passes <= passes && Double(cost.passes) >= 0.95 * Double(passes))
    }

    @Test("compares a hash of fewer passes in the time of one that nobody has, and with a decoy that is no secret's")
    func cheaper() throws {
        let secret = Array("tallgrass burns in april".utf8)
        let hash = try PassphraseHashing(HashCost(passes: 1, memory: 4 << 20)).hash(secret)
        #expect(PasswordHash.passes(of: hash) == 1)
        let decoy = PasswordHash.decoy(passes: 40, memory: 4 << 20)
        #expect(PasswordHash.passes(of: decoy) == 40 && !PasswordHash.verifies(decoy, secret))
        #expect(!PasswordHash.needsRehash(decoy, passes: 40, memory: 4 << 20), "it can be read")
        let hashing = PassphraseHashing(HashCost(passes: 40, memory: 4 << 20))
        func seconds(_ hash: String?) throws -> Double {
            let samples = try (0..<5).map { _ in
                let begin = ProcessUsage.threadSeconds
                let isRight = try hashing.verify(hash, [1]).isRight
                #expect(!isRight)
                return ProcessUsage.threadSeconds - begin
            }
            return samples.sorted()[2]
        }
        let (known, unknown) = (try seconds(hash), try seconds(nil))
        #expect(abs(known - unknown) < 0.35 * unknown, "\(known) s, \(unknown) s")
    }

    @Test("knows its own, no other, and says when a hash was made with other parameters")
    func verifies() throws {
        let hashing = PassphraseHashing(Self.quick)
        let hash = try hashing.hash(Array("tallgrass burns in april".utf8))
        #expect(hash.hasPrefix("$argon2id$v=19$m=64,t=1,p=1$"))
        let right = try hashing.verify(hash, Array("tallgrass burns in april".utf8))
        #expect(right.isRight && right.renewed == nil)
        #expect(try !hashing.verify(hash, Array("tallgrass burns in May".utf8)).isRight)
        #expect(try !hashing.verify(nil, Array("tallgrass burns in april".utf8)).isRight)
        let dearer = PassphraseHashing(HashCost(passes: 2, memory: 8192 * 8))
        let renewed = try #require(try dearer.verify(hash, Array("tallgrass burns in april".utf8)).renewed)
        #expect(renewed.hasPrefix("$argon2id$v=19$m=64,t=2,p=1$"))
    }

    @Test("has one at work and four that wait; a further one is turned away, and one who comes back is not")
    func queue() async throws {
        let gate = Gate()
        let hashing = PassphraseHashing(Self.quick) { gate.pass() }
        let outcomes = Outcomes()
        for _ in 0..<12 { Threads.start { outcomes.add((try? hashing.verify(nil, [1])) != nil) } }
        // Those that are turned away are done while the others stand.
        #expect(await eventually { outcomes.all.count == 7 })
        #expect(outcomes.all.allSatisfy { !$0 })
        Threads.start { outcomes.add((try? hashing.verify(nil, [1], isUrgent: true)) != nil) }
        gate.open()
        #expect(await eventually { outcomes.all.count == 13 })
        #expect(outcomes.all.count { $0 } == 6)
        #expect(gate.mostAtOnce == 1)
    }
}

/// Holds whoever passes until it is opened, and counts how many are within.
private final class Gate: Sendable {
    private let state = Mutex((isOpen: false, within: 0, most: 0))

    func pass() {
        state.withLock {
            $0.within += 1; $0.most = max($0.most, $0.within)
        }
        while !state.withLock({ $0.isOpen }) { usleep(1000) }
        state.withLock { $0.within -= 1 }
    }

    func open() { state.withLock { $0.isOpen = true } }

    var mostAtOnce: Int { state.withLock { $0.most } }
}

private final class Outcomes: Sendable {
    private let outcomes = Mutex<[Bool]>([])

    func add(_ one: Bool) { outcomes.withLock { $0.append(one) } }

    var all: [Bool] { outcomes.withLock { $0 } }
}
