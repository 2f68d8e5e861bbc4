/// One event of a server-sent event stream (HTML standard, section 9.2).
public struct ServerSentEvent: Sendable, Equatable {
    /// What a client sends back as `Last-Event-ID`. It has no line break.
    public var id: String?
    /// The event's name. It has no line break.
    public var event: String?
    /// The text; a line break in it begins another `data:` line.
    public var data: String
    /// Milliseconds that a client waits before it connects again.
    public var retry: Int?

    public init(id: String? = nil, event: String? = nil, data: String, retry: Int? = nil) {
        self.id = id
        self.event = event
        self.data = data
        self.retry = retry
    }

    /// The event as it goes over the wire.
    public var bytes: [UInt8] {
        var text = ""
        if let id { text += "id: \(Self.line(id))\n" }
        if let event { text += "event: \(Self.line(event))\n" }
        if let retry { text += "retry: \(retry)\n" }
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            text += "data: \(line)\n"
        }
        return Array((text + "\n").utf8)
    }

    private static func line(_ text: String) -> String { String(text.filter { !$0.isNewline }) }

    /// A comment that keeps the connection alive.
    static let heartbeat = Array(": alive\n\n".utf8)
}
