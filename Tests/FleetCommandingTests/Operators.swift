import Cryptography
import Foundation
import KonzaAPI
import KonzaModel
import KonzaTesting
import Testing

@testable import FleetCommanding

/// Operators with their keys, and a box that listens to them.
final class Operators {
    static let start = UTCInstant(nanoseconds: 1_795_500_000_000_000_000)
    let folder: TemporaryFolder
    private(set) var lines: [String] = []

    init() throws { folder = try TemporaryFolder() }

    /// Makes an operator.
    func add(_ name: String, _ rights: [OperatorRight]) throws {
        let key = try SigningKey.make(file: "\(folder.path)/\(name)")
        lines.append(OperatorKeys.line(key, rights: rights, name: name))
    }

    func keys() throws -> OperatorKeys { try OperatorKeys(lines.joined(separator: "\n")) }

    func command(
        _ name: String, verb: String = "whoami", _ arguments: [String: JSONValue] = [:], box: String = "knz07",
        issued: UTCInstant = start, lasting seconds: Double = 600, low: UInt64 = .random(in: 0 ... .max)
    ) throws -> [UInt8] {
        let id = RecordID<FleetCommand>(
            milliseconds: UInt64(issued.nanoseconds / 1_000_000), high: 0, low: low)
        return try FleetCommand.signed(
            id: id, box: box, verb: verb, arguments: arguments, notAfter: issued.advanced(bySeconds: seconds),
            by: try SigningKey(file: "\(folder.path)/\(name)"))
    }

    func ledger(most: Int = 4096) throws -> CommandLedger {
        try CommandLedger(folder: "\(folder.path)/state", at: Self.start, most: most)
    }

    func gate(_ ledger: CommandLedger) throws -> CommandGate {
        CommandGate(box: "knz07", operators: try keys(), ledger: ledger)
    }
}

extension CommandTime {
    static func vouched(_ seconds: Double = 0) -> CommandTime {
        CommandTime(now: Operators.start.advanced(bySeconds: seconds), isVouched: true)
    }
}
