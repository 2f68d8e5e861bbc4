/// What was counted, a line for each case.
struct InstructionTable {
    /// What is counted, by column.
    private static let columns = [
        "cached": Contestants.cached, "cold": Contestants.cold, "coefficients": "coefficients, cached",
        "raw": PlanesContestant.name, "library": LibraryContestant.name,
    ]
    static let ways = columns.values.sorted()
    /// The least that says something.
    static let fewWays = [Contestants.cached, Contestants.cold, LibraryContestant.name]

    private(set) var table = Table(
        name: "instructions", title: "Instructions of one stamp, in millions, \(StampingCase.usual) at 4:2:2",
        columns: [
            Column("case", "overlay and frame"), Column("cached", "cached"), Column("cold", "cold"),
            Column("coefficients", "coefficients"), Column("raw", "raw YCbCr"), Column("library", "RGB"),
            Column("perByte", "cached/byte"), Column("toLibrary", "cached/RGB"),
        ],
        notes: [
            "Counted by valgrind's callgrind, and the same in each run; cached, cold: konzad; cached/byte: instructions "
                + "for each byte of the frame.",
            "A vector instruction counts as one: libjpeg's DCT has many, entropy coding has none.",
        ])

    /// - Parameters:
    ///   - name: Of the case.
    ///   - frameBytes: The frame's length.
    ///   - counts: By way.
    mutating func add(_ name: String, frameBytes: Int, _ counts: [String: Int64]) {
        var values: [String: Value] = ["case": .text(name), "frameBytes": .count(frameBytes)]
        for (column, way) in Self.columns {
            values[column] = counts[way].map { .figure(Double($0) / 1e6) }
        }
        if let cached = counts[Contestants.cached], let library = counts[LibraryContestant.name], library > 0 {
            values["perByte"] = .figure(Double(cached) / Double(max(1, frameBytes)))
            values["toLibrary"] = .ratio(Double(cached) / Double(library))
        }
        table.rows.append(Row(values))
    }
}
