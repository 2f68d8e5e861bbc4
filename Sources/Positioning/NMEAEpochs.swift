internal import KonzaModel

/// Gathers NMEA sentences into epochs: RMC, GGA, GSA, GSV and VTG; others say nothing that is needed here.
struct NMEAEpochs {
    private var date: Int64?
    private var timeOfDay: Int64?
    private var fix = Fix(time: nil, arrival: MonotonicInstant(nanoseconds: 0), mode: .notSeen, source: .recorded)
    private var dop = DilutionOfPrecision()
    private var used: Set<Int> = []
    private var hasGSA = false
    private var view: [Satellite] = []
    private var sky: [Satellite]?
    private var isVoid = false

    /// Takes a sentence in.
    ///
    /// - Returns: the epoch that ended, when the sentence begins another.
    mutating func take(_ sentence: NMEASentence) throws(NMEAError) -> RecordedEpoch? {
        var finished: RecordedEpoch?
        switch sentence.type {
        case "RMC", "GGA":
            if let time = try sentence.timeOfDay(0), time != timeOfDay {
                finished = finish()
                timeOfDay = time
            }
            try sentence.type == "RMC" ? takeRMC(sentence) : takeGGA(sentence)
        case "GSA": try takeGSA(sentence)
        case "GSV": try takeGSV(sentence)
        case "VTG":
            fix.track = try sentence.number(0, "course") ?? fix.track
            if let speed = try sentence.number(6, "speed") { fix.speed = speed / 3.6 }
        default: break
        }
        return finished
    }

    /// Ends the current epoch; nil before there was one with a time.
    mutating func finish() -> RecordedEpoch? {
        defer {
            fix = Fix(time: nil, arrival: fix.arrival, mode: .notSeen, source: .recorded)
            used.removeAll()
            hasGSA = false
            sky = nil
            isVoid = false
        }
        guard let timeOfDay, let date else { return nil }
        var fix = self.fix
        fix.time = UTCInstant(nanoseconds: date &+ timeOfDay)
        if isVoid || fix.coordinate == nil {
            fix.mode = .noFix
            fix.coordinate = nil
        } else if fix.mode < .twoDimensional {
            fix.mode = fix.altitudeMSL == nil ? .twoDimensional : .threeDimensional
        }
        if let msl = fix.altitudeMSL, let separation = fix.geoidSeparation { fix.altitudeHAE = msl + separation }
        let reported = sky.map { list in
            list.map { satellite in
                var satellite = satellite
                satellite.used = used.contains(satellite.prn)
                return satellite
            }
        }
        return RecordedEpoch(
            fix: fix,
            sky: Sky(time: fix.time, arrival: fix.arrival, dop: dop, satellites: reported ?? []),
            hasSatellites: reported != nil)
    }

    private mutating func takeRMC(_ sentence: NMEASentence) throws(NMEAError) {
        date = try sentence.date(8) ?? date
        isVoid = sentence.text(1) == "V"
        guard !isVoid else { return }
        fix.coordinate = try sentence.coordinate(2) ?? fix.coordinate
        if let knots = try sentence.number(6, "speed") { fix.speed = knots * 1852 / 3600 }
        fix.track = try sentence.number(7, "course") ?? fix.track
    }

    private mutating func takeGGA(_ sentence: NMEASentence) throws(NMEAError) {
        let quality = try sentence.integer(5, "quality") ?? 0
        guard quality > 0 else {
            isVoid = true
            return
        }
        fix.coordinate = try sentence.coordinate(1) ?? fix.coordinate
        // NMEA 0183, GGA field 6: 2 DGPS, 3 PPS, 4 RTK fixed, 5 RTK float, 6 dead reckoning, 7 manual, 8 simulator.
        let statuses: [FixStatus] = [
            .unknown, .normal, .differential, .encryptedPulse, .rtkFixed, .rtkFloat, .deadReckoning, .timeOnly,
            .simulated,
        ]
        fix.status = statuses.indices.contains(quality) ? statuses[quality] : .unknown
        fix.satellitesUsed = try sentence.integer(6, "satellite count")
        dop.horizontal = try sentence.number(7, "HDOP") ?? dop.horizontal
        fix.altitudeMSL = try sentence.number(8, "altitude")
        fix.geoidSeparation = try sentence.number(10, "geoid separation")
    }

    private mutating func takeGSA(_ sentence: NMEASentence) throws(NMEAError) {
        if !hasGSA { used.removeAll() }
        hasGSA = true
        if let mode = try sentence.integer(1, "mode"), let known = FixMode(rawValue: mode) { fix.mode = known }
        // NMEA 4.11 adds the system's number, which tells one GNGSA from another.
        let system = NMEASatellite.system(talker: sentence.talker, number: try sentence.integer(17, "system"))
        for index in 2..<14 {
            if let number = try sentence.integer(index, "satellite") {
                used.insert(NMEASatellite(number, system).prn)
            }
        }
        dop.position = try sentence.number(14, "PDOP") ?? dop.position
        dop.horizontal = try sentence.number(15, "HDOP") ?? dop.horizontal
        dop.vertical = try sentence.number(16, "VDOP") ?? dop.vertical
    }

    private mutating func takeGSV(_ sentence: NMEASentence) throws(NMEAError) {
        guard let part = try sentence.integer(1, "part"), let parts = try sentence.integer(0, "parts") else { return }
        if part == 1 { view.removeAll() }
        let system = NMEASatellite.system(talker: sentence.talker, number: nil)
        for first in stride(from: 3, through: 15, by: 4) {
            guard let number = try sentence.integer(first, "satellite"), (1...999).contains(number), view.count < 140
            else { continue }
            let name = NMEASatellite(number, system)
            view.append(
                Satellite(
                    prn: name.prn, gnssID: name.gnssID, svID: name.svID,
                    elevation: try sentence.number(first + 1, "elevation"),
                    azimuth: try sentence.number(first + 2, "azimuth"),
                    signal: try sentence.number(first + 3, "signal"), used: false))
        }
        if part == parts { sky = (sky ?? []) + view }
    }
}

/// A satellite's number in NMEA, in the terms of gpsd: PRNs that are unique over all constellations.
struct NMEASatellite: Equatable {
    /// The systems that number their satellites from 1 (NMEA 0183 4.11, GSA field 18).
    enum System {
        case galileo
        case beiDou
        case other
    }

    let prn: Int
    let gnssID: Int?
    let svID: Int?

    init(_ number: Int, _ system: System) {
        switch (system, number) {
        case (.galileo, 1...36): self.init(prn: number + 300, gnssID: 2, svID: number)
        case (.beiDou, 1...37): self.init(prn: number + 400, gnssID: 3, svID: number)
        case (_, 1...32): self.init(prn: number, gnssID: 0, svID: number)
        case (_, 33...64): self.init(prn: number, gnssID: 1, svID: number + 87)
        case (_, 65...96): self.init(prn: number, gnssID: 6, svID: number - 64)
        default: self.init(prn: number, gnssID: nil, svID: nil)
        }
    }

    private init(prn: Int, gnssID: Int?, svID: Int?) {
        self.prn = prn
        self.gnssID = gnssID
        self.svID = svID
    }

    static func system(talker: String, number: Int?) -> System {
        switch (talker, number) {
        case ("GA", _), (_, 3): .galileo
        case ("GB", _), ("BD", _), (_, 4): .beiDou
        default: .other
        }
    }
}
