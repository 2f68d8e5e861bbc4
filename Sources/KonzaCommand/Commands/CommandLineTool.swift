internal import FoundationEssentials
internal import Glibc
internal import KonzaModel
internal import KonzaSystem

/// The program `konza`.
public enum CommandLineTool {
    /// Runs one command with the process's own arguments, environment and streams.
    ///
    /// - Parameter arguments: without the program's name.
    /// - Returns: the exit status, as in sysexits(3).
    public static func run(arguments: [String]) async -> Int32 {
        TerminalRestoring.install()
        let environment = ProcessInfo.processInfo.environment
        return await run(arguments, environment: environment, console: SystemConsole()) { path in
            ClientConnection(socketPath: path)
        }
    }

    /// The same with everything from outside given.
    static func run(
        _ arguments: [String], environment: [String: String], console: any Console,
        clock: any StationClock = SystemClock(),
        dates: LocalDates = LocalDates { LocalTime.offsetSeconds(at: $0) },
        connect: (String) -> any StationConnection
    ) async -> Int32 {
        do throws(CommandFailure) {
            let invocation = try ArgumentParser.parse(arguments)
            let path = SocketChoice.path(
                option: invocation.text("socket"), environment: environment, exists: SocketChoice.fileExists)
            let wish = invocation.text("color").flatMap(Paint.Wish.init(rawValue:)) ?? .auto
            let context = CommandContext(
                invocation: invocation, connection: connect(path), console: console,
                paint: Paint(wish: wish, isTerminal: console.isTerminal, environment: environment), clock: clock,
                dates: dates, machine: { MachineProbe.facts(socketPath: path, environment: environment) })
            return try await context.run().rawValue
        } catch {
            if !error.message.isEmpty { console.writeError("konza: \(TextSafety.cleaned(error.message))\n") }
            return error.code.rawValue
        }
    }
}

extension CommandContext {
    /// Does what was asked.
    func run() async throws(CommandFailure) -> ExitCode {
        if invocation.has("version") {
            try show(Line("konza \(ProgramVersion.number)"))
            return .ok
        }
        guard let command = invocation.command else {
            try console.write(HelpText.overview)
            return .ok
        }
        if invocation.has("help") {
            try console.write(HelpText.page(command))
            return .ok
        }
        switch command.name {
        case "status": return try await status()
        case "where": return try await whereIs()
        case "sky": return try await sky()
        case "track": return try await track()
        case "postcard": return try await postcard()
        case "postcards": return try await postcards()
        case "postcards show": return try await showPostcard()
        case "postcards get": return try await getPostcard()
        case "postcards delete": return try await deletePostcard()
        case "camera": return try await camera()
        case "camera set": return try await setCamera()
        case "camera frame": return try await cameraFrame()
        case "templates": return try await templates()
        case "samples": return try await samples()
        case "sample": return try await sample()
        case "regions": return try await regions()
        case "events": return try await events()
        case "doctor": return try await doctor()
        case "version": return try await version()
        case "help": return try help()
        default: return try await runSpecimens(command.name)
        }
    }

    /// The collector's commands.
    private func runSpecimens(_ name: String) async throws(CommandFailure) -> ExitCode {
        switch name {
        case "specimens": return try await specimens()
        case "specimens show": return try await showSpecimen()
        case "specimens new": return try await newSpecimen()
        case "specimens set": return try await setSpecimen()
        case "specimens delete": return try await deleteSpecimen()
        case "specimens restore": return try await restoreSpecimen()
        case "specimens photograph": return try await photograph()
        case "specimens occupy": return try await occupy()
        case "specimens label": return try await label()
        case "specimens submit": return try await submit()
        case "specimens outbox": return try await outbox()
        case "specimens flush": return try await flush()
        case "specimens resolve": return try await resolve()
        case "specimens export": return try await export()
        case "specimens vocabulary": return try await vocabulary()
        default: throw CommandFailure("cannot do konza \(name): it is declared and not made", .software)
        }
    }

    private func help() throws(CommandFailure) -> ExitCode {
        let path = invocation.operands
        guard let first = path.first else {
            try console.write(HelpText.overview)
            return .ok
        }
        guard let command = CommandCatalogue.command(at: path) else {
            let names = CommandCatalogue.all.map(\.name)
            let asked = path.joined(separator: " ")
            let hint =
                (Spelling.nearest(to: asked, among: names) ?? Spelling.nearest(to: first, among: names))
                .map { "did you mean \($0)?" } ?? "see konza help"
            throw CommandFailure("cannot explain \"\(asked)\": no such command; \(hint)", .usage)
        }
        try console.write(HelpText.page(command))
        return .ok
    }
}
