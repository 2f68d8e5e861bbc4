internal import KonzaAPI
internal import KonzaModel

/// What a request says of a trip.
enum TripRequest {
    static let mostParty = 40
    static let mostRoute = 20

    /// - Returns: the trip, and who signs it out where the request says so.
    /// - Throws: a problem that names every fault.
    static func read(_ json: JSONValue?) throws(Problem) -> (trip: Trip, by: String?) {
        var rest = json
        var inner: [String: JSONValue] = [:]
        if case .object(var members) = json {
            for name in ["party", "route", "contact", "place"] { inner[name] = members.removeValue(forKey: name) }
            rest = .object(members)
        }
        var members = RequestMembers(rest)
        let leader = text("leader", 80, &members, isNeeded: true)
        let destination = text("destination", 200, &members, isNeeded: true)
        let vehicle = text("vehicle", 120, &members)
        let note = text("note", 1000, &members, hasLines: true)
        let by = text("by", 80, &members)
        let expected = members.string("expectedAt").flatMap { UTCInstant(rfc3339: $0) }
        if expected == nil {
            members.fault("expectedAt", "expected an RFC 3339 date-time such as 2026-05-30T14:03:07Z")
        }
        let party = list("party", inner["party"], mostParty, &members)
        let route = list("route", inner["route"], mostRoute, &members)
        try members.finish()
        var trip = Trip(
            leader: leader, party: party, destination: destination, route: route, vehicle: vehicle, note: note,
            expectedAt: expected ?? .earliest)
        if let value = inner["contact"], value != .null {
            var members = RequestMembers(value, prefix: "/contact")
            trip.contact = .init(
                name: text("name", 80, &members), phone: text("phone", 40, &members),
                email: text("email", 200, &members), language: members.string("language"))
            let languages = MessageLanguage.allCases.map(\.rawValue)
            if let language = trip.contact.language, !languages.contains(language) {
                members.fault("language", "expected \(languages.joined(separator: " or "))")
            }
            if !trip.contact.email.isEmpty, !isMailAddress(trip.contact.email) {
                members.fault("email", "expected a mail address such as ana@example.org")
            }
            try members.finish()
        }
        if let value = inner["place"], value != .null {
            var members = RequestMembers(value, prefix: "/place")
            let latitude = members.number("latitude", in: -90...90)
            let longitude = members.number("longitude", in: -180...180)
            let accuracy = members.number("accuracy", in: 0...100_000)
            if latitude == nil || longitude == nil { members.fault("latitude", "latitude and longitude come together") }
            try members.finish()
            trip.place = .init(latitude: latitude ?? 0, longitude: longitude ?? 0, accuracy: accuracy)
        }
        return (trip, by.isEmpty ? nil : by)
    }

    private static func text(
        _ name: String, _ most: Int, _ members: inout RequestMembers, isNeeded: Bool = false, hasLines: Bool = false
    ) -> String {
        let text = members.string(name) ?? ""
        if let complaint = TextRule.complaint(text, upTo: most, hasLines: hasLines) { members.fault(name, complaint) }
        if isNeeded, text.isEmpty { members.fault(name, "cannot be empty") }
        return text
    }

    private static func list(_ name: String, _ value: JSONValue?, _ most: Int, _ members: inout RequestMembers)
        -> [String]
    {
        guard let value, value != .null else { return [] }
        guard case .array(let values) = value, values.count <= most else {
            members.fault(name, "expected a list of at most \(most) names")
            return []
        }
        return values.compactMap { value in
            guard case .string(let text) = value, !text.isEmpty, TextRule.complaint(text, upTo: 80) == nil else {
                members.fault(name, "expected names of 1 to 80 characters")
                return nil
            }
            return text
        }
    }

    /// Visible ASCII with one `@`: what a mail server takes without quoting.
    static func isMailAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && parts[1].contains(".") && text.utf8.count <= 200
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"<>,;:\"()[]\\".utf8.contains($0) }
    }
}
