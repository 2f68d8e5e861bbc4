internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Positioning
internal import Postcards
internal import Settings

/// Takes one postcard after the start and tells a newcomer where it is and what to try.
struct FirstPostcard: Sendable {
    let station: Station

    /// How long the position may take to come, seconds: then the postcard is taken without one.
    private static let positionPatience = 8.0

    func run() async {
        await waitForPosition()
        do throws(Problem) {
            let order = try PostcardRequest(.object(["message": .string("Wish you were here")]))
            guard case .kept(let record) = try await station.desk.take(order, key: nil, account: 0) else { return }
            tell(record)
        } catch {
            station.parts.log(.error, "the first postcard: \(error.detail)")
        }
    }

    private func waitForPosition() async {
        let parts = station.parts
        let deadline = parts.clock.monotonic().advanced(bySeconds: Self.positionPatience)
        while parts.board.snapshot().state != .fix, parts.clock.monotonic() < deadline, !Task.isCancelled {
            try? await parts.clock.sleep(until: parts.clock.monotonic().advanced(bySeconds: 0.1))
        }
    }

    private func tell(_ record: PostcardRecord) {
        let parts = station.parts
        let socket = parts.settings.current.general.socket
        let tool = ProgramFiles.sibling("konza") ?? "konza"
        var lines = ["", "  A postcard: \(parts.archive.path(of: .postcard, record.id))"]
        if let position = record.position {
            let place = "\(degrees(position.coordinate.latitude)), \(degrees(position.coordinate.longitude))"
            lines.append(
                "  Taken at:   \(place)" + (position.source == .live ? "" : " (a \(position.source) position)"))
        } else {
            lines.append("  Taken at:   no position is known")
        }
        if record.cameraSource != .live { lines.append("  The camera: \(record.cameraSource) pictures") }
        lines += [
            "", "  Try, in another terminal:",
            "    curl --unix-socket \(socket) http://localhost/v1/position",
            "    \(tool) --socket \(socket) status",
            "    \(tool) --socket \(socket) postcard --message \"Hello from the prairie\" -o card.jpg",
            "", "  Ctrl-C ends it.", "",
        ]
        print(lines.joined(separator: "\n"))
        // A page that is not a terminal is fully buffered.
        flushStandardOutput()
    }

    /// Six decimals: a tenth of a metre.
    private func degrees(_ value: Double) -> String {
        let millionths = Int((abs(value) * 1e6).rounded())
        let fraction = String(millionths % 1_000_000)
        return (value < 0 ? "-" : "") + "\(millionths / 1_000_000)."
            + String(repeating: "0", count: 6 - fraction.count) + fraction
    }
}
