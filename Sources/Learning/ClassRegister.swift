public import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// Why something cannot be done with a class.
enum ClassError: Error, Equatable {
    case noClass
    /// Too many codes were wrong: nobody is told for so many seconds whether one is right.
    case guessed(seconds: Double)
    case notTeacher
    case notMember
    case full
    case tooMany
    case noQuiz
}

/// The classes of now. They live in memory alone: a restart of the portal ends them, and nothing of them is kept.
public final class ClassRegister: Sendable {
    private struct Entry {
        var room: ClassRoom
        let key: String
        let passHash: String
        var lastUse: Double
    }

    /// Classes at once at most; those that are over, or that nobody has used for long, make way.
    static let mostClasses = 8
    /// A class that nobody has asked anything of for so long makes way, milliseconds.
    static let longestIdle = 1_800_000.0
    /// The time that a quiz may have, seconds.
    static let seconds = 30...600

    /// Those that can be had, by name.
    let quizzes: [String: ClassQuiz]
    private let clock: any StationClock
    private let entries = Mutex<[String: Entry]>([:])
    private let guesses = Mutex(CodeGuesses())

    /// - Parameters:
    ///   - world: the pages' `world.json`.
    ///   - prairie: the pages' `prairie.json`.
    ///   - clock: the time. Where a file cannot be used there is no such quiz.
    public init(world: [UInt8], prairie: [UInt8], clock: any StationClock) {
        var quizzes: [String: ClassQuiz] = [:]
        for quiz in [ClassQuiz.continents(world), ClassQuiz.groups(prairie)].compactMap({ $0 })
        where !quiz.items.isEmpty {
            quizzes[quiz.name] = quiz
        }
        self.quizzes = quizzes
        self.clock = clock
    }

    /// Milliseconds of the steady clock.
    var now: Double { Double(clock.monotonic().nanoseconds) / 1e6 }

    /// Opens a class.
    ///
    /// - Parameters:
    ///   - quiz: the name of one of ``quizzes``.
    ///   - seconds: the time that it has.
    ///   - seed: makes it repeatable; random where it is nil.
    /// - Returns: the code by which members join: four digits; the key of whoever leads it; and what its QR code says beside the
    ///   digits, which nobody guesses.
    /// - Throws: where there is no such quiz, or there are too many classes.
    func open(
        _ quiz: String, seconds: Double, seed: String? = nil
    ) throws(ClassError) -> (code: String, key: String, pass: String) {
        guard let quiz = quizzes[quiz] else { throw .noQuiz }
        let now = now
        let key = Secret.hexadecimal(bytes: 16)
        let pass = Secret.hexadecimal(bytes: 8)
        let room = ClassRoom(quiz, seconds: seconds, seed: seed ?? Secret.hexadecimal(bytes: 16), at: now)
        let code = entries.withLock { entries -> String? in
            if entries.count >= Self.mostClasses {
                entries = entries.filter {
                    $0.value.room.state(at: now) != .over && now - $0.value.lastUse < Self.longestIdle
                }
            }
            guard entries.count < Self.mostClasses else { return nil }
            var random = SystemRandomNumberGenerator()
            var code = ""
            repeat {
                code = String(Int.random(in: 1000...9999, using: &random))
            } while entries[code] != nil
            entries[code] = Entry(room: room, key: key, passHash: Secret.hash(pass), lastUse: now)
            return code
        }
        guard let code else { throw .tooMany }
        return (code, key, pass)
    }

    /// Starts or ends a class.
    ///
    /// - Returns: it afterwards.
    func set(_ state: ClassRoom.State, of code: String, key: String) throws(ClassError) -> ClassRoom {
        try change(code) { entry, now throws(ClassError) in
            guard entry.key == key else { throw .notTeacher }
            switch state {
            case .open: break
            case .running: entry.room.start(at: now)
            case .over: entry.room.end(at: now)
            }
            return entry.room
        }
    }

    /// Takes a new member in.
    ///
    /// - Parameters:
    ///   - code: four digits.
    ///   - pass: what the class's QR code said beside them; nil where they were typed.
    ///   - client: the device that asks, which is held back if it guesses.
    /// - Returns: the ticket and the nickname of the member.
    /// - Throws: where there is no such class, it is full or over, or the device has to wait.
    func join(_ code: String, pass: String? = nil, from client: String) throws(ClassError) -> (
        ticket: String, name: String
    ) {
        let now = now
        let hash = pass.map { Secret.hash($0) }
        let isInvited = hash != nil && entries.withLock { $0[code]?.passHash } == hash
        if !isInvited, let seconds = guesses.withLock({ $0.wait(for: client, at: now) }) {
            throw .guessed(seconds: seconds)
        }
        let ticket = Secret.hexadecimal(bytes: 16)
        do throws(ClassError) {
            return try change(code) { entry, now throws(ClassError) in
                guard let name = entry.room.join(ticket, at: now) else { throw .full }
                return (ticket, name)
            }
        } catch {
            if error == .noClass { guesses.withLock { $0.note(client, at: now) } }
            throw error
        }
    }

    /// Takes an answer of a member, if one is given.
    ///
    /// - Returns: the class afterwards, and how the answer was judged; nil where there was none that counts.
    func turn(
        _ ticket: String, in code: String, answer: (number: Int, choice: String)?
    ) throws(ClassError) -> (room: ClassRoom, judgement: ClassRoom.Judgement?) {
        try change(code) { entry, now throws(ClassError) in
            guard entry.room.figures(ticket) != nil else { throw .notMember }
            let judgement = answer.flatMap {
                entry.room.answer(ticket, number: $0.number, choice: $0.choice, at: now)
            }
            return (entry.room, judgement)
        }
    }

    /// - Returns: a class as it is.
    func room(_ code: String) throws(ClassError) -> ClassRoom {
        guard let entry = entries.withLock({ $0[code] }) else { throw .noClass }
        return entry.room
    }

    private func change<Value: Sendable>(
        _ code: String, _ body: (inout Entry, Double) throws(ClassError) -> sending Value
    ) throws(ClassError) -> Value {
        let now = now
        let outcome: Result<Value, ClassError> = entries.withLock { entries in
            guard var entry = entries[code] else { return .failure(.noClass) }
            entry.lastUse = now
            do throws(ClassError) {
                let value = try body(&entry, now)
                entries[code] = entry
                return .success(value)
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}
