/// Reads a server-sent event stream piece by piece, as the HTML standard says (section 9.2.6).
public struct EventStreamParser: Sendable {
    /// One event that was dispatched.
    public struct Event: Sendable, Equatable {
        /// `message` where the stream names none.
        public var name: String
        public var data: String
        /// The last id that the stream has given; empty before the first.
        public var lastEventID: String

        public init(name: String = "message", data: String, lastEventID: String = "") {
            self.name = name
            self.data = data
            self.lastEventID = lastEventID
        }
    }

    /// Bytes that a line, or the data of one event, may have; what is longer is dropped.
    private static let limit = 1_048_576

    /// Milliseconds to wait before connecting again, if the stream has said.
    public private(set) var retry: Int?
    public private(set) var lastEventID = ""
    private var line: [UInt8] = []
    private var endedWithReturn = false
    private var isFirstLine = true
    private var name = ""
    private var data: String?

    public init() {}

    /// Takes the next bytes, cut anywhere.
    public mutating func feed(_ bytes: some Sequence<UInt8>) -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            let followsReturn = endedWithReturn
            endedWithReturn = byte == 0x0D
            switch byte {
            case 0x0A where followsReturn: continue
            case 0x0A, 0x0D:
                if let event = takeLine() { events.append(event) }
                line.removeAll(keepingCapacity: true)
            default:
                if line.count < Self.limit { line.append(byte) }
            }
        }
        return events
    }

    private mutating func takeLine() -> Event? {
        var text = String(decoding: line, as: UTF8.self)
        if isFirstLine, text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        isFirstLine = false
        guard !text.isEmpty else { return dispatch() }
        let scalars = text.unicodeScalars
        let colon = scalars.firstIndex(of: ":") ?? scalars.endIndex
        let field = String(scalars[..<colon])
        var value = colon == scalars.endIndex ? "" : String(scalars[scalars.index(after: colon)...])
        if value.unicodeScalars.first == " " { value.unicodeScalars.removeFirst() }
        switch field {
        case "event": name = value
        case "data":
            let joined = data.map { $0 + "\n" + value } ?? value
            if joined.utf8.count <= Self.limit { data = joined }
        case "id" where !value.unicodeScalars.contains("\0"): lastEventID = value
        case "retry" where !value.isEmpty && value.utf8.allSatisfy({ (0x30...0x39).contains($0) }): retry = Int(value)
        default: break
        }
        return nil
    }

    private mutating func dispatch() -> Event? {
        defer {
            name = ""
            data = nil
        }
        guard let data else { return nil }
        return Event(name: name.isEmpty ? "message" : name, data: data, lastEventID: lastEventID)
    }
}
