internal import KonzaModel

/// Where a specimen's files are: a folder `specimens/YYYY/<id>`, the year (UTC) being the one in the id.
enum SpecimenNames {
    static let root = "specimens"
    static let specimen = "specimen.json"
    /// What is known of the occupation that began last.
    static let occupation = "occupation.json"
    /// The counts of the number templates, beside the years.
    static let sequence = "sequence.json"

    /// The folder of a specimen, relative to the archive's.
    static func folder(_ id: SpecimenID) -> String { "\(root)/\(year(id))/\(id)" }

    static func year(_ id: SpecimenID) -> String {
        let instant = UTCInstant(nanoseconds: Int64(clamping: id.milliseconds).multipliedClamped(by: 1_000_000))
        return String(CivilTime(instant).year)
    }

    static func submission(_ target: SubmissionTarget) -> String { "submission-\(target.rawValue).json" }

    static func photograph(_ photograph: Photograph) -> String {
        "\(photograph.id).\(photograph.mediaType == "image/png" ? "png" : "jpg")"
    }

    static func thumbnail(_ id: PhotographID) -> String { "\(id)-thumbnail.jpg" }

    /// The photograph that a file belongs to.
    ///
    /// - Returns: nil for a name that is no photograph's.
    static func photographID(_ name: String) -> PhotographID? {
        guard let id = PhotographID(String(name.prefix(PhotographID.length))) else { return nil }
        return [".jpg", ".png", "-thumbnail.jpg"].contains(name.dropFirst(PhotographID.length)) ? id : nil
    }
}
