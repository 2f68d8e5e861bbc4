internal import KonzaModel

/// One line that holds what a target has no field for, so that it can be read back:
/// `Konza: name=value; name=value`. No value holds a semicolon or a line break. Lengths are metres, times UTC.
enum KonzaLine {
    static func text(_ specimen: Specimen) -> String {
        var pairs: [String] = []
        func add(_ name: String, _ value: String?) {
            guard let value = value?.onOneLine, !value.isEmpty else { return }
            let parts = value.split(separator: ";", omittingEmptySubsequences: false)
            pairs.append("\(name)=\(parts.joined(separator: ","))")
        }
        add("igsn", specimen.igsn)
        add("elevation-hae", specimen.position?.altitude.map(NumberText.plain))
        add("elevation-msl", specimen.position?.altitudeMSL.map(NumberText.plain))
        add("elevation-error", specimen.position?.altitudeAccuracy.map(NumberText.plain))
        if let position = specimen.position { addFix(position, add) }
        for measurement in specimen.measurements { add(measurement.kind.rawValue, words(measurement)) }
        if !specimen.photographs.isEmpty { add("photographs", String(specimen.photographs.count)) }
        if specimen.isPublic { add("public", "wanted") }
        add("id", specimen.id.description)
        add("revision", String(specimen.revision))
        return "Konza: " + pairs.joined(separator: "; ")
    }

    private static func addFix(_ position: SpecimenPosition, _ add: (String, String?) -> Void) {
        add("position", "\(position.source.rawValue) \(position.kind.rawValue)")
        add("time", position.time?.rfc3339)
        add("fix-mode", position.mode.map { String($0.rawValue) })
        add("fix-status", position.status.map { String($0.rawValue) })
        add("satellites", position.satellitesUsed.map(String.init))
        add("hdop", position.hdop.map(NumberText.plain))
        add("receiver", position.receiver)
        if let averaging = position.averaging {
            add("averaged-from", averaging.startedAt.rfc3339)
            add("averaged-to", averaging.endedAt.rfc3339)
            add("fixes", String(averaging.fixesUsed))
            add("fixes-rejected", String(averaging.fixesRejected))
            add("fixes-effective", NumberText.plain(averaging.effectiveFixes))
            add("rule", averaging.rule)
            add("ended", averaging.ended)
        }
        if let override = position.override {
            add("override", override.reason)
            add("wanted-accuracy", NumberText.plain(override.wantedAccuracy))
        }
    }

    /// Azimuth and inclination, the declination that is in them, and what was measured.
    private static func words(_ measurement: StructuralMeasurement) -> String {
        var text = "\(NumberText.plain(measurement.azimuth))/\(NumberText.plain(measurement.inclination))"
        let declination = NumberText.plain(measurement.declinationApplied)
        text += " declination \(declination) (\(measurement.declinationSource))"
        if let feature = measurement.feature { text += " \(feature)" }
        if let note = measurement.note { text += " (\(note))" }
        return text
    }
}
