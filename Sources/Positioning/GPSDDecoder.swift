internal import CGPS
internal import Glibc
internal import KonzaModel

/// Decodes gpsd's lines by libgps 3.22 (API 11), in a `gps_data_t` that stays on the heap: it is 24 kB large.
///
/// Read from the line itself, because libgps 3.22 loses or garbles it: the class (its `set` keeps the bits of the
/// last TPV), times (it computes them through a `Double`), `status` (absent for 0 and 1), whether a SKY has
/// satellites at all, `activated`, and the members of VERSION and ERROR, which share one union.
@safe struct GPSDDecoder: ~Copyable {
    private let data: UnsafeMutablePointer<gps_data_t>
    private var line: [CChar] = []

    init() {
        unsafe data = .allocate(capacity: 1)
        unsafe memset(data, 0, MemoryLayout<gps_data_t>.size)
    }

    deinit { unsafe data.deallocate() }

    /// Decodes one line without its end.
    mutating func decode(
        _ bytes: some Collection<UInt8>, arrival: MonotonicInstant, source: SourceKind
    ) throws(LineRejection) -> GPSDReport {
        guard let members = JSONLine(bytes) else { throw .notJSON }
        guard let kind = members.text("class") else { throw .wrongShape }
        switch kind {
        case "VERSION": return try version(members)
        case "DEVICES": return try devices(members, bytes)
        case "DEVICE":
            guard let receiver = Receiver(members) else { throw .wrongShape }
            return .device(receiver)
        case "WATCH": return .watch(isEnabled: members["enable"] == .boolean(true))
        case "ERROR": return .error(PrintableText.cut(members.text("message") ?? ""))
        case "TPV":
            try unpack(bytes)
            return .fix(try fix(members, arrival: arrival, source: source))
        case "SKY":
            try unpack(bytes)
            // gpsd says that nothing is heard by a count of 0 without a list.
            let hasSatellites = members.count("satellites") != nil || members.number("nSat") == 0
            return .sky(sky(members, arrival: arrival), hasSatellites: hasSatellites)
        case "GST": return .statement(ErrorStatement(members, arrival: arrival), device: Self.device(members))
        default: return .other(class: PrintableText.cut(kind, to: 20), device: Self.device(members))
        }
    }

    private mutating func unpack(_ bytes: some Collection<UInt8>) throws(LineRejection) {
        line.removeAll(keepingCapacity: true)
        for byte in bytes {
            // The library takes a C string: nothing behind a NUL would be seen.
            if byte == 0 { throw .notJSON }
            line.append(CChar(bitPattern: byte))
        }
        line.append(0)
        let data = unsafe data
        // What a line leaves out must not be what the last line said.
        unsafe gps_clear_fix(&data.pointee.fix)
        unsafe gps_clear_dop(&data.pointee.dop)
        let code = unsafe line.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return Int32(-1) }
            return unsafe gps_unpack(base, data)
        }
        guard code == 0 else { throw .refusedByLibrary }
    }

    private func version(_ members: JSONLine) throws(LineRejection) -> GPSDReport {
        guard let major = members.integer("proto_major", in: 0...1000),
            let minor = members.integer("proto_minor", in: 0...1000)
        else { throw .wrongShape }
        let release = PrintableText.cut(members.text("release") ?? "unknown", to: 40)
        return .version(release: release, major: major, minor: minor)
    }

    /// The receiver that a line is of.
    private static func device(_ members: JSONLine) -> String? { members.text("device").map { PrintableText.name($0) } }

    /// What a line is that cannot be used, as far as that can be told.
    static func refused(_ bytes: some Collection<UInt8>, _ rejection: LineRejection) -> RefusedLine {
        guard let members = JSONLine(bytes) else {
            let start = String(decoding: bytes.prefix(40), as: UTF8.self)
            let kind = ["TPV", "SKY"].first { start.contains("\"class\":\"\($0)\"") }
            return RefusedLine(rejection: rejection, kind: kind, device: nil)
        }
        return RefusedLine(
            rejection: rejection, kind: members.text("class").map { PrintableText.cut($0, to: 20) },
            device: device(members))
    }

    private func devices(
        _ members: JSONLine, _ bytes: some Collection<UInt8>
    ) throws(LineRejection) -> GPSDReport {
        guard case .nested(true, let count, let range) = members["devices"] else { throw .wrongShape }
        let list = bytes.dropFirst(range.lowerBound).prefix(range.count)
        let receivers = JSONLine.objects(in: list).compactMap { Receiver($0) }
        // A list of something else is no empty list.
        guard count == 0 || !receivers.isEmpty else { throw .wrongShape }
        return .devices(receivers)
    }

    private func fix(
        _ members: JSONLine, arrival: MonotonicInstant, source: SourceKind
    ) throws(LineRejection) -> Fix {
        let decoded = unsafe data.pointee.fix
        // gps_unpack() answers 0 even where it stopped half way through the line.
        guard agrees(members, "mode", Double(decoded.mode), absent: 0),
            agrees(members, "lat", decoded.latitude), agrees(members, "lon", decoded.longitude)
        else { throw .refusedByLibrary }
        guard let mode = FixMode(rawValue: Int(decoded.mode)) else { throw .wrongShape }
        let status = members.integer("status", in: 0...9).flatMap { FixStatus(rawValue: $0) } ?? .unknown
        var fix = Fix(
            time: members.instant("time"), arrival: arrival, mode: mode, status: status,
            source: source == .live && status == .simulated ? .simulated : source)
        if mode >= .twoDimensional {
            fix.coordinate = Coordinate(latitude: decoded.latitude, longitude: decoded.longitude)
        }
        if mode == .threeDimensional {
            fix.altitudeHAE = known(decoded.altHAE, -20_000...100_000)
            fix.altitudeMSL = known(decoded.altMSL, -20_000...100_000)
        }
        fix.geoidSeparation = known(decoded.geoid_sep, -200...200)
        fix.speed = known(decoded.speed, 0...100_000)
        fix.track = known(decoded.track, 0...360)
        fix.climb = known(decoded.climb, -10_000...10_000)
        fix.errors = errors(decoded)
        fix.device = Self.device(members)
        return fix
    }

    /// Whether the library read what the line says.
    private func agrees(_ members: JSONLine, _ name: String, _ decoded: Double, absent: Double = .nan) -> Bool {
        guard members[name] != nil else { return decoded == absent || (decoded.isNaN && absent.isNaN) }
        guard let number = members.number(name) else { return false }
        return abs(number - decoded) < 1e-9
    }

    private func errors(_ decoded: gps_fix_t) -> ErrorEstimates {
        let metres = 0.0...10_000_000
        var errors = ErrorEstimates()
        errors.epx = known(decoded.epx, metres)
        errors.epy = known(decoded.epy, metres)
        errors.epv = known(decoded.epv, metres)
        errors.eph = known(decoded.eph, metres)
        errors.sep = known(decoded.sep, metres)
        errors.ept = known(decoded.ept, metres)
        errors.eps = known(decoded.eps, metres)
        errors.epc = known(decoded.epc, metres)
        errors.epd = known(decoded.epd, 0...360)
        return errors
    }

    private func sky(_ members: JSONLine, arrival: MonotonicInstant) -> Sky {
        let ratio = 0.0...1000
        let dop = unsafe data.pointee.dop
        let dilution = DilutionOfPrecision(
            horizontal: known(dop.hdop, ratio), vertical: known(dop.vdop, ratio),
            position: known(dop.pdop, ratio), time: known(dop.tdop, ratio),
            geometric: known(dop.gdop, ratio), x: known(dop.xdop, ratio),
            y: known(dop.ydop, ratio))
        var satellites: [Satellite] = []
        if let listed = members.count("satellites") {
            let data = unsafe data
            unsafe withUnsafeBytes(of: &data.pointee.skyview) { bytes in
                unsafe bytes.withMemoryRebound(to: satellite_t.self) { views in
                    let count = min(listed, views.count, Int(MAXCHANNELS))
                    satellites = unsafe views.prefix(count).compactMap { satellite($0) }
                }
            }
        }
        var sky = Sky(time: members.instant("time"), arrival: arrival, dop: dilution, satellites: satellites)
        sky.device = Self.device(members)
        return sky
    }

    private func satellite(_ view: satellite_t) -> Satellite? {
        guard view.PRN > 0 else { return nil }
        let hasSystem = view.svid > 0
        return Satellite(
            prn: Int(view.PRN), gnssID: hasSystem ? Int(view.gnssid) : nil, svID: hasSystem ? Int(view.svid) : nil,
            elevation: known(view.elevation, -90...90), azimuth: known(view.azimuth, 0...360),
            signal: known(view.ss, 0.1...254), used: view.used,
            health: view.health == 1 || view.health == 2 ? Int(view.health) : nil)
    }

    /// A value that is finite and possible.
    private func known(_ value: Double, _ range: ClosedRange<Double>) -> Double? {
        value.isFinite && range.contains(value) ? value : nil
    }
}

extension Receiver {
    init?(_ members: JSONLine) {
        guard let path = members.text("path"), !path.isEmpty else { return nil }
        // gpsd gives the time of activation, or 0 when the receiver is gone; old releases a number of seconds.
        let isActivated: Bool
        switch members["activated"] {
        case .text(let text): isActivated = !text.isEmpty
        case .number(let seconds): isActivated = seconds > 0
        default: isActivated = false
        }
        let model = [members.text("subtype"), members.text("subtype1")].compactMap { $0 }.filter { !$0.isEmpty }
            .map { PrintableText.cut($0) }
        self.init(
            path: PrintableText.name(path), driver: members.text("driver").map { PrintableText.cut($0, to: 40) },
            model: model.isEmpty ? nil : model.joined(separator: ", "),
            isActivated: isActivated,
            cycleSeconds: members.number("cycle").flatMap { $0 > 0 && $0 < 3600 ? $0 : nil },
            bitsPerSecond: members.integer("bps", in: 1...100_000_000))
    }
}
