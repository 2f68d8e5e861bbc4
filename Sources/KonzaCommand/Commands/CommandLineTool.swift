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
                invocation: invocation, connection: connect(path),
                portal: connect(
                    SocketChoice.portalPath(station: path, environment: environment, exists: SocketChoice.fileExists)),
                hub: connect(SocketChoice.hubPath(option: invocation.text("socket"), environment: environment)),
                console: console,
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
        return try await command.run(self)()
    }

    /// Explains what is asked for.
    func help() async throws(CommandFailure) -> ExitCode {
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
