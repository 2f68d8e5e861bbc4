internal import Cryptography
internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// How much work a hash of a passphrase is.
struct HashCost: Sendable, Equatable {
    /// Passes over the memory.
    var passes: UInt64
    /// Bytes.
    var memory: Int

    /// The least that OWASP recommends: two passes over 19 MiB with one lane (Password Storage Cheat Sheet). The memory is what
    /// every board has beside the portal's other work; a quicker board makes more passes.
    static let least = HashCost(passes: 2, memory: 19 << 20)
    /// No board makes more.
    static let mostPasses: UInt64 = 512
    /// How long a login is to take, seconds.
    static let wantedSeconds = 0.5

    /// As it is kept: `2 19922944`.
    var text: String { "\(passes) \(memory)" }

    init(passes: UInt64, memory: Int) {
        self.passes = passes
        self.memory = memory
    }

    /// - Returns: nil unless the text is one that ``text`` makes, and no less than ``least``.
    init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let passes = UInt64(parts[0]), let memory = Int(parts[1]),
            (Self.least.passes...Self.mostPasses).contains(passes), memory == Self.least.memory
        else { return nil }
        self.init(passes: passes, memory: memory)
    }

    /// Measures how many passes this board makes in the wanted time. It takes the time of five hashes of the least cost and of one
    /// of what they say, which is then set right by the time that it took: in a short hash much of the time is the memory's.
    ///
    /// - Parameters:
    ///   - now: processor time of this thread, seconds: a board that is busy with its start is not a slow one.
    ///   - hash: makes a hash of so many passes.
    /// - Returns: at least ``least``, whatever the board.
    static func measured(
        by now: () -> Double = { ProcessUsage.threadSeconds },
        _ hash: (UInt64) -> Void = { _ = PasswordHash.make([0], passes: $0, memory: least.memory) }
    ) -> HashCost {
        func seconds(_ passes: UInt64) -> Double {
            let begin = now()
            hash(passes)
            return now() - begin
        }
        func passes(_ made: UInt64, in seconds: Double) -> UInt64 {
            let wanted = Double(made) * wantedSeconds / max(seconds, 1e-6)
            return UInt64(min(Double(mostPasses), max(Double(least.passes), wanted)))
        }
        // One that was disturbed is not the median of five.
        let samples = (0..<5).map { _ in seconds(least.passes) }.sorted()
        let first = passes(least.passes, in: samples[2])
        return HashCost(passes: passes(first, in: seconds(first)), memory: least.memory)
    }
}

/// Hashes passphrases and PINs, one at a time: the memory that this takes is that of one hash, however many ask.
final class PassphraseHashing: Sendable {
    /// Those that wait for the one at work; a further one is turned away.
    static let queue = 4

    private let cost: HashCost
    private let waiting = Mutex(0)
    private let work = Mutex(())
    /// Of no passphrase: what a name that nobody has is compared with.
    private let decoy: String
    /// Runs while a hash holds its place; for tests.
    private let during: @Sendable () -> Void

    /// - Parameters:
    ///   - cost: of each hash.
    ///   - during: called while a hash holds its place.
    init(_ cost: HashCost, during: @escaping @Sendable () -> Void = {}) {
        self.cost = cost
        self.during = during
        decoy = PasswordHash.decoy(passes: cost.passes, memory: cost.memory)
    }

    /// - Throws: `PeopleError.busy` if the queue is full, `PeopleError.noMemory`.
    func hash(_ secret: [UInt8]) throws(PeopleError) -> String {
        let text = try inTurn { PasswordHash.make(secret, passes: cost.passes, memory: cost.memory) }
        guard let text else { throw PeopleError.noMemory }
        return text
    }

    /// Compares; where there is no hash it takes as long.
    ///
    /// - Parameters:
    ///   - hash: what is kept; nil for a name that nobody has.
    ///   - secret: what was typed.
    ///   - isUrgent: whether it has places of its own in the queue.
    /// - Returns: whether they belong together, and a new hash where the kept one was made with other parameters.
    /// - Throws: `PeopleError.busy` if the queue is full.
    func verify(
        _ hash: String?, _ secret: [UInt8], isUrgent: Bool = false
    ) throws(PeopleError) -> (isRight: Bool, renewed: String?) {
        let places = isUrgent ? 2 * Self.queue : Self.queue
        return try inTurn(places: places) {
            let isRight = PasswordHash.verifies(hash ?? decoy, secret) && hash != nil
            guard isRight, let hash else {
                // A hash from before the board was measured anew is made up to what a name that nobody has takes.
                let made = hash.flatMap(PasswordHash.passes(of:)) ?? cost.passes
                if made < cost.passes {
                    _ = PasswordHash.make(secret, passes: cost.passes - made, memory: cost.memory)
                }
                return (false, nil)
            }
            guard PasswordHash.needsRehash(hash, passes: cost.passes, memory: cost.memory) else { return (true, nil) }
            return (true, PasswordHash.make(secret, passes: cost.passes, memory: cost.memory))
        }
    }

    private func inTurn<Value>(places: Int = queue, _ body: () -> Value) throws(PeopleError) -> Value {
        let isTaken = waiting.withLock { waiting in
            guard waiting <= places else { return false }
            waiting += 1
            return true
        }
        guard isTaken else { throw PeopleError.busy }
        defer { waiting.withLock { $0 -= 1 } }
        return work.withLock { _ in
            during()
            return body()
        }
    }
}
