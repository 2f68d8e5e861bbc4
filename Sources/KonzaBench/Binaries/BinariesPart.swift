/// How large the programs are.
enum BinariesPart {
    static func run() throws -> PartReport {
        var report = PartReport(
            table: Table(
                name: "binaries", title: "Programs",
                columns: [
                    Column("program", "program"), Column("bytes", "bytes"), Column("megabytes", "MB"),
                    Column("stripped", "stripped"), Column("swiftRuntime", "Swift runtime"),
                    Column("libraries", "shared libraries"),
                ]))
        let folder = Files.parent(of: Files.ownPath())
        for name in ["konzad", "konza"] {
            do {
                report.table.rows.append(try row(name, "\(folder)/\(name)"))
            } catch {
                report.failures.append("cannot measure the program \(name): \(error); build it with make build")
            }
        }
        return report
    }

    private static func row(_ name: String, _ path: String) throws -> Row {
        let bytes = try Files.read(path)
        guard let file = ELFFile(bytes) else { throw BenchError("\(path) is not a program") }
        let isDynamic = file.libraries.contains { $0.hasPrefix("libswift") }
        return Row([
            "program": .text(name), "bytes": .count(bytes.count),
            "megabytes": .number(Double(bytes.count) / 1e6, decimals: 1),
            "stripped": .text(file.hasSymbols ? "no" : "yes"),
            "swiftRuntime": .text(isDynamic ? "shared" : "static"), "libraries": .count(file.libraries.count),
        ])
    }
}
