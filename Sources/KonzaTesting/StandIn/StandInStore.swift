internal import FoundationEssentials
internal import KonzaAPI

/// A sample that the stand-in holds.
public struct StandInSample: Sendable, Equatable {
    public var id: String
    public var ownerID: String
    public var number: String
    public var isPublic = false
    public var rockType: String
    /// Nil for the empty point that "nan" leaves behind.
    public var latitude: Double?
    public var longitude: Double?
    public var locationError: Double?
    public var sesarNumber: String?
    public var collectorName: String?
    public var collectionDate: String?
    public var locationName: String?
    public var country: String?
    public var description: String?
    public var regions: [String] = []
    public var metamorphicGrades: [String] = []
    public var metamorphicRegions: [String] = []
    public var minerals: [Mineral] = []
    public var references: [String] = []
    public var images: [StandInImage] = []
    public var subsamples: [Subsample] = []
    /// What people wrote about it; the older servlet alone shows these.
    public var comments: [String] = []

    /// A part of it that was analysed; each analysis is the name of a mineral, or nil for the rock as a whole.
    public struct Subsample: Sendable, Equatable {
        public var id: String
        public var name: String
        public var analyses: [String?]

        public init(id: String, name: String, analyses: [String?]) {
            self.id = id
            self.name = name
            self.analyses = analyses
        }
    }

    public struct Mineral: Sendable, Equatable {
        public var name: String
        public var amount: String

        public init(name: String, amount: String) {
            self.name = name
            self.amount = amount
        }
    }

    public init(
        id: String, ownerID: String, number: String, isPublic: Bool = false, rockType: String, latitude: Double?,
        longitude: Double?
    ) {
        self.id = id
        self.ownerID = ownerID
        self.number = number
        self.isPublic = isPublic
        self.rockType = rockType
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// An image that the stand-in holds.
public struct StandInImage: Sendable, Equatable {
    public var id: String
    public var fileName: String
    public var ownerID: String
    public var imageType: Int
    public var scale: Int?
    public var description: String?
    public var collector: String?
    public var isPublic: Bool
    public var bytes: [UInt8]
    public var comments: [String] = []

    public init(
        id: String, fileName: String, ownerID: String, imageType: Int, scale: Int? = nil, description: String? = nil,
        collector: String? = nil, isPublic: Bool, bytes: [UInt8]
    ) {
        self.id = id
        self.fileName = fileName
        self.ownerID = ownerID
        self.imageType = imageType
        self.scale = scale
        self.description = description
        self.collector = collector
        self.isPublic = isPublic
        self.bytes = bytes
    }
}

/// What the stand-in holds, and what it does with requests.
struct StandInStore {
    struct User {
        let id: String
        let email: String
        let name: String
        let password: String
    }

    var users: [User]
    var tokens: [String: String] = [:]
    var vocabulary = StandInVocabulary()
    var samples: [StandInSample] = []
    var addedTerms = 0
    var sesar = StandInSesar()
    var quirks = StandInQuirks()
    /// What the server can fetch from elsewhere, by address.
    var sheets: [String: [UInt8]] = [:]
    /// Where the request that is answered was sent to: the addresses of images begin with it.
    var host = "127.0.0.1"
    /// What the older servlet answers in place of its own.
    var legacyReply: [UInt8]?

    init() {
        users = [
            User(
                id: Self.newID(), email: StandInMetPetDB.email, name: "A. Collector",
                password: StandInMetPetDB.password),
            User(id: Self.newID(), email: StandInMetPetDB.otherEmail, name: "B. Colleague", password: "other"),
        ]
    }

    static func newID() -> String { UUID().uuidString.lowercased() }

    mutating func handle(
        _ request: StandInRequest, quirks: StandInQuirks, isHalfway: Bool
    ) -> StandInAnswer {
        self.quirks = quirks
        host = request.headers["host"] ?? host
        if request.method == "POST", request.path.hasSuffix("/searchIPhonePost.svc") { return legacy(request) }
        if sesar.isMeant(request) { return sesar.handle(request) }
        if request.path.hasPrefix("/media/") { return media(request) }
        guard request.path.hasPrefix("/api/") else { return .page(404) }
        // Django's APPEND_SLASH cannot redirect a request with a body.
        guard request.path.hasSuffix("/") else {
            return request.method == "GET"
                ? StandInAnswer(status: 301, headers: [("Location", request.path + "/")], body: [])
                : .traceback("RuntimeError", request)
        }
        var user: User?
        if let header = request.headers["authorization"] {
            let token = header.hasPrefix("Token ") ? String(header.dropFirst(6)) : ""
            user = users.first { $0.id == tokens[token] }
            if user == nil { return .detail(401, "Invalid token.") }
        }
        let parts = request.path.split(separator: "/").map(String.init)
        if parts.count >= 2, parts[1] == "auth" { return authenticate(request, parts, user) }
        let isRead = request.method == "GET"
        guard isRead || user != nil else {
            return .detail(401, "Authentication credentials were not provided.")
        }
        switch (request.method, parts.count > 1 ? parts[1] : "", parts.count) {
        case ("GET", "samples", 2): return search(request, user)
        case ("POST", "samples", 2): return create(request, user, isHalfway: isHalfway)
        case ("GET", "samples", 3): return read(parts[2], user)
        case ("PUT", "samples", 3), ("PATCH", "samples", 3):
            return update(request, parts[2], user, isHalfway: isHalfway)
        case ("POST", "images", 2): return addImage(request, user)
        case ("POST", "bulk_upload", 2): return bulkUpload(request, user)
        case ("GET", "regions", 2): return regions(request)
        case ("GET", "subsamples", 3): return subsample(parts[2], user)
        case ("GET", "chemical_analyses", 2): return analyses(request, user)
        case ("POST", let list, 2) where vocabulary.lists[list] != nil:
            addedTerms += 1
            return .json(201, .object([:]))
        case ("GET", let list, 2): return vocabulary.answer(list, request) ?? .detail(404, "Not found.")
        default: return .detail(404, "Not found.")
        }
    }

    private mutating func authenticate(_ request: StandInRequest, _ parts: [String], _ user: User?) -> StandInAnswer {
        switch parts.dropFirst(2).joined(separator: "/") {
        case "me":
            guard let user else { return .detail(401, "Authentication credentials were not provided.") }
            return .json(
                200, .object(["id": .string(user.id), "email": .string(user.email), "name": .string(user.name)]))
        case "token/destroy":
            if let user { tokens = tokens.filter { $0.value != user.id } }
            return .empty
        case "token/create":
            let body = Self.object(request.body) ?? [:]
            guard let user = users.first(where: { .string($0.email) == body["email"] }),
                body["password"] == .string(user.password)
            else {
                return .json(
                    400,
                    .object(["non_field_errors": .array([.string("Unable to login with provided credentials.")])]))
            }
            // One token for each user, as Django REST framework has it.
            let known = tokens.first { $0.value == user.id }?.key
            let token = known ?? String((Self.newID() + Self.newID()).filter { $0 != "-" }.prefix(40))
            tokens[token] = user.id
            return .json(200, .object(["auth_token": .string(token), "user_id": .string(user.id)]))
        default: return .detail(404, "Not found.")
        }
    }

    static func object(_ body: [UInt8]) -> [String: JSONValue]? {
        guard case .object(let members)? = try? JSONDecoder().decode(JSONValue.self, from: Data(body)) else {
            return nil
        }
        return members
    }

    /// What the sample says, as the server writes it.
    func json(_ sample: StandInSample) -> JSONValue {
        func text(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }
        func number(_ value: Double?) -> JSONValue { value.map(JSONValue.number) ?? .null }
        func list(_ values: [String]) -> JSONValue { .array(values.map(JSONValue.string)) }
        func rounded(_ value: Double?) -> JSONValue {
            number(quirks.roundsCoordinates ? value.map { ($0 * 1e5).rounded() / 1e5 } : value)
        }
        let owner = users.first { $0.id == sample.ownerID }
        return .object([
            "id": .string(sample.id), "number": .string(sample.number),
            "owner": .object(["id": .string(sample.ownerID), "name": .string(owner?.name ?? "")]),
            "regions": list(sample.regions), "country": text(sample.country), "rock_type": .string(sample.rockType),
            "metamorphic_grades": list(sample.metamorphicGrades),
            "metamorphic_regions": list(sample.metamorphicRegions),
            "minerals": list(sample.minerals.map(\.name)), "references": list(sample.references),
            "longitude": rounded(sample.longitude), "latitude": rounded(sample.latitude),
            "location_error": number(sample.locationError), "sesar_number": text(sample.sesarNumber),
            "collector_name": text(sample.collectorName), "collection_date": text(sample.collectionDate),
            "location_name": text(sample.locationName), "description": text(sample.description),
            "images": .array(sample.images.map(json)), "subsample_ids": list(sample.subsamples.map(\.id)),
            "chemical_analyses_ids": list(
                sample.subsamples.flatMap { part in part.analyses.map { _ in part.id } }),
            "public_data": .bool(sample.isPublic),
        ])
    }

    func json(_ image: StandInImage) -> JSONValue {
        let folder = image.id.replacing("-", with: "/")
        return .object([
            "id": .string(image.id),
            "image": .object([
                "full_size": .string("http://\(host)/media/\(folder)/\(image.fileName)"),
                "thumbnail": .string("http://\(host)/media/__sized__/\(folder)/thumbnail.jpg"),
            ]),
            "version": .number(0),
            "image_type": .object(["id": .number(Double(image.imageType)), "image_type": .string("Field Photo")]),
            "scale": image.scale.map { .number(Double($0)) } ?? .null,
            "description": image.description.map(JSONValue.string) ?? .null,
            "owner": .object(["id": .string(image.ownerID)]), "public_data": .bool(image.isPublic),
            "comments": .array(image.comments.map { .object(["comment_text": .string($0)]) }),
        ])
    }
}
