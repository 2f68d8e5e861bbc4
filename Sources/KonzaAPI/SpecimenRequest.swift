public import KonzaModel

/// Where a request says that a specimen was taken.
public enum PositionRequest: Sendable, Equatable {
    /// Where the station is now.
    case here
    /// Written in by the collector.
    case given(GivenPosition)
}

/// A position that the collector wrote in.
public struct GivenPosition: Sendable, Equatable {
    public var coordinate: Coordinate
    /// Metres, with 95 % probability.
    public var accuracy: Double?
    /// Metres above the ellipsoid.
    public var altitude: Double?
    /// Metres above mean sea level.
    public var altitudeMSL: Double?
    /// Metres, with 95 % probability.
    public var altitudeAccuracy: Double?
}

/// The body of `PATCH /v1/specimens/{id}`: a member that is left out stays, `null` takes it away (RFC 7396), and a list
/// takes the place of the one before.
public struct SpecimenPatch: Sendable, Equatable {
    public var number: Change<String> = .keep
    public var rockType: Change<String> = .keep
    public var collector: Change<String> = .keep
    public var description: Change<String> = .keep
    public var minerals: Change<[Specimen.Mineral]> = .keep
    public var metamorphicGrades: Change<[String]> = .keep
    public var metamorphicRegions: Change<[String]> = .keep
    public var country: Change<String> = .keep
    public var regions: Change<[String]> = .keep
    public var references: Change<[String]> = .keep
    public var presentLocation: Change<String> = .keep
    public var isPublic: Change<Bool> = .keep
    public var collectionDate: Change<CalendarDate> = .keep
    public var igsn: Change<String> = .keep
    public var measurements: Change<[StructuralMeasurement]> = .keep
    public var fieldNotes: Change<String> = .keep
    public var position: Change<PositionRequest> = .keep
    /// Why the position is good enough although it is less accurate than wanted.
    public var override: Change<String> = .keep

    /// The longest description and field notes, characters.
    public static let longestText = 20_000
    /// The longest name in a list, characters.
    public static let longestName = 100
    /// The most entries of a list.
    public static let longestList = 200
    /// The longest collector and present location, IGSN, and reason of an override, characters.
    static let longestPerson = 50
    static let longestIGSN = 60
    static let longestOverride = 200
    /// Metres that a person may enter.
    static let accuracies = 0.001...1e6
    static let altitudes = -12_000.0...100_000

    public init() {}

    /// Reads a request body strictly.
    ///
    /// - Throws: a problem that names every unknown or unfit member.
    public init(_ value: JSONValue?) throws(Problem) {
        var members = RequestMembers(value)
        self.init(&members)
        for name in ["number", "rockType"] where members.has(name) {
            members.drop(name)
            members.fault(name, "cannot be taken away")
        }
        try members.finish()
    }

    init(_ members: inout RequestMembers) {
        readNames(&members)
        readTexts(&members)
        isPublic = members.change("isPublic") { $0.bool("isPublic") }
        collectionDate = members.change("collectionDate") { Self.date(&$0) }
        measurements = members.change("measurements") { members in
            members.objects("measurements", count: Self.longestList, Self.measurement)
        }
        position = members.change("position") { Self.position(&$0) }
        override = members.change("override") { $0.words("override", upTo: Self.longestOverride) }
    }

    private mutating func readNames(_ members: inout RequestMembers) {
        // A number and a rock type are never null: what is left in `members` is reported as an error by the caller.
        if members.peek("number") != .null { number = members.change("number") { Self.number(&$0) } }
        if members.peek("rockType") != .null {
            rockType = members.change("rockType") { members in
                guard let text = members.words("rockType", upTo: Self.longestName) else { return nil }
                if text.isEmpty { members.fault("rockType", "expected a name") }
                return text
            }
        }
        minerals = members.change("minerals") { members in
            members.objects("minerals", count: Self.longestList) { mineral in
                mineral.requireText("name")
                let share = mineral.peek("amount")?.double
                let amount = Self.amount(&mineral)
                if let complaint = RequestText.amountComplaint(amount) {
                    // A share that is written so small that no plain decimal says it fits the contract, too.
                    let fits = share.map((0...100).contains) ?? true
                    if fits { mineral.object(to: "amount", complaint) } else { mineral.fault("amount", complaint) }
                }
                return mineral.words("name", upTo: Self.longestName).map {
                    Specimen.Mineral(name: $0, amount: amount.isEmpty ? "x" : amount)
                }
            }
        }
        func names(_ name: String) -> Change<[String]> {
            members.change(name) { $0.list(name, count: Self.longestList, upTo: Self.longestName) }
        }
        metamorphicGrades = names("metamorphicGrades")
        metamorphicRegions = names("metamorphicRegions")
        regions = names("regions")
        references = names("references")
    }

    private mutating func readTexts(_ members: inout RequestMembers) {
        func text(_ name: String, _ limit: Int, hasLines: Bool = false) -> Change<String> {
            let change = members.change(name) { $0.words(name, upTo: limit, hasLines: hasLines) }
            return change == .set("") ? .clear : change
        }
        collector = text("collector", Self.longestPerson)
        description = text("description", Self.longestText, hasLines: true)
        country = text("country", Self.longestName)
        presentLocation = text("presentLocation", Self.longestPerson)
        igsn = text("igsn", Self.longestIGSN)
        fieldNotes = text("fieldNotes", Self.longestText, hasLines: true)
    }

    /// The longest text of an amount, as MetPetDB takes it.
    static let longestAmount = 30

    /// A share in percent, as a number or as text, or a word. What is written is kept: 5.50 stays that.
    private static func amount(_ mineral: inout RequestMembers) -> String {
        guard let value = mineral.peek("amount"), let share = value.double else {
            return mineral.words("amount", upTo: longestAmount) ?? "x"
        }
        if case .decimal(_, let text) = value, text.utf8.count > longestAmount {
            mineral.object(to: "amount", "expected at most \(longestAmount) characters")
        }
        mineral.drop("amount")
        if case .decimal(_, let text) = value { return text }
        return share == share.rounded() && abs(share) < 1e6 ? "\(Int(share))" : "\(share)"
    }

    private static func number(_ members: inout RequestMembers) -> String? {
        guard let number = members.string("number") else { return nil }
        if let complaint = SpecimenNumber.complaint(number) {
            let form = TextForm.specimenNumber
            let isLong = !(1...NumberTemplate.longestNumber).contains(number.unicodeScalars.count)
            if isLong || form.complaint(number) != nil {
                members.fault("number", complaint)
            } else {
                members.object(to: "number", complaint)
            }
            return nil
        }
        return number
    }

    private static func date(_ members: inout RequestMembers) -> CalendarDate? {
        guard let text = members.string("collectionDate") else { return nil }
        guard let date = CalendarDate(text) else {
            members.fault("collectionDate", "expected a day YYYY-MM-DD")
            return nil
        }
        return date
    }

    /// A plane by `strike` and `dip`, a line by `trend` and `plunge`, or either as the replies have it; against true
    /// north, or against magnetic north with the declination that applies.
    private static func measurement(_ members: inout RequestMembers) -> StructuralMeasurement? {
        var kind: StructuralMeasurement.Kind? = members.choice("kind")
        var azimuth = members.number("azimuth", in: 0...360)
        var inclination = members.number("inclination", in: 0...90)
        for (own, first, second) in [
            (StructuralMeasurement.Kind.plane, "strike", "dip"), (.line, "trend", "plunge"),
        ] where members.has(first) || members.has(second) {
            if kind != nil { members.fault(first, "one kind of measurement at a time") }
            if azimuth != nil || inclination != nil {
                members.fault(first, "not together with azimuth and inclination")
            }
            members.require(first)
            members.require(second)
            kind = own
            azimuth = members.number(first, in: 0...360)
            inclination = members.number(second, in: 0...90)
        }
        let north = members.string("north") ?? "true"
        let declination = members.number("declination", in: -180...180)
        let applied = members.number("declinationApplied", in: -180...180)
        let source = members.words("declinationSource", upTo: 40)
        if north != "true" && north != "magnetic" { members.fault("north", "expected true or magnetic") }
        if north == "magnetic", declination == nil {
            members.fault("declination", "a compass reading needs the declination that applies, degrees east")
        }
        if north == "true", declination != nil { members.fault("declination", "only with north = magnetic") }
        let feature = members.words("feature", upTo: longestName)
        let note = members.words("note", upTo: 500)
        guard let kind, let azimuth, let inclination else {
            members.fault("kind", "expected strike and dip, or trend and plunge, in degrees")
            return nil
        }
        let turn = declination ?? 0
        let turned = (azimuth + turn).truncatingRemainder(dividingBy: 360)
        return StructuralMeasurement(
            kind: kind, azimuth: turned < 0 ? turned + 360 : turned, inclination: inclination,
            declinationApplied: declination ?? applied ?? 0,
            declinationSource: declination != nil ? "given" : source ?? "none", feature: feature, note: note)
    }

    private static func position(_ members: inout RequestMembers) -> PositionRequest? {
        guard let value = members.take("position") else { return nil }
        if value == .string("here") { return .here }
        guard case .object = value else {
            members.fault("position", "expected \"here\", or an object with latitude and longitude")
            return nil
        }
        return members.object(value, at: "\(members.prefix)/position") { position in
            position.require("latitude")
            position.require("longitude")
            let latitude = position.number("latitude", in: -90...90)
            let longitude = position.number("longitude", in: -180...180)
            let accuracy = position.number("accuracy", in: Self.accuracies)
            let altitude = position.number("altitude", in: Self.altitudes)
            let altitudeMSL = position.number("altitudeMSL", in: Self.altitudes)
            let altitudeAccuracy = position.number("altitudeAccuracy", in: Self.accuracies)
            guard let latitude, let longitude, let place = Coordinate(latitude: latitude, longitude: longitude) else {
                return nil
            }
            return .given(
                GivenPosition(
                    coordinate: place, accuracy: accuracy, altitude: altitude, altitudeMSL: altitudeMSL,
                    altitudeAccuracy: altitudeAccuracy))
        }
    }
}

/// The body of `POST /v1/specimens`: as a patch, with the rock type, and with the number or without it.
public struct SpecimenRequest: Sendable, Equatable {
    public var number: String?
    public var rockType: String
    /// All the rest.
    public var patch: SpecimenPatch

    /// Reads a request body strictly.
    ///
    /// - Throws: a problem that names every unknown, missing or unfit member.
    public init(_ value: JSONValue?) throws(Problem) {
        var members = RequestMembers(value)
        members.require("rockType")
        var patch = SpecimenPatch(&members)
        if members.peek("number") == .null { members.drop("number") }
        if members.has("rockType") {
            members.drop("rockType")
            members.fault("rockType", "cannot be left out")
        }
        try members.finish()
        if case .set(let text) = patch.number { number = text }
        guard case .set(let text) = patch.rockType else {
            throw Problem(.invalidRequest, "cannot take the request: /rockType (expected a string)")
        }
        rockType = text
        patch.number = .keep
        patch.rockType = .keep
        self.patch = patch
    }
}

extension SpecimenPatch {
    /// Makes all the changes but those of the position, which need more than the request.
    public func apply(to specimen: inout Specimen) {
        if case .set(let text) = number { specimen.number = text }
        if case .set(let text) = rockType { specimen.rockType = text }
        collector.apply(to: &specimen.collector)
        description.apply(to: &specimen.description)
        minerals.apply(to: &specimen.minerals, empty: [])
        metamorphicGrades.apply(to: &specimen.metamorphicGrades, empty: [])
        metamorphicRegions.apply(to: &specimen.metamorphicRegions, empty: [])
        country.apply(to: &specimen.country)
        regions.apply(to: &specimen.regions, empty: [])
        references.apply(to: &specimen.references, empty: [])
        presentLocation.apply(to: &specimen.presentLocation)
        isPublic.apply(to: &specimen.isPublic, empty: false)
        collectionDate.apply(to: &specimen.collectionDate)
        igsn.apply(to: &specimen.igsn)
        measurements.apply(to: &specimen.measurements, empty: [])
        fieldNotes.apply(to: &specimen.fieldNotes)
    }
}
