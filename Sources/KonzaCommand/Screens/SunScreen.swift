internal import KonzaAPI
internal import KonzaModel

/// Sun, moon and magnetic north, a line each.
enum SunScreen {
    static func lines(_ sky: SkyReply, dates: LocalDates) -> [Line] {
        var lines = [heading(sky, dates), sun(sky, dates), moon(sky, dates)]
        if let declination = sky.declination { lines.append(north(declination)) }
        return lines
    }

    private static func heading(_ sky: SkyReply, _ dates: LocalDates) -> Line {
        let place = Coordinate(latitude: sky.position.latitude, longitude: sky.position.longitude)
        let where_ = place.map { CoordinateFormat.decimal.text($0, altitude: nil, accuracy: nil) } ?? ""
        var line = Line()
        if let source = SourceKind(rawValue: sky.position.source), let mark = StatusScreen.source(source) {
            line += Line("(\(mark)) ", .caution)
        }
        if let state = sky.position.state, state != .fix { line += Line("\(WhereScreen.word(state)) ", .bad) }
        return line + Line("\(where_), \(dates.dateAndTime(sky.time)) \(dates.zone(sky.time))", .quiet)
    }

    private static func sun(_ sky: SkyReply, _ dates: LocalDates) -> Line {
        let sun = sky.sun
        let place = SkyReply.Place(
            azimuth: sun.azimuth, elevation: sun.elevation, apparentElevation: sun.apparentElevation,
            distance: sun.distance, horizon: sun.horizon)
        var line = body("Sun", place) + times(sun.rise, sun.set, sky.time, dates)
        if let dusk = sun.twilight["civil"]?.dusk { line += ", dark after \(dates.minute(dusk))" }
        return line
    }

    private static func moon(_ sky: SkyReply, _ dates: LocalDates) -> Line {
        let moon = sky.moon
        let place = SkyReply.Place(
            azimuth: moon.azimuth, elevation: moon.elevation, apparentElevation: moon.apparentElevation,
            distance: moon.distance, horizon: moon.horizon)
        let phase = String(moon.phase.map { $0 == "-" ? " " : $0 })
        return body("Moon", place) + times(moon.rise, moon.set, sky.time, dates)
            + ", \(phase), \(Figures.fixed(moon.illumination * 100, 0)) % lit"
    }

    private static func body(_ name: String, _ place: SkyReply.Place) -> Line {
        let height = place.apparentElevation
        let hidden = place.horizon.map { height > 0 && height < $0 } ?? false
        var line = Line(name, .strong).padded(to: 7)
        line += Line("\(Figures.fixed(place.azimuth, 1))°").aligned(right: 7)
        line += Line("\(Figures.fixed(abs(height), 1))° \(height < 0 ? "below" : "up")", height < 0 ? .quiet : .good)
            .padded(to: 14).aligned(right: 16)
        return hidden ? line + Line("behind the hills, ", .caution) : line
    }

    private static func times(
        _ rise: UTCInstant?, _ set: UTCInstant?, _ now: UTCInstant, _ dates: LocalDates
    ) -> Line {
        func word(_ name: String, _ instant: UTCInstant) -> String {
            let day = dates.date(instant) == dates.date(now) ? "" : "\(dates.date(instant)) "
            return "\(name) \(day)\(dates.minute(instant))"
        }
        let known = [
            rise.map { word($0 < now ? "rose" : "rises", $0) }, set.map { word($0 < now ? "set" : "sets", $0) },
        ]
        .compactMap { $0 }
        return Line(known.isEmpty ? "neither rises nor sets" : known.joined(separator: ", "))
    }

    private static func north(_ declination: SkyReply.Declination) -> Line {
        let side = declination.degrees < 0 ? "west" : "east"
        var line = Line("North", .strong).padded(to: 7)
        line += "magnetic north is \(Figures.fixed(abs(declination.degrees), 1))° \(side) of true north, "
        line += "±\(Figures.fixed(declination.standardDeviation, 1))° (\(declination.model))"
        guard declination.isExpired else { return line }
        return line
            + Line(
                "; that is outside of the model, which is for \(declination.validFrom) to \(declination.validUntil)",
                .caution)
    }
}
