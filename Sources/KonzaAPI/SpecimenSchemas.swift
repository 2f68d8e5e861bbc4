internal import KonzaModel

extension SpecimenReply {
    private static func words<Word: CaseIterable & RawRepresentable>(_ type: Word.Type) -> Schema.Shape
    where Word.RawValue == String { .choice(type.allCases.map(\.rawValue)) }

    private static let described: [Schema.Member] = [
        .known("collector", .string, "Lastname, First name; 50 characters."),
        .known("description", .string, "What it is."),
        .known("country", .string, "100 characters."),
        .known("presentLocation", .string, "The institution that holds it; 50 characters."),
        .known("collectionDate", .string, "The local day, YYYY-MM-DD."),
        .known("igsn", .string, "International Generic Sample Number."),
        .known("fieldNotes", .string, "What stays with the collector: it is not submitted."),
    ]

    private static let lists: [(String, Schema.Shape, String)] = [
        ("minerals", .array(.reference("Mineral")), "In the vocabulary's spelling."),
        ("metamorphicGrades", .array(.string), "In the vocabulary's spelling."),
        ("metamorphicRegions", .array(.string), "In the vocabulary's spelling."),
        ("regions", .array(.string), "Free names of areas."),
        ("references", .array(.string), "GeoRef accession numbers."),
    ]

    static let schemas: [Schema] =
        [specimen, page, mineral, measurement, position, averaging, override]
        + [submissionProgress, refusal, links, photograph, photographLinks, photographs, event]

    private static let specimen = Schema(
        "Specimen", "A specimen, safely on disk.",
        [
            .always("id", .string, "Sorts by time."),
            .always("number", .string, "What is written on the bag; unique on this station, letter case apart."),
            .always("rockType", .string, "In the vocabulary's spelling."),
        ] + described + lists.map { .always($0.0, $0.1, $0.2) } + [
            .always(
                "isPublic", .boolean,
                "Whether everyone may see it: visitors of the station at once, everybody at MetPetDB once it is submitted."
            ),
            .always("measurements", .array(.reference("Measurement")), "Planes and lines in the rock."),
            .known("position", .reference("SpecimenPosition"), "Where it was taken."),
            .always("photographs", .array(.reference("Photograph")), "In the order in which they were taken."),
            .always("createdAt", .dateTime, "When it was opened."),
            .always("changedAt", .dateTime, "When it was last changed."),
            .always("revision", .integer, "Counts the changes, from 1."),
            .known("deletedAt", .dateTime, "Of a tombstone, which can be restored for 30 days."),
            .always("state", words(Submission.State.self), "Of its submission to MetPetDB; draft without one."),
            .always(
                "submissions", .array(.reference("SubmissionProgress")), "One for each target it was submitted to."),
            .always("links", .reference("SpecimenLinks"), "Paths below the API's root."),
            .known("distance", .number, "From the place asked about, metres."),
            .known("bearing", .number, "From the place asked about, degrees from true north."),
        ])

    private static let page = Schema(
        "SpecimenPage", "A page of specimens, newest first.",
        [
            .always("specimens", .array(.reference("Specimen")), "The specimens."),
            .known("next", .string, "The cursor of the next page; absent on the last."),
        ])

    private static let mineral = Schema(
        "Mineral", "A mineral and how much of it.",
        [
            .always("name", .string, "In the vocabulary's spelling."),
            .known(
                "amount", .string,
                "A modal percentage, or x for present."),
        ])

    private static let measurement = Schema(
        "Measurement", "The orientation of a plane or a line, against true north.",
        [
            .always("kind", words(StructuralMeasurement.Kind.self), "A plane or a line."),
            .always("azimuth", .number, "Strike (right-hand rule) or trend, degrees from true north."),
            .always("inclination", .number, "Dip or plunge, degrees, 0 to 90."),
            .always("declinationApplied", .number, "Degrees, east positive, that were added."),
            .always("declinationSource", .string, "given, or none."),
            .known("feature", .string, "Such as foliation, bedding, lineation."),
            .known("note", .string, "Anything else."),
        ])

    private static let position = Schema(
        "SpecimenPosition", "Where a specimen was taken, and how that is known. WGS 84.",
        [
            .always("latitude", .number, "Degrees."),
            .always("longitude", .number, "Degrees."),
            .known("accuracy", .number, "Metres: the truth is nearer with 95 % probability."),
            .known("altitude", .number, "Metres above the ellipsoid."),
            .known("altitudeMSL", .number, "Metres above mean sea level."),
            .known("altitudeAccuracy", .number, "Metres, with 95 % probability."),
            .known("source", words(SpecimenPosition.Source.self), "How it is known; in every reply."),
            .known(
                "kind", .choice(PositionReply.sourceWords + [SourceKind.manual.rawValue]),
                "Whether the receiver was live; `manual` for a position that a person entered. In every reply."),
            .known("time", .dateTime, "Of the fix, or the end of the occupation."),
            .known("mode", .integer, "gpsd's mode: 2 or 3 dimensions."),
            .known("status", .integer, "gpsd's status: how the solution was made."),
            .known("satellitesUsed", .integer, "How many."),
            .known("hdop", .number, "Horizontal dilution of precision."),
            .known("receiver", .string, "As gpsd names it."),
            .known("averaging", .reference("Averaging"), "Of an occupation."),
            .known("override", .reference("AccuracyOverride"), "Why a lesser accuracy was taken."),
        ])

    private static let averaging = Schema(
        "Averaging", "How an average was made.",
        [
            .always("startedAt", .dateTime, "The first fix."), .always("endedAt", .dateTime, "The last fix."),
            .always("fixesUsed", .integer, "How many."), .always("fixesRejected", .integer, "Outliers."),
            .always("effectiveFixes", .number, "How many independent fixes they are worth."),
            .always("rule", .string, "By which outliers were rejected."),
            .always("ended", .string, "accuracy-reached, time-out, ended, receiver-lost or receiver-changed."),
        ])

    private static let override = Schema(
        "AccuracyOverride", "Why a position below the wanted accuracy was taken all the same.",
        [
            .always("reason", .string, "The collector's words."), .always("at", .dateTime, "When."),
            .always("wantedAccuracy", .number, "What was wanted, metres."),
        ])

    private static let submissionProgress = Schema(
        "SubmissionProgress", "How far a submission is.",
        [
            .always("target", words(SubmissionTarget.self), "Where to."),
            .always("state", words(Submission.State.self), "How far."),
            .always("version", .integer, "Counts the writes of its record."),
            .known("remoteID", .string, "The target's id of the sample."),
            .known("remoteURL", .string, "Where a person can look at it."),
            .known("submittedRevision", .integer, "The revision that the target has."),
            .known("submittedAt", .dateTime, "When it had it."),
            .known("refusals", .array(.reference("Refusal")), "Why the target refuses it."),
            .known("lastFailure", .string, "Why the last try came to nothing."),
            .known("nextAttemptAt", .dateTime, "Not before this."),
        ])

    static let refusal = Schema(
        "Refusal", "One word of refusal.",
        [
            .known("field", .string, "The target's name of the field."),
            .always("words", .string, "The target's own words, or konzad's."),
        ])

    private static let links = Schema(
        "SpecimenLinks", "Paths below the API's root.",
        [
            .always("self", .string, "The specimen."), .always("photographs", .string, "Its photographs."),
            .always("label", .string, "A label to print."), .always("occupation", .string, "The averaging."),
        ])

    private static let photograph = Schema(
        "Photograph", "A photograph of a specimen or of its outcrop.",
        [
            .always("id", .string, "Sorts by time."),
            .always("fileName", .string, "The name it is submitted and exported under."),
            .always("imageType", words(Photograph.ImageType.self), "MetPetDB's kind of image."),
            .always("mediaType", .choice(["image/jpeg", "image/png"]), "What the file is."),
            .always("byteCount", .integer, "The size of the file."),
            .always("sha256", .string, "Of the file, hexadecimal."),
            .always("width", .integer, "Pixels."), .always("height", .integer, "Pixels."),
            .known("scale", .integer, "The width of the whole picture on the specimen, millimetres."),
            .known("description", .string, "1024 characters."),
            .known("direction", .number, "The direction of view, degrees from true north."),
            .known("takenAt", .dateTime, "When."),
            .known(
                "receiverTime", .dateTime,
                "When by the receiver's time, where it contradicted the system's clock, by which takenAt is."),
            .always("origin", .choice(["camera", "upload"]), "Where it comes from."),
            .known("cameraSource", .choice(PositionReply.sourceWords), "A live camera, or recorded pictures."),
            .known("links", .reference("PhotographLinks"), "Its files; not inside a specimen."),
        ])

    private static let photographLinks = Schema(
        "PhotographLinks", "Paths below the API's root.",
        [.always("file", .string, "The picture."), .always("thumbnail", .string, "A small copy.")])

    private static let photographs = Schema(
        "Photographs", "The photographs of a specimen.",
        [.always("photographs", .array(.reference("Photograph")), "In the order in which they were taken.")])

    private static let event = Schema(
        "SpecimenEvent", "The data of a specimen event.",
        [
            .always("id", .string, "The specimen."), .always("number", .string, "Its number."),
            .always("revision", .integer, "As of the change."),
            .always("change", .choice(["opened", "changed", "deleted", "restored"]), "What happened."),
        ])
}
