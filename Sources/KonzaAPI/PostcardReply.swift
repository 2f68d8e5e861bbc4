public import KonzaModel

/// A postcard: the reply of `POST /v1/postcards` and `GET /v1/postcards/{id}`.
public struct PostcardReply: Codable, Sendable {
    public struct Stamping: Codable, Sendable {
        /// The way the overlay was put into the JPEG.
        public var way: String
        public var milliseconds: Double?

        public init(way: String, milliseconds: Double? = nil) {
            self.way = way
            self.milliseconds = milliseconds
        }
    }

    public struct Links: Codable, Sendable {
        public var image: String
        public var original: String?
        public var thumbnail: String
        public var animation: String?

        public init(image: String, original: String?, thumbnail: String, animation: String? = nil) {
            self.image = image
            self.original = original
            self.thumbnail = thumbnail
            self.animation = animation
        }
    }

    public var id: String
    public var state: String
    public var createdAt: UTCInstant
    public var requestedAt: UTCInstant
    public var exposedAt: UTCInstant
    public var timeSource: String
    public var receiverTime: UTCInstant?
    public var template: String
    public var place: String
    public var message: String?
    public var width: Int
    public var height: Int
    public var bytes: Int
    public var sha256: String?
    public var source: SourceKind
    public var position: PositionReply?
    public var stamping: Stamping
    /// Of a collage alone.
    public var layout: String?
    public var shots: [Shot]?
    public var path: String?
    public var links: Links

    /// When one picture of a collage was taken.
    public struct Shot: Codable, Sendable {
        public var requestedAt: UTCInstant
        public var exposedAt: UTCInstant

        public init(requestedAt: UTCInstant, exposedAt: UTCInstant) {
            self.requestedAt = requestedAt
            self.exposedAt = exposedAt
        }
    }

    public init(
        id: String, createdAt: UTCInstant, requestedAt: UTCInstant, exposedAt: UTCInstant, timeSource: String,
        template: String, place: String, width: Int, height: Int, bytes: Int, source: SourceKind, stamping: Stamping,
        links: Links
    ) {
        self.id = id
        self.state = "kept"
        self.createdAt = createdAt
        self.requestedAt = requestedAt
        self.exposedAt = exposedAt
        self.timeSource = timeSource
        self.template = template
        self.place = place
        self.width = width
        self.height = height
        self.bytes = bytes
        self.source = source
        self.stamping = stamping
        self.links = links
    }

    /// The length of the ids of shots and postcards, characters.
    private static let idLength = 26

    static let schemas: [Schema] = [
        Schema(
            "Postcard", "A postcard that is safely on disk.",
            [
                .always("id", .string, "Sorts by time."),
                .always("state", .choice(["kept"]), "Kept: durable on disk."),
                .always("createdAt", .dateTime, "When it was durable."),
                .always("requestedAt", .dateTime, "The trigger: the request, or the end of the countdown."),
                .always("exposedAt", .dateTime, "When the frame was exposed; never before requestedAt."),
                .always("timeSource", .choice(["system", "gps"]), "Whose clock the times are by."),
                .known(
                    "receiverTime", .dateTime,
                    "The exposure by the receiver's time, where it contradicted the system's clock, by which the other "
                        + "times are."),
                .always("template", .string, "The template's name."),
                .always("place", .string, "The place in the caption."),
                .known("message", .string, "The visitor's message."),
                .always("width", .integer, "Pixels."),
                .always("height", .integer, "Pixels."),
                .always("bytes", .integer, "The size of the picture's file."),
                .known("sha256", .string, "SHA-256 of the picture's file, hexadecimal."),
                .always("source", .choice(PositionReply.sourceWords), "A live camera, or recorded pictures."),
                .known("position", .reference("Position"), "The position at the instant of exposure."),
                .always("stamping", .reference("Stamping"), "How the overlay was put in."),
                .known("layout", .choice(PostcardRequest.layouts), "How the pictures of a collage lie."),
                .known(
                    "shots", .array(.reference("ExposedShot")),
                    "The pictures of a collage in their order; requestedAt, exposedAt and position are the last one's."),
                .known("path", .string, "The picture's file on the station; in the reply to its POST only."),
                .always("links", .reference("PostcardLinks"), "The pictures."),
            ]),
        Schema(
            "Stamping", "How the overlay was put into the JPEG.",
            [
                .always(
                    "way", .string,
                    "restartSplice, entropySplice, coefficients, or fullDecode as the last resort; newer versions may add ways."
                ),
                .known("milliseconds", .number, "How long it took."),
            ]),
        Schema(
            "ExposedShot", "When one picture of a collage was taken.",
            [
                .always("requestedAt", .dateTime, "When it was asked for, or its countdown ended."),
                .always("exposedAt", .dateTime, "When the frame was exposed; never before requestedAt."),
            ]),
        Schema(
            "PostcardLinks", "Paths below the API's root.",
            [
                .always("image", .string, "The postcard."),
                .known("original", .string, "The frame as it came from the camera, geotagged, if kept."),
                .always("thumbnail", .string, "A small picture."),
                .known("animation", .string, "The burst as an animated picture, if one was taken."),
            ]),
        Schema(
            "PostcardPage", "A page of postcards, newest first.",
            [
                .always("postcards", .array(.reference("Postcard")), "The postcards."),
                .known("next", .string, "The cursor of the next page; absent on the last."),
            ]),
        Schema(
            "PostcardRequest", "What to put on a postcard. Every member may be left out.",
            PostcardRequest.words + [
                .optional(
                    "countdownSeconds", .count(0...PostcardRequest.longestCountdown),
                    "Wait so long before the shot, with an event a second; not with shots."),
                .optional(
                    "shots", .list(.line(Self.idLength), atMost: PostcardRequest.mostShots),
                    "Make a collage of \(PostcardRequest.leastShots) to \(PostcardRequest.mostShots) shots, in this order "
                        + "(POST /v1/shots). They are gone once it is kept."),
                .optional(
                    "burstSeconds", .count(0...PostcardRequest.longestBurst),
                    "Keep so many seconds from the shot on as an animated picture beside the postcard; not with shots."),
                .optional(
                    "layout", .choice(PostcardRequest.layouts),
                    "How the pictures of a collage lie; grid by default. With shots alone."),
            ], isClosed: true, example: .object(["message": .string("Hello from the prairie")])),
        Schema(
            "PreviewRequest", "What to put on a preview. Every member may be left out.",
            PostcardRequest.words + [
                .optional(
                    "pictures", .count(PostcardRequest.leastShots...PostcardRequest.mostShots),
                    "Show what a collage of so many shots would look like, each the current frame; not with labels."),
                .optional(
                    "layout", .choice(PostcardRequest.layouts),
                    "How the pictures of a collage lie; grid by default. With pictures alone."),
            ], isClosed: true, example: .object(["message": .string("Hello from the prairie")])),
        Schema(
            "PendingPostcard", "A postcard under way.",
            [
                .always("id", .string, "The id the postcard will have."),
                .always("state", .choice(["counting", "capturing", "failed", "kept"]), "How far it is."),
                .always("dueAt", .dateTime, "When the countdown ends."),
                .known("remainingSeconds", .integer, "What is left of the countdown."),
                .known("problem", .reference("Problem"), "Why it failed."),
            ]),
        Schema(
            "Template", "A template for postcards.",
            [
                .always("name", .string, "The name to ask for."),
                .always("title", .string, "The name for people."),
                .always("isDefault", .boolean, "Used when none is asked for."),
            ]),
        Schema(
            "Templates", "The templates on this station.",
            [.always("templates", .array(.reference("Template")), "By name.")]),
    ]
}

/// The reply of `GET /v1/postcards`.
public struct PostcardPageReply: Codable, Sendable {
    public var postcards: [PostcardReply]
    public var next: String?

    public init(postcards: [PostcardReply], next: String?) {
        self.postcards = postcards
        self.next = next
    }
}

/// A postcard whose countdown runs: the reply of `POST /v1/postcards` with a countdown, and of its `Location`
/// until the postcard is kept.
public struct PendingPostcardReply: Codable, Sendable {
    public var id: String
    public var state: String
    public var dueAt: UTCInstant
    public var remainingSeconds: Int?
    public var problem: Problem?

    public init(id: String, state: String, dueAt: UTCInstant, remainingSeconds: Int? = nil, problem: Problem? = nil) {
        self.id = id
        self.state = state
        self.dueAt = dueAt
        self.remainingSeconds = remainingSeconds
        self.problem = problem
    }
}

/// The reply of `GET /v1/templates`.
public struct TemplatesReply: Codable, Sendable {
    public struct Entry: Codable, Sendable {
        public var name: String
        public var title: String
        public var isDefault: Bool

        public init(name: String, title: String, isDefault: Bool) {
            self.name = name
            self.title = title
            self.isDefault = isDefault
        }
    }

    public var templates: [Entry]

    public init(templates: [Entry]) {
        self.templates = templates
    }
}

/// The body of `POST /v1/postcards` and `POST /v1/postcards/preview`.
public struct PostcardRequest: Codable, Sendable, Equatable {
    public var template: String?
    public var message: String?
    public var place: String?
    public var countdownSeconds: Int?
    /// The ids of the shots of a collage.
    public var shots: [String]?
    /// Of a preview alone: how many shots the collage would have that it shows.
    public var pictures: Int?
    /// How they lie: one of `layouts`.
    public var layout: String?
    public var burstSeconds: Int?
    /// Whether the names of what the fixed camera sees are put into the picture.
    public var labels: Bool?
    /// Of the date and the station's other words on the card (RFC 5646).
    public var language: String?

    public init(
        template: String? = nil, message: String? = nil, place: String? = nil, countdownSeconds: Int? = nil,
        shots: [String]? = nil, pictures: Int? = nil, layout: String? = nil, burstSeconds: Int? = nil,
        labels: Bool? = nil, language: String? = nil
    ) {
        self.template = template
        self.message = message
        self.place = place
        self.countdownSeconds = countdownSeconds
        self.shots = shots
        self.pictures = pictures
        self.layout = layout
        self.burstSeconds = burstSeconds
        self.labels = labels
        self.language = language
    }

    /// The longest burst, seconds.
    public static let longestBurst = 3
    /// How many shots make a collage.
    public static let leastShots = 2
    public static let mostShots = 4
    /// How the pictures of a collage can lie.
    public static let layouts = CollageLayout.allCases.map(\.rawValue)
    /// The longest countdown, seconds.
    public static let longestCountdown = 60
    /// The highest limit on a message that a station can be set to, and the limit on a place's name, characters.
    public static let highestMessageLimit = 500
    public static let placeLimit = 80
    /// Unicode scalars allowed for each character of a limit: room for emoji sequences and stacked accents.
    public static let scalarsPerCharacter = 4

    static let words: [Schema.Member] = [
        .optional("template", .string, "The template's name; the configured one by default."),
        .optional(
            "message", .line(highestMessageLimit * scalarsPerCharacter),
            "The visitor's own words; at most as many characters as [Postcards] MessageLimit= says."),
        .optional(
            "place", .line(placeLimit * scalarsPerCharacter),
            "The place in the caption, \(placeLimit) characters; the configured one by default."),
        .optional(
            "labels", .boolean,
            "Put the names of what the fixed camera sees into the picture (GET /v1/view), whatever the template; not with shots."
        ),
        .optional(
            "language", .string,
            "Of the date and the station's other words on the card (RFC 5646): en, es; English for any other. The greeting, the "
                + "message and the place stay as they are."),
    ]

    /// Reads a request body strictly.
    ///
    /// - Throws: a problem that names every unknown or unfit member.
    public init(_ value: JSONValue?) throws(Problem) {
        var members = RequestMembers(value)
        template = members.string("template")
        message = members.string("message")
        place = members.string("place")
        countdownSeconds = members.integer("countdownSeconds", in: 0...Self.longestCountdown)
        burstSeconds = members.integer("burstSeconds", in: 0...Self.longestBurst)
        labels = members.bool("labels")
        language = members.string("language")
        shots = members.list("shots", count: Self.mostShots, upTo: 26)
        pictures = members.integer("pictures", in: Self.leastShots...Self.mostShots)
        layout = members.string("layout")
        if let layout, !Self.layouts.contains(layout) {
            members.fault("layout", "expected \(Self.layouts.joined(separator: " or "))")
        }
        if let shots {
            if shots.count < Self.leastShots {
                members.object(
                    to: "shots", "expected \(Self.leastShots) to \(Self.mostShots), these are \(shots.count)")
            }
            if labels == true {
                members.object(to: "labels", "cannot come with shots, which have no one view; leave it out")
            }
            if (burstSeconds ?? 0) > 0 {
                members.object(to: "burstSeconds", "cannot come with shots, which are taken already; leave it out")
            }
            if (countdownSeconds ?? 0) > 0 {
                members.object(to: "countdownSeconds", "cannot come with shots, which are taken already; leave it out")
            }
        } else if layout != nil, pictures == nil {
            members.object(to: "layout", "cannot come without shots, or the pictures of a preview")
        }
        if pictures != nil, labels == true {
            members.object(to: "labels", "cannot come with pictures, which have no one view; leave it out")
        }
        try members.finish()
    }
}
