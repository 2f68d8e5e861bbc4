internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import MapTiles
internal import Settings

/// The ground of the map: the tiles of the file that the operator names, or of the relief that came along.
struct MapRoutes: Sendable {
    private struct Answer: Encodable {
        struct Layer: Encodable {
            let name: String
            let attribution: String?
            let minimumZoom: Int
            let maximumZoom: Int
            /// West, south, east, north; degrees.
            let bounds: [Double]?
            /// With `{z}`, `{x}` and `{y}`, rows from the north.
            let tiles: String
        }

        let ground: Layer
    }

    /// Addresses have the file's version: what they answer never changes.
    private static let unchanging = "public, max-age=31536000, immutable"

    private let archive: TileArchive?
    /// Why there are no tiles, for people.
    let complaint: String?

    /// - Parameter settings: of the station.
    init(_ settings: StationSettings) {
        let path = settings.portal.map ?? Self.shipped
        do throws(TileError) {
            archive = try TileArchive(path: path)
            complaint = nil
        } catch {
            archive = nil
            complaint = error.description
        }
    }

    private static var shipped: String {
        let folder = ProgramFiles.folder(
            installed: "share/konza/terrain", tree: "config/terrain", otherwise: "/usr/share/konza/terrain",
            mark: "relief.mbtiles")
        return "\(folder)/relief.mbtiles"
    }

    var routes: [Route] {
        [
            Route(
                .get, "/v1/map", access: .everyone, operation: "getMap", summary: "The ground of the map",
                replies: [Reply(200, "Where its tiles are, and what they cover.", schema: "Map")],
                handler: .immediate { [archive, complaint] _ throws(Problem) in
                    guard let archive else { throw Problem(.notFound, complaint ?? "cannot show the map") }
                    return try .json(Answer(ground: Self.layer(archive)))
                }
            ).failing(.notFound),
            Route(
                .get, "/v1/map/tiles/{version}/{zoom}/{column}/{row}", access: .everyone, operation: "getMapTile",
                summary: "A tile of the map's ground", produces: ["image/jpeg", "image/png", "image/webp"],
                replies: [Reply(200, "The picture."), Reply(204, "The map has no such tile.")],
                handler: .asynchronous { [archive] request in
                    guard let archive, request.parameter("version") == archive.version,
                        let zoom = Int(request.parameter("zoom")), let column = Int(request.parameter("column")),
                        let row = Int(request.parameter("row"))
                    else { throw Problem(.notFound, "cannot find the tile: GET /v1/map says where tiles are") }
                    return try Self.answer(archive, zoom, column, row)
                }
            ).failing(.notFound, .unavailable),
        ]
    }

    private static func layer(_ archive: TileArchive) -> Answer.Layer {
        let facts = archive.facts
        return Answer.Layer(
            name: facts.name, attribution: facts.attribution, minimumZoom: facts.zooms.lowerBound,
            maximumZoom: facts.zooms.upperBound, bounds: facts.bounds.map { [$0.west, $0.south, $0.east, $0.north] },
            tiles: "/v1/map/tiles/\(archive.version)/{z}/{x}/{y}")
    }

    private static func answer(_ archive: TileArchive, _ zoom: Int, _ column: Int, _ row: Int) throws(Problem)
        -> Response
    {
        do throws(TileError) {
            guard let tile = try archive.tile(zoom: zoom, column: column, row: row) else {
                return Response(status: 204, headers: ["cache-control": unchanging])
            }
            var response = Response.bytes(tile.bytes, type: tile.mediaType)
            response.headers["cache-control"] = unchanging
            response.entityTag = "\(archive.version)-\(zoom)-\(column)-\(row)"
            return response
        } catch {
            throw Problem(.unavailable, error.description)
        }
    }
}
