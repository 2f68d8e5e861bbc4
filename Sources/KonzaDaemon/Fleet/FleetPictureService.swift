internal import FleetMessaging
internal import Forwarding
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import QRCoding
internal import Settings
internal import Storage
internal import Synchronization

/// Keeps the outbox of pictures going: switches it as the settings say, adds the pictures from before, hands out what the
/// store is behind and takes what came of it.
final class FleetPictureService: Service {
    let name = "fleet pictures"

    /// What falls due without a bell is noticed so soon, seconds.
    private static let lookAround = 5.0
    /// How long what konza-fleet said of the store counts, seconds: it says so every 20.
    private static let silence = 60.0

    private struct State {
        var said: (report: FleetStoreReport, at: MonotonicInstant)?
        var stored = 0
        var storedAt: UTCInstant?
        var refusal: String?
        /// When it was last looked at.
        var figures: PictureFigures?
    }

    private let parts: StationParts
    private let records: FleetOutboxService
    private let bell = Bell()
    private let state = Mutex(State())

    /// - Parameters:
    ///   - parts: of the station.
    ///   - records: which have a next revision once their pictures are stored.
    init(parts: StationParts, records: FleetOutboxService) {
        self.parts = parts
        self.records = records
        parts.events.onRecord { [bell] in bell.ring() }
    }

    private var settings: StationSettings.Fleet { parts.settings.current.fleet }
    private var address: ObjectStoreAddress? {
        settings.broker == nil || settings.box.isEmpty ? nil : settings.storeAddress
    }

    // MARK: - Life

    func run() async throws {
        var settled: String?
        while !Task.isCancelled {
            let seen = bell.count
            let wanted = address?.description ?? ""
            if settled != wanted, await settle(wanted) { settled = wanted }
            // A link ends whether there is a store or not: its objects go as soon as there is one again.
            let now = parts.clock.utc()
            if (try? await parts.onOutbox({ archive throws(StorageError) in try archive.endPublic(at: now) })) == true {
                bell.ring()
            }
            if settled == wanted, !wanted.isEmpty,
                let figures = try? await parts.onOutbox({ archive throws(StorageError) in try archive.pictureFigures() }
                )
            {
                state.withLock { $0.figures = figures }
                // The index may be made anew at any time: then it is off there.
                if !figures.isOn || figures.isCounting { settled = nil }
            }
            let deadline = parts.clock.monotonic().advanced(bySeconds: settled == nil ? Self.lookAround : 60)
            await bell.wait(after: seen, until: deadline, clock: parts.clock)
        }
    }

    /// The settings were read anew.
    func reload() { bell.ring() }

    /// - Returns: whether the outbox is as the settings say, with every picture in it.
    private func settle(_ address: String) async -> Bool {
        do {
            try await parts.onOutbox { archive throws(StorageError) in
                try archive.turnPictures(!address.isEmpty, address: address)
            }
            guard !address.isEmpty else { return true }
            while try await parts.onOutbox({ archive throws(StorageError) in try archive.addOlderPictures() }) {
                if Task.isCancelled { return false }
            }
            bell.ring()
            return true
        } catch {
            parts.log(.debug, "the outbox of pictures waits: \(error)")
            return false
        }
    }

    // MARK: - For konza-fleet

    /// What the store is behind; waits for it at most so long.
    ///
    /// - Parameters:
    ///   - limit: the most steps.
    ///   - allOriginals: whether originals that nobody asked for may go now.
    ///   - waitingSeconds: how long to wait for something.
    /// - Returns: the steps.
    /// - Throws: a problem without a store.
    func steps(limit: Int, allOriginals: Bool, waitingSeconds: Double) async throws(Problem) -> FleetPicturesReply {
        try requireStore()
        let naming = Self.naming(settings)
        let deadline = parts.clock.monotonic().advanced(bySeconds: waitingSeconds)
        while true {
            let seen = bell.count
            let now = parts.clock.utc()
            let reply = try await parts.wordingOutbox { archive throws(StorageError) in
                let steps = try archive.pictures(
                    limit: limit, allOriginals: allOriginals, at: now, naming: naming)
                let latest = try archive.latestPicture()
                return FleetPicturesReply(
                    steps: steps.map(Self.step),
                    latest: latest.map { .init(id: $0.id, thumbnail: $0.thumbnailKey, picture: $0.key) })
            }
            let monotonic = parts.clock.monotonic()
            guard reply.steps.isEmpty, monotonic < deadline, !Task.isCancelled else { return reply }
            await bell.wait(
                after: seen, until: min(deadline, monotonic.advanced(bySeconds: Self.lookAround)), clock: parts.clock)
        }
    }

    private static func step(_ entry: PictureEntry) -> FleetPicturesReply.Step {
        let isThumbnail = entry.part == .thumbnail
        let path =
            switch entry.kind {
            case _ where entry.part == .publicPage: "/v1/fleet/pictures/\(entry.id)/page"
            // An hour of the way has no picture.
            case .postcard, .track: "/v1/postcards/\(entry.id)/\(isThumbnail ? "thumbnail.jpg" : "image.jpg")"
            case .specimen:
                "/v1/specimens/\(entry.record)/photographs/\(entry.id)/\(isThumbnail ? "thumbnail.jpg" : "file")"
            }
        return FleetPicturesReply.Step(
            id: entry.id, part: Self.words[entry.part] ?? "original", record: entry.record,
            kind: entry.kind.rawValue, mediaType: entry.mediaType, sha256: entry.sha256, rev: entry.rev, key: entry.key,
            remove: entry.isRemoval, tries: entry.tries, path: path)
    }

    private static let words: [PicturePart: String] = [
        .thumbnail: "thumbnail", .original: "original", .publicPicture: "public-picture", .publicPage: "public-page",
    ]

    /// The names of objects, by what the station is called now.
    private static func naming(
        _ settings: StationSettings.Fleet
    ) -> @Sendable (String, PicturePart, String) -> String? {
        let (site, box) = (settings.site, settings.box)
        return { id, part, mediaType in
            guard let id = RecordID<PictureEntry>(id) else { return nil }
            return switch part {
            case .thumbnail: FleetObjectKey.thumbnail(of: id, site: site, box: box)
            case .original: FleetObjectKey.picture(of: id, site: site, box: box, mediaType: mediaType)
            // These are named when they are made.
            case .publicPicture, .publicPage: nil
            }
        }
    }

    /// Takes receipts.
    func confirm(_ request: FleetPictureReceipts) async throws(Problem) -> FleetReceiptsReply {
        try requireStore()
        let receipts = request.receipts.compactMap { receipt in
            PictureReceipt.Outcome(rawValue: receipt.outcome).map { outcome in
                PictureReceipt(
                    id: receipt.id, part: Self.words.first { $0.value == receipt.part }?.key ?? .original,
                    rev: receipt.rev,
                    outcome: outcome)
            }
        }
        // Where the original follows at once, one message tells of both.
        let tellsThumbnails = settings.originals != .all || report?.metered == true
        let now = parts.clock.utc()
        let count = try await parts.wordingOutbox { archive throws(StorageError) in
            try archive.confirmPictures(receipts, at: now, tellsThumbnails: tellsThumbnails)
        }
        let stored = receipts.count { $0.outcome == .stored }
        state.withLock { state in
            state.stored += min(stored, count)
            if stored > 0, count > 0 { state.storedAt = now }
            if let reason = request.receipts.last(where: { $0.outcome == "deferred" })?.reason {
                state.refusal = reason
            }
        }
        if stored > 0 { records.wake() }
        return FleetReceiptsReply(confirmed: count)
    }

    /// An operator wants an original.
    func want(_ id: String) async throws(Problem) -> FleetOriginalReply {
        try requireStore()
        let stored = try await parts.wordingOutbox { archive throws(StorageError) in try archive.wantOriginal(id) }
        guard let stored else { throw Self.unknown(id) }
        bell.ring()
        return FleetOriginalReply(id: id, stored: stored)
    }

    func original(_ id: String) async throws(Problem) -> FleetOriginalReply {
        try requireStore()
        let stored = try await parts.wordingOutbox { archive throws(StorageError) in try archive.isOriginalStored(id) }
        guard let stored else { throw Self.unknown(id) }
        return FleetOriginalReply(id: id, stored: stored)
    }

    private static func unknown(_ id: String) -> Problem {
        Problem(.notFound, "cannot find the picture \(id): no postcard and no photograph of a specimen has this id")
    }

    func take(_ report: FleetStoreReport) {
        let now = parts.clock.monotonic()
        state.withLock { $0.said = (report, now) }
    }

    private func requireStore() throws(Problem) {
        guard address != nil else {
            throw Problem(
                .targetDisabled,
                "cannot store any picture: the station has no store; set [Fleet] Broker=, Box= and Store=")
        }
    }

    // MARK: - Public links

    /// Has a postcard stored for whoever has its link.
    ///
    /// - Parameters:
    ///   - id: the postcard's.
    ///   - days: how long.
    /// - Returns: the link, which may lead nowhere yet.
    /// - Throws: a problem where there are no public links, or no such postcard.
    func publish(_ id: PostcardID, days: Int) async throws(Problem) -> PublicLinkReply {
        let address = try publicAddress()
        let name = Secret.hexadecimal(bytes: 16)
        let end = parts.clock.utc().advanced(bySeconds: Double(days) * 86_400)
        let link = try await parts.wordingOutbox { archive throws(StorageError) in
            try archive.publish(id.description, name: name, until: end)
        }
        guard let link else {
            throw Problem(.notFound, "cannot make \(id) public: there is no such postcard, or there are too many links")
        }
        bell.ring()
        return Self.reply(link, address)
    }

    /// The public link of a postcard.
    func link(_ id: PostcardID) async throws(Problem) -> PublicLinkReply {
        let address = try publicAddress()
        let link = try await parts.wordingOutbox { archive throws(StorageError) in
            try archive.publicLink(of: id.description)
        }
        guard let link else { throw Problem(.notFound, "cannot find a public link of \(id): it has none") }
        return Self.reply(link, address)
    }

    /// Takes a public link back. The objects go even if there are no public links any more.
    func unpublish(_ id: PostcardID) async throws(Problem) {
        let wasThere = try await parts.wordingOutbox { archive throws(StorageError) in
            try archive.unpublish(id.description)
        }
        guard wasThere else { throw Problem(.notFound, "cannot end a public link of \(id): it has none") }
        bell.ring()
    }

    /// The page of a link.
    func page(_ id: String) async throws(Problem) -> String {
        try requireStore()
        let link = try await parts.wordingOutbox { archive throws(StorageError) in try archive.publicLink(of: id) }
        guard link != nil else { throw Problem(.notFound, "cannot find a public link of \(id): it has none") }
        return PublicPage.text(station: parts.settings.current.general.station)
    }

    private func publicAddress() throws(Problem) -> String {
        try requireStore()
        guard settings.publicLinks, let address = settings.publicStore else {
            throw Problem(
                .targetDisabled,
                "cannot make a postcard public: this station does not; set [Fleet] PublicStore= and PublicLinks=yes")
        }
        return address
    }

    private static func reply(_ link: PublicLinkState, _ address: String) -> PublicLinkReply {
        let text = "\(address)/\(link.pageKey)"
        return PublicLinkReply(
            link: .init(text: text, qr: (try? QRCode(text))?.rows ?? []), state: link.isStored ? .stored : .pending,
            endsAt: link.endsAt)
    }

    // MARK: - For the messages

    /// Says of each record how far the store has its pictures.
    ///
    /// - Parameter reply: the records that wait.
    /// - Returns: the same with their pictures, where there is a store.
    /// - Throws: a problem if they cannot be looked up.
    func adding(to reply: FleetOutboxReply) async throws(Problem) -> FleetOutboxReply {
        let states = try await states(of: reply.entries.filter { !$0.deleted }.map(\.id))
        guard !states.isEmpty else { return reply }
        var reply = reply
        for index in reply.entries.indices where !reply.entries[index].deleted {
            reply.entries[index].pictures = states[reply.entries[index].id]
        }
        return reply
    }

    private func states(of records: [String]) async throws(Problem) -> [String: [FleetPictureState]] {
        guard address != nil, !records.isEmpty else { return [:] }
        let naming = Self.naming(settings)
        let isKept = settings.originals != .all
        let states = try await parts.wordingOutbox { archive throws(StorageError) in
            try archive.pictureStates(of: records)
        }
        return states.mapValues { states in
            states.compactMap { state in
                guard let key = state.key ?? naming(state.id, .original, state.mediaType) else { return nil }
                return FleetPictureState(
                    id: state.id, picture: state.isStored ? .stored : isKept && !state.isWanted ? .kept : .pending,
                    key: key, thumbnail: state.hasThumbnail ? state.isThumbnailStored ? .stored : .pending : nil,
                    thumbnailKey: state.hasThumbnail
                        ? state.thumbnailKey ?? naming(state.id, .thumbnail, "image/jpeg") : nil)
            }
        }
    }

    // MARK: - How it is

    /// What konza-fleet last said; nil if it has been silent.
    private var report: FleetStoreReport? {
        guard let said = state.withLock({ $0.said }) else { return nil }
        return parts.clock.monotonic().seconds(since: said.at) <= Self.silence ? said.report : nil
    }

    /// Nil without a store.
    func summary() async throws(Problem) -> FleetPicturesSummary? {
        guard let address else { return nil }
        let figures = try await parts.wordingOutbox { archive throws(StorageError) in try archive.pictureFigures() }
        let (stored, storedAt, refusal) = state.withLock { ($0.stored, $0.storedAt, $0.refusal) }
        let isMetered = report?.metered == true
        let isHeld = settings.originals != .all || isMetered
        let held = isHeld ? figures.originals - figures.wanted : 0
        let oldest = figures.oldest.flatMap { RecordID<PictureEntry>($0) }
        return FleetPicturesSummary(
            store: address.description, originals: settings.originals.rawValue, report: report,
            waitingThumbnails: figures.thumbnails, waitingOriginals: figures.originals - held, heldOriginals: held,
            heldBecause: held == 0 ? nil : settings.originals != .all ? "policy" : "metered",
            removing: figures.removals, refused: figures.deferred,
            waitingSince: oldest.map {
                UTCInstant(nanoseconds: Int64(clamping: $0.milliseconds).multipliedClamped(by: 1_000_000))
            },
            stored: stored, storedAt: storedAt, lastRefusal: figures.deferred > 0 ? refusal : nil)
    }

    /// What is in the way of the store; nil where nothing is.
    var complaint: PartHealth? {
        guard address != nil, let report else { return nil }
        if report.state == .failed {
            return PartHealth(
                level: .degraded, kind: "fleet-store-\(report.kind ?? "network")",
                reason: report.reason ?? "the fleet's store cannot be reached")
        }
        let (refusal, refused) = state.withLock { ($0.refusal, $0.figures?.deferred ?? 0) }
        guard refused > 0, let refusal else { return nil }
        return PartHealth(level: .degraded, kind: "fleet-store-refused", reason: refusal)
    }

    func count(_ page: inout MetricsText) {
        let (stored, figures) = state.withLock { ($0.stored, $0.figures) }
        let isOn = address != nil
        page.add(
            "konza_fleet_objects_stored_total", .counter, "Objects that the fleet's store has taken.", Double(stored))
        page.add(
            "konza_fleet_pictures_waiting", .gauge, "Small pictures that the fleet's store does not have.",
            isOn ? figures.map { Double($0.thumbnails) } : nil)
        page.add(
            "konza_fleet_originals_waiting", .gauge,
            "Originals that the fleet's store does not have, held ones included.",
            isOn ? figures.map { Double($0.originals) } : nil)
        page.add(
            "konza_fleet_objects_removing", .gauge, "Objects that are to go from the fleet's store.",
            isOn ? figures.map { Double($0.removals) } : nil)
    }
}
