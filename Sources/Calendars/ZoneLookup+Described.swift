extension ZoneLookup {
    /// The folders of the time zone database in which a place is looked for, in this order.
    private static let areas = [
        "America", "US", "Canada", "Europe", "Asia", "Africa", "Australia", "Pacific", "Atlantic", "Indian",
    ]
    /// Places that the database names otherwise.
    private static let otherwise = ["Indiana (East)": "Indianapolis", "City of Buenos Aires": "Buenos Aires"]
    private static let mostPlaces = 10

    /// The zone that a name describes, as Outlook on the web and Exchange write it: `(UTC-06:00) Central Time (US & Canada)`, a list
    /// of cities, or an offset alone, such as `UTC+01:00`. Of the cities the first counts that the database has, with the offset
    /// that is said; where it has none of them the offset holds all year.
    ///
    /// - Returns: nil for a name that describes none.
    func described(_ name: String) -> Zone? {
        guard name.utf8.count <= 200 else { return nil }
        if name.lowercased() == "tzone://microsoft/utc" { return .utc }
        var rest = name[...]
        var said: Int?
        if rest.first == "(" {
            guard let end = rest.firstIndex(of: ")") else { return nil }
            said = Self.offset(rest[rest.index(after: rest.startIndex)..<end])
            guard said != nil else { return nil }
            rest = rest[rest.index(after: end)...]
        } else if let offset = Self.offset(rest) {
            return Zone(name: name, fixed: offset)
        }
        for part in rest.split(whereSeparator: { $0 == "," || $0 == ":" }).prefix(Self.mostPlaces) {
            if let zone = zone(ofPlace: part), said == nil || zone.standardOffset == said { return zone }
        }
        return said.map { Zone(name: name, fixed: $0) }
    }

    private func zone(ofPlace part: Substring) -> Zone? {
        var place = part.drop { $0 == " " }
        while place.last == " " { place.removeLast() }
        for ending in [" Time (US & Canada)", " Time (Canada)"] where place.hasSuffix(ending) {
            place.removeLast(ending.count)
        }
        let file = (Self.otherwise[String(place)] ?? String(place)).replacing(" ", with: "_")
        for area in Self.areas {
            if let zone = zone("\(area)/\(file)") { return zone }
        }
        return nil
    }

    /// Seconds east of `UTC`, `UTC-06:00`, `GMT+1` or `UTC+0530`.
    private static func offset(_ text: Substring) -> Int? {
        guard text.hasPrefix("UTC") || text.hasPrefix("GMT") else { return nil }
        let rest = text.dropFirst(3)
        guard let sign = rest.first else { return 0 }
        let digits = rest.dropFirst().filter { $0 != ":" }
        guard sign == "+" || sign == "-", rest.utf8.count <= 6, [1, 2, 4].contains(digits.count),
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits)
        else { return nil }
        let (hours, minutes) = digits.count == 4 ? (number / 100, number % 100) : (number, 0)
        guard hours <= 14, minutes < 60 else { return nil }
        return (hours * 3600 + minutes * 60) * (sign == "-" ? -1 : 1)
    }
}

extension Zone {
    /// A zone whose offset never changes, seconds east.
    fileprivate init(name: String, fixed: Int) {
        self.init(name: name, changes: [], offsets: [], first: fixed)
    }

    /// The offset of a year without daylight saving time: the smaller one of January and July.
    fileprivate var standardOffset: Int {
        let months = [1, 7].map { Days.number(year: 2026, month: $0, day: 1) * Days.second }
        return months.map(offset(at:)).min() ?? first
    }
}
