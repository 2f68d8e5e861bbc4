internal import HTTPTransfer
internal import KonzaAPI
internal import KonzaClient
internal import KonzaModel
internal import KonzaSystem
internal import MetPetDB
internal import Settings

/// Errands about pictures of samples. Where they are MetPetDB says, so an address may be anything: it is asked only by
/// `https`, or on the samples' own server, and without the account.
extension Courier {
    /// Seconds for one picture, and seconds without a byte after which it is given up.
    private static let pictureSeconds = 120.0
    private static let silenceSeconds = 30

    /// Fetches a picture and hands it over.
    ///
    /// - Throws: if konzad is not reached.
    func fetchPicture(_ errand: Errand, _ surroundings: Surroundings, _ gate: NetworkGate.Choice) throws {
        guard let order = errand.picture else { return try report(errand, "cannot fetch a picture: none is named") }
        let picture: FetchedPicture
        do throws(PictureError) {
            picture = try fetch(order.address, surroundings, gate)
        } catch {
            log(.notice, error.words)
            return try hand(ErrandReport(problem: error.words, reason: error.reason), errand)
        }
        do throws(ClientError) {
            _ = try station.send(
                "PUT", target: "/v1/errands/\(percentEncoded(errand.id))/picture", UploadBody([.bytes(picture.bytes)]),
                type: picture.type)
        } catch {
            // It is no whole picture, konzad has no room for it, or was started anew and nobody waits any more.
            guard case .problem(let problem) = error else { throw error }
            log(.notice, "\(order.address.prefix(200)): \(problem.detail)")
        }
    }

    private struct FetchedPicture {
        let bytes: [UInt8]
        let type: String
    }

    private struct PictureError: Error {
        let words: String
        let reason: ErrandReport.Reason
    }

    private func fetch(
        _ address: String, _ surroundings: Surroundings, _ gate: NetworkGate.Choice
    ) throws(PictureError) -> FetchedPicture {
        let shown = address.prefix(200)
        let question = FollowedQuestion(
            totalSeconds: Self.pictureSeconds, interface: options(surroundings, gate).interface,
            cancellation: cancellation, clock: SystemClock()
        ) { self.isAllowed($0, surroundings) }
        let answer: HTTPAnswer
        do throws(FollowedQuestion.Failure) {
            answer = try question.answer(of: address) { request in
                request.headers = [("Accept", "image/jpeg, image/png")]
                request.silenceSeconds = Self.silenceSeconds
                request.maximumBytes = Errand.Picture.mostBytes
            }
        } catch {
            throw Self.error(error, shown)
        }
        guard answer.status == 200 else {
            let isGone = [401, 403, 404, 410].contains(answer.status)
            throw PictureError(
                words: "cannot fetch the picture \(shown): the server answers with status \(answer.status)",
                reason: isGone ? .missing : .unavailable)
        }
        guard let kind = PictureKind(answer.body), kind != .webp else {
            throw PictureError(
                words: "cannot take the picture \(shown): it is neither JPEG nor PNG", reason: .missing)
        }
        return FetchedPicture(bytes: answer.body, type: kind.mediaType)
    }

    private static func error(_ failure: FollowedQuestion.Failure, _ shown: Substring) -> PictureError {
        switch failure {
        case .forbidden:
            PictureError(
                words: "cannot fetch the picture \(shown): pictures are asked for at https:// addresses and at the "
                    + "samples' server alone", reason: .missing)
        case .late:
            PictureError(
                words: "cannot fetch the picture \(shown): no whole answer in \(Int(pictureSeconds)) s",
                reason: .unavailable)
        case .transfer(let error):
            PictureError(
                words: "cannot fetch the picture: \(error)",
                reason: error.reason == .tooLarge ? .missing : .unavailable)
        case .nowhere:
            PictureError(
                words: "cannot fetch the picture \(shown): its redirection leads nowhere", reason: .missing)
        case .tooManyRedirections:
            PictureError(
                words: "cannot fetch the picture \(shown): more than \(FollowedQuestion.mostRedirections) redirections",
                reason: .missing)
        }
    }

    private func isAllowed(_ place: WebAddress, _ surroundings: Surroundings) -> Bool {
        guard !place.isEncrypted else { return true }
        let server = try? ServerAddress(surroundings.settings.metPetDB.samplesURL)
        return server?.origin.lowercased() == "\(place.scheme)://\(place.authority)".lowercased()
    }
}
