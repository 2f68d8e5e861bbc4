public import KonzaModel

/// Specimens on their way out. Deleted ones are in none of the forms. The same specimens make the same bytes; memory
/// does not grow with the photographs.
public struct SpecimenExport: Sendable {
    /// In the order in which they are written: by id, and so by age.
    let specimens: [Specimen]
    let photographs: any PhotographReader
    let sheets: MetPetDBSheets
    let sesarCode: String?
    let ending: MetPetDBSheets.Sheet.LineEnding

    /// - Parameters:
    ///   - specimens: in any order.
    ///   - photographs: reads their pictures, for the forms that hold them.
    ///   - vocabulary: the names that MetPetDB knows; nil leaves names unchecked.
    ///   - sesarCode: the five letters of the account at SESAR.
    ///   - ending: between two lines of a MetPetDB sheet.
    public init(
        _ specimens: [Specimen], photographs: any PhotographReader, vocabulary: Vocabulary? = nil,
        sesarCode: String? = nil, ending: MetPetDBSheets.Sheet.LineEnding = .lf
    ) {
        self.specimens = specimens.filter { $0.deletedAt == nil }.sorted { $0.id < $1.id }
        self.photographs = photographs
        self.sesarCode = sesarCode
        self.ending = ending
        sheets = MetPetDBSheets(self.specimens, vocabulary: vocabulary)
    }

    /// How many specimens there are, without deleted ones.
    public var count: Int { specimens.count }

    /// The specimens that a form cannot hold, but for deleted ones. Whoever exports should be told before.
    public func leftOut(_ form: ExportForm) -> [LeftOut] {
        switch form {
        case .metpetdb, .metpetdbSheets: sheets.leftOut
        case .sesar:
            specimens.compactMap { specimen in
                let reasons = SESARForm.judge(specimen)
                return reasons.isEmpty ? nil : LeftOut(specimen, reasons)
            }
        case .gpx:
            specimens.filter { $0.position?.coordinate == nil }.map {
                LeftOut($0, [.init(field: "lat", words: "is missing; a waypoint has a position")])
            }
        case .geojson, .kml, .kmz, .csv, .zip: []
        }
    }

    /// Writes one form.
    ///
    /// - Parameters:
    ///   - form: which.
    ///   - sink: takes the bytes; after an error what it took is no file.
    /// - Throws: what the sink or the reader of photographs throws; ``InterchangeError/Reason/severalSheets`` for
    ///   ``ExportForm/metpetdb`` if one sheet cannot hold all, ``InterchangeError/Reason/nothingToWrite`` if it would
    ///   hold none.
    public func write(_ form: ExportForm, to sink: @escaping ByteSink) throws(InterchangeError) {
        switch form {
        case .metpetdb: try onlySheet().write(ending: ending, to: sink)
        case .metpetdbSheets: try writeSheets(to: sink)
        case .sesar:
            try SESARForm.write(specimens.filter { SESARForm.judge($0).isEmpty }, code: sesarCode, to: sink)
        case .geojson: try GeoJSONForm.write(specimens, to: sink)
        case .gpx: try GPXForm.write(specimens, to: sink)
        case .kml: try KMLForm.write(specimens, to: sink)
        case .kmz: try writeKMZ(to: sink)
        case .csv: try PlainCSVForm.write(specimens, to: sink)
        case .zip: try writeZip(to: sink)
        }
    }

    /// Says, before a byte is written, what would keep ``write(_:to:)`` from beginning.
    ///
    /// - Parameter form: which form is to be written.
    /// - Throws: the error that writing would throw at once.
    public func check(_ form: ExportForm) throws(InterchangeError) {
        if form == .metpetdb { _ = try onlySheet() }
    }

    private func onlySheet() throws(InterchangeError) -> MetPetDBSheets.Sheet {
        guard let sheet = sheets.sheets.first else {
            throw InterchangeError(
                .nothingToWrite, "cannot write a sheet for MetPetDB: it would take none of the specimens as they are")
        }
        guard sheets.sheets.count == 1 else {
            throw InterchangeError(
                .severalSheets,
                """
                cannot write one sheet for MetPetDB: the specimens need \(sheets.sheets.count), since an empty cell is a \
                fault there; take the form metpetdb-sheets, or fewer specimens
                """)
        }
        return sheet
    }
}
