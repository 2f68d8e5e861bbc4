internal import KonzaModel
internal import KonzaSystem

/// Everything a command needs from the world, so that a test can stand in for all of it.
struct CommandContext: Sendable {
    let invocation: Invocation
    let connection: any StationConnection
    /// The way to the portal.
    let portal: any StationConnection
    /// The way to the fleet's hub.
    let hub: any StationConnection
    let console: any Console
    let paint: Paint
    let clock: any StationClock
    let dates: LocalDates
    /// What the doctor finds on the machine itself.
    let machine: @Sendable () -> MachineFacts

    /// The columns to wrap at; nil where no person watches, so that a line stays one for grep(1).
    var columns: Int? { console.isTerminal ? console.size?.columns ?? HelpText.columns : nil }

    func show(_ lines: [Line]) throws(CommandFailure) {
        try console.write(paint.text(lines))
    }

    func show(_ line: Line) throws(CommandFailure) { try show([line]) }

    /// A word to the one who watches, which is no part of the output.
    func tell(_ text: String) {
        console.writeError("\(TextSafety.cleaned(text))\n")
    }

    /// With `--json` the station's own answer, else the screen made of it.
    func answer<Reply: Decodable>(
        _ path: String, query: [(name: String, value: String)] = [], _ screen: (Reply) -> [Line]
    ) async throws(CommandFailure) -> Reply {
        let body = try await connection.send(StationRequest(path: path, query: query)).body
        return try present(body, screen)
    }

    func present<Reply: Decodable>(_ body: [UInt8], _ screen: (Reply) -> [Line]) throws(CommandFailure) -> Reply {
        let reply: Reply = try StationReading.read(body)
        if invocation.has("json") {
            try console.write(JSONText.indented(body) + "\n")
        } else {
            try show(screen(reply))
        }
        return reply
    }
}
