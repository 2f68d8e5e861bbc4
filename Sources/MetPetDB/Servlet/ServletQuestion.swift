internal import KonzaModel

/// The body of a request to the servlet: lines of `key= value`, in an order that matters to it. It takes a line apart at
/// the characters "= ", and reads two parts of it only.
struct ServletQuestion {
    private(set) var lines: [String] = []

    var bytes: [UInt8] { Array(lines.map { $0 + "\n" }.joined().utf8) }

    /// - Throws: a `question` error for what the servlet would read as something else.
    mutating func add(_ key: String, _ value: String) throws(MetPetDBError) {
        let isPlain = value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        guard isPlain, !value.isEmpty, !value.contains("= "), value.first != " ", value.last != " " else {
            throw MetPetDBError(
                .question,
                "cannot ask the servlet for \"\(shortened(value, to: 60))\": it takes letters of ASCII only, no line ends, "
                    + "and no \"= \"")
        }
        lines.append("\(key)= \(value)")
    }

    mutating func add(_ key: String, _ values: [String]) throws(MetPetDBError) {
        for value in values { try add(key, value) }
    }
}

extension ServletQuestion {
    /// The questions of a search: one, or two for a box that crosses the antimeridian.
    ///
    /// - Parameters:
    ///   - query: what to look for.
    ///   - user: the account's address; the servlet asks for no password.
    /// - Returns: the lines but for what is wanted of the samples.
    /// - Throws: a `question` error for what the servlet cannot be asked.
    static func searching(_ query: SampleQuery, user: String?) throws(MetPetDBError) -> [ServletQuestion] {
        try refuseUnknown(query, user)
        var filters = ServletQuestion()
        try filters.add("rockType", query.rockTypes)
        try filters.add("mineral", query.minerals)
        try filters.add("metamorphicGrade", query.metamorphicGrades)
        try filters.add("owner", query.owners)
        if user != nil { try filters.add("sampleType", query.visibility.rawValue) }
        var questions: [ServletQuestion] = []
        for place in try places(query.area) {
            var question = ServletQuestion()
            if let user { try question.add("user", user) }
            question.lines += place.lines + filters.lines
            questions.append(question)
        }
        return questions
    }

    private static func refuseUnknown(_ query: SampleQuery, _ user: String?) throws(MetPetDBError) {
        let unknown: String? =
            if !query.collectors.isEmpty {
                "collectors"
            } else if query.collectedFrom != nil || query.collectedTo != nil {
                "days of collection"
            } else if query.owners.count > 1 {
                "more than one owner at a time"
            } else if query.visibility == .private, user == nil {
                "private samples without an account"
            } else {
                nil
            }
        if let unknown {
            throw MetPetDBError(.question, "cannot look for samples: the servlet cannot be asked for \(unknown)")
        }
    }

    private static func places(_ area: SampleQuery.Area) throws(MetPetDBError) -> [ServletQuestion] {
        if case .region(let name) = area {
            var question = ServletQuestion()
            try question.add("searchRegion", name)
            return [question]
        }
        // Without a box or a region the servlet does not search.
        guard let box = area.box ?? GeographicBox(west: -180, south: -90, east: 180, north: 90) else { return [] }
        let spans: [(west: Double, east: Double)] =
            box.crossesAntimeridian ? [(box.west, 180), (-180, box.east)] : [(box.west, box.east)]
        var questions: [ServletQuestion] = []
        for (west, east) in spans {
            var question = ServletQuestion()
            for (key, degrees) in [("north", box.north), ("south", box.south), ("east", east), ("west", west)] {
                var text = decimal(degrees, 6)
                // The servlet takes -1 for "not given".
                if Double(text) == -1 { text = "-0.999999" }
                try question.add(key, text)
            }
            if case .circle(let center, _) = area {
                try question.add("currentLatitude", decimal(center.latitude, 5))
                try question.add("currentLongitude", decimal(center.longitude, 5))
            }
            questions.append(question)
        }
        return questions
    }
}
