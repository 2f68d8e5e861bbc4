import Foundation
import KonzaTesting
import Testing

/// The tree's top.
let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

/// Runs Python's jsonschema over documents.
enum Validator {
    /// - Returns: for each document, what the schema of the file says against it; empty where it takes it.
    static func complaints(_ rows: [(schema: String, document: [UInt8])]) throws -> [String] {
        let script = """
            import json, jsonschema, sys
            validators = {}
            for line in sys.stdin:
                name, document = json.loads(line)
                if name not in validators:
                    schema = json.load(open(sys.argv[1] + "/" + name))
                    jsonschema.Draft202012Validator.check_schema(schema)
                    validators[name] = jsonschema.Draft202012Validator(
                        schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
                errors = sorted(validators[name].iter_errors(json.loads(document)), key=lambda e: str(e.path))
                print(json.dumps("; ".join(f"{'/'.join(map(str, e.path))}: {e.message}"[:300] for e in errors)))
            """
        let lines = try rows.map { row in
            try JSONEncoder().encode([row.schema, String(decoding: row.document, as: UTF8.self)]) + Data("\n".utf8)
        }
        let output = try run("/usr/bin/python3", ["-c", script, top.appending(path: "config/schemas").path()], lines)
        return try output.split(separator: "\n").map { try JSONDecoder().decode(String.self, from: Data($0.utf8)) }
    }

    static func run(_ program: String, _ arguments: [String], _ input: [Data]) throws -> String {
        try ProgramRun(program, arguments, input: Data(input.joined())).text
    }
}
