internal import Foundation

/// One postcard after another at a steady pace, one at a time, for visitors with words of their own: ``wordings`` of
/// them, in turn, so that what is kept of drawings is soon all that it will be.
final class SteadyPostcards: Sendable {
    struct Outcome: Sendable {
        var acknowledged: [LabPostcard] = []
        /// Refusals and broken connections, in words.
        var failures: [String] = []
        /// Seconds of the slowest answer.
        var longest = 0.0
    }

    /// How many different messages there are.
    static let wordings = 40

    private let outcome = LockedValue(Outcome())
    private let isDone = LockedValue(false)
    private let ended = DispatchSemaphore(value: 0)

    /// Begins.
    ///
    /// - Parameters:
    ///   - socket: where konzad listens.
    ///   - seconds: from the beginning of one request to that of the next, unless the first takes longer.
    init(_ socket: String, every seconds: Double) {
        Thread.detachNewThread { [outcome, isDone, ended] in
            var next = ContinuousClock.now
            var count = 0
            while !isDone.value {
                let start = ContinuousClock.now
                let message = "Visitor \(count % Self.wordings)"
                count += 1
                let result = Result { try PostcardStorm.take(socket, 60, message: message) }
                let taken = start.duration(to: .now).inSeconds
                outcome.change { outcome in
                    outcome.longest = max(outcome.longest, taken)
                    switch result {
                    case .success(let reply):
                        if let postcard = LabPostcard(reply, seconds: taken) {
                            outcome.acknowledged.append(postcard)
                        } else {
                            outcome.failures.append("\(reply.status) \(reply["detail"]?.text ?? "")")
                        }
                    case .failure(let error): outcome.failures.append("\(error)")
                    }
                }
                next = max(next + .seconds(seconds), .now)
                usleep(UInt32(max(0, ContinuousClock.now.duration(to: next).inSeconds) * 1e6))
            }
            ended.signal()
        }
    }

    /// Ends it when the request under way is answered.
    ///
    /// - Returns: what came of it.
    func end() -> Outcome {
        isDone.set(true)
        ended.wait()
        return outcome.value
    }
}
