public import HTTPServing
public import KonzaAPI
internal import KonzaModel

/// A trail on a telephone: a code that leads to its GPX file, which every map application opens. Trails are public, so the
/// address has no secret and does not end.
public struct TrailsHome: Sendable {
    /// The GPX of a trail by its name, or why there is none.
    public typealias Track = @Sendable (String) throws(Problem) -> [UInt8]

    private struct Answer: Encodable {
        let link: TakeHomeCode
        /// The network that the telephone must join first; absent where it is in it anyway.
        let network: TakeHomeNetwork?
    }

    private static let longestName = 120
    private static let name = QueryParameter(
        "trail", "Its name.", .name(longestName), isRequired: true)

    private let place: TakeHomePlace?
    private let track: Track

    /// - Parameters:
    ///   - place: where links lead; nil where telephones cannot reach the station.
    ///   - track: has konzad give the GPX of a trail; blocks.
    public init(place: TakeHomePlace?, track: @escaping Track) {
        self.place = place
        self.track = track
    }

    /// For the pages.
    public var routes: [Route] {
        [
            Route(
                .get, "/v1/trail-link", access: .everyone, operation: "getTrailLink",
                summary: "Where a telephone finds the GPX of a trail", query: [Self.name],
                replies: [Reply(200, "The link, its QR code, and the network to join first.", schema: "TrailLink")],
                handler: .asynchronous { request in
                    guard let place else {
                        throw Problem(
                            .unavailable,
                            "cannot give a link: telephones do not reach this station; name an address with [Portal] TakeHome="
                        )
                    }
                    let name = request.query("trail") ?? ""
                    // A code that leads nowhere is worse than none.
                    _ = try track(name)
                    let link = TakeHomeCode("\(place.address)/trail.gpx?trail=\(percentEncoded(name))")
                    return try .json(Answer(link: link, network: TakeHomeNetwork(place)))
                }
            ).failing(.unavailable, .notFound)
        ]
    }

    /// For telephones.
    public var `public`: [Route] {
        [
            Route(
                .get, "/trail.gpx", access: .everyone, operation: "getTrailTrack", summary: "A trail as GPX 1.1",
                query: [Self.name], produces: ["application/gpx+xml"], replies: [Reply(200, "The track.")],
                handler: .asynchronous { request in
                    let name = request.query("trail") ?? ""
                    var response = Response.bytes(try track(name), type: "application/gpx+xml")
                    response.headers.append(
                        "content-disposition", "attachment; filename=\"\(Self.fileName(name)).gpx\"")
                    return response
                }
            ).failing(.notFound, .unavailable)
        ]
    }

    /// Letters and digits alone: a header field has no room for others.
    private static func fileName(_ name: String) -> String {
        let plain = name.lowercased().unicodeScalars.map {
            $0.isASCII && $0.properties.isAlphabetic || ("0"..."9").contains($0) ? String($0) : "-"
        }
        let words = plain.joined().split(separator: "-").joined(separator: "-")
        return words.isEmpty ? "trail" : words
    }
}
