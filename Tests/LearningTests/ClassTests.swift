import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Learning

@Suite("Classes")
struct ClassTests {
    private struct Vectors: Decodable {
        struct Chance: Decodable {
            let seed: String
            let numbers: [Double]
            let order: [Int]
            let options: [String]
            let right: String
            let choices: [String]
        }

        struct Round: Decodable {
            struct Step: Decodable {
                let at: Double
                let right: Bool?
                let taken: Bool?
                let found: Int
                let item: Int?
                let left: Double?
            }

            let count: Int
            let seconds: Double?
            let begun: Double
            let steps: [Step]
        }

        let chance: [Chance]
        let rounds: [Round]
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func data(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: root.appending(path: path)))
    }

    private static func register(_ clock: ManualClock) throws -> ClassRegister {
        ClassRegister(
            world: try data("Sources/Pages/learning/data/world.json"),
            prairie: try data("Sources/Pages/learning/data/prairie.json"), clock: clock)
    }

    private let clock = ManualClock()

    @Test("decide by the same rules as the pages: chance, choices, time and score")
    func vectors() throws {
        let vectors = try JSONDecoder().decode(
            Vectors.self, from: Data(try Self.data("Tests/Pages/learning_vectors.json")))
        for one in vectors.chance {
            var chance = SeededChance(one.seed)
            #expect(one.numbers.map { _ in chance.next() * 4_294_967_296 } == one.numbers, "\(one.seed)")
            chance = SeededChance(one.seed)
            #expect(chance.shuffled(Array(0..<40)) == one.order)
            chance = SeededChance(one.seed)
            #expect(chance.choices(one.right, near: [one.options], count: 4) == one.choices)
        }
        for (number, one) in vectors.rounds.enumerated() {
            var round = QuizRound(count: one.count, seconds: one.seconds, at: one.begun)
            for step in one.steps {
                if let right = step.right {
                    #expect(round.answer(right, at: step.at) == step.taken, "round \(number) at \(step.at)")
                } else {
                    round.tick(at: step.at)
                }
                #expect(round.right == step.found && round.item == step.item, "round \(number) at \(step.at)")
                if !round.isOver { #expect(round.left(at: step.at) == step.left) }
            }
        }
        #expect(vectors.chance.count >= 4 && vectors.rounds.count >= 40)
    }

    @Test("ask forty countries and the groups of the prairie, each once, with what is right among the choices")
    func quizzes() throws {
        let register = try Self.register(clock)
        let continents = try #require(register.quizzes["continents"])
        #expect(continents.items.count == 40 && Set(continents.items.map(\.id)).count == 40)
        let groups = try #require(register.quizzes["groups"])
        #expect(groups.items.count == 69 && groups.options.count == 9)
        let seed = RandomTest.seed(of: "orders of questions")
        for quiz in [continents, groups] {
            var reached: Set<Int> = []
            for trial in 0..<50 {
                let order = quiz.order(seed: "\(seed)", member: "\(trial)")
                #expect(Set(order).count == order.count && order.count == min(quiz.items.count, 60))
                reached.formUnion(order)
                for item in order {
                    let choices = quiz.choices(for: item, seed: "\(seed)", member: "\(trial)")
                    #expect(choices.count == quiz.choiceCount ?? 6 && Set(choices).count == choices.count)
                    #expect(!Set(choices).isDisjoint(with: quiz.items[item].right))
                }
            }
            #expect(reached.count == quiz.items.count, "seed \(seed)")
        }
    }

    @Test("judge at the station: what is right, whether it was asked, and whether it came in time")
    func judged() throws {
        let register = try Self.register(clock)
        let (code, key, _) = try register.open("continents", seconds: 60, seed: "robot")
        let (ticket, name) = try register.join(code, from: "tablet")
        #expect(LearnerProfile(name) != nil)
        func turn(_ number: Int, _ choice: String) throws -> ClassRoom.Judgement? {
            try register.turn(ticket, in: code, answer: (number, choice)).judgement
        }
        func asked() throws -> (number: Int, item: ClassQuiz.Item, choices: [String])? {
            try register.turn(ticket, in: code, answer: nil).room.question(ticket, at: register.now)
        }
        #expect(try asked() == nil, "nothing is asked before it starts")
        #expect(try turn(1, "africa") == nil)
        #expect(throws: ClassError.notTeacher) { try register.set(.running, of: code, key: "x") }
        #expect(throws: ClassError.notMember) { try register.turn("x", in: code, answer: nil) }
        _ = try register.set(.running, of: code, key: key)
        let first = try #require(try asked())
        #expect(try turn(2, first.item.right[0]) == nil, "the second before the first")
        #expect(try turn(1, "atlantis") == nil, "what is not among the choices")
        #expect(try turn(1, first.item.right[0]) == ClassRoom.Judgement(isRight: true, right: first.item.right))
        #expect(try turn(1, first.item.right[0]) == nil, "sent again")
        clock.advance(bySeconds: 0.1)
        let second = try #require(try asked())
        #expect(second.number == 2 && second.item != first.item)
        #expect(try turn(2, second.item.right[0]) == nil, "a double tap")
        clock.advance(bySeconds: 0.2)
        let wrong = try #require(second.choices.first { !second.item.right.contains($0) })
        #expect(try turn(2, wrong) == ClassRoom.Judgement(isRight: false, right: second.item.right))
        let third = try #require(try asked())
        clock.advance(bySeconds: 59.699)
        #expect(try turn(3, third.item.right[0])?.isRight == true, "at 59.999 s")
        clock.advance(bySeconds: 0.3)
        let (room, judgement) = try register.turn(ticket, in: code, answer: (4, "africa"))
        #expect(judgement == nil && room.state(at: register.now) == .over && room.left(at: register.now) == 0)
        #expect(room.right == 2 && room.progress == [ClassRoom.Progress(name: name, asked: 3, of: 40)])
        #expect(room.missed(5).map(\.item) == [second.item])
        #expect(throws: ClassError.full) { try register.join(code, from: "tablet") }
    }

    @Test("give each member another order, late ones the time that is left, and nobody a nickname twice")
    func members() throws {
        let register = try Self.register(clock)
        let (code, key, _) = try register.open("groups", seconds: 120, seed: "robot")
        let (early, _) = try register.join(code, from: "tablet")
        _ = try register.set(.running, of: code, key: key)
        clock.advance(bySeconds: 100)
        var tickets = [early]
        var names: Set<String> = []
        for _ in 1..<ClassRoom.mostMembers {
            let (ticket, name) = try register.join(code, from: "tablet")
            tickets.append(ticket)
            names.insert(name)
        }
        #expect(names.count == ClassRoom.mostMembers - 1)
        #expect(throws: ClassError.full) { try register.join(code, from: "tablet") }
        let room = try register.room(code)
        #expect(room.left(at: register.now) == 20)
        let first = Set(tickets.compactMap { room.question($0, at: register.now)?.item.id })
        #expect(first.count > 10, "all are asked the same at once")
        clock.advance(bySeconds: 20)
        #expect(try register.turn(tickets[5], in: code, answer: (1, "grass")).judgement == nil)
    }

    @Test("are bounded; those that are over, or that nobody uses, make way")
    func bounds() throws {
        let register = try Self.register(clock)
        var codes: [(code: String, key: String, pass: String)] = []
        for _ in 0..<ClassRegister.mostClasses { codes.append(try register.open("groups", seconds: 60)) }
        #expect(Set(codes.map(\.code)).count == ClassRegister.mostClasses && codes.allSatisfy { $0.code.count == 4 })
        #expect(throws: ClassError.tooMany) { try register.open("groups", seconds: 60) }
        _ = try register.set(.over, of: codes[3].code, key: codes[3].key)
        _ = try register.open("groups", seconds: 60)
        #expect(throws: ClassError.noClass) { try register.room(codes[3].code) }
        clock.advance(bySeconds: 1801)
        _ = try register.open("groups", seconds: 60)
        #expect(throws: ClassError.noClass) { try register.room(codes[0].code) }
        #expect(throws: ClassError.noQuiz) { try register.open("none", seconds: 60) }
        let empty = ClassRegister(world: [], prairie: Array("{}".utf8), clock: clock)
        #expect(throws: ClassError.noQuiz) { try empty.open("groups", seconds: 60) }
    }

    @Test("hold back a device that guesses codes, and no other; the QR code lets in all the same")
    func guesses() throws {
        let register = try Self.register(clock)
        let (code, _, pass) = try register.open("groups", seconds: 60)
        let wrong = "\((Int(code) ?? 0) == 1000 ? 1001 : 1000)"
        for number in 0..<CodeGuesses.mostOfClient {
            #expect(throws: ClassError.noClass, "\(number)") { try register.join(wrong, from: "guesser") }
        }
        #expect(throws: ClassError.guessed(seconds: 60)) { try register.join(wrong, from: "guesser") }
        #expect(throws: ClassError.guessed(seconds: 60), "the right one says nothing either") {
            try register.join(code, from: "guesser")
        }
        _ = try register.join(code, from: "tablet")
        _ = try register.join(code, pass: pass, from: "guesser")
        #expect(throws: ClassError.guessed(seconds: 60)) { try register.join(code, pass: "x", from: "guesser") }
        clock.advance(bySeconds: 59.999)
        #expect(throws: ClassError.self) { try register.join(code, from: "guesser") }
        clock.advance(bySeconds: 0.001)
        _ = try register.join(code, from: "guesser")
    }

    @Test("hold back many devices that guess; a class may still type its code for a while, and scan it always")
    func guessesOfMany() throws {
        let register = try Self.register(clock)
        let (code, _, pass) = try register.open("groups", seconds: 60)
        let wrong = "\((Int(code) ?? 0) == 1000 ? 1001 : 1000)"
        // Each new device has one wrong code; a second one of a device counts as a guess from forty on.
        for number in 0..<CodeGuesses.mostOfAll {
            #expect(throws: ClassError.noClass) { try register.join(wrong, from: "\(number)") }
        }
        clock.advance(bySeconds: 20)
        #expect(throws: ClassError.guessed(seconds: 40)) { try register.join(wrong, from: "7") }
        _ = try register.join(code, from: "tablet")
        for number in CodeGuesses.mostOfAll..<CodeGuesses.mostAtAll {
            #expect(throws: ClassError.noClass) { try register.join(wrong, from: "\(number)") }
        }
        #expect(throws: ClassError.guessed(seconds: 40)) { try register.join(code, from: "another tablet") }
        _ = try register.join(code, pass: pass, from: "another tablet")
        // Nothing that is refused lengthens the wait.
        clock.advance(bySeconds: 40)
        _ = try register.join(code, from: "another tablet")
    }

    @Test(
        "let a guesser through no more than its share, whatever it does, and never one in whose minute there were too many"
    )
    func guessesAtRandom() {
        let seed = RandomTest.seed(of: "ClassTests")
        var chance = SeededChance("\(seed)")
        var guesses = CodeGuesses()
        var taken: [(client: String, at: Double)] = []
        var now = 0.0
        for _ in 0..<1500 {
            now += (chance.next() * 3000).rounded()
            let client = "\(Int(chance.next() * 60))"
            let recent = taken.filter { now - $0.at < 60_000 }
            let own = recent.count { $0.client == client }
            let isHeld = own >= 10 || recent.count >= 120 || (own > 0 && recent.count >= 40)
            let wait = guesses.wait(for: client, at: now)
            #expect((wait != nil) == isHeld && (wait ?? 1) > 0 && (wait ?? 1) <= 60, "KONZA_SEED=\(seed)")
            guard wait == nil else { continue }
            guesses.note(client, at: now)
            taken.append((client, now))
        }
        #expect(taken.count > 500)
    }
}
