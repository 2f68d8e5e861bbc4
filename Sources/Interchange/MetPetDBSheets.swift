internal import CSVWriting
public import KonzaModel

/// The sheets of MetPetDB's bulk upload (`SampleTemplate` of its API v2.1) for any number of specimens.
///
/// No sheet has an empty cell: the server takes an empty error or date for a fault and refuses the whole file, an empty
/// mineral for a mineral, and an empty reference for a reference without a name. So specimens share a sheet only if they
/// have the same columns.
public struct MetPetDBSheets: Sendable {
    /// One file for the server.
    public struct Sheet: Sendable {
        /// The headings of its columns; some repeat.
        public let headings: [String]
        public fileprivate(set) var specimens: [Specimen]
    }

    /// In the order of their first specimens.
    public let sheets: [Sheet]
    /// The specimens that the server would refuse or take wrongly.
    public let leftOut: [LeftOut]

    /// - Parameters:
    ///   - specimens: in any number; a number that two of them have goes into a sheet once, and is left out the next time.
    ///   - vocabulary: the names that the server knows; nil leaves names unchecked.
    public init(_ specimens: [Specimen], vocabulary: Vocabulary?) {
        let rules = MetPetDBRules(vocabulary)
        var sheets: [Sheet] = []
        var places: [[String]: Int] = [:]
        var leftOut: [LeftOut] = []
        var numbers: Set<String> = []
        for specimen in specimens {
            var reasons = rules.judge(specimen)
            if reasons.isEmpty, !numbers.insert(specimen.number.lowercased()).inserted {
                reasons = [Submission.Refusal(field: "Sample Number", words: "another specimen has it too")]
            }
            guard reasons.isEmpty else {
                leftOut.append(LeftOut(specimen, reasons))
                continue
            }
            let headings = Self.cells(specimen).map(\.heading)
            if let place = places[headings] {
                sheets[place].specimens.append(specimen)
            } else {
                places[headings] = sheets.count
                sheets.append(Sheet(headings: headings, specimens: [specimen]))
            }
        }
        self.sheets = sheets
        self.leftOut = leftOut
    }

    /// A specimen's row with the heading of each cell, none of them empty.
    ///
    /// The headings are in capitals as here: in lower case the server turns latitudes into numbers, and then takes 0
    /// for none.
    static func cells(_ specimen: Specimen) -> [(heading: String, text: String)] {
        guard let position = specimen.position else { return [] }
        var cells: [(heading: String, text: String)] = []
        func add(_ heading: String, _ text: String?) {
            if let text = text?.onOneLine, !text.isEmpty { cells.append((heading, text)) }
        }
        add("Sample Number", specimen.number)
        add("Rock Type", specimen.rockType)
        add("Latitude", NumberText.degrees(position.latitude))
        add("Longitude", NumberText.degrees(position.longitude))
        add("Location Error", position.accuracy.map(NumberText.plain))
        add("Collector", specimen.collector)
        add("Date of Collection", specimen.collectionDate?.description)
        add("Present Sample Location", specimen.presentLocation)
        add("Country", specimen.country)
        for region in specimen.regions { add("Region", region) }
        for region in specimen.metamorphicRegions { add("Metamorphic Region", region) }
        for grade in specimen.metamorphicGrades { add("Metamorphic Grade", grade) }
        for reference in specimen.references { add("Reference", reference) }
        // The server joins comments with line breaks into the sample's description.
        add("Comment", specimen.description.map { DescriptionLine.escaped($0.onOneLine) })
        add("Comment", DescriptionLine(specimen, hasNumberField: false).text)
        for mineral in specimen.minerals.sorted(by: { $0.name < $1.name }) { add(mineral.name, mineral.amount) }
        return cells
    }
}

extension MetPetDBSheets.Sheet {
    /// The ends of lines that the server understands.
    public enum LineEnding: String, Sendable, CaseIterable {
        case lf = "\n"
        case crlf = "\r\n"
    }

    /// Writes the sheet as the server wants it: UTF-8 without a mark at the beginning and without a line break at the
    /// end, which it would take for a short row.
    ///
    /// - Parameters:
    ///   - ending: between two lines.
    ///   - sink: takes the bytes.
    /// - Throws: what the sink throws.
    public func write(ending: LineEnding = .lf, to sink: @escaping ByteSink) throws(InterchangeError) {
        var output = TextOutput(sink)
        try output.add(CSVText.row(headings))
        for specimen in specimens {
            try output.add(ending.rawValue + CSVText.row(MetPetDBSheets.cells(specimen).map(\.text)))
        }
        try output.flush()
    }
}
