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
    static let mostPasses: UInt64 = 64
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

    /// Measures how many passes this board makes in the wanted time. It takes the time of three hashes.
    ///
    /// - Parameter now: processor time of this thread, seconds.
    /// - Returns: at least ``least``, whatever the board.
    static func measured(by now: () -> Double = { ProcessUsage.threadSeconds }) -> HashCost {
        // The first one makes the memory ready. Processor time: a board that is busy with its start is not a slow one.
        var seconds = Double.infinity
        for _ in 0..<3 {
            let begin = now()
            _ = PasswordHash.make([0], passes: least.passes, memory: least.memory)
            seconds = min(seconds, now() - begin)
        }
        let perPass = max(seconds, 1e-4) / Double(least.passes)
        let passes = UInt64(max(1, min(Double(mostPasses), wantedSeconds / perPass)))
        return HashCost(passes: max(least.passes, passes), memory: least.memory)
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
        decoy =
            PasswordHash.make(Array(PeopleSecret.make(bytes: 16).utf8), passes: cost.passes, memory: cost.memory) ?? ""
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
            guard isRight, let hash, PasswordHash.needsRehash(hash, passes: cost.passes, memory: cost.memory) else {
                return (isRight, nil)
            }
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
