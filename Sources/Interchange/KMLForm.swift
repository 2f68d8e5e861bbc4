internal import KonzaModel

/// KML 2.3 (OGC 12-007r2): a Placemark for each specimen, without a geometry where no position is known.
enum KMLForm {
    /// - Parameters:
    ///   - specimens: in the order in which they are to stand.
    ///   - pictures: the paths, beside the document, of the pictures that a balloon shows.
    ///   - sink: takes the document.
    /// - Throws: what the sink throws.
    static func write(
        _ specimens: [Specimen], pictures: [SpecimenID: [String]] = [:], to sink: @escaping ByteSink
    ) throws(InterchangeError) {
        var output = TextOutput(sink)
        try output.add("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
        try output.add("<kml xmlns=\"http://www.opengis.net/kml/2.2\" version=\"2.3\">\n<Document>\n")
        try output.add(XMLText.element("name", "Specimens", indent: 1))
        for specimen in specimens { try output.add(placemark(specimen, pictures[specimen.id] ?? [])) }
        try output.add("</Document>\n</kml>\n")
        try output.flush()
    }

    /// The elements in the order of the schema: name, description, time, data, geometry.
    private static func placemark(_ specimen: Specimen, _ pictures: [String]) -> String {
        var text = "  <Placemark id=\"s\(specimen.id)\">\n"
        text += XMLText.element("name", specimen.number, indent: 2)
        text += XMLText.element("description", balloon(specimen, pictures), indent: 2)
        if let when = specimen.position?.time?.rfc3339 ?? specimen.collectionDate?.description {
            text += "    <TimeStamp><when>\(when)</when></TimeStamp>\n"
        }
        text += "    <ExtendedData>\n"
        for fact in specimen.facts {
            let value = XMLText.escaped(fact.value.text)
            text += "      <Data name=\"\(fact.name)\"><value>\(value)</value></Data>\n"
        }
        text += "    </ExtendedData>\n"
        return text + point(specimen) + "  </Placemark>\n"
    }

    /// On the ground, so that an error of the height lifts or sinks no pin; the height is above mean sea level, as
    /// KML's heights are.
    private static func point(_ specimen: Specimen) -> String {
        guard let position = specimen.position, let place = position.coordinate else { return "" }
        var numbers = [NumberText.degrees(place.longitude), NumberText.degrees(place.latitude)]
        if let height = position.altitudeMSL, height.isFinite { numbers.append(NumberText.plain(height)) }
        return "    <Point><coordinates>\(numbers.joined(separator: ","))</coordinates></Point>\n"
    }

    /// HTML: every text of people's is escaped for it, and then once more for XML.
    private static func balloon(_ specimen: Specimen, _ pictures: [String]) -> String {
        var html = "<p><b>\(XMLText.escaped(specimen.rockType))</b></p>"
        if let words = specimen.description { html += "<p>\(XMLText.escaped(words))</p>" }
        if !specimen.minerals.isEmpty {
            let list = specimen.minerals.map { $0.amount == "x" ? $0.name : "\($0.name) \($0.amount)" }
            html += "<p>\(XMLText.escaped(list.joined(separator: ", ")))</p>"
        }
        if let accuracy = specimen.position?.accuracy, accuracy.isFinite {
            html += "<p>&#177;\(NumberText.fixed(accuracy, 1, atLeast: 0)) m (95 %)</p>"
        }
        for picture in pictures { html += "<p><img src=\"\(XMLText.escaped(picture))\"/></p>" }
        return html
    }
}
