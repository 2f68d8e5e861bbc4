/// The schemas of what is said of trails.
enum TrailSchemas {
    static let states = ["on", "near", "off", "unknown"]
    static let turns = [
        "straight-on", "slightly-left", "slightly-right", "left", "right", "sharply-left", "sharply-right", "back",
    ]
    private static let demonstration = Schema.Member.always(
        "demonstration", .boolean, "Whether these trails are made up and nobody can walk them.")
    private static let latitude = Schema.Member.always("latitude", .number, "Degrees, WGS 84, north positive.")
    private static let longitude = Schema.Member.always("longitude", .number, "Degrees, WGS 84, east positive.")
    private static let threshold = Schema.Member.always(
        "ascentThreshold", .number, "A rise counts for the ascent when it is this high, metres.")

    static let all: [Schema] = lists + closures + ways + reports

    private static let lists = [
        Schema(
            "Trails", "The trails that the station knows.",
            [
                demonstration,
                .always("sources", .array(.reference("TrailSource")), "What the trails are from."),
                .known(
                    "apart", .array(.reference("TrailSource")),
                    "Recordings that are kept and not in use: they are too short to take the place of the demonstration."
                ),
                .always("trails", .array(.reference("Trail")), "The trails with names."),
                .always("places", .array(.reference("TrailPlace")), "Trailheads and other places."),
                .always("closures", .array(.reference("TrailClosure")), "What the station itself has closed."),
                .always("segments", .integer, "Segments of all trails."),
                .always("junctions", .integer, "Where more than two segments meet."),
                .always("length", .number, "Of all segments, metres on the map."), threshold,
            ]),
        Schema(
            "TrailSource", "What trails are from.",
            [
                .always("name", .string, "The operator's name of it."),
                .always("origin", .choice(["demonstration", "imported", "recorded"]), "How it came to the station."),
                .known("importedAt", .dateTime, "When."),
                .known("attribution", .string, "Whom to name beside the map."),
                .always("segments", .integer, "How many."),
            ]),
        Schema(
            "Trail", "A trail with a name.",
            [
                .always("name", .string, "Its name."), .always("source", .string, "The source that it is of."),
                .always("length", .number, "Metres on the map."),
                .known("publishedLength", .array(.number), "Metres: the least and the greatest that is published."),
                .known("ascent", .number, "Metres, by the elevations that konzad carries; see ascentThreshold."),
                .known("closed", .string, "Why it is closed now, or a part of it."),
                .known("closedLength", .number, "Metres of it that are closed; its length where all of it is."),
            ]),
        Schema(
            "TrailPlace", "A place beside the trails.",
            [
                .always("name", .string, "Its name."),
                .always(
                    "kind", .string,
                    "trailhead, junction, viewpoint, guidepost, board, toilets, parking, mast, peak, bridge, building, trail, "
                        + "place or other."),
                latitude, longitude,
            ]),
        Schema(
            "NearestTrail", "Where one is on the trails. What scripts rely on is null where it is not known.",
            [
                .always(
                    "state", .choice(states),
                    "on: on the trail; near: beside it; off: off every trail, for 10 s beyond 25 m or the error; unknown: "
                        + "the position is too poor to tell, or there is none."),
                .always("trail", .nullable(.string), "The trail, or the nearest one."),
                .always("trails", .array(.string), "All trails that share the segment."),
                .always(
                    "distance", .nullable(.number),
                    "Metres from the trail; positive to the right of the direction of walking, or of the trail's own "
                        + "where nobody moves."),
                .always("along", .nullable(.number), "Metres along the trail."),
                .known("length", .number, "Of the trail, metres on the map."),
                .always("heading", .nullable(.number), "Degrees from true north; null for one who stands."),
                .known(
                    "direction",
                    .choice([
                        "north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west",
                    ]), "The heading in words."),
                .known("segment", .string, "The id of the segment."),
                .known("closed", .string, "Why the segment is closed."),
                .known("candidates", .array(.string), "The trails that it may be, where it cannot be told."),
                .known("closedCandidates", .array(.string), "Those of them that are closed where one may be."),
                .known("junction", .reference("JunctionAhead"), "The next junction, for one who walks."),
                .always("words", .string, "All of it in a sentence."), demonstration,
                .known("timestamp", .dateTime, "The instant that it is for."),
                .known("position", .reference("Observer"), "The place that it is for."),
            ]),
        Schema(
            "JunctionAhead", "The next junction.",
            [
                .always("distance", .number, "Metres to walk."), latitude, longitude,
                .known("turn", .choice(turns), "How the trail that one walks goes on."),
                .always("words", .string, "What to do there."),
                .always("exits", .array(.reference("JunctionExit")), "The ways on."),
            ]),
        Schema(
            "JunctionExit", "A way on from a junction.",
            [
                .always("turn", .choice(turns), "How one turns."), .known("trail", .string, "The trail it is."),
                .always("heading", .number, "Degrees from true north."),
                .known("closed", .string, "Why it is closed."),
            ]),
    ]

    private static let closures = [
        Schema(
            "TrailClosure", "A closure by the station's own hand or calendar; it wins over what a file says.",
            [
                .always("id", .integer, "Its number."), .known("trail", .string, "The trail that is closed."),
                .known("segment", .string, "The segment that is closed."),
                .known("everything", .boolean, "Whether all trails are closed."),
                .always("reason", .string, "Why."), .known("from", .dateTime, "From when; at once without."),
                .known("until", .dateTime, "Until when; until it is opened by hand without."),
                .always("inForce", .boolean, "Whether it is closed now."),
                .known(
                    "alsoCloses", .array(.string),
                    "Other trails of which it closes a part, since they share its segments or lie on its ground."),
                .known(
                    "closesNothing", .boolean,
                    "Whether nothing that it is about is there: the trails there were removed, or have other names."),
            ]),
        Schema(
            "TrailClosures", "The closures.",
            [.always("closures", .array(.reference("TrailClosure")), "All, also those to come.")]),
        Schema(
            "TrailClosureRequest", "What is to be closed: one of trail, segment and everything.",
            [
                .optional("trail", .name(TrailClosureRequest.longestName), "All of a trail."),
                .optional(
                    "segment", .name(TrailClosureRequest.longestName),
                    "A segment by its id, with its source and a colon before it where several have that id. Its ground is "
                        + "closed: it stays so when a file is imported anew that gives the id to another one."),
                .optional("everything", .boolean, "All trails."),
                .optional("reason", .name(TrailClosureRequest.longestReason), "Why, as in prescribed burn."),
                .optional("from", .dateTime, "From when; at once by default."),
                .optional("until", .dateTime, "Until when, after from and now; until it is opened by hand by default."),
            ], isClosed: true,
            example: .object(["everything": .bool(true), "reason": .string("prescribed burn")])),
    ]

    private static let ways = [
        Schema(
            "TrailWay", "The quickest way on foot over open trails.",
            [
                demonstration, .always("to", .reference("TrailPlace"), "Where it leads."),
                .always("distance", .number, "Metres from the place to the end, with approach and departure."),
                .always("seconds", .number, "On foot by Tobler's function of the slope, with approach and departure."),
                .always("approach", .number, "Metres of that to the trail, through the air."),
                .always("departure", .number, "Metres of that from the trail to the end, through the air."),
                .known("ascent", .number, "Metres up."), .known("descent", .number, "Metres down."), threshold,
                .always(
                    "geometry", .reference("LineString"),
                    "The way: from the place to the trail, along the trails, and to the end."),
                .always("turns", .array(.reference("WayTurn")), "What to do at the junctions."),
                .always(
                    "closed", .array(.reference("ClosedStretch")),
                    "Closed stretches that it begins with, since one is on them: the way leads off them, and a closed metre counts "
                        + "as ten open ones."),
                .always("closedLength", .number, "Metres of the way that are closed."),
                .known(
                    "closing", .array(.reference("ClosingStretch")),
                    "Stretches that close before one has left them: one is on them, or nothing else leads to the trailhead."
                ),
                .always(
                    "avoidsClosed", .boolean,
                    "Whether segments are closed, or will be during the walk, and the way leads around all of them or ends before "
                        + "them."),
                .known(
                    "toClosed", .string, "Where a trail was asked for: why it is closed, as a whole or in part."),
                .known("dusk", .dateTime, "The end of civil twilight of the day."),
                .known(
                    "turnBackBefore", .dateTime, "When to set out at the latest: dusk, less the walk, less 20 minutes."),
                .always("timestamp", .dateTime, "The instant that it is for."),
                .always("position", .reference("Observer"), "The place where it begins."),
            ]),
        Schema(
            "WayTurn", "What to do at a junction.",
            [
                .always("distance", .number, "Metres from the beginning of the way."), latitude, longitude,
                .always("turn", .choice(turns), "How one turns."),
                .known("trail", .string, "The trail that goes on from there."),
                .always("heading", .number, "Degrees from true north in which it goes on."),
                .always("words", .string, "In words."),
            ]),
        Schema(
            "ClosedStretch", "A closed stretch of a way.",
            [
                .always("distance", .number, "Metres from the beginning of the way."),
                .always("length", .number, "Metres."), .always("reason", .string, "Why it is closed."),
            ]),
        Schema(
            "ClosingStretch", "A stretch of a way that closes during the walk.",
            [
                .always("distance", .number, "Metres from the beginning of the way."),
                .always("length", .number, "Metres."), .always("reason", .string, "Why it closes."),
                .always("from", .dateTime, "When it closes."),
            ]),
        Schema(
            "LineString", "GeoJSON (RFC 7946, section 3.1.4).",
            [
                .always("type", .choice(["LineString"]), "LineString."),
                .always("coordinates", .array(.array(.number)), "Longitude and latitude of each point, WGS 84."),
            ]),
        Schema(
            "TrailProfile", "Heights along a trail.",
            [
                demonstration, .always("trail", .string, "The trail."),
                .always("length", .number, "Metres on the map."),
                .always("step", .number, "Metres between two heights, which are means of five."),
                .known("ascent", .number, "Metres up."), .known("descent", .number, "Metres down."), threshold,
                .known("datum", .string, "What mean sea level is."),
                .known("here", .number, "Metres along it where the station is, if it is on it."),
                .always("points", .array(.reference("ProfilePoint")), "The heights."),
            ]),
        Schema(
            "ProfilePoint", "A height along a trail.",
            [
                .always("along", .number, "Metres along the trail."),
                .known("height", .number, "Metres above mean sea level."),
            ]),
    ]

    private static let reports = [
        Schema(
            "TrailReport", "What an import made, and what a person should look at.",
            [
                .always("source", .string, "Its name at the station."),
                .always("format", .choice(["geojson", "gpx", "osm", "recording"]), "The form of the file."),
                .always("dryRun", .boolean, "Whether it was only looked at, and nothing was kept."),
                .always("trails", .array(.reference("ReportedTrail")), "The trails with names."),
                .always("segments", .integer, "Segments."), .always("junctions", .integer, "Junctions."),
                .always("places", .integer, "Places."), .always("length", .number, "Of all segments, metres."),
                .always("joinedEnds", .integer, "Ends within 3 m of another line, which were joined to it."),
                .always("gaps", .integer, "Places where a trail has no line between two of its parts."),
                .always("looseEnds", .integer, "Ends within 25 m of another line that do not join it."),
                .always("crossings", .integer, "Places where two lines cross without a node."),
                .always("islands", .integer, "Parts that no way connects; 1 is a network in one piece."),
                .always("refused", .integer, "Ways that nobody may walk."),
                .always("ignored", .integer, "Elements that are no trails."),
                .always(
                    "bareClosures", .integer,
                    "Lines that the file calls closed without a reason or dates: closed until they are imported anew."),
                .always(
                    "unreadableDates", .integer, "Closures with a date that cannot be read: they have no such end."),
                .always(
                    "besides", .integer,
                    "Pairs of trails that run within 15 m of each other for 100 m, and not on one ground: a closure of one leaves "
                        + "the other open."),
                .known(
                    "idleClosures", .array(.integer),
                    "The ids of the station's closures that close nothing with these trails."),
                .always("findings", .array(.reference("TrailFinding")), "The first of each kind, with their places."),
            ]),
        Schema(
            "ReportedTrail", "A trail, and how its length agrees with what is published.",
            [
                .always("name", .string, "Its name."), .always("length", .number, "Metres on the map."),
                .known("publishedLength", .array(.number), "Metres: the least and the greatest that is published."),
                .known("deviation", .number, "How far the length is outside of that, as a share; 0 inside."),
            ]),
        Schema(
            "TrailFinding", "Something odd at a place.",
            [
                .always("kind", .choice(["gap", "loose-end", "crossing", "beside"]), "What."), latitude, longitude,
                .known("metres", .number, "How wide."), .always("trails", .array(.string), "Of which trails."),
            ]),
    ]
}
