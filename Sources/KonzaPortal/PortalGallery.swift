internal import Gallery
internal import HTTPServing
internal import HTTPTransfer
internal import JSONCoding
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Settings
internal import Storage

/// The gallery of the settings, its list in the portal's database, and the postcards that konzad gives.
struct PortalGallery: Sendable {
    /// On whose behalf konzad is asked: for what its visitor agreed to show.
    private static let client = "kiosk gallery"

    let routes: [Route]
    /// Nil where the station has no gallery.
    private let register: GalleryRegister?
    private let log: Log

    /// - Parameters:
    ///   - rule: of the settings.
    ///   - database: with ``GalleryRegister/migrations``.
    ///   - station: gives the postcards.
    ///   - rights: whose postcards the kiosk's visitor may show.
    ///   - clock: the time.
    ///   - log: takes what rangers decided.
    init(
        _ rule: StationSettings.GalleryRule, database: Database, station: StationLink, rights: Rights,
        clock: any StationClock, log: Log
    ) {
        register =
            rule == .off ? nil : GalleryRegister(database, moderation: rule == .open ? .after : .before, clock: clock)
        self.log = log
        routes =
            GalleryRoutes(
                register,
                postcard: { id throws(Problem) in
                    guard let body = try Self.ask("/v1/postcards/\(id)", station) else { return nil }
                    do {
                        return try JSONText.decode(PostcardReply.self, from: body)
                    } catch {
                        throw Problem(.unavailable, "cannot show the postcard now: it is not taken yet")
                    }
                },
                picture: { id, name throws(Problem) in
                    guard let picture = try Self.ask("/v1/postcards/\(id)/\(name)", station) else {
                        throw Problem(.notFound, "cannot show the postcard: it was deleted")
                    }
                    return picture
                },
                mayShow: { principal, id throws(Problem) in try rights.checkPostcard(id, by: principal) },
                note: { log(.notice, $0) }
            ).routes
    }

    /// Whether others may see a postcard.
    func isShown(_ postcard: String) -> Bool { (try? register?.isShown(postcard)) ?? false }

    /// Forgets a postcard that konzad has deleted. Where that cannot be written down, the postcard is shown to nobody all the same:
    /// konzad has it no longer.
    func forget(_ postcard: String) {
        do throws(StorageError) {
            try register?.remove(postcard)
        } catch {
            log(.warning, "cannot take the postcard \(postcard) out of the gallery's list: \(error), ignoring")
        }
    }

    /// - Returns: nil where there is none.
    private static func ask(_ path: String, _ station: StationLink) throws(Problem) -> [UInt8]? {
        var request = StationRequest("GET", path)
        request.headers.append(("konza-on-behalf-of", client))
        let answer = try station.answer(request)
        switch answer.status {
        case 200: return answer.body
        case 404: return nil
        default:
            throw Problem(.unavailable, "cannot show the postcard now: konzad answers with status \(answer.status)")
        }
    }
}
