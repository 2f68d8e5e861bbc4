/// What every document in GPX 1.1 (topografix.com/GPX/1/1) has.
public enum GPXText {
    /// How a document begins.
    ///
    /// - Parameter namespaces: further namespaces, each by its prefix.
    /// - Returns: the XML declaration and the start tag of the root element.
    public static func start(namespaces: KeyValuePairs<String, String> = [:]) -> String {
        let further = namespaces.map { " xmlns:\($0.key)=\"\(XMLText.escaped($0.value))\"" }.joined()
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="konzad" xmlns="http://www.topografix.com/GPX/1/1"\(further) \
            xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.topografix.com/GPX/1/1 \
            http://www.topografix.com/GPX/1/1/gpx.xsd">

            """
    }

    /// The end of the root element.
    public static let end = "</gpx>\n"

    /// A longitude for nine decimals at most. The schema's `longitudeType` ends before 180: there it is -180.
    public static func longitude(_ degrees: Double) -> Double {
        (degrees * 1e9).rounded() >= 180e9 ? -180 : degrees
    }

    /// How a position was fixed: the schema's `fixType`.
    ///
    /// - Returns: nil where there is no fix.
    public static func fix(_ mode: FixMode, _ status: FixStatus) -> String? {
        guard mode >= .twoDimensional else { return nil }
        return switch status {
        case .differential, .rtkFixed, .rtkFloat: "dgps"
        case .encryptedPulse: "pps"
        default: mode == .threeDimensional ? "3d" : "2d"
        }
    }
}
