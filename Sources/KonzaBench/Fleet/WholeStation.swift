internal import FoundationEssentials
internal import Glibc
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

/// A whole station beside the simulated boxes: the real `konzad` with recorded sources and a small painted camera, and the real
/// `konza-fleet`, in a folder of its own and with a box's name of its own. Used by one thread; its socket may be asked by any.
final class WholeStation {
    /// Which of its programs.
    enum Program: String, CaseIterable, Sendable {
        case konzad
        case fleet = "konza-fleet"
    }

    /// What the station itself says that it has.
    struct Account: Sendable {
        /// SHA-256 of each postcard, by id.
        var postcards: [String: String] = [:]
        var specimens: Set<String> = []
    }

    let box: String
    let socket: String
    private let folder: TemporaryFolder
    private let programs: String
    private var konzad: ChildProcess?
    private var fleet: ChildProcess?

    /// Starts both programs, and does not wait for them.
    ///
    /// - Parameters:
    ///   - box: its name in the fleet.
    ///   - programs: the folder of konzad and konza-fleet.
    ///   - port: the broker's, on loopback.
    /// - Throws: what the system says.
    init(_ box: String, programs: String, port: Int) throws {
        self.box = box
        self.programs = programs
        folder = try TemporaryFolder(in: "/tmp")
        socket = "\(folder.path)/konza.sock"
        let text = """
            [General]
            State=\(folder.path)/state
            Socket=\(socket)
            [Position]
            Source=recorded
            [Camera]
            Source=recorded
            Width=320
            Height=240
            FrameRate=5
            IdleAfter=1s
            [Fleet]
            Broker=mqtt://127.0.0.1:\(port)
            Site=konza
            Box=\(box)
            ReconnectSpread=1s

            """
        try Files.write(Array(text.utf8), to: "\(folder.path)/konzad.conf")
        for program in Program.allCases { try start(program) }
    }

    deinit {
        konzad = nil
        fleet = nil
    }

    // MARK: - Its programs

    func id(of program: Program) -> Int32? {
        switch program {
        case .konzad: konzad?.id
        case .fleet: fleet?.id
        }
    }

    /// Starts a program, and does not wait for it.
    func start(_ program: Program) throws {
        let configuration = ["--config", "\(folder.path)/konzad.conf"]
        let log = "\(folder.path)/\(program.rawValue).log"
        switch program {
        case .konzad: konzad = try ChildProcess("\(programs)/konzad", configuration, log: log)
        case .fleet:
            fleet = try ChildProcess(
                "\(programs)/konza-fleet",
                configuration + ["--credentials", folder.path, "--state", "\(folder.path)/fleet"], log: log)
        }
    }

    /// Ends a program as a power cut does (SIGKILL).
    func kill(_ program: Program) {
        switch program {
        case .konzad: konzad = nil
        case .fleet: fleet = nil
        }
    }

    /// Stops a program (SIGSTOP), and lets it go on.
    func freeze(_ program: Program, _ isFrozen: Bool) {
        if let id = id(of: program) { _ = Glibc.kill(id, isFrozen ? SIGSTOP : SIGCONT) }
    }

    /// - Throws: if one of its programs has ended by itself, with its last words.
    func expectAlive() throws {
        for (program, ending) in [(Program.konzad, konzad?.wait(seconds: 0)), (.fleet, fleet?.wait(seconds: 0))] {
            guard let ending else { continue }
            throw BenchError("\(program.rawValue) of \(box) ended by itself with \(ending.status): \(log(program))")
        }
    }

    /// The last words of a program.
    func log(_ program: Program) -> String {
        let text = (try? Files.text("\(folder.path)/\(program.rawValue).log")) ?? ""
        return text.split(separator: "\n").suffix(3).joined(separator: "; ")
    }

    // MARK: - What it says

    private func get<Reply: Decodable>(_ target: String, _ type: Reply.Type) throws -> Reply {
        let connection = try UnixHTTPConnection(socket)
        let reply = try connection.exchange(UnixHTTPConnection.request("GET", target))
        guard reply.status == 200 else { throw BenchError("\(box) answers \(target) with \(reply.status)") }
        return try JSONDecoder().decode(type, from: Data(connection.body))
    }

    /// What it says of its fleet; nil while it does not answer.
    var state: FleetReply? { try? get("/v1/fleet", FleetReply.self) }

    /// All postcards and specimens that it has.
    var account: Account {
        get throws {
            var account = Account()
            var cursor: String?
            repeat {
                let page = try get(
                    "/v1/postcards?limit=200" + (cursor.map { "&cursor=\($0)" } ?? ""), PostcardPageReply.self)
                for card in page.postcards { account.postcards[card.id] = card.sha256 ?? "" }
                cursor = page.next
            } while cursor != nil
            repeat {
                let page = try get(
                    "/v1/specimens?limit=200" + (cursor.map { "&cursor=\($0)" } ?? ""), SpecimenPageReply.self)
                for specimen in page.specimens { account.specimens.insert("\(specimen.specimen.id)") }
                cursor = page.next
            } while cursor != nil
            return account
        }
    }
}
