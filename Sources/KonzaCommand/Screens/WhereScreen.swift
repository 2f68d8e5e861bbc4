internal import KonzaAPI
internal import KonzaModel

/// `konza where`: one line.
enum WhereScreen {
    static func line(_ position: PositionReply, format: CoordinateFormat = .decimal) -> Line {
        guard let place = place(of: position) else { return nowhere(position) }
        // A geo URI of a fresh fix stands alone, for a program to read; with any other, words that it cannot miss.
        if format == .geo, position.state == .fix, position.source == .live {
            return Line(format.text(place, altitude: position.altitude, accuracy: position.accuracy))
        }
        var line = mark(position)
        if position.state != .fix { line += Line("\(word(position.state)) ", .bad) }
        line += Line(
            format.text(place, altitude: position.altitude, accuracy: position.accuracy),
            position.state == .fix ? .strong : .caution)
        let age = position.ageMs.map(Figures.age)
        let facts = [accuracy(position), age, height(position), fix(position)].compactMap { $0 }
        line += ", " + facts.joined(separator: ", ")
        guard position.state != .fix, let reason = position.reason else { return line }
        return line + "; \(reason)"
    }

    /// What is not live says so first.
    private static func mark(_ position: PositionReply) -> Line {
        StatusScreen.source(position.source).map { Line("(\($0)) ", .caution) } ?? Line()
    }

    static func place(of position: PositionReply) -> Coordinate? {
        guard let latitude = position.latitude, let longitude = position.longitude else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    private static func nowhere(_ position: PositionReply) -> Line {
        mark(position) + Line("no position: ", .bad) + (position.reason ?? word(position.state))
    }

    /// What the state means for the one who reads.
    static func word(_ state: PositionState) -> String {
        switch state {
        case .fix: "fresh"
        case .acquiring: "ACQUIRING"
        case .stale: "STALE"
        case .disconnected: "DISCONNECTED"
        }
    }

    private static func accuracy(_ position: PositionReply) -> String? {
        guard let accuracy = position.accuracy else { return "accuracy not known" }
        let source: String? =
            switch position.accuracySource {
            case .receiver: "receiver"
            case .model: "estimated"
            case .average: "averaged"
            case nil: nil
            }
        let confidence = position.confidence.map { "\(Figures.fixed($0 * 100, 0)) %" }
        let notes = [source, confidence].compactMap { $0 }
        let text = "±\(Figures.metres(accuracy))"
        return notes.isEmpty ? text : "\(text) (\(notes.joined(separator: ", ")))"
    }

    private static func height(_ position: PositionReply) -> String? {
        if let altitude = position.altitudeMSL { return "elevation \(Figures.height(altitude))" }
        return position.altitude.map { "\(Figures.height($0)) above the ellipsoid" }
    }

    private static func fix(_ position: PositionReply) -> String? {
        switch position.fixStatus {
        case "dgps": "DGPS"
        case "rtk-fixed": "RTK fixed"
        case "rtk-float": "RTK float"
        case "dead-reckoning": "dead reckoning"
        case "gnss-dead-reckoning": "GNSS and dead reckoning"
        case "surveyed": "surveyed"
        case "simulated": "simulated by the receiver"
        default:
            switch position.fixType {
            case "2d": "2D fix"
            case "3d": "3D fix"
            default: nil
            }
        }
    }
}
