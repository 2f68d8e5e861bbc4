/// What a printer says of itself (Get-Printer-Attributes).
public struct PrinterAttributes: Sendable, Equatable {
    /// RFC 8011 section 5.4.11.
    public enum Activity: Sendable {
        case idle
        case processing
        case stopped
    }

    /// Something that is used up, such as ink or a ribbon with its paper.
    public struct Supply: Sendable, Equatable {
        public var name: String
        /// Per cent; nil where the printer does not know.
        public var level: Int?

        public init(name: String, level: Int?) {
            self.name = name
            self.level = level
        }
    }

    public var activity = Activity.idle
    /// The keywords of `printer-state-reasons`, with their severities.
    public var reasons: [String] = []
    /// The printer's own words.
    public var message = ""
    public var isAccepting = true
    public var supplies: [Supply] = []
    /// What the printer says of its supplies, such as "84 native prints remaining".
    public var supplyMessage = ""
    public var takesJPEG = true
    public var makeAndModel = ""

    public init() {}

    static let names = [
        "printer-state", "printer-state-reasons", "printer-state-message", "printer-is-accepting-jobs",
        "printer-make-and-model", "document-format-supported", "marker-names", "marker-levels", "marker-message",
        "printer-supply", "printer-supply-description",
    ]

    /// Reads what a printer answered. What it leaves out is taken to be well.
    init(_ attributes: IPPAttributes) {
        func texts(_ name: String) -> [String] {
            (attributes[name] ?? []).compactMap { value in
                guard case .text(let text) = value else { return nil }
                return text
            }
        }
        switch attributes["printer-state"]?.first {
        case .integer(4): activity = .processing
        case .integer(5): activity = .stopped
        default: activity = .idle
        }
        reasons = texts("printer-state-reasons").filter { $0 != "none" }
        message = texts("printer-state-message").first ?? ""
        isAccepting = attributes["printer-is-accepting-jobs"]?.first != .boolean(false)
        supplyMessage = texts("marker-message").first ?? ""
        makeAndModel = texts("printer-make-and-model").first ?? ""
        let formats = texts("document-format-supported").map { $0.lowercased() }
        takesJPEG = formats.isEmpty || formats.contains("image/jpeg")
        let levels = attributes["marker-levels"] ?? []
        supplies = zip(texts("marker-names"), levels).map { name, level in
            guard case .integer(let number) = level else { return Supply(name: name, level: nil) }
            // Below zero: not known (RFC 3805, prtMarkerSuppliesLevel).
            return Supply(name: name, level: (0...100).contains(number) ? number : nil)
        }
        if supplies.isEmpty {
            let names = texts("printer-supply-description")
            supplies = texts("printer-supply").enumerated().compactMap { index, text in
                Self.supply(text, name: index < names.count ? names[index] : nil)
            }
        }
    }

    /// Reads a value of `printer-supply` (PWG 5100.13 section 5.6.36), of what is used up and not of what fills.
    private static func supply(_ text: String, name: String?) -> Supply? {
        var members: [Substring: Substring] = [:]
        for member in text.split(separator: ";") {
            guard let sign = member.firstIndex(of: "=") else { continue }
            members[member[..<sign]] = member[member.index(after: sign)...]
        }
        guard members["class"] == "supplyThatIsConsumed" else { return nil }
        let named = name ?? String(members["colorantname"] ?? members["type"] ?? "")
        guard let level = members["level"].flatMap({ Int($0) }), level >= 0,
            let capacity = members["maxcapacity"].flatMap({ Int($0) }), capacity > 0
        else { return Supply(name: named, level: nil) }
        return Supply(name: named, level: min(100, Int(100 * Double(level) / Double(capacity))))
    }
}
