import Cryptography
import FleetCommanding
import Foundation
import KonzaModel
import KonzaSystem
import KonzaTesting
import Testing

@testable import KonzaCommand

@Suite("What operators of a fleet sign")
struct FleetKeyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var key: String { "\(folder.path)/alice.key" }

    private func run(_ line: String...) async -> (code: Int32, output: String, errors: String) {
        let console = RecordingConsole()
        let code = await CommandLineTool.run(
            line.flatMap { $0.split(separator: " ").map(String.init) }, environment: [:], console: console,
            clock: ManualClock()
        ) { _ in ScriptedConnection([String: String]()) }
        return (code, console.output, console.errors)
    }

    @Test("a key is made once, and its line is one of the stations' file")
    func key() async throws {
        let made = await run("fleet key make \(key) --name alice --rights whoami,desired")
        #expect(made.code == 0)
        let operators = try OperatorKeys(made.output)
        let id = try SigningKey(file: key).verifyingKey.id
        #expect(operators.operators[id]?.rights == [.whoami, .desired] && operators.operators[id]?.name == "alice")
        #expect(await run("fleet key make \(key)").code == ExitCode.cannotCreate.rawValue)
        let other = await run("fleet key make \(folder.path)/bob.key")
        #expect(try OperatorKeys(other.output).operators.values.first?.rights == [])
        #expect(await run("fleet key burn \(key)").code == ExitCode.usage.rawValue)
    }

    @Test("a command that is signed here acts at the station, and holds ten minutes")
    func command() async throws {
        let operators = try OperatorKeys(await run("fleet key make \(key) --rights postcard").output)
        let signed = await run("fleet sign --key \(key) --box knz07 postcard message=Hello")
        #expect(signed.code == 0 && signed.errors.isEmpty, "\(signed.errors)")
        let ledger = try CommandLedger(folder: "\(folder.path)/state", at: ManualClock().utc())
        let gate = CommandGate(box: "knz07", operators: operators, ledger: ledger)
        let payload = Array(signed.output.utf8)
        let command = try FleetCommand(payload)
        #expect(command.notAfter.seconds(since: command.issuedAt) == 600)
        guard
            case .act(.postcard(message: "Hello", template: nil), _) = try gate.judge(
                payload, isRetained: false, CommandTime(now: ManualClock().utc(), isVouched: true))
        else {
            Issue.record("it does not act")
            return
        }
    }

    @Test("settings are signed, and those that a station will refuse are told")
    func settings() async throws {
        _ = await run("fleet key make \(key)")
        let signed = await run("fleet desired -k \(key) -b knz07 Camera.Mirror=no API.Group=x --revision 5")
        #expect(signed.code == 0 && signed.errors.contains("API.Group will be refused"))
        let desired = try DesiredSettings(Array(signed.output.utf8))
        #expect(desired.version == 5 && desired.settings["Camera"] == ["Mirror": "no"])
        #expect(desired.isSigned(by: try SigningKey(file: key).verifyingKey))
        let later = await run("fleet desired -k \(key) -b knz07")
        #expect(try DesiredSettings(Array(later.output.utf8)).version == 1_780_000_000)
    }

    @Test(
        "what cannot be signed is refused before anything is printed",
        arguments: [
            "fleet sign -b knz07 whoami", "fleet sign -k KEY whoami", "fleet sign -k KEY -b Knz whoami",
            "fleet sign -k KEY -b knz07 network", "fleet sign -k KEY -b knz07 whoami a=b",
            "fleet sign -k KEY -b knz07 original", "fleet sign -k KEY -b knz07 postcard message=a message=b",
            "fleet sign -k KEY -b knz07 postcard message", "fleet sign -k /nonesuch -b knz07 whoami",
            "fleet sign -k KEY -b knz07 whoami --minutes 1441", "fleet desired -k KEY -b knz07 Mirror=no",
        ])
    func refused(_ line: String) async {
        _ = await run("fleet key make \(key)")
        let outcome = await run(line.replacing("KEY", with: key))
        #expect(outcome.code != 0 && outcome.output.isEmpty && outcome.errors.hasPrefix("konza: cannot"), "\(outcome)")
    }
}
