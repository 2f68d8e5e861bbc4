public import KonzaAPI

/// The counts of a station as the body of a message, from the text that Prometheus reads (exposition format 0.0.4).
///
/// What has no labels is a number under its name, what has labels an object of numbers under their values:
///
///     {"konza_uptime_seconds":3605.2,"konza_http_answers_total":{"2xx":118,"4xx":2}}
///
/// What is 0 is left out, and so is the health of the parts, which has a message of its own.
public enum FleetMetrics {
    /// The most samples that are taken; further ones are left out.
    public static let mostSamples = 400
    /// Which figures a message has.
    public enum Choice: Sendable {
        case all
        /// What only grows, and since when: what the message of every five minutes has room for.
        case counters
    }

    /// What a counter is counted since.
    private static let uptime = "konza_uptime_seconds"
    /// Words and health are told elsewhere.
    private static let leftOut: Set<String> = ["konza_info", "konza_health"]

    /// The same as the text of a body.
    public static func encodedBody(of text: String, _ choice: Choice = .all) -> [UInt8] {
        FleetText.encoded(body(of: text, choice))
    }

    /// - Parameters:
    ///   - text: of `GET /metrics`.
    ///   - choice: which figures.
    /// - Returns: the body; lines that are none of the format are passed over.
    public static func body(of text: String, _ choice: Choice = .all) -> JSONValue {
        var members: [String: JSONValue] = [:]
        var counters: Set<String> = [uptime]
        var count = 0
        for line in text.split(separator: "\n") {
            guard !line.hasPrefix("#") else {
                let words = line.split(separator: " ")
                if words.count == 4, words[1] == "TYPE", words[3] == "counter" { counters.insert(String(words[2])) }
                continue
            }
            guard count < mostSamples, let sample = Sample(line), sample.value != 0,
                !leftOut.contains(sample.name), choice == .all || counters.contains(sample.name)
            else { continue }
            count += 1
            guard !sample.labels.isEmpty else {
                members[sample.name] = .number(sample.value)
                continue
            }
            var values: [String: JSONValue] = [:]
            if case .object(let others)? = members[sample.name] { values = others }
            values[sample.labels] = .number(sample.value)
            members[sample.name] = .object(values)
        }
        return .object(members)
    }

    /// `name{label="value"} 12`
    private struct Sample {
        let name: String
        /// The labels' values, with a space between them.
        let labels: String
        let value: Double

        init?(_ line: Substring) {
            guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]),
                value.isFinite
            else { return nil }
            let head = line[..<space]
            // Whoever looks at an hour needs no microseconds.
            self.value = abs(value) < 1e12 ? (value * 1000).rounded() / 1000 : value
            guard let brace = head.firstIndex(of: "{") else {
                name = String(head)
                labels = ""
                return
            }
            guard head.last == "}" else { return nil }
            name = String(head[..<brace])
            labels = Self.values(of: head[head.index(after: brace)...].dropLast())
        }

        private static func values(of labels: Substring) -> String {
            var values: [String] = []
            var isQuoted = false
            var isEscaped = false
            for character in labels {
                switch character {
                case _ where isEscaped:
                    values[values.count - 1].append(character == "n" ? "\n" : character)
                    isEscaped = false
                case "\\" where isQuoted: isEscaped = true
                case "\"":
                    if !isQuoted { values.append("") }
                    isQuoted.toggle()
                case _ where isQuoted: values[values.count - 1].append(character)
                default: break
                }
            }
            return values.joined(separator: " ")
        }
    }
}
