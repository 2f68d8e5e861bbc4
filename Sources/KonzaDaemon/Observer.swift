internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import Positioning

/// The place that a request is about: the one of its parameters, else where the station is.
struct Observer: Sendable {
    /// As people and data sets write them: from -180, or up to 360.
    static let longitudes = Schema.Shape.range(-180...360)

    static let parameters = [
        QueryParameter(
            "latitude", "Degrees, WGS 84, north positive; the station's by default.", .range(-90...90),
            needs: "longitude"),
        QueryParameter(
            "longitude", "Degrees, WGS 84, east positive, up to 360; the station's by default.",
            longitudes, needs: "latitude"),
    ]

    let place: Coordinate
    let reply: ObserverReply
    /// Metres above mean sea level, if the receiver says.
    let altitude: Double?
    /// Whether it is the station's own.
    let isStation: Bool

    /// - Parameters:
    ///   - request: with the parameters.
    ///   - board: which knows where the station is.
    /// - Throws: `no-position` where the request names no place and the station has none.
    init(_ request: Request, _ board: PositionBoard) throws(Problem) {
        if let latitude = request.queryNumber("latitude"), let longitude = request.queryNumber("longitude") {
            guard let place = Self.place(latitude, longitude) else {
                throw Request.badQuery("latitude", "expected degrees")
            }
            self.place = place
            altitude = nil
            isStation = false
            reply = ObserverReply(place, source: "request")
            return
        }
        guard let station = Observer(board) else {
            throw Problem(
                .noPosition,
                "cannot tell where the station is: \(board.snapshot().health.reason); wait for a fix, or give latitude= "
                    + "and longitude=")
        }
        self = station
    }

    /// The place of a latitude and a longitude from -180 up to 360.
    static func place(_ latitude: Double, _ longitude: Double) -> Coordinate? {
        Coordinate(latitude: latitude, longitude: longitude > 180 ? longitude - 360 : longitude)
    }

    /// Where the station was at an instant.
    init(_ position: PositionAtInstant) {
        place = position.coordinate
        altitude = position.altitudeMSL
        isStation = true
        var reply = ObserverReply(position.coordinate, source: position.source.rawValue)
        reply.accuracy = position.accuracy?.metres
        self.reply = reply
    }

    /// Where the station is, or was last; nil if it has had no fix.
    init?(_ board: PositionBoard) {
        let snapshot = board.snapshot()
        guard let fix = snapshot.fix, let place = fix.coordinate else { return nil }
        self.place = place
        altitude = fix.altitudeMSL
        isStation = true
        var reply = ObserverReply(place, source: fix.source.rawValue)
        reply.state = snapshot.state
        reply.accuracy = fix.horizontalAccuracy?.metres
        reply.ageMs = snapshot.ageSeconds.map { Int(($0 * 1000).rounded()) }
        self.reply = reply
    }
}
