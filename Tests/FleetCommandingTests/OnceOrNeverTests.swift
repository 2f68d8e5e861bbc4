import Cryptography
import Foundation
import KonzaAPI
import KonzaModel
import KonzaTesting
import Testing

@testable import FleetCommanding

/// Ten thousand messages on the topic of commands, most of them not as they should be, at a box whose power fails now and then
/// and whose clock is not always to be trusted.
@Suite("A command acts once or never")
struct OnceOrNeverTests {
    /// What an operator made, as the oracle knows it.
    private struct Made {
        let payload: [UInt8]
        let id: String
        let mayAct: Bool
        let action: CommandAction?
        let notAfter: Double
    }

    private struct World {
        var generator: SeededGenerator
        /// Seconds since the start, truly.
        var time = 0.0
        var made: [Made] = []
        var byID: [String: Made] = [:]
        /// How often each acted.
        var acted: [String: Int] = [:]
        var latest: [String: String] = [:]
    }

    /// A ledger in memory-backed files: some thousand commits are made durable.
    private static func folder() -> String {
        let name = "konza-once-\(UInt64.random(in: 0 ... .max))"
        let shared = "/dev/shm"
        return "\(FileManager.default.isWritableFile(atPath: shared) ? shared : NSTemporaryDirectory())/\(name)"
    }

    private func make(_ world: inout World, _ keys: [(name: String, key: String)]) throws -> Made {
        let kind = Int.random(in: 0..<20, using: &world.generator)
        let record = "01k000000000000000000000aa"
        let (verb, arguments, action): (String, [String: JSONValue], CommandAction) =
            switch kind % 3 {
            case 0:
                (
                    "postcard", ["message": .string("n \(world.made.count)")],
                    .postcard(message: "n \(world.made.count)", template: nil)
                )
            case 1: ("original", ["record": .string(record)], .original(record: record))
            default: ("whoami", [:], .whoAmI)
            }
        let who = keys[kind == 0 ? 2 : kind == 1 ? 1 : 0]
        let box = kind == 2 ? "knz08" : "knz07"
        let lasting = kind == 3 ? 90_000 : Double.random(in: 1...1200, using: &world.generator)
        // An operator's clock is not always right, too.
        let issued = world.time + (kind == 4 ? 31_536_000 : kind == 5 ? -31_536_000 : 0)
        let id = RecordID<FleetCommand>(
            milliseconds: UInt64(Operators.start.advanced(bySeconds: issued).nanoseconds / 1_000_000), high: 0,
            low: .random(in: 0 ... .max, using: &world.generator))
        let notAfter = Operators.start.advanced(bySeconds: issued + lasting)
        let payload = try FleetCommand.signed(
            id: id, box: box, verb: verb, arguments: arguments, notAfter: notAfter, by: try SigningKey(file: who.key))
        // Bob may say who the box is, and nothing else; Mallory is unknown.
        let mayAct = kind > 3 && kind != 4 && (who.name == "alice" || who.name == "bob" && verb == "whoami")
        let made = Made(
            payload: payload, id: id.description,
            mayAct: (mayAct || kind == 1 && verb == "whoami") && box == "knz07" && lasting <= 86_400, action: action,
            notAfter: issued + lasting)
        world.made.append(made)
        world.byID[made.id] = made
        return made
    }

    /// A message as it comes from a broker that may be hostile.
    private func message(_ world: inout World, _ keys: [(name: String, key: String)]) throws -> [UInt8] {
        let isOld = Int.random(in: 0..<10, using: &world.generator) < 6
        if isOld, !world.made.isEmpty {
            // A repeated or an earlier one, most of them of late.
            let isRecent = Bool.random(using: &world.generator)
            let range = isRecent ? max(0, world.made.count - 20)..<world.made.count : 0..<world.made.count
            return world.made[Int.random(in: range, using: &world.generator)].payload
        }
        return try make(&world, keys).payload
    }

    private func changed(_ payload: [UInt8], _ world: inout World) -> [UInt8] {
        var payload = payload
        for _ in 0..<Int.random(in: 1...3, using: &world.generator) {
            payload[Int.random(in: payload.indices, using: &world.generator)] = .random(
                in: 0x20...0x7E, using: &world.generator)
        }
        return payload
    }

    @Test("and never late, never unsigned, whatever comes, whenever the power fails, whatever the clock says")
    func property() throws {
        let seed = RandomTest.seed(of: "OnceOrNeverTests")
        var world = World(generator: SeededGenerator(seed: seed))
        let operators = try Operators()
        try operators.add("alice", [.postcard, .original, .whoami])
        try operators.add("bob", [.whoami])
        let known = try operators.keys()
        try operators.add("mallory", [.postcard, .original, .whoami])
        let keys = ["alice", "bob", "mallory"].map { (name: $0, key: "\(operators.folder.path)/\($0)") }
        let folder = Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var ledger = try CommandLedger(folder: folder, at: Operators.start, most: 300)
        var (stops, late) = (0, 0)
        for _ in 0..<10_000 {
            world.time += Double.random(in: 0...20, using: &world.generator)
            var payload = try message(&world, keys)
            let isChanged = Int.random(in: 0..<10, using: &world.generator) == 0
            if isChanged { payload = changed(payload, &world) }
            let isRetained = Int.random(in: 0..<20, using: &world.generator) == 0
            let isVouched = Int.random(in: 0..<10, using: &world.generator) != 0
            // Who vouches is right within a second; who does not may be a year off.
            let off =
                isVouched
                ? Double.random(in: -1...1, using: &world.generator)
                : [0, 31_536_000, -31_536_000].randomElement(using: &world.generator) ?? 0
            let now = Operators.start.advanced(bySeconds: world.time + off)
            let decision = try CommandGate(box: "knz07", operators: known, ledger: ledger).judge(
                payload, isRetained: isRetained, CommandTime(now: now, isVouched: isVouched))
            let stop = Int.random(in: 0..<40, using: &world.generator)
            if case .act(let action, let id) = decision {
                #expect(!isRetained && isVouched)
                let made = try #require(world.byID[id.description])
                if stop == 0 {
                    // Written down, and then the power fails: it never acts.
                    world.acted[made.id, default: 0] += 1
                } else {
                    world.acted[made.id, default: 0] += 1
                    #expect(made.mayAct && made.action == action, "\(made.id) acted as \(action)")
                    if world.time - 1 > made.notAfter { late += 1 }
                    // Done, and the power fails before that is written down.
                    if stop != 1 { try ledger.finish(id, .done) }
                }
            } else if case .declined(let answer) = decision {
                #expect(answer.state == .refused || answer.state == .expired)
            }
            if stop > 2, stop < 12 {
                for answer in try ledger.answersToSend() {
                    // After the last word on a command there is no other.
                    if answer.revision == 2 { #expect(world.latest[answer.id] == nil) }
                    if answer.revision == 2 { world.latest[answer.id] = answer.state.rawValue }
                    try ledger.noteSent(answer)
                }
            } else if stop <= 2 {
                stops += 1
                ledger = try CommandLedger(folder: folder, at: now, most: 300)
            }
        }
        #expect(world.acted.values.allSatisfy { $0 == 1 })
        #expect(late == 0)
        // It is no proof if nothing acts: of those that may, most come while they hold.
        let mayAct = world.made.count { $0.mayAct }
        print("\(world.made.count) made, \(world.acted.count) of \(mayAct) acted, \(stops) stops")
        #expect(world.acted.count > mayAct / 4)
    }
}
