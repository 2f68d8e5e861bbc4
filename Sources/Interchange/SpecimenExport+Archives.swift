internal import FoundationEssentials
internal import KonzaModel

extension SpecimenExport {
    /// The time of what was changed last: the time of the files that are about all specimens.
    private var newest: UTCInstant {
        specimens.map(\.changedAt).max() ?? CivilTime(year: 1980, month: 1, day: 1).instant()
    }

    private func text(
        _ name: String, _ write: @escaping (@escaping ByteSink) throws(InterchangeError) -> Void
    ) -> ZipEntry {
        ZipEntry(name: name, time: newest, isCompressed: true, write: write)
    }

    private func form(_ name: String, _ form: ExportForm) -> ZipEntry {
        text(name) { (sink) throws(InterchangeError) in try self.write(form, to: sink) }
    }

    private func picture(
        _ name: String, _ photograph: Photograph, _ specimen: Specimen, _ rendition: PhotographRendition
    ) -> ZipEntry {
        let time = photograph.takenAt ?? UTCInstant(nanoseconds: Int64(photograph.id.milliseconds) * 1_000_000)
        return ZipEntry(name: name, time: time, isCompressed: false) { (sink) throws(InterchangeError) in
            try photographs.read(photograph, of: specimen, as: rendition) { (piece) throws(InterchangeError) in
                try sink(piece)
            }
        }
    }

    private var sheetEntries: [ZipEntry] {
        let width = String(sheets.sheets.count).utf8.count
        return sheets.sheets.enumerated().map { index, sheet in
            let number = String(index + 1)
            let zeros = String(repeating: "0", count: max(2, width) - number.utf8.count)
            return text("metpetdb/metpetdb-\(zeros)\(number).csv") { (sink) throws(InterchangeError) in
                try sheet.write(ending: self.ending, to: sink)
            }
        }
    }

    /// The sheets, and what they left out.
    func writeSheets(to sink: @escaping ByteSink) throws(InterchangeError) {
        var bundle = Bundle(sink)
        for entry in sheetEntries { try bundle.add(entry) }
        let leftOut = BundleNotes.leftOut(sheets.leftOut)
        try bundle.add(text("metpetdb/left-out.json") { (sink) throws(InterchangeError) in try sink(leftOut) })
        try bundle.finish()
    }

    /// `doc.kml` first, as readers want it, then the pictures that it shows. A picture that cannot be read is not shown.
    func writeKMZ(to sink: @escaping ByteSink) throws(InterchangeError) {
        var entries: [(entry: ZipEntry, measure: ZipEntry.Measure)] = []
        var pictures: [SpecimenID: [String]] = [:]
        for specimen in specimens {
            for photograph in specimen.photographs {
                let entry = picture("files/\(photograph.id)-thumbnail.jpg", photograph, specimen, .thumbnail)
                guard let measure = try Bundle.measured(entry) else { continue }
                entries.append((entry, measure.0))
                pictures[specimen.id, default: []].append(entry.name)
            }
        }
        let shown = pictures
        let document = text("doc.kml") { (sink) throws(InterchangeError) in
            try KMLForm.write(self.specimens, pictures: shown, to: sink)
        }
        var writer = ZipWriter(sink)
        try writer.add(document, try document.measured().0)
        for (entry, measure) in entries.sorted(by: { $0.entry.name < $1.entry.name }) { try writer.add(entry, measure) }
        try writer.finish()
    }

    /// Every form, every record and every photograph, with a list of checksums. Names are in order, the list is last.
    func writeZip(to sink: @escaping ByteSink) throws(InterchangeError) {
        var bundle = Bundle(sink)
        for entry in sheetEntries { try bundle.add(entry) }
        for (entry, photograph) in photographEntries() { try bundle.add(entry, expecting: photograph.sha256) }
        try bundle.add(form("sesar.csv", .sesar))
        for form in [ExportForm.csv, .geojson, .gpx] { try bundle.add(self.form("specimens.\(form.rawValue)", form)) }
        try bundle.add(text("specimens.json") { (sink) throws(InterchangeError) in try writeRecords(to: sink) })
        try bundle.add(form("specimens.kml", .kml))
        let notes = BundleNotes.notes(
            bundle, metpetdb: leftOut(.metpetdb), sesar: leftOut(.sesar), gpx: leftOut(.gpx))
        try bundle.add(text("MANIFEST.json") { (sink) throws(InterchangeError) in try sink(notes) })
        let sums = bundle.sums
        try bundle.add(text("SHA256SUMS") { (sink) throws(InterchangeError) in try sink(sums) })
        try bundle.finish()
    }

    /// In the order of their paths: a folder for each specimen, named for its number.
    private func photographEntries() -> [(ZipEntry, Photograph)] {
        var folders = UniqueNames()
        var entries: [(ZipEntry, Photograph)] = []
        for specimen in specimens where !specimen.photographs.isEmpty {
            let folder = folders.take(specimen.number, otherwise: specimen.id.description)
            var names = UniqueNames()
            for photograph in specimen.photographs {
                let name = names.take(photograph.fileName, otherwise: photograph.id.description)
                entries.append((picture("photographs/\(folder)/\(name)", photograph, specimen, .original), photograph))
            }
        }
        return entries.sorted { $0.0.name < $1.0.name }
    }

    /// The records as the station keeps them, in a JSON array.
    private func writeRecords(to sink: @escaping ByteSink) throws(InterchangeError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // What a damaged record holds beyond numbers must not keep the others from being written.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        var output = TextOutput(sink)
        try output.add("[\n")
        for (index, specimen) in specimens.enumerated() {
            guard let record = try? encoder.encode(specimen) else {
                throw InterchangeError(.recordUnwritable, "cannot write the record of \(specimen.number) as JSON")
            }
            try output.add((index > 0 ? ",\n" : "") + String(decoding: record, as: UTF8.self))
        }
        try output.add("\n]\n")
        try output.flush()
    }
}
