internal import HTTPTransfer
internal import KonzaModel
internal import KonzaSystem

/// A question by GET that follows redirections; none of their addresses is asked that may not be.
struct FollowedQuestion {
    static let mostRedirections = 3

    /// Why there is no answer.
    enum Failure: Error {
        /// This address may not be asked.
        case forbidden(String)
        case late
        case transfer(TransferError)
        /// The redirection of this address is none.
        case nowhere(String)
        case tooManyRedirections
    }

    /// For all addresses together, seconds.
    let totalSeconds: Double
    /// The only network interface to ask by.
    var interface: String?
    var cancellation: TransferCancellation?
    let clock: any StationClock
    let mayAsk: (WebAddress) -> Bool

    /// Asks until there is an answer that is no redirection.
    ///
    /// - Parameters:
    ///   - address: the first one.
    ///   - prepare: adds to each request what is asked for, and within which bounds.
    /// - Returns: the answer, good or bad.
    /// - Throws: ``Failure``.
    func answer(of address: String, prepare: (inout HTTPRequest) -> Void) throws(Failure) -> HTTPAnswer {
        let deadline = clock.monotonic().advanced(bySeconds: totalSeconds)
        var url = address
        for _ in 0...Self.mostRedirections {
            guard let place = WebAddress(url), mayAsk(place) else { throw .forbidden(url) }
            let left = deadline.seconds(since: clock.monotonic())
            guard left > 0 else { throw .late }
            var request = HTTPRequest("GET", url: url)
            request.totalSeconds = left
            request.connectSeconds = min(15, left)
            request.interface = interface
            prepare(&request)
            let answer: HTTPAnswer
            do throws(TransferError) {
                answer = try HTTPConnection().send(request, cancellation: cancellation)
            } catch {
                throw .transfer(error)
            }
            guard [301, 302, 303, 307, 308].contains(answer.status) else { return answer }
            guard let next = answer.header("location").flatMap({ place.resolving($0) }) else { throw .nowhere(url) }
            url = next
        }
        throw .tooManyRedirections
    }
}
