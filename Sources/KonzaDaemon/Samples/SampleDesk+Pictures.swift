internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Samples
internal import Stamping
internal import Storage

/// Pictures of samples: from the disk where they are kept, else by way of the courier, which fetches one after another.
extension SampleDesk {
    typealias Size = SampleDetails.Image.Size

    /// The longest edge of a small copy, pixels.
    private static let thumbnailEdge = 320
    /// Small copies that are fetched beforehand once a sample was looked at: five pages of nine.
    private static let mostBeforehand = 45

    struct Picture: Sendable {
        let file: OpenFile
        let type: String
    }

    /// Which of a sample's pictures are kept here.
    func keptPictures(of details: SampleDetails) async -> [Size: [String]] {
        let images = details.images.map(\.id)
        guard !images.isEmpty else { return [:] }
        return await onCache { cache throws(DatabaseError) in try cache.keptPictures(of: images) } ?? [:]
    }

    /// A picture of a sample.
    ///
    /// - Parameters:
    ///   - image: which one.
    ///   - size: which copy of it.
    ///   - sample: the server's id of the sample.
    ///   - wishes: how long to wait, and whether the server is asked at all; what is kept is as good as the server's.
    /// - Returns: the file and its media type.
    /// - Throws: `not-found` if there is no such copy, `unavailable` if it is neither kept nor to be had.
    func picture(
        _ image: SampleDetails.Image, _ size: Size, of sample: String, _ wishes: Wishes
    ) async throws(Problem) -> Picture {
        let what = "show the picture"
        guard let key = SampleCache.PictureKey(image: image.id, size: size) else {
            throw Problem(.notFound, "cannot \(what): its id is none that MetPetDB gives")
        }
        if let kept = await kept(key) { return kept }
        guard !wishes.isKeptOnly else {
            throw Problem(
                .unavailable,
                "cannot \(what): it is not kept here, and only the station's people have MetPetDB asked for it, on devices "
                    + "that are paired as theirs")
        }
        guard let errand = Self.errand(image, size, sample) else {
            throw Problem(.notFound, "cannot \(what): MetPetDB does not say where it is")
        }
        try checkCourier(what)
        _ = try await outbox.questions.ask(errand, waitingSeconds: wishes.waitingSeconds) { _ throws(Problem) in }
        if let kept = await kept(key) { return kept }
        throw Problem(.unavailable, "cannot \(what): it was fetched, and the disk has no room to keep it; make room")
    }

    /// Has the small copies of a sample that somebody looks at fetched, for when there is no network; nobody waits for
    /// them.
    func fetchThumbnails(of details: SampleDetails, except kept: [String]) {
        for image in details.images.prefix(Self.mostBeforehand)
        where image.thumbnailURL != nil && !kept.contains(image.id) {
            guard SampleCache.PictureKey(image: image.id, size: .thumbnail) != nil,
                let errand = Self.errand(image, .thumbnail, details.sample.id)
            else { continue }
            outbox.questions.order(errand)
        }
    }

    private static func errand(_ image: SampleDetails.Image, _ size: Size, _ sample: String) -> Errand? {
        guard let address = image.address(of: size) else { return nil }
        var errand = Errand(id: "", kind: "picture", sample: sample)
        errand.picture = Errand.Picture(id: image.id, size: size, address: address)
        return errand
    }

    private func kept(_ key: SampleCache.PictureKey) async -> Picture? {
        await onCache { cache throws(DatabaseError) -> Picture? in
            guard let kept = try cache.picture(key), let file = try? OpenFile(path: kept.path) else { return nil }
            return Picture(file: file, type: kept.type)
        }
    }

    /// Takes a picture that the courier has fetched, if it is whole: a small copy of it is made here, and of what was
    /// wanted whole the file is kept as it is.
    ///
    /// - Parameters:
    ///   - id: the errand's.
    ///   - sent: the file.
    ///   - type: what the courier takes it for.
    /// - Throws: `not-found` if nobody wants it any more; a problem about the picture, which whoever waits hears too.
    func takePicture(_ id: String, _ sent: PictureIntake.Sent, type: String) async throws(Problem) {
        guard let order = outbox.questions.errand(id)?.picture else {
            throw Problem(.notFound, "cannot take the picture: nobody waits for the errand \(id.prefix(80)) any more")
        }
        do throws(Problem) {
            try await keep(order, sent, type)
        } catch {
            try await outbox.questions.report(id, ErrandReport(problem: error.detail, reason: .missing))
            throw error
        }
        try await outbox.questions.report(id, ErrandReport())
    }

    private struct Contents: Sendable {
        let small: FileContent?
        let whole: FileContent
    }

    private func keep(_ order: Errand.Picture, _ sent: PictureIntake.Sent, _ type: String) async throws(Problem) {
        let outcome = await onBlockingThread { [self] () -> Result<Contents, Problem> in
            do throws(Problem) {
                let intake = PictureIntake(parts: parts)
                let picture = try intake.contents(of: sent)
                let checked = try intake.check(picture, type: type, smallEdge: Self.thumbnailEdge)
                let small = try? Thumbnail.make(of: checked.small, longestEdge: Self.thumbnailEdge)
                return .success(Contents(small: small.map { FileContent($0) }, whole: FileContent(picture)))
            } catch {
                return .failure(error)
            }
        }
        let contents = try outcome.get()
        // The room that must stay free on the disk is not for what can be fetched again.
        guard parts.store.hasRoom(for: Int64(contents.whole.count)) else { return }
        _ = await onCache { cache throws(DatabaseError) -> Bool in
            if let small = contents.small, let key = SampleCache.PictureKey(image: order.id, size: .thumbnail) {
                try cache.keep(picture: small, type: "image/jpeg", as: key)
            }
            if order.size == .full, let key = SampleCache.PictureKey(image: order.id, size: .full) {
                try cache.keep(picture: contents.whole, type: type, as: key)
            }
            return true
        }
    }
}
