internal import KonzaModel

/// A message of the Common Alerting Protocol 1.2, as far as it is shown.
struct Alert {
    let id: String
    /// Only `Actual` is shown: the others are exercises and tests.
    let status: String
    /// Alert, Update, Cancel, Ack or Error.
    let kind: String
    var sent: UTCInstant?
    /// Identifiers of the messages that this one is about.
    var references: [String] = []
    var language: String?
    var event = ""
    var headline = ""
    var description = ""
    var instruction = ""
    var effective: UTCInstant?
    /// When the text is to be renewed, which may be before the event ends.
    var expires: UTCInstant?
    /// The end of the event itself, which the Weather Service adds.
    var ends: UTCInstant?
    var severity = ""
    var urgency = ""
    var certainty = ""
    var link: String?

    init(id: String, status: String, kind: String) {
        self.id = id
        self.status = status
        self.kind = kind
    }

    /// The identifiers of a list of `sender,identifier,sent` with spaces between (CAP 1.2 section 3.2.1).
    static func identifiers(_ text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).prefix(FeedBounds.superseded).compactMap { triple in
            let parts = triple.split(separator: ",", omittingEmptySubsequences: false)
            return parts.count == 3 && !parts[1].isEmpty ? String(parts[1]) : nil
        }
    }

    private static func place(_ word: String, in order: [String]) -> Int {
        order.firstIndex(of: word).map { $0 + 1 } ?? 0
    }

    /// Severity first, then urgency, then certainty (CAP 1.2 section 3.2.2); always more than what is no alert.
    var rank: Int {
        1 + 100 * Self.place(severity, in: ["Minor", "Moderate", "Severe", "Extreme"])
            + 10 * Self.place(urgency, in: ["Past", "Future", "Expected", "Immediate"])
            + Self.place(certainty, in: ["Unlikely", "Possible", "Likely", "Observed"])
    }

    var isGrave: Bool { severity == "Severe" || severity == "Extreme" }

    var item: FeedItem {
        FeedItem(
            id: id, title: headline.isEmpty ? event : headline, body: Self.unwrapped(description),
            more: Self.unwrapped(instruction), link: link, language: language, published: sent, start: effective,
            end: ends ?? expires, isUrgent: isGrave, rank: rank, isRequired: isGrave, supersedes: references)
    }

    /// Lines that the Weather Service broke at 69 columns, joined; an empty line and a line that begins with a mark stay.
    private static func unwrapped(_ text: String) -> String {
        var lines: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let isNew = words.isEmpty || words.hasPrefix("*") || words.hasPrefix("-") || words.hasPrefix("•")
            if let last = lines.last, !last.isEmpty, !isNew {
                lines[lines.count - 1] = "\(last) \(words)"
            } else {
                lines.append(words)
            }
        }
        return lines.joined(separator: "\n")
    }
}

enum Alerts {
    /// What is to be shown of messages: an update or cancellation takes the place of those that it refers to, and a cancellation
    /// is not shown itself.
    static func feed(_ alerts: [Alert], title: String) -> Feed {
        let actual = alerts.filter { $0.status == "Actual" }
        let gone = Set(actual.filter { $0.kind == "Update" || $0.kind == "Cancel" }.flatMap(\.references))
        let shown = actual.filter { ($0.kind == "Alert" || $0.kind == "Update") && !gone.contains($0.id) }
        return Feed(title: title, items: shown.map(\.item))
    }
}
