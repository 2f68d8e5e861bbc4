extension Value {
    /// As a reader sees it.
    public var text: String {
        switch self {
        case .text(let text): text
        case .number(let value, let decimals): Self.decimal(value, decimals)
        case .ratio(let value): Self.ratio(value)
        }
    }

    var isNumber: Bool {
        if case .text = self { false } else { true }
    }

    private static func ratio(_ value: Double) -> String {
        guard value > 0, value.isFinite else { return decimal(value, 0) }
        // Two digits at least; what is near the same is shown as a multiple.
        if value > 0.95 { return "x" + decimal(value, value < 10 ? 2 : 0) }
        return "1/" + decimal(1 / value, value > 0.1 ? 1 : 0)
    }

    private static func decimal(_ value: Double, _ decimals: Int) -> String {
        guard value.isFinite else { return value.isNaN ? "?" : value < 0 ? "-∞" : "∞" }
        let places = min(max(decimals, 0), 9)
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        guard let scaled = Int64(exactly: (abs(value) * scale).rounded()) else { return String(value) }
        let sign = value < 0 && scaled != 0 ? "-" : ""
        let whole = scaled / Int64(scale)
        guard places > 0 else { return "\(sign)\(whole)" }
        let fraction = String(scaled % Int64(scale))
        return "\(sign)\(whole)." + String(repeating: "0", count: places - fraction.count) + fraction
    }
}

extension Table {
    /// What a terminal shows of a line, characters.
    private static let lineWidth = 120

    /// A note in as many lines as it takes, the further ones indented.
    private static func wrapped(_ note: String) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in note.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > lineWidth {
                lines.append(line)
                line = "  \(word)"
            } else {
                line += (line.isEmpty ? "" : " ") + word
            }
        }
        return lines + [line]
    }

    /// The table as lines of text: columns side by side, figures to the right, a heading before each group. A column
    /// that no row has a value for is left out.
    public var text: String {
        let columns =
            rows.isEmpty ? columns : columns.filter { column in rows.contains { $0.values[column.key] != nil } }
        let cells = rows.map { row in columns.map { row.values[$0.key] } }
        let widths = columns.indices.map { index in
            cells.reduce(columns[index].title.count) { max($0, $1[index]?.text.count ?? 0) }
        }
        let isRight = columns.indices.map { index in cells.contains { $0[index]?.isNumber ?? false } }
        func line(_ texts: [String]) -> String {
            var line = ""
            for (index, text) in texts.enumerated() {
                let padding = String(repeating: " ", count: max(0, widths[index] - text.count))
                line += (index == 0 ? "" : "  ") + (isRight[index] ? padding + text : text + padding)
            }
            return line.trimmingTrailingSpaces
        }
        var lines = [title, String(repeating: "=", count: title.count), line(columns.map(\.title))]
        lines.append(line(widths.map { String(repeating: "-", count: $0) }))
        var group = ""
        for (row, values) in zip(rows, cells) {
            if row.group != group {
                group = row.group
                if !group.isEmpty { lines += ["", group] }
            }
            lines.append(line(values.map { $0?.text ?? "" }))
        }
        for note in notes { lines += Self.wrapped("* \(note)") }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension String {
    fileprivate var trimmingTrailingSpaces: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
