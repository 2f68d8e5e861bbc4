internal import JSONCoding
public import KonzaModel
internal import KonzaSystem

/// Something on the ground that people can name.
public struct Landmark: Sendable, Equatable {
    /// Unique among the landmarks of a file: what it is called there, else its kind and its place.
    public let id: String
    /// Its kind is such as `tower`, `hilltop`.
    public let called: SightName
    public let place: Coordinate
    /// Of what is looked at: its top, metres above mean sea level; nil for the ground there.
    public let top: Double?
    /// How far its place and its height may be off, metres.
    public let placeError: Double

    /// Makes one; without a name it is called by its kind and its height.
    public init(id: String, name: String?, kind: String, place: Coordinate, top: Double?, placeError: Double) {
        self.id = id
        called = SightName(own: name, kind: kind, top: top)
        (self.place, self.top, self.placeError) = (place, top, placeError)
    }

    /// In English.
    public var name: String { called.text() }
    public var kind: String { called.kind }

    /// The largest file, bytes, and the most landmarks that are read.
    private static let largestFile = 1 << 20
    private static let most = 2000

    /// Reads the points of a GeoJSON file (RFC 7946) with the members that `config/terrain/SOURCES.md` names.
    ///
    /// - Parameter path: of the file.
    /// - Returns: the landmarks, without those that have no place. What two lists have at one place by one name is there once, as the
    ///   better known.
    /// - Throws: why the file cannot be read.
    public static func read(_ path: String) throws -> [Landmark] {
        let file = try MappedFile(path, limit: largestFile)
        let collection = try JSONText.decode(Collection.self, from: file.bytes(0..<file.count))
        return withoutRepeats(collection.features.prefix(most).compactMap(landmark))
    }

    private static func withoutRepeats(_ landmarks: [Landmark]) -> [Landmark] {
        var known: [String: [Int]] = [:]
        var kept: [Landmark] = []
        for landmark in landmarks {
            guard let name = landmark.called.own else {
                kept.append(landmark)
                continue
            }
            // Errors are standard deviations.
            let same = known[name]?.first { index in
                let other = kept[index]
                return other.place.distance(to: landmark.place) <= 2 * (other.placeError + landmark.placeError)
            }
            guard let same else {
                known[name, default: []].append(kept.count)
                kept.append(landmark)
                continue
            }
            if landmark.placeError < kept[same].placeError { kept[same] = landmark }
        }
        return kept
    }

    private struct Collection: Decodable {
        var features: [Feature]
    }

    private struct Feature: Decodable {
        struct Geometry: Decodable {
            var type: String
            var coordinates: [Double]
        }

        struct Properties: Decodable {
            var kind: String?
            var name: String?
            var id: String?
            var heightAboveGround: Double?
            var topMSL: Double?
            var groundMSL: Double?
            var horizontalAccuracy: Double?
            var verticalAccuracy: Double?
        }

        var geometry: Geometry
        var properties: Properties
    }

    private static func landmark(_ feature: Feature) -> Landmark? {
        let facts = feature.properties
        let numbers = feature.geometry.coordinates
        guard feature.geometry.type == "Point", numbers.count >= 2,
            let place = Coordinate(latitude: numbers[1], longitude: numbers[0])
        else { return nil }
        let kind = facts.kind ?? "landmark"
        let raised = facts.groundMSL.map { $0 + (facts.heightAboveGround ?? 0) }
        let top = facts.topMSL ?? raised
        let own = facts.name.map { String($0.prefix(80)) }
        // Accuracies hold for 95 %, and the height's for most; a standard deviation is half of it.
        let error = max(facts.horizontalAccuracy ?? 20, facts.verticalAccuracy ?? 0) / 2
        return Landmark(
            id: facts.id ?? own ?? "\(kind) \(numbers[1]),\(numbers[0])", name: own, kind: kind, place: place,
            top: top,
            placeError: max(error, 0.5))
    }
}
