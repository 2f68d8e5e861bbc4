internal import KonzaModel

/// The shapes of what is said about samples.
enum SampleSchemas {
    static let all: [Schema] = [
        sample, foundSample, samplePlace, page, details, image, imageOrder, subsample, analyses, summary, nameCount,
        regions, place,
        box, viewpoint, query, area, specimenSummary,
    ]

    private static let origin: [Schema.Member] = [
        .always("source", .choice(AnswerOrigin.Source.allCases.map(\.rawValue)), "Asked now, or kept here before."),
        .always(
            "coverage", .choice(AnswerOrigin.Coverage.allCases.map(\.rawValue)),
            "answer: what the server said to this very question; known: what other answers left here, which may lack some."
        ),
        .known("fetchedAt", .dateTime, "When the server gave it; of what is known, the oldest part."),
        .known("ageSeconds", .integer, "Since then; absent where the clock was set back."),
        .known("reason", .string, "Why the server was not asked or did not answer; absent where none is to blame."),
    ]

    private static let found: [Schema.Member] = [
        .always("id", .string, "The server's: a UUID, or a whole number of the older servlet."),
        .always("number", .string, "As its owner numbers it."),
        .known("rockType", .string, "A name of the vocabulary."),
        .known("place", .reference("Place"), "Where it was taken."),
        .known("locationError", .number, "Metres, the same in all directions."),
        .known("owner", .string, "Whose it is."), .known("collector", .string, "Who took it."),
        .known("collectionDate", .form(.day), "The day, YYYY-MM-DD."), .known("country", .string, "In words."),
        .always("isPublic", .boolean, "Whether everyone may see it."),
        .always("minerals", .array(.string), "Their names."),
        .always("metamorphicGrades", .array(.string), "Their names."),
        .always("metamorphicRegions", .array(.string), "Their names."),
        .always("regions", .array(.string), "Their names."),
        .known("imageCount", .integer, "How many images the server has."),
        .known("subsampleCount", .integer, "How many parts were cut from it."),
        .known("analysisCount", .integer, "How many analyses there are."),
    ]

    private static let way: [Schema.Member] = [
        .known("distance", .number, "From where the station is, metres."),
        .known("bearing", .number, "From where the station is, degrees from true north."),
        .known("distanceFromCenter", .number, "From the place asked about, metres."),
    ]

    static let foundSample = Schema("FoundSample", "A sample as lists show it.", found)
    private static let sample = Schema("Sample", "A sample, and the way there.", found + way)

    private static let samplePlace = Schema(
        "SamplePlace", "All samples at one place: the same in five decimals of a degree.",
        [
            .always("place", .reference("Place"), "Where."), .always("count", .integer, "How many."),
            .always("samples", .array(.reference("FoundSample")), "Which."),
        ] + way)

    private static let page = Schema(
        "SamplePage", "A page of samples, the nearest to the place asked about first.",
        [
            .known("samples", .array(.reference("Sample")), "Without group=place."),
            .known(
                "places", .array(.reference("SamplePlace")), "With group=place; samples without a place are in none."),
            .known("next", .string, "The cursor of the next page; absent on the last."),
            .always("total", .integer, "How many there are, as far as is known."),
            .always("isComplete", .boolean, "Whether the pages have all that the server has."),
            .known("wholeWithin", .number, "If not: within so many metres nothing is missing."),
            .known("position", .reference("Viewpoint"), "From where distance and bearing are; absent while not known."),
        ] + origin)

    private static let parts: [Schema.Member] = [
        .always("sample", .reference("FoundSample"), "What lists show of it."),
        .known("description", .string, "The owner's words."),
        .known("sesarNumber", .string, "Its IGSN in the old form of nine characters."),
        .known("presentLocation", .string, "Who holds it."),
        .always("references", .array(.string), "Publications."),
        .always("images", .array(.reference("SampleImage")), "Pictures; empty where only lists are known."),
        .always("subsamples", .array(.reference("Subsample")), "Parts; empty where only lists are known."),
        .known("analyses", .reference("AnalysesSummary"), "What was analysed; absent where it is not known."),
        .always("comments", .array(.string), "Other people's words; empty where the server has no comments."),
    ]

    static let detailsReport = Schema("SampleReport", "One sample, as the courier reports it.", parts)
    private static let kept: [Schema.Member] = [
        .always("keptThumbnails", .array(.string), "The ids of the images whose small copy is kept here."),
        .always("keptFiles", .array(.string), "The ids of the images that are kept here whole."),
    ]

    private static let details = Schema("SampleDetails", "One sample.", parts + kept + way + origin)

    static let imageOrder = Schema(
        "SampleImageOrder", "A picture of a sample that the courier is to fetch.",
        [
            .always("id", .string, "The image."),
            .always("size", .choice(SampleDetails.Image.Size.allCases.map(\.rawValue)), "Which copy of it."),
            .always("address", .string, "Where it is, on the internet."),
        ])

    static let image = Schema(
        "SampleImage", "A picture of a sample.",
        [
            .always("id", .string, "The server's."), .known("imageType", .string, "The server's word for its kind."),
            .known("description", .string, "In words."),
            .known("scale", .integer, "The width of the whole picture on the sample, millimetres."),
            .known("fullSizeURL", .string, "On the internet."), .known("thumbnailURL", .string, "On the internet."),
            .known("isPublic", .boolean, "Whether everyone may see it; absent where the server does not say."),
            .always("comments", .array(.string), "On the picture."),
        ])

    static let subsample = Schema(
        "Subsample", "A part cut from a sample.",
        [
            .always("id", .string, "The server's."), .always("name", .string, "As its owner names it."),
            .known("type", .string, "Such as Thin Section."), .known("isPublic", .boolean, "Whether everyone sees it."),
        ])

    static let analyses = Schema(
        "AnalysesSummary", "What was analysed, without the analyses.",
        [
            .always("total", .integer, "How many analyses."),
            .always("minerals", .array(.reference("NameCount")), "Of which minerals, the most frequent first."),
            .always("hasBulkRock", .boolean, "Whether the rock as a whole was."),
        ])

    static let nameCount = Schema(
        "NameCount", "A name, and how many it stands with.",
        [
            .always("name", .string, "The name."),
            .known("count", .integer, "How many; absent where the server names without counting."),
        ])

    private static let sums: [Schema.Member] = [
        .always("total", .integer, "How many samples there are."),
        .always("counted", .integer, "How many of them the counts are of."),
        .always("rockTypes", .array(.reference("NameCount")), "The most frequent first; so below."),
        .always("minerals", .array(.reference("NameCount")), "Minerals."),
        .always("metamorphicGrades", .array(.reference("NameCount")), "Metamorphic grades."),
        .always("owners", .array(.reference("NameCount")), "Whose they are."),
        .known("extent", .reference("Box"), "The smallest box that holds those with a place."),
    ]

    static let sumsReport = Schema("SampleSums", "What a search would find, as the courier reports it.", sums)
    private static let summary = Schema("SampleSummary", "What a search would find.", sums + origin)

    private static let specimenSummary = Schema(
        "SpecimenSummary", "What a list of specimens would have; their collectors are the owners.",
        sums + [.always("isComplete", .boolean, "Whether all were counted.")])

    private static let regions = Schema(
        "Regions", "The regions that samples can be looked for in.",
        [.always("regions", .array(.string), "In the order of an alphabetical index.")] + origin)

    static let place = Schema(
        "Place", "A place, WGS 84.",
        [.always("latitude", .range(-90...90), "Degrees."), .always("longitude", .range(-180...180), "Degrees.")])

    static let box = Schema(
        "Box", "A box of degrees; west is above east where it crosses the antimeridian.",
        [
            .always("west", .range(-180...180), "Degrees."), .always("south", .range(-90...90), "Degrees."),
            .always("east", .range(-180...180), "Degrees."), .always("north", .range(-90...90), "Degrees."),
        ])

    private static let viewpoint = Schema(
        "Viewpoint", "Where the station is.",
        [
            .always("latitude", .number, "Degrees."), .always("longitude", .number, "Degrees."),
            .always("source", .choice(PositionReply.sourceWords), "Whether a live receiver says so."),
        ])

    private static let area = Schema(
        "SampleArea", "Where to look: a circle, a box, a region, or everywhere.",
        [
            .known("near", .reference("Place"), "The middle of the circle."), .known("radius", .number, "Its metres."),
            .known("box", .reference("Box"), "The box."), .known("region", .string, "The region's name."),
        ])

    private static let query = Schema(
        "SampleQuery", "Which samples to look for; what is empty or absent narrows nothing.",
        [
            .always("area", .reference("SampleArea"), "Where."),
            .always("rockTypes", .array(.string), "One of these; so below."),
            .always("minerals", .array(.string), "Minerals."),
            .always("needsAllMinerals", .boolean, "All of the minerals, not one of them."),
            .always("metamorphicGrades", .array(.string), "Grades."),
            .always("owners", .array(.string), "Owners."), .always("collectors", .array(.string), "Collectors."),
            .known("collectedFrom", .string, "The first day of collection."),
            .known("collectedTo", .string, "The last day of collection."),
            .always("visibility", .choice(SampleQuery.Visibility.allCases.map(\.rawValue)), "Whose samples."),
        ])

    static let answer = Schema(
        "SampleAnswer", "What a search found, as the courier reports it.",
        [
            .always("samples", .list(.reference("FoundSample"), atMost: SampleAnswer.mostSamples), "Those found."),
            .always("total", .integer, "How many there are."),
            .known("wholeWithin", .number, "Within so many metres nothing is missing."),
        ])

    /// What the courier reports of an errand about samples.
    static let report: [Schema.Member] = [
        .known("problem", .string, "Why it came to nothing."),
        .known("reason", .choice(ErrandReport.Reason.allCases.map(\.rawValue)), "What kind of problem."),
        .known("origin", .string, "The server and the account that the samples come from."),
        .known("samples", .reference("SampleAnswer"), "Of an errand samples."),
        .known("summary", .reference("SampleSums"), "Of an errand summary."),
        .known("sample", .reference("SampleReport"), "Of an errand sample."),
        .known("regions", .array(.string), "Of an errand regions."),
    ]
}
