internal import FoundationEssentials
internal import KonzaAPI
internal import KonzaModel

/// `konza events`: one line an event.
enum EventScreen {
    /// The events that can be asked for by name; a gap comes with all of them.
    static let types = EventName.allCases.filter { $0 != .gap }.map(\.rawValue)

    static func line(_ event: StationEvent, at instant: UTCInstant, dates: LocalDates) -> Line {
        let head = Line(dates.time(instant), .quiet) + "  " + Line(event.name, .strong).padded(to: 10)
        return head + (words(event) ?? Line("(not understood by this version of konza)", .quiet))
    }

    private static func words(_ event: StationEvent) -> Line? {
        switch EventName(rawValue: event.name) {
        case .position: return decode(event, PositionReply.self).map { WhereScreen.line($0) }
        case .camera: return decode(event, CameraEvent.self).map(camera)
        case .postcard: return decode(event, PostcardEvent.self).map(postcard)
        case .shot: return decode(event, ShotEvent.self).map(shot)
        case .health: return decode(event, HealthEvent.self).map(health)
        case .specimen: return decode(event, SpecimenEvent.self).map { Line("\($0.number) \($0.change)") }
        case .occupation: return decode(event, OccupationReply.self).map(occupation)
        case .outbox: return decode(event, OutboxEvent.self).map(outbox)
        case .trail: return decode(event, NearestTrailReply.self).map { Line($0.words) }
        case .gap: return Line("some events were missed", .caution)
        case nil: return nil
        }
    }

    private static func decode<Payload: Decodable>(_ event: StationEvent, _ type: Payload.Type) -> Payload? {
        try? JSONDecoder().decode(type, from: Data(event.data))
    }

    private static func camera(_ event: CameraEvent) -> Line {
        let mark = StatusScreen.source(event.source).map { "(\($0)) " } ?? ""
        return StatusScreen.level(event.health.level)
            + ", \(mark)\(event.streaming ? "taking frames" : "resting"): \(event.health.reason)"
    }

    private static func health(_ event: HealthEvent) -> Line {
        Line("\(event.part) ") + StatusScreen.level(event.health.level) + ": \(event.health.reason)"
    }

    private static func occupation(_ event: OccupationReply) -> Line {
        let accuracy = event.accuracy.map { ", ±\(Figures.metres($0))" } ?? ""
        let words = "\(event.specimen) \(event.state.rawValue) after \(Int(event.elapsedSeconds)) s"
        return Line("\(words), \(Figures.fixes(event.fixesUsed))\(accuracy)")
    }

    private static func outbox(_ event: OutboxEvent) -> Line {
        var line = Line("\(event.specimen) to \(event.target.rawValue): \(event.state.rawValue)")
        if let sent = event.sentBytes, let total = event.totalBytes { line = line + ", \(sent) of \(total) bytes" }
        return event.lastFailure.map { line + ": \($0)" } ?? line
    }

    private static func shot(_ event: ShotEvent) -> Line {
        switch event.state {
        case "counting": Line("\(event.id) in \(event.remainingSeconds.map { "\($0) s" } ?? "a moment")")
        case "failed":
            Line("\(event.id) ") + Line("failed", .bad) + (event.problem.map { ": \($0.detail)" } ?? "")
        default: Line("\(event.id) \(event.state)")
        }
    }

    private static func postcard(_ event: PostcardEvent) -> Line {
        switch event.state {
        case "counting":
            return Line("\(event.id) in \(event.remainingSeconds.map { "\($0) s" } ?? "a moment")")
        case "failed":
            return Line("\(event.id) ") + Line("failed", .bad) + (event.problem.map { ": \($0.detail)" } ?? "")
        case "kept":
            return Line("\(event.id) ") + Line("kept", .good)
        default:
            return Line("\(event.id) \(event.state)")
        }
    }
}
