internal import KonzaModel

extension SyntheticTrail {
    private static let notice =
        "Synthetic: a made-up walk on made-up trails near Konza Prairie, Kansas. No one walked it and no receiver recorded it."

    /// A satellite of the made-up sky, which turns slowly.
    private struct View {
        let prn: Int
        let elevation: Int
        let azimuth: Int
        let signal: Int
        var isUsed: Bool { elevation >= 10 && prn <= 32 }
    }

    private static let dop = (horizontal: 0.9, vertical: 1.4, position: 1.7)

    /// (PRN, elevation and azimuth at the start): ten GPS satellites and two of WAAS.
    private static let constellation = [
        (2, 24, 301), (5, 61, 214), (7, 12, 47), (13, 78, 96), (14, 33, 166), (15, 49, 278), (20, 37, 120),
        (23, 5, 190), (24, 18, 250), (30, 66, 20), (46, 38, 229), (48, 42, 205),
    ]

    private func sky(at second: Int) -> [View] {
        Self.constellation.enumerated().map { index, entry in
            let (prn, elevation, azimuth) = entry
            // WAAS stands still; the others rise or set by about a degree in three minutes.
            let drift = prn > 32 ? 0 : second / 180 * (index % 2 == 0 ? 1 : -1)
            let height = min(89, max(1, elevation + drift))
            let turn = prn > 32 ? 0 : second / 240
            let flicker = (second / 5 * 7 + index * 11) % 5
            return View(
                prn: prn, elevation: height, azimuth: (azimuth + turn) % 360, signal: 26 + height / 4 + flicker)
        }
    }

    // MARK: NMEA

    /// The walk as NMEA 0183 sentences with checksums and CR LF: RMC, GGA and GSA every second, GSV every fifth.
    public func nmea() -> [UInt8] {
        var text = [UInt8]()
        text.append(contentsOf: "# \(Self.notice)\r\n# Made by konza-trail; NMEA 0183, 1 Hz.\r\n".utf8)
        for (second, step) in steps.enumerated() {
            for sentence in sentences(step, second: second) { append(sentence, to: &text) }
        }
        return text
    }

    private func append(_ body: String, to text: inout [UInt8]) {
        let sum = NMEASentence.checksum(body.utf8)
        text.append(UInt8(ascii: "$"))
        text.append(contentsOf: body.utf8)
        text.append(UInt8(ascii: "*"))
        for digit in [sum >> 4, sum & 15] {
            text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
        }
        text.append(contentsOf: "\r\n".utf8)
    }

    private func sentences(_ step: Step, second: Int) -> [String] {
        let civil = CivilTime(step.time)
        let time = digits(civil.hour) + digits(civil.minute) + digits(civil.second) + ".00"
        let date = digits(civil.day) + digits(civil.month) + digits(civil.year % 100)
        let place =
            angle(step.latitude, width: 2, positive: "N", negative: "S") + ","
            + angle(step.longitude, width: 3, positive: "E", negative: "W")
        let knots = DecimalText.text(step.speed * 3600 / 1852, 2)
        let views = sky(at: second)
        let used = views.filter(\.isUsed)
        let prns = (0..<12).map { $0 < used.count ? digits(used[$0].prn) : "" }.joined(separator: ",")
        let dop = Self.dop
        var sentences = [
            "GPRMC,\(time),A,\(place),\(knots),\(DecimalText.text(step.track, 1)),\(date),,,A",
            "GPGGA,\(time),\(place),1,\(digits(used.count)),\(dop.horizontal),"
                + "\(DecimalText.text(step.altitudeMSL, 1)),M,\(Self.geoidSeparation),M,,",
            "GPGSA,A,3,\(prns),\(dop.position),\(dop.horizontal),\(dop.vertical)",
        ]
        if second % 5 == 0 { sentences += gsv(views) }
        return sentences
    }

    private func gsv(_ views: [View]) -> [String] {
        let parts = (views.count + 3) / 4
        return (0..<parts).map { part in
            let list = views[(part * 4)..<min(views.count, part * 4 + 4)].map { view in
                let azimuth = DecimalText.text(Double(view.azimuth), 0)
                let padded = String(repeating: "0", count: 3 - azimuth.utf8.count) + azimuth
                return ",\(digits(view.prn)),\(digits(view.elevation)),\(padded),\(digits(view.signal))"
            }
            return "GPGSV,\(parts),\(part + 1),\(digits(views.count))" + list.joined()
        }
    }

    /// `ddmm.mmmmm,N`: a unit of the last digit is 2 cm.
    private func angle(_ degrees: Double, width: Int, positive: String, negative: String) -> String {
        let units = UInt64((degrees.magnitude * 6_000_000).rounded())
        var bytes = [UInt8]()
        DecimalText.appendInteger(units / 6_000_000, width: width, to: &bytes)
        DecimalText.appendInteger(units / 100_000 % 60, width: 2, to: &bytes)
        bytes.append(UInt8(ascii: "."))
        DecimalText.appendInteger(units % 100_000, width: 5, to: &bytes)
        return String(decoding: bytes, as: UTF8.self) + "," + (degrees < 0 ? negative : positive)
    }

    private func digits(_ value: Int) -> String { (value < 10 ? "0" : "") + "\(value)" }

    // MARK: gpsd

    /// The walk as gpsd 3.22 would report it: a TPV a second and a SKY every fifth, one a line.
    public func gpsdJSON() -> [UInt8] {
        var text = [UInt8]()
        text.append(contentsOf: "# \(Self.notice)\n# Made by konza-trail; gpsd JSON, 1 Hz.\n".utf8)
        for (second, step) in steps.enumerated() {
            text.append(contentsOf: position(step).utf8)
            if second % 5 == 0 { text.append(contentsOf: skyReport(sky(at: second)).utf8) }
        }
        return text
    }

    private func position(_ step: Step) -> String {
        "{\"class\":\"TPV\",\"device\":\"synthetic\",\"mode\":3,\"time\":\"\(step.time.rfc3339)\",\"ept\":0.005,"
            + "\"lat\":\(DecimalText.text(step.latitude, 9)),\"lon\":\(DecimalText.text(step.longitude, 9)),"
            + "\"altHAE\":\(DecimalText.text(step.altitudeMSL + Self.geoidSeparation, 4)),"
            + "\"altMSL\":\(DecimalText.text(step.altitudeMSL, 4)),\"epv\":\(DecimalText.text(Self.dop.vertical * 23, 3)),"
            + "\"track\":\(DecimalText.text(step.track, 4)),\"speed\":\(DecimalText.text(step.speed, 3)),"
            + "\"climb\":\(DecimalText.text(step.climb, 3)),\"geoidSep\":\(DecimalText.text(Self.geoidSeparation, 3)),"
            + "\"eph\":\(DecimalText.text(Self.dop.horizontal * 19, 3))}\n"
    }

    private func skyReport(_ views: [View]) -> String {
        let list = views.map { view in
            "{\"PRN\":\(view.prn),\"el\":\(view.elevation).0,\"az\":\(view.azimuth).0,\"ss\":\(view.signal).0,"
                + "\"used\":\(view.isUsed)}"
        }
        let dop = Self.dop
        return "{\"class\":\"SKY\",\"device\":\"synthetic\",\"vdop\":\(dop.vertical),\"hdop\":\(dop.horizontal),"
            + "\"pdop\":\(dop.position),\"satellites\":[\(list.joined(separator: ","))]}\n"
    }
}
