import KonzaAPI
import KonzaModel
import KonzaTesting
import Storage
import Testing

@testable import Learning

@Suite("What players have reached")
struct ProgressRegisterTests {
    let folder: TemporaryFolder
    let clock = ManualClock()

    init() throws { folder = try TemporaryFolder() }

    /// The register as a start of the portal finds it.
    private func open() throws -> ProgressRegister {
        let opened = try Database.open(
            in: folder.path, name: "portal.db", migrations: ProgressRegister.migrations, at: clock.utc())
        return ProgressRegister(opened.database, clock: clock)
    }

    private func round(
        _ number: Int, _ activity: String = "quiz/easy", right: Int, of: Int = 40, asked: Int? = nil,
        seconds: Double = 60,
        rule: Int = 1, profile: String? = nil, answers: [(String, Bool)] = []
    ) throws -> LearningRound {
        var members: [String: JSONValue] = [
            "round": .string(String(repeating: "0", count: 32 - "\(number)".count) + "\(number)"),
            "activity": .string(activity), "rule": .number(Double(rule)), "right": .number(Double(right)),
            "of": .number(Double(of)), "asked": .number(Double(asked ?? right)), "seconds": .number(seconds),
            "timed": .bool(true),
            "answers": .array(
                answers.map {
                    .object(["deck": .string("world"), "item": .string($0.0), "right": .bool($0.1)])
                }),
        ]
        if let profile { members["profile"] = .string(profile) }
        return try LearningRound(.object(members))
    }

    @Test("keeps the best of each game through a restart: more right first, then less time; each round counts once")
    func best() throws {
        let register = try open()
        #expect(try register.note(round(1, right: 26, asked: 30), of: "kiosk"))
        #expect(try register.note(round(2, right: 36, asked: 40, seconds: 59), of: "kiosk"))
        #expect(try register.note(round(3, right: 12, asked: 12), of: "kiosk"))
        #expect(try register.note(round(2, right: 36, asked: 40, seconds: 59), of: "kiosk"), "sent again")
        #expect(try register.note(round(4, right: 36, asked: 60, seconds: 50), of: "kiosk"))
        let best = try open().best(.everybody, of: "kiosk")
        #expect(best.count == 1)
        let one = try #require(best.first)
        #expect(one.right == 36 && one.of == 40 && one.seconds == 50 && one.plays == 4 && one.accuracy == 1)
        #expect(try register.best(.everybody, of: "another").isEmpty)
        #expect(try register.best(#require(LearnerProfile("blue-owl")), of: "kiosk").isEmpty)
    }

    @Test("does not compare scores of other rules")
    func rules() throws {
        let register = try open()
        _ = try register.note(round(1, right: 40), of: "kiosk")
        _ = try register.note(round(2, right: 3, of: 44, rule: 2), of: "kiosk")
        let one = try #require(try register.best(.everybody, of: "kiosk").first)
        #expect(one.right == 3 && one.of == 44 && one.rule == 2)
    }

    @Test("brings what was wrong again at once, and what was right after 1, 3, 7 and 21 days")
    func boxes() throws {
        let register = try open()
        let owl = try #require(LearnerProfile("blue-owl"))
        var dues: [Double] = []
        let start = clock.utc()
        for (number, isRight) in [true, true, true, true, true, true, false].enumerated() {
            _ = try register.note(
                round(number, right: 0, of: 1, profile: "blue-owl", answers: [("KEN", isRight)]), of: "tablet")
            let item = try #require(try register.items(owl, of: "tablet").first)
            dues.append(item.due.seconds(since: start) / 86_400)
        }
        #expect(dues == [0, 1, 3, 7, 21, 21, 0])
        let item = try #require(try open().items(owl, of: "tablet").first)
        #expect(item.seen == 7 && item.right == 6 && item.box == 1)
        #expect(try register.items(.everybody, of: "tablet").isEmpty)
        try register.reset(owl, of: "tablet")
        #expect(try register.items(owl, of: "tablet").isEmpty && register.best(owl, of: "tablet").isEmpty)
    }

    @Test("tells the days' figures only of games that were played five times")
    func days() throws {
        let register = try open()
        for number in 0..<5 {
            _ = try register.note(
                round(number, "jigsaw/easy", right: 12, of: 12, seconds: Double(10 * number + 10)), of: "a")
        }
        for number in 5..<9 { _ = try register.note(round(number, "cards", right: 1), of: "a") }
        let days = try register.days()
        #expect(days.map(\.activity) == ["jigsaw/easy"])
        #expect(days.first?.plays == 5 && days.first?.finishes == 5 && days.first?.medianSeconds == 30)
    }

    @Test("is done with the jigsaw after easy and hard, and with the hard quiz after all six continents")
    func parts() throws {
        let register = try open()
        func state(_ part: String) throws -> LearningPart? {
            LearningPart.all(try register.best(.everybody, of: "a")).first { $0.part == part }
        }
        #expect(try state("jigsaw")?.state == .untouched)
        _ = try register.note(round(1, "jigsaw/easy", right: 12, of: 12), of: "a")
        #expect(try state("jigsaw")?.state == .started)
        _ = try register.note(round(2, "jigsaw/hard", right: 40, of: 40), of: "a")
        #expect(try state("jigsaw")?.state == .done)
        for (number, continent) in LearningPart.continents.enumerated() {
            #expect(try state("quiz/hard")?.state != .done)
            _ = try register.note(round(10 + number, "quiz/hard/\(continent)", right: 5, of: 5), of: "a")
        }
        #expect(try state("quiz/hard") == LearningPart(part: "quiz/hard", state: .done, right: 30, of: 30))
    }

    @Test("is bounded in games, items and profiles")
    func bounds() throws {
        let register = try open()
        for number in 0..<ProgressRegister.mostActivities {
            #expect(try register.note(round(number, "deck/\(number)", right: 1), of: "a"))
        }
        #expect(try !register.note(round(999, "deck/more", right: 1), of: "a"))
        #expect(try register.note(round(998, "deck/3", right: 2), of: "a"), "a game that is known")
    }

    @Test(
        "refuses rounds that cannot be",
        arguments: [
            ["round": JSONValue.string("x")], ["right": .number(41)], ["asked": .number(1)], ["seconds": .number(-1)],
            ["activity": .string("a b")], ["profile": .string("Ana")], ["profile": .string("blue-")],
            ["name": .string("Ana")], ["answers": .array([.object(["deck": .string("world")])])],
            ["answers": .array(Array(repeating: .null, count: 401))],
        ])
    func refused(change: [String: JSONValue]) throws {
        var members: [String: JSONValue] = [
            "round": .string(String(repeating: "a", count: 32)), "activity": .string("cards"), "right": .number(2),
            "of": .number(40), "asked": .number(2), "seconds": .number(1),
        ]
        #expect(throws: Never.self) { try LearningRound(.object(members)) }
        members.merge(change) { $1 }
        #expect(throws: Problem.self) { try LearningRound(.object(members)) }
    }
}
