/// What fleets of other sizes would take, by what a box-day was measured to take.
struct FleetArithmetic {
    private static let sizes = [5.0, 2000, 1_000_000]
    /// Pictures of a day, and bytes of one: fleet.md's station.
    private static let pictures = 20.0
    private static let pictureBytes = 465_000.0
    private static let secondsPerDay = 86_400.0

    /// Of one box in one day.
    let messages: Double
    let wireBytes: Double
    let rows: Double
    let rowBytes: Double
    /// Seconds of one processor, of broker, hub and database together.
    let processorSeconds: Double

    init(messages: Double, wireBytes: Double, rows: Double, rowBytes: Double, processorSeconds: Double) {
        self.messages = messages
        self.wireBytes = wireBytes
        self.rows = rows
        self.rowBytes = rowBytes
        self.processorSeconds = processorSeconds
    }

    init(_ quiet: FleetTrial.Quiet) {
        let days = quiet.boxDays
        self.init(
            messages: Double(quiet.messages) / days, wireBytes: Double(quiet.wire.total) / days,
            rows: Double(quiet.rows) / days, rowBytes: Double(quiet.rowBytes) / days,
            processorSeconds: quiet.uses.values.reduce(0) { $0 + $1.processorSeconds } / days)
    }

    var table: Table {
        var table = Table(
            name: "fleetArithmetic", title: "The same for fleets of other sizes",
            columns: [Column("what", "what"), Column("unit", "unit")]
                + Self.sizes.map { Column("boxes\(Int($0))", "\(Int($0)) boxes") },
            notes: [
                "Computed from the figures of a box-day above. Indexes are not in the bytes of rows; nor are pictures."
            ])
        func add(_ what: String, _ unit: String, _ perBox: Double) {
            var values: [String: Value] = ["what": .text(what), "unit": .text(unit)]
            for size in Self.sizes { values["boxes\(Int(size))"] = .figure(perBox * size) }
            table.rows.append(Row(values))
        }
        add("messages", "/s", messages / Self.secondsPerDay)
        add("on the wire in a month", "GB", wireBytes * 30 / 1e9)
        add("rows in a year", "million", rows * 365 / 1e6)
        add("bytes of rows in a year", "GB", rowBytes * 365 / 1e9)
        add("processors for broker, hub and database", "", processorSeconds / Self.secondsPerDay)
        add("pictures in a year", "TB", Self.pictures * Self.pictureBytes * 365 / 1e12)
        return table
    }
}
