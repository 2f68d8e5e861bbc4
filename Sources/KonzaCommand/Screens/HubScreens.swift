internal import KonzaModel
internal import KonzaSystem

/// What `konza hub` shows.
enum HubScreens {
    struct Status: Decodable, Sendable {
        let version: String
        let health: PartHealth
        let kept: Int
        let quarantined: Int
        let receipts: Int
    }

    struct Boxes: Decodable, Sendable { let boxes: [Box] }

    struct Box: Decodable, Sendable {
        struct Health: Decodable, Sendable {
            let level: String
            let kind: String?
            let reason: String?
        }

        struct Part: Decodable, Sendable {
            let level: String
            let kind: String
        }

        struct Log: Decodable, Sendable {
            let log: String
            let lastSeq: Int64?
            let missing: Int64
        }

        struct Refusal: Decodable, Sendable {
            let topic: String
            let reason: String
            let times: Int64
        }

        struct Certificate: Decodable, Sendable {
            let serial: String
            let notAfter: String
            let revokedAt: String?
        }

        struct Desired: Decodable, Sendable {
            let version: Int64
            let settings: [String: [String: String]]?
        }

        struct Reported: Decodable, Sendable {
            struct Refusal: Decodable, Sendable {
                let section: String
                let key: String
                let reason: String
            }

            struct Rejection: Decodable, Sendable {
                let version: Int64
                let reason: String
            }

            let version: Int64
            let state: String?
            let rejected: Rejection?
            let applied: [String: [String: String]]?
            let refused: [Refusal]?
            let restart: [String]?
            let packages: [String: String]?
        }

        let box: String
        let site: String
        let state: String
        let software: String?
        let silentSeconds: Int?
        let health: Health?
        let parts: [String: Part]?
        let latitude: Double?
        let longitude: Double?
        let postcards: Int?
        let specimens: Int?
        let quarantined: Int?
        let logs: [Log]?
        let refusals: [Refusal]?
        let certificate: Certificate?
        let desired: Desired?
        let reported: Reported?
    }

    struct Enrolment: Decodable, Sendable {
        let box: String
        let code: String
        let expiresAt: UTCInstant
        let address: String
    }

    struct Revocation: Decodable, Sendable {
        let box: String
        let revoked: Int
        let list: String
    }

    static func enrolment(_ enrolment: Enrolment, dates: LocalDates) -> [Line] {
        [
            Line("At the station \(enrolment.box), until \(dates.dateAndTime(enrolment.expiresAt)) ")
                + dates.zone(enrolment.expiresAt) + ":",
            Line("  sudo konza fleet enrol \(enrolment.code) --hub \(enrolment.address)", .strong),
        ]
    }

    static func revocation(_ revocation: Revocation) -> [Line] {
        let count = Figures.count(revocation.revoked, "certificate")
        return [
            Line(revocation.box, .strong) + ": \(count) revoked, and no code for another is good any more",
            revocation.list.isEmpty
                ? Line("The broker knows nothing of it: set [Hub] RevocationList=, and mosquitto's crlfile.", .caution)
                : Line(
                    "\(revocation.list) is written; where konza-hub-crl.path is not enabled: systemctl reload mosquitto. Who is "
                        + "connected stays until a restart.", .quiet),
        ]
    }

    struct Answer: Decodable, Sendable {
        let id: String
        let box: String
        let verb: String?
        let state: String
        let reason: String?
    }

    static func status(_ status: Status) -> [Line] {
        [
            Line("konza-hub \(status.version): ") + Line(status.health.reason, style(status.health.level.rawValue)),
            Line(
                "\(Figures.count(status.kept, "message")) kept, \(Figures.count(status.receipts, "record")) receipted, "
                    + "\(status.quarantined) did not fit, since it started"),
        ]
    }

    /// - Parameters:
    ///   - boxes: that there are.
    ///   - isFiltered: whether some alone were asked for.
    /// - Returns: the screen.
    static func boxes(_ boxes: Boxes, isFiltered: Bool) -> [Line] {
        guard !boxes.boxes.isEmpty else {
            return [Line(isFiltered ? "There is no such box." : "No box has said anything yet.")]
        }
        let name = 2 + max(3, boxes.boxes.map { TextSafety.width($0.box) }.max() ?? 0)
        let site = 2 + max(4, boxes.boxes.map { TextSafety.width($0.site) }.max() ?? 0)
        var lines = [
            Line("Box", .quiet).padded(to: name) + Line("Site", .quiet).padded(to: site)
                + Line("State", .quiet).padded(to: 9) + Line("Heard", .quiet).padded(to: 18) + Line("Health", .quiet)
        ]
        for box in boxes.boxes {
            lines.append(
                Line(box.box, .strong).padded(to: name) + Line(box.site).padded(to: site)
                    + state(box.state).padded(to: 9) + Line(heard(box)).padded(to: 18) + health(box))
        }
        return lines
    }

    static func box(_ box: Box, columns: Int?) -> [Line] {
        var lines = [
            Line(box.box, .strong) + " at \(box.site): " + state(box.state) + ", heard \(heard(box))"
                + (box.software.map { ", \($0)" } ?? "")
        ]
        if box.health != nil { lines += Line.hanging(Line("Health     "), healthText(box), columns: columns) }
        for (part, health) in (box.parts ?? [:]).sorted(by: { $0.key < $1.key }) where health.level != "ok" {
            lines.append(Line("           \(part): ") + Line(health.kind, style(health.level)))
        }
        if let latitude = box.latitude, let longitude = box.longitude {
            lines.append(Line("Place      \(Figures.fixed(latitude, 5)), \(Figures.fixed(longitude, 5))"))
        }
        if let postcards = box.postcards, let specimens = box.specimens {
            lines.append(
                Line("Records    \(Figures.count(postcards, "postcard")), \(Figures.count(specimens, "specimen"))"))
        }
        for log in box.logs ?? [] {
            let missing = log.missing == 0 ? Line("none is missing") : Line("\(log.missing) are missing", .caution)
            lines.append(Line("Messages   1 to \(log.lastSeq ?? 0) of log \(log.log): ") + missing)
        }
        if let certificate = box.certificate {
            lines.append(
                Line("Certified  ")
                    + (certificate.revokedAt.map { Line("revoked \($0.prefix(10))", .bad) }
                        ?? Line("until \(certificate.notAfter.prefix(10))")))
        }
        if let agreement = agreement(box) { lines.append(Line("Settings   ") + agreement) }
        if let count = box.quarantined, count > 0 {
            let isAll = box.logs == nil ? ": nothing of this box could be kept" : ""
            lines.append(Line("Did not fit: \(Figures.count(count, "message"))\(isAll); the last of them", .caution))
            for refusal in box.refusals ?? [] {
                let times = refusal.times > 1 ? " (\(refusal.times) times)" : ""
                lines += Line.hanging(
                    Line("           "), "\(refusal.topic): \(refusal.reason)\(times)", columns: columns)
            }
        }
        return lines
    }

    /// What became of the settings that are wanted; nil where none ever were.
    private static func agreement(_ box: Box) -> Line? {
        guard box.desired != nil || (box.reported?.version ?? 0) > 0 || box.reported?.rejected != nil else {
            return nil
        }
        let reported = box.reported?.version ?? 0
        var words =
            switch box.reported?.state {
            case "dropped"?: Line("version \(reported) was dropped at the station", .caution)
            case "off"?: Line("the station takes none", .caution)
            case nil where box.reported == nil: Line("the station has not said what it has", .caution)
            default: reported == 0 ? Line("the station has its own") : Line("version \(reported)")
            }
        if let wanted = box.desired?.version, wanted != reported { words += Line("; wanted is \(wanted)", .caution) }
        if box.reported?.rejected != nil { words += Line("; the last message was not taken", .caution) }
        if let count = box.reported?.refused?.count, count > 0 { words += Line("; \(count) refused", .caution) }
        return words
    }

    /// `konza hub desired BOX`.
    static func desired(_ box: Box, columns: Int?) -> [Line] {
        var lines = [Line(box.box, .strong) + ": " + (agreement(box) ?? Line("nothing was ever set from here"))]
        let wanted = box.desired?.settings ?? [:]
        let applied = box.reported?.applied ?? [:]
        let names = Set(wanted.flatMap { section, keys in keys.keys.map { "\(section).\($0)" } })
            .union(applied.flatMap { section, keys in keys.keys.map { "\(section).\($0)" } })
        func value(_ name: String, _ settings: [String: [String: String]]) -> String? {
            let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
            return parts.count == 2 ? settings[parts[0]]?[parts[1]].map { $0.isEmpty ? "(default)" : $0 } : nil
        }
        for name in names.sorted() {
            let (want, have) = (value(name, wanted), value(name, applied))
            lines.append(
                Line("\(name)=", .strong) + Line(have ?? want ?? "")
                    + (want == have ? Line("") : Line(have == nil ? "  wanted" : "  wanted: \(want ?? "-")", .caution)))
        }
        if let rejected = box.reported?.rejected {
            let version = rejected.version > 0 ? "Version \(rejected.version)" : "The last message"
            lines += Line.hanging(Line("\(version) was not taken: ", .caution), rejected.reason, columns: columns)
        }
        for refusal in box.reported?.refused ?? [] {
            lines += Line.hanging(
                Line("\(refusal.section).\(refusal.key) refused: ", .caution), refusal.reason, columns: columns)
        }
        if let restart = box.reported?.restart, !restart.isEmpty {
            lines.append(Line("At its next start: \(restart.joined(separator: ", "))", .caution))
        }
        for (name, version) in (box.reported?.packages ?? [:]).sorted(by: { $0.key < $1.key }) {
            lines.append(Line("\(name) \(version)", .quiet))
        }
        return lines
    }

    static func answer(_ answer: Answer) -> [Line] {
        let style: Style = answer.state == "done" ? .good : answer.state == "accepted" ? .caution : .bad
        return [
            Line(answer.box, .strong) + ": \(answer.verb ?? "") " + Line(answer.state, style)
                + (answer.reason.map { ": \($0)" } ?? "")
        ]
    }

    static func heard(_ box: Box) -> String {
        box.silentSeconds.map { "\(Figures.span(seconds: $0)) ago" } ?? "never"
    }

    private static func healthText(_ box: Box) -> String {
        guard let health = box.health else { return "" }
        return health.reason.map { $0.isEmpty ? health.level : "\(health.level): \($0)" } ?? health.level
    }

    private static func health(_ box: Box) -> Line { Line(healthText(box), style(box.health?.level ?? "")) }

    private static func state(_ state: String) -> Line {
        switch state {
        case "online": Line(state, .good)
        case "silent": Line(state, .bad)
        default: Line(state, .caution)
        }
    }

    private static func style(_ level: String) -> Style {
        switch level {
        case "ok": .good
        case "degraded": .caution
        case "failed": .bad
        default: .plain
        }
    }
}
