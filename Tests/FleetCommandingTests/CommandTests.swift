import Cryptography
import Foundation
import KonzaAPI
import KonzaModel
import KonzaTesting
import Testing

@testable import FleetCommanding

@Suite("Commands of a fleet")
struct CommandTests {
    private let operators: Operators

    init() throws {
        operators = try Operators()
        try operators.add("alice", [.postcard, .original, .whoami, .desired])
        try operators.add("bob", [.whoami])
        try operators.add("eve", [])
    }

    private func judge(
        _ payload: [UInt8], _ time: CommandTime = .vouched(), isRetained: Bool = false,
        with ledger: CommandLedger? = nil
    ) throws -> CommandDecision {
        let ledger = try ledger ?? operators.ledger()
        // The ledger begins with the first clock that is vouched for.
        return try operators.gate(ledger).judge(payload, isRetained: isRetained, time)
    }

    private func reason(_ decision: CommandDecision) -> String {
        switch decision {
        case .rejected(_, let reason): reason
        case .declined(let answer): "\(answer.state): \(answer.reason ?? "")"
        case .act, .known: "\(decision)"
        }
    }

    @Test("one text for each value, as RFC 8785 has it")
    func canonical() throws {
        let value = try JSONReader.value(
            of: Array(#"{ "b":[1.0,-0, true,null ],"a\u0041":"\u00e9\n\u0001\"\\/","😀":"x","ﬀ":9007199254740992}"#.utf8)
        )
        #expect(
            CanonicalJSON.text(value)
                == "{\"aA\":\"é\\n\\u0001\\\"\\\\/\",\"b\":[1,0,true,null],\"😀\":\"x\",\"ﬀ\":9007199254740992}")
        #expect(CanonicalJSON.text(.number(0.5)) == nil && CanonicalJSON.text(.array([.number(1e300)])) == nil)
    }

    @Test("OpenSSL makes a signature over the text that is written down, and it holds")
    func independent() throws {
        let text =
            "15:konza.command/1,26:01k000000000000000000000aa,5:knz07,8:postcard,19:{\"message\":\"Hello\"},20:2026-11-23T06:30:00Z,"
        try Data(text.utf8).write(to: URL(filePath: "\(operators.folder.path)/text"))
        let signature = try ProgramRun(
            "/usr/bin/openssl",
            [
                "pkeyutl", "-sign", "-rawin", "-in", "\(operators.folder.path)/text", "-inkey",
                "\(operators.folder.path)/alice",
            ]
        ).output
        let key = try SigningKey(file: "\(operators.folder.path)/alice").verifyingKey
        let payload = """
            {"schema":"konza.command/1","id":"01k000000000000000000000aa","box":"knz07","verb":"postcard",
             "arguments":{"message":"Hello"},"notAfter":"2026-11-23T06:30:00Z","key":"\(key.id)",
             "signature":"\(signature.base64EncodedString())"}
            """
        let command = try FleetCommand(Array(payload.utf8))
        #expect(command.isSigned(by: key))
        #expect(try CommandAction(command) == .postcard(message: "Hello", template: nil))
    }

    @Test("a command that is right acts, and never again")
    func acts() throws {
        let ledger = try operators.ledger()
        let payload = try operators.command("alice", verb: "postcard", ["message": .string("Hello")])
        guard case .act(let action, let id) = try judge(payload, with: ledger) else {
            Issue.record("it did not act")
            return
        }
        #expect(action == .postcard(message: "Hello", template: nil))
        #expect(try ledger.answersToSend().map(\.state) == [.accepted])
        #expect(try judge(payload, with: ledger) == .known)
        try ledger.noteSent(try #require(try ledger.answersToSend().first))
        #expect(try ledger.answersToSend().isEmpty)
        try ledger.finish(id, .done, reason: "01k000000000000000000000aa")
        let answer = try #require(try ledger.answersToSend().first)
        #expect(answer.state == .done && answer.revision == 2)
        #expect(
            String(decoding: answer.body, as: UTF8.self)
                == #"{"reason":"01k000000000000000000000aa","state":"done","verb":"postcard"}"#)
        try ledger.noteSent(answer)
        #expect(try ledger.answersToSend().isEmpty && judge(payload, .vouched(100), with: ledger) == .known)
    }

    @Test("what is not right is refused, and says why")
    func refused() throws {
        let good = try operators.command("alice")
        let text = String(decoding: good, as: UTF8.self)
        let otherKey = try SigningKey(file: "\(operators.folder.path)/bob").verifyingKey.id
        let key = try SigningKey(file: "\(operators.folder.path)/alice").verifyingKey.id
        let rows: [([UInt8], CommandTime, String)] = [
            (Array(text.replacing("whoami", with: "postcard").utf8), .vouched(), "signature"),
            (Array(text.replacing("\"arguments\":{}", with: "\"arguments\":{\"a\":1}").utf8), .vouched(), "signature"),
            (Array(text.replacing(key, with: otherKey).utf8), .vouched(), "signature"),
            (Array(text.replacing(key, with: "0123456789abcdef").utf8), .vouched(), "none of an operator"),
            (Array(text.replacing("{\"arguments", with: "{\"more\":1,\"arguments").utf8), .vouched(), "nobody knows"),
            (Array(text.replacing("command/1", with: "command/2").utf8), .vouched(), "schema"),
            (try operators.command("alice", box: "knz08"), .vouched(), "knz08"),
            (try operators.command("alice", lasting: 86_401), .vouched(), "longer than a day"),
            (try operators.command("alice", lasting: -1), .vouched(), "expired"),
            (try operators.command("alice"), .vouched(601), "expired"),
            (
                try operators.command("alice", issued: Operators.start.advanced(bySeconds: 400)), .vouched(),
                "yet to come"
            ),
            (try operators.command("alice"), CommandTime(now: Operators.start, isVouched: false), "in doubt"),
            (try operators.command("bob", verb: "postcard"), .vouched(), "bob may not postcard"),
            (try operators.command("eve"), .vouched(), "eve may not whoami"),
            (try operators.command("alice", verb: "network"), .vouched(), "no verb"),
            (try operators.command("alice", verb: "desired"), .vouched(), "no verb"),
            (try operators.command("alice", verb: "original"), .vouched(), "record"),
            (try operators.command("alice", verb: "original", ["record": .string("../etc")]), .vouched(), "record"),
            (try operators.command("alice", ["a": .string("b")]), .vouched(), "no argument a"),
            ([], .vouched(), "JSON"), ([UInt8](repeating: 0x20, count: 9000), .vouched(), "bytes"),
        ]
        for (payload, time, words) in rows {
            let ledger = try Operators.fresh(operators)
            let found = reason(try judge(payload, time, with: ledger))
            #expect(found.contains(words), "\(found) has not \(words)")
        }
        #expect(reason(try judge(good, isRetained: true)).contains("retained"))
    }

    @Test("a command under way when the station stops is answered, and not done again")
    func interrupted() throws {
        let payload = try operators.command("alice")
        _ = try judge(payload)
        let ledger = try operators.ledger()
        let answer = try #require(try ledger.answersToSend().first)
        #expect(answer.state == .refused && answer.reason?.contains("not known") == true)
        #expect(try judge(payload, with: ledger) == .known)
    }

    @Test("what was refused for a clock in doubt stays refused when it is vouched for")
    func decidedOnce() throws {
        let ledger = try operators.ledger()
        let payload = try operators.command("alice")
        _ = try judge(payload, CommandTime(now: Operators.start, isVouched: false), with: ledger)
        #expect(try judge(payload, with: ledger) == .known)
    }

    @Test("a clock that is set back lets nothing late act")
    func setBack() throws {
        let ledger = try operators.ledger()
        // The ledger begins.
        _ = try judge(try operators.command("alice"), with: ledger)
        _ = try judge(try operators.command("alice", lasting: 4000), .vouched(3000), with: ledger)
        // Its time was over when the clock was right.
        let late = try operators.command("alice", lasting: 2900)
        #expect(reason(try judge(late, .vouched(2800), with: ledger)).contains("expired"))
        let far = try operators.command("alice", lasting: 2901)
        #expect(reason(try judge(far, .vouched(2000), with: ledger)).contains("set back"))
    }

    @Test("a ledger that begins anew knows nothing of before, and lets nothing of then act")
    func lost() throws {
        let old = try operators.command("alice", lasting: 4000)
        let ledger = try Operators.fresh(operators)
        // The first clock that is vouched for begins it.
        _ = try judge(try operators.command("alice"), .vouched(1000), with: ledger)
        #expect(reason(try judge(old, .vouched(1001), with: ledger)).contains("ledger began"))
        let new = try operators.command("alice", issued: Operators.start.advanced(bySeconds: 1000))
        guard case .act = try judge(new, .vouched(1001), with: ledger) else {
            Issue.record("a new command does not act")
            return
        }
    }

    @Test("the ledger is bounded, and what it let go of does not act again")
    func bounded() throws {
        let ledger = try operators.ledger(most: 8)
        var payloads: [[UInt8]] = []
        for index in 0..<40 {
            let payload = try operators.command("alice", lasting: 600 + Double(index))
            payloads.append(payload)
            guard case .act(_, let id) = try judge(payload, .vouched(), with: ledger) else {
                Issue.record("it did not act")
                continue
            }
            try ledger.finish(id, .done)
        }
        #expect(try ledger.answersToSend(most: 100).count == 8)
        for payload in payloads {
            let decision = try judge(payload, .vouched(1), with: ledger)
            #expect(decision == .known || reason(decision).contains("no longer remembers"), "\(decision)")
        }
    }

    @Test("a damaged ledger is put aside and begins anew")
    func damaged() throws {
        _ = try judge(try operators.command("alice"))
        let file = "\(operators.folder.path)/state/commands.db"
        try Data(repeating: 0x55, count: 8192).write(to: URL(filePath: file))
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + suffix) }
        let ledger = try operators.ledger()
        #expect(ledger.complaint != nil)
        #expect(try ledger.answersToSend().isEmpty)
    }
}

extension Operators {
    /// A ledger in a folder of its own that began at the start.
    static func fresh(_ operators: Operators) throws -> CommandLedger {
        try CommandLedger(
            folder: "\(operators.folder.path)/\(UInt64.random(in: 0 ... .max))", at: start, most: 4096)
    }
}
