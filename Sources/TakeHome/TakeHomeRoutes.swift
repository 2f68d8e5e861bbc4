public import HTTPServing
public import KonzaAPI
internal import KonzaModel
internal import Storage

/// Where a telephone finds the pictures, and the network that it must be in for that.
public struct TakeHomePlace: Sendable {
    /// Such as `http://192.168.8.1:8480`.
    public let address: String
    /// The name of the station's Wi-Fi; nil where telephones are in the network anyway.
    public let networkName: String?
    /// Nil for one without.
    public let networkPassword: String?

    public init(address: String, networkName: String?, networkPassword: String?) {
        self.address = address
        self.networkName = networkName
        self.networkPassword = networkPassword
    }

    /// What a QR code says to join a network (the form that ZXing introduced, "Barcode Contents").
    var networkText: String? {
        networkName.map { name in
            let secret = networkPassword.map { "T:WPA;S:\(Self.escaped(name));P:\(Self.escaped($0))" }
            return "WIFI:\(secret ?? "T:nopass;S:\(Self.escaped(name))");;"
        }
    }

    private static func escaped(_ text: String) -> String {
        String(text.flatMap { "\\;,:\"".contains($0) ? ["\\", $0] : [$0] })
    }
}

/// `POST /v1/shares`: a link by which a postcard goes home on a telephone.
public struct TakeHomeRoutes: Sendable {
    private struct Share: Encodable {
        let link: TakeHomeCode
        let endsAt: String
        /// The network that the telephone must join first; absent where it is in it anyway.
        let network: TakeHomeNetwork?
    }

    private let register: ShareRegister
    private let place: TakeHomePlace?
    private let mayTake: @Sendable (Principal, String) throws(Problem) -> Void

    /// - Parameters:
    ///   - register: the links.
    ///   - place: where they lead; nil where telephones cannot reach the station.
    ///   - mayTake: throws a problem if somebody may not have a postcard.
    public init(
        _ register: ShareRegister, place: TakeHomePlace?,
        mayTake: @escaping @Sendable (Principal, String) throws(Problem) -> Void
    ) {
        self.register = register
        self.place = place
        self.mayTake = mayTake
    }

    public var routes: [Route] {
        [
            Route(
                .post, "/v1/shares", access: .only(.kiosk, .ranger, .keeper), operation: "sharePostcard",
                summary: "Make a link by which a postcard goes home: {\"postcard\": id}",
                body: RequestBody(schema: "ShareRequest", isRequired: true, limit: 1024),
                replies: [Reply(201, "The link, its QR code, and the network to join first.", schema: "Share")],
                handler: .asynchronous { request in
                    var members = RequestMembers(try request.json())
                    let id = members.string("postcard") ?? ""
                    if !Self.isID(id) { members.fault("postcard", "expected the id of a postcard") }
                    try members.finish()
                    return try share(id, request.principal)
                }
            ).failing(.notFound, .unavailable, .archiveUnavailable)
        ]
    }

    private static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    private func share(_ id: String, _ principal: Principal) throws(Problem) -> Response {
        guard let place else {
            throw Problem(
                .unavailable,
                "cannot give a link: telephones do not reach this station; name an address with [Portal] TakeHome=")
        }
        try mayTake(principal, id)
        do throws(StorageError) {
            let share = try register.share(id)
            return answer(share.secret, share.endsAt, place)
        } catch {
            throw Problem(.archiveUnavailable, "cannot give a link: \(error); free or mend the disk")
        }
    }

    private func answer(_ secret: String, _ end: UTCInstant, _ place: TakeHomePlace) -> Response {
        let share = Share(
            link: TakeHomeCode("\(place.address)/t/\(secret)"), endsAt: end.rfc3339, network: TakeHomeNetwork(place))
        do throws(Problem) { return try .json(share, status: 201) } catch { return .problem(error) }
    }
}
