public import KonzaModel

/// What is known of a postcard when it is drawn. What is not known is nil, and is never made up.
public struct PostcardFacts: Hashable, Sendable {
    /// Where it was taken, as people call it; empty when not told.
    public var place: String
    /// The station's civil time of the exposure; nil while the clock is not to be trusted.
    public var time: CivilTime?
    /// The time zone's abbreviation at that time, such as `CDT`; empty when not known.
    public var zone: String
    public var coordinate: Coordinate?
    /// Metres above mean sea level.
    public var elevationMetres: Double?
    /// The station's civil time of sunrise and sunset on that day, to the minute; nil where the sun does not rise and set.
    public var sunrise: CivilTime?
    public var sunset: CivilTime?
    /// The moon's phase in words; empty when not known.
    public var moon = ""
    /// The trail that the station is on; empty where it is on none, or nobody can tell.
    public var trail = ""
    /// What the camera sees, as pixels of the picture that is drawn on, in the order of importance. A template draws those that
    /// have room: ``Template/drawnLabels(_:width:height:)``.
    public var labels: [PictureLabel] = []
    /// Whether a template without a layer of labels gets them all the same.
    public var wantsLabels = false
    /// What the picture is, in words, where it is none of the camera's of here and now; empty otherwise. It is drawn whatever
    /// the template: a card leaves the station, and the pages' words do not go with it.
    public var pictureOrigin = ""
    /// The visitor's own words; empty for none. A line feed begins a new line.
    public var message: String
    /// The language that whoever takes it reads, such as `es`; what has no words in it is written as the template is.
    public var language = Self.languages[0]
    /// The position comes from a recording, and the card must say so.
    public var isPositionRecorded: Bool

    /// What names of months and days there are in, that of the templates first (RFC 5646).
    public static let languages = ["en", "es"]

    /// The language of cards for somebody who reads another one: what RFC 5646 calls its primary subtag, or the templates' own.
    public static func language(of tag: String) -> String {
        let primary = tag.prefix { $0 != "-" }.lowercased()
        return languages.contains(primary) ? primary : languages[0]
    }

    public init(
        place: String, time: CivilTime? = nil, zone: String = "", coordinate: Coordinate? = nil,
        elevationMetres: Double? = nil, message: String = "", isPositionRecorded: Bool = false
    ) {
        self.place = place
        self.time = time
        self.zone = zone
        self.coordinate = coordinate
        self.elevationMetres = elevationMetres
        self.message = message
        self.isPositionRecorded = isPositionRecorded
    }

    /// Whether what a condition asks for is so.
    func fulfils(_ condition: Condition, _ metrics: Metrics) -> Bool {
        let isSo =
            switch condition.subject {
            case .portrait: metrics.height > metrics.width
            case .landscape: metrics.height <= metrics.width
            case .place: !place.isEmpty
            case .date: time != nil
            case .position: coordinate != nil
            case .elevation: elevationMetres?.isFinite == true
            case .sun: sunrise != nil && sunset != nil
            case .moon: !moon.isEmpty
            case .trail: !trail.isEmpty
            case .labels: !labels.isEmpty
            case .message: !message.isEmpty
            case .recorded: isPositionRecorded
            }
        return isSo != condition.isNegated
    }
}
