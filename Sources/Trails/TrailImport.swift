public import KonzaModel

/// Makes a source of trails of a file.
public enum TrailImport {
    /// Reads a file of trails and makes a network of it.
    ///
    /// - Parameters:
    ///   - bytes: GeoJSON (RFC 7946), GPX 1.1 or OSM XML.
    ///   - name: to keep the source by.
    ///   - instant: when it is imported.
    /// - Returns: the source, and what a person should look at.
    /// - Throws: ``TrailError/unusableFile(_:)`` with why, and what to do.
    public static func source(
        of bytes: [UInt8], name: String, at instant: UTCInstant
    ) throws(TrailError) -> (source: TrailSource, report: TrailReport) {
        let made = try NetworkBuilder.build(try TrailFile.read(bytes), name: name, origin: .imported, at: instant)
        guard !made.source.segments.isEmpty || !made.source.places.isEmpty else {
            throw .unusableFile(
                "cannot import the trails: none of the file's lines has a length that one could walk; look at its coordinates"
            )
        }
        return made
    }
}
