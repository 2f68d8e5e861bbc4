/// Writes metrics in Prometheus' text form (exposition format 0.0.4): for each, HELP, TYPE and its samples.
struct MetricsPage {
    private(set) var text = ""

    mutating func gauge(_ name: String, _ help: String, _ value: Double) {
        add(name, "gauge", help, [([:], value)])
    }

    mutating func gauge(_ name: String, _ help: String, _ samples: [([String: String], Double)]) {
        add(name, "gauge", help, samples)
    }

    mutating func counter(_ name: String, _ help: String, _ value: Double) {
        add(name, "counter", help, [([:], value)])
    }

    /// A counter for each value of one label.
    mutating func counter(_ name: String, _ help: String, _ values: [String: UInt64], label: String) {
        add(name, "counter", help, values.sorted { $0.key < $1.key }.map { ([label: $0.key], Double($0.value)) })
    }

    private mutating func add(_ name: String, _ type: String, _ help: String, _ samples: [([String: String], Double)]) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
        for (labels, value) in samples {
            let inner = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }
            text += name + (inner.isEmpty ? "" : "{\(inner.joined(separator: ","))}") + " \(Self.number(value))\n"
        }
    }

    private static func escaped(_ value: String) -> String {
        value.reduce(into: "") { text, character in
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
    }

    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? "\(value)"
    }
}
