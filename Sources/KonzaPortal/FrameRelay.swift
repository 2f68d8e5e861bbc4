internal import HTTPTransfer
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// The camera's frames for everybody who looks on: of each size one request to konzad at a time, whose answer all get who wait
/// for a newer frame than they have. What comes from konzad and is kept does not grow with the number of those who look.
final class FrameRelay: Sendable {
    /// What a page asks for.
    struct Wish: Sendable, Equatable {
        static let path = "/v1/camera/frame.jpg"
        /// Widths that are asked for at konzad, pixels: the fractions of what cameras commonly have. A wider one is the frame's.
        static let widths = [160, 240, 320, 480, 640, 960, 1280, 1920]
        private static let latestFrame = (1 << 53) - 1

        /// The number of the frame that the page has.
        let after: Int?
        /// An index of ``widths``; nil for the whole frame.
        let size: Int?

        /// - Returns: nil for what only konzad can judge, such as a parameter that it may not know.
        init?(path: String, query: String?) {
            guard path == Self.path else { return nil }
            var after: Int?
            var width: Int?
            for field in (query ?? "").split(separator: "&") {
                let parts = field.split(separator: "=", maxSplits: 1)
                // Digits alone: Int takes a sign, too.
                guard parts.count == 2, parts[1].utf8.allSatisfy({ (48...57).contains($0) }), let value = Int(parts[1])
                else { return nil }
                switch parts[0] {
                case "after" where after == nil && value <= Self.latestFrame: after = value
                case "width" where width == nil && (1...65_535).contains(value): width = value
                default: return nil
                }
            }
            self.after = after
            size = width.flatMap { width in Self.widths.firstIndex { $0 >= width } }
        }

        /// What konzad is asked for.
        var target: String {
            let fields = [after.map { "after=\($0)" }, size.map { "width=\(Self.widths[$0])" }].compactMap { $0 }
            return fields.isEmpty ? Self.path : "\(Self.path)?\(fields.joined(separator: "&"))"
        }
    }

    /// How long a frame is given to those who have an older one, seconds.
    static let freshness = 0.1

    private enum Turn {
        case answered(HTTPAnswer)
        /// Nobody is asking: whoever gets this asks for all.
        case asks
        /// What was answered is no newer than what this one has, or it has the number of another boot: konzad judges that.
        case asksAlone
    }

    private struct Newest {
        let answer: HTTPAnswer
        let number: Int
        let at: MonotonicInstant
    }

    private struct Size {
        var newest: Newest?
        var isAsking = false
        var waiting: [(after: Int?, resume: CheckedContinuation<Turn, any Error>)] = []
    }

    private let clock: any StationClock
    private let ask: @Sendable (StationRequest) throws(Problem) -> HTTPAnswer
    /// One for each width, and one for the whole frame.
    private let sizes = Mutex([Size](repeating: Size(), count: Wish.widths.count + 1))

    /// - Parameters:
    ///   - clock: tells how old a frame is.
    ///   - ask: has konzad answer; blocks.
    init(clock: any StationClock, ask: @escaping @Sendable (StationRequest) throws(Problem) -> HTTPAnswer) {
        self.clock = clock
        self.ask = ask
    }

    /// How many wait for what another asked.
    var waiting: Int { sizes.withLock { sizes in sizes.reduce(0) { $0 + $1.waiting.count } } }

    /// konzad's answer to a wish: the newest frame, or the next one.
    ///
    /// - Throws: a problem if no answer came.
    func answer(_ wish: Wish) async throws -> HTTPAnswer {
        let index = wish.size ?? Wish.widths.count
        return switch try await turn(wish.after, index) {
        case .answered(let answer): answer
        case .asks: try await askForAll(wish, index)
        case .asksAlone: try await askStation(wish)
        }
    }

    private func turn(_ after: Int?, _ index: Int) async throws -> Turn {
        try await withCheckedThrowingContinuation { continuation in
            let turn: Turn? = sizes.withLock { sizes in
                if let newest = fresh(sizes[index].newest), after.map({ $0 < newest.number }) ?? true {
                    return .answered(newest.answer)
                }
                guard sizes[index].isAsking else {
                    sizes[index].isAsking = true
                    return .asks
                }
                sizes[index].waiting.append((after, continuation))
                return nil
            }
            if let turn { continuation.resume(returning: turn) }
        }
    }

    private func fresh(_ newest: Newest?) -> Newest? {
        newest.flatMap { clock.monotonic().seconds(since: $0.at) <= Self.freshness ? $0 : nil }
    }

    private func askStation(_ wish: Wish) async throws(Problem) -> HTTPAnswer {
        try await onBlockingThread { () throws(Problem) in try ask(StationRequest("GET", wish.target)) }
    }

    private func askForAll(_ wish: Wish, _ index: Int) async throws(Problem) -> HTTPAnswer {
        let outcome: Result<HTTPAnswer, Problem>
        do throws(Problem) {
            outcome = .success(try await askStation(wish))
        } catch {
            outcome = .failure(error)
        }
        let answer = try? outcome.get()
        let number = answer?.status == 200 ? answer?.header("konza-frame").flatMap { Int($0) } : nil
        let waiting = sizes.withLock { sizes in
            defer { sizes[index].waiting = [] }
            sizes[index].isAsking = false
            for other in sizes.indices { sizes[other].newest = fresh(sizes[other].newest) }
            if let answer, let number {
                sizes[index].newest = Newest(answer: answer, number: number, at: clock.monotonic())
            }
            return sizes[index].waiting
        }
        for one in waiting {
            switch outcome {
            case .success(let answer):
                let isNewer = number.map { number in one.after.map { $0 < number } ?? true } ?? true
                one.resume.resume(returning: isNewer ? .answered(answer) : .asksAlone)
            case .failure(let problem): one.resume.resume(throwing: problem)
            }
        }
        return try outcome.get()
    }
}
