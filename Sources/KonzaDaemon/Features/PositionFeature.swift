internal import HTTPServing
internal import KonzaModel
internal import KonzaSystem
internal import Positioning
internal import Settings

/// Where the station is: the receiver, the track, what a standing receiver has learned.
extension Feature {
    /// - Parameters:
    ///   - parts: of the station.
    ///   - data: the folder of what the program brings along.
    /// - Returns: the feature.
    static func position(_ parts: StationParts, data: String) -> Feature {
        let receiver = RestartableService("receiver", parts.clock, parts.log) {
            try PositionFeature.receiver(parts.settings.current, parts.board, data: data)
        }
        var feature = Feature("position")
        feature.routes = PositionRoutes(parts: parts).routes
        feature.parts = [Part("position") { parts.board.snapshot().health }]
        feature.metrics = { PositionFeature.count(parts, &$0) }
        feature.services = [parts.standing]
        feature.start = { receiver.start() }
        feature.reload = { old, new in
            guard old.position != new.position else { return }
            // Another source's fixes are not this one's.
            if old.position.source != new.position.source || old.position.recording != new.position.recording {
                parts.board.reset()
            }
            receiver.restart()
        }
        feature.stop = {
            receiver.stop()
            await parts.standing.save()
        }
        return feature
    }
}

private enum PositionFeature {
    static func receiver(
        _ settings: StationSettings, _ board: PositionBoard, data: String
    ) throws -> any Service {
        switch settings.position.source {
        case .gpsd:
            let endpoint = GPSDEndpoint(host: settings.position.gpsd.host, port: settings.position.gpsd.port)
            return try GPSDSource(endpoint: endpoint, board: board)
        case .recorded:
            return try RecordedSource(
                file: settings.position.recording ?? "\(data)/recordings/konza-nature-trail.nmea", board: board,
                speed: settings.position.recordingRate)
        }
    }

    static func count(_ parts: StationParts, _ page: inout MetricsText) {
        let snapshot = parts.board.snapshot()
        let counters = snapshot.counters
        page.add("konza_position_age_seconds", .gauge, "Age of the last fix.", snapshot.ageSeconds)
        page.add(
            "konza_position_accuracy_metres", .gauge, "Its horizontal error.",
            snapshot.fix?.horizontalAccuracy?.metres)
        page.count(
            "konza_position_events_total", "What the receiver's side counted.",
            [
                "lines": counters.lines, "fix_reports": counters.fixReports, "sky_reports": counters.skyReports,
                "epochs": counters.epochs, "merged_reports": counters.mergedReports,
                "reports_without_time": counters.reportsWithoutTime, "late_reports": counters.lateReports,
                "other_receiver_reports": counters.otherReceiverReports, "track_restarts": counters.trackRestarts,
                "position_jumps": counters.positionJumps, "connections": counters.connections,
                "reconnections": counters.reconnections, "gpsd_errors": counters.gpsdErrors,
                "week_rollovers": counters.weekRollovers, "held_reports": counters.heldReports,
                "skipped_lines": counters.skippedLines,
            ], label: "event")
        page.count(
            "konza_position_rejected_lines_total", "Lines from gpsd that were not used.",
            Dictionary(uniqueKeysWithValues: counters.rejectedLines.map { ("\($0.key)", $0.value) }), label: "cause")
    }
}
