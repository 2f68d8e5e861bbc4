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
    private static let mostRedirections = 3
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
        let deadline = SystemClock().monotonic().advanced(bySeconds: Self.pictureSeconds)
        var url = address
        for _ in 0...Self.mostRedirections {
            guard let place = WebAddress(url), isAllowed(place, surroundings) else {
                throw PictureError(
                    words: "cannot fetch the picture \(shown): pictures are asked for at https:// addresses and at the "
                        + "samples' server alone", reason: .missing)
            }
            var request = HTTPRequest("GET", url: url)
            request.headers = [("Accept", "image/jpeg, image/png")]
            request.connectSeconds = 15
            request.totalSeconds = max(1, deadline.seconds(since: SystemClock().monotonic()))
            request.silenceSeconds = Self.silenceSeconds
            request.maximumBytes = Errand.Picture.mostBytes
            request.interface = options(surroundings, gate).interface
            let answer: HTTPAnswer
            do throws(TransferError) {
                answer = try HTTPConnection().send(request, cancellation: cancellation)
            } catch {
                throw PictureError(
                    words: "cannot fetch the picture: \(error)",
                    reason: error.reason == .tooLarge ? .missing : .unavailable)
            }
            switch answer.status {
            case 200:
                guard let type = Self.mediaType(of: answer.body) else {
                    throw PictureError(
                        words: "cannot take the picture \(shown): it is neither JPEG nor PNG", reason: .missing)
                }
                return FetchedPicture(bytes: answer.body, type: type)
            case 301, 302, 303, 307, 308:
                guard let next = answer.header("location").flatMap({ place.resolving($0) }) else {
                    throw PictureError(
                        words: "cannot fetch the picture \(shown): its redirection leads nowhere", reason: .missing)
                }
                url = next
            default:
                let isGone = [401, 403, 404, 410].contains(answer.status)
                throw PictureError(
                    words: "cannot fetch the picture \(shown): the server answers with status \(answer.status)",
                    reason: isGone ? .missing : .unavailable)
            }
        }
        throw PictureError(
            words: "cannot fetch the picture \(shown): more than \(Self.mostRedirections) redirections",
            reason: .missing)
    }

    private func isAllowed(_ place: WebAddress, _ surroundings: Surroundings) -> Bool {
        guard !place.isEncrypted else { return true }
        let server = try? ServerAddress(surroundings.settings.metPetDB.samplesURL)
        return server?.origin.lowercased() == "\(place.scheme)://\(place.authority)".lowercased()
    }

    /// What the first bytes say; what a server calls them counts for nothing.
    private static func mediaType(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        return nil
    }
}
