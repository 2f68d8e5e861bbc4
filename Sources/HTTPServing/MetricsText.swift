/// Writes figures in the Prometheus text format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats).
public struct MetricsText: Sendable {
    public enum Kind: String, Sendable {
        /// Only grows.
        case counter
        case gauge
    }

    /// The media type of the text.
    public static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    public private(set) var text = ""

    public init() {}

    /// Adds a figure without labels; nothing if it is not known.
    public mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double?) {
        guard let value else { return }
        add(name, kind, help, [([], value)])
    }

    /// Adds a figure with its samples, each told apart by labels.
    public mutating func add(
        _ name: String, _ kind: Kind, _ help: String,
        _ samples: [(labels: [(name: String, value: String)], value: Double)]
    ) {
        guard !samples.isEmpty else { return }
        text += "# HELP \(name) \(Self.escape(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples {
            text += name
            if !sample.labels.isEmpty {
                let labels = sample.labels.map { "\($0.name)=\"\(Self.escape($0.value, quotes: true))\"" }
                text += "{\(labels.joined(separator: ","))}"
            }
            text += " \(Self.number(sample.value))\n"
        }
    }

    private static func escape(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if let whole = Int64(exactly: value) { return "\(whole)" }
        return "\(value)"
    }
}

extension ServerStatistics {
    /// Writes the server's own figures.
    public func write(to metrics: inout MetricsText) {
        metrics.add(
            "konza_http_answers_total", .counter, "Answers by class of status.",
            (1..<answersByClass.count).map { ([("class", "\($0)xx")], Double(answersByClass[$0])) })
        metrics.add(
            "konza_http_refusals_total", .counter, "Requests refused before their handler, by kind of problem.",
            refusals.sorted { $0.key < $1.key }.map { ([("kind", $0.key)], Double($0.value)) })
        metrics.add("konza_http_connections", .gauge, "Connections open now.", Double(openConnections))
        metrics.add(
            "konza_http_connections_total", .counter, "Connections taken since the start.", Double(acceptedConnections))
        metrics.add(
            "konza_http_connections_refused_total", .counter,
            "Connections turned away: no place was left, or none for their user.", Double(refusedConnections))
        metrics.add(
            "konza_http_memory_refusals_total", .counter,
            "Bodies and answers refused since others held the memory for them.", Double(memoryRefusals))
        metrics.add(
            "konza_http_memory_bytes", .gauge,
            "Memory in bodies that have come in and answers that their clients have not taken yet.", Double(heldBytes))
        metrics.add(
            "konza_http_upload_bytes", .gauge, "Disk space of bodies that are too large for memory.",
            Double(uploadBytes))
        metrics.add(
            "konza_http_timeouts_total", .counter, "Connections closed since they took too long.",
            Double(timedOutConnections))
        metrics.add(
            "konza_http_unread_heads_total", .counter,
            "Requests whose head was never whole: too large or broken, or its client has gone.", Double(unreadHeads))
        metrics.add(
            "konza_http_silent_connections_total", .counter, "Connections that ended without a readable request line.",
            Double(silentConnections))
        metrics.add("konza_http_streams", .gauge, "Streams open now.", Double(openStreams))
        metrics.add(
            "konza_http_streams_dropped_total", .counter, "Streams cut since their client read too slowly.",
            Double(droppedStreams))
        metrics.add(
            "konza_http_handlers", .gauge, "Asynchronous handlers under way.", Double(asynchronousRequests))
        metrics.add(
            "konza_http_internal_errors_total", .counter, "Unexpected errors of handlers.", Double(internalErrors))
    }
}
