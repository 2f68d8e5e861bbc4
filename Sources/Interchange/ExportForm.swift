/// The forms in which specimens leave the station.
public enum ExportForm: String, Sendable, CaseIterable {
    /// One sheet of MetPetDB's bulk upload.
    case metpetdb = "metpetdb-csv"
    /// A zip of as many such sheets as the specimens need.
    case metpetdbSheets = "metpetdb-sheets"
    case sesar
    case geojson
    case gpx
    case kml
    /// KML in a zip with the photographs, small.
    case kmz
    case csv
    /// The photographs, all records and all forms.
    case zip

    /// The media type, with its parameters.
    public var mediaType: String {
        switch self {
        case .metpetdb, .sesar, .csv: "text/csv; charset=utf-8; header=present"
        case .metpetdbSheets, .zip: "application/zip"
        case .geojson: "application/geo+json"
        case .gpx: "application/gpx+xml"
        case .kml: "application/vnd.google-earth.kml+xml"
        case .kmz: "application/vnd.google-earth.kmz"
        }
    }

    /// A name for the file, ASCII, without a space.
    public var fileName: String {
        switch self {
        case .metpetdb: "konza-metpetdb.csv"
        case .metpetdbSheets: "konza-metpetdb.zip"
        case .sesar: "konza-sesar.csv"
        case .csv: "konza-specimens.csv"
        default: "konza-specimens.\(rawValue)"
        }
    }
}
