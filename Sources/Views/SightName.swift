/// What something in the view is called: the one source for the pages, the postcards and their regions.
public struct SightName: Sendable, Equatable {
    /// How much of a trail is closed.
    public enum Closed: Sendable, Equatable {
        case whole, part
    }

    /// The language of names where no other is asked for, and the others.
    public static let languages = ["en", "es"]

    /// What people call it; nil for what is called by its kind.
    public let own: String?
    public let kind: String
    /// Metres above mean sea level, of what is called by its kind.
    public let top: Double?
    public var closed: Closed?

    public init(own: String?, kind: String, top: Double? = nil) {
        (self.own, self.kind, self.top) = (own, kind, top)
    }

    /// Which names come first where not all have room: 0 for what people call something, then trails, junctions, and what is called by
    /// its kind.
    public var rank: Int {
        guard own != nil else { return 3 }
        return ["trail": 1, "junction": 2][kind] ?? 0
    }

    /// The name for people to read.
    ///
    /// - Parameter language: one of ``languages``; English for any other one.
    /// - Returns: what people call it, which is translated nowhere, or its kind with its height; with what the station adds.
    public func text(_ language: String = "en") -> String {
        let height = top.map { " \(Self.words("of", language)) \(Int($0.rounded())) m" } ?? ""
        var text = own.map { Self.translated($0, language) } ?? "\(Self.words(kind, language))\(height)"
        switch closed {
        case .whole: text += " (\(Self.words("closed", language)))"
        case .part: text += " (\(Self.words("partly closed", language)))"
        case nil: break
        }
        return text
    }

    /// The name of a trail or a place: of what the station says in it, that it is made up is translated.
    public static func translated(_ name: String, _ language: String) -> String {
        guard let madeUp = spanish["made up"], language == "es" else { return name }
        return name.replacing(" (made up)", with: " (\(madeUp))")
    }

    private static func words(_ english: String, _ language: String) -> String {
        (language == "es" ? spanish[english] : ["sun": "Sun", "moon": "Moon"][english]) ?? english
    }

    private static let spanish = [
        "sun": "Sol", "moon": "Luna", "of": "de", "closed": "cerrado", "partly closed": "cerrado en parte",
        "made up": "inventado", "tower": "torre", "research tower": "torre de investigación", "hilltop": "cerro",
        "water tank": "depósito de agua", "stream site": "sitio de arroyo", "stream gauge": "aforo de arroyo",
        "weather station": "estación meteorológica", "landmark": "lugar",
    ]
}
