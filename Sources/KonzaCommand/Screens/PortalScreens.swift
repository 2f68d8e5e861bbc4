internal import KonzaModel

/// What `konza pair`, `konza devices` and `konza portal` show.
enum PortalScreens {
    struct Invitation: Decodable {
        let role: String
        let link: String
        let expiresInSeconds: Int
        let qr: [String]
    }

    struct Device: Decodable {
        let id: String
        let name: String
        let role: String
        let seenAt: String
    }

    struct Devices: Decodable { let devices: [Device] }

    struct Request: Decodable {
        let letters: String
        let name: String
        let address: String
        let state: String
        let secondsLeft: Int
    }

    struct Requests: Decodable { let requests: [Request] }

    struct Certificate: Decodable {
        let kind: String
        let fingerprint: String?
        let names: [String]
        let expiresAt: String
        let link: String?
        let qr: [String]?
        let fault: String?
    }

    struct Printer: Decodable {
        let configured: Bool
        let state: String?
        let reason: String?
        let remedy: String?
        let isResumable: Bool?
        let model: String?
        let waiting: Int?
    }

    struct Print: Decodable {
        let id: String
        let postcard: String
        let copies: Int
        let printed: Int
        let state: String
        let askedAt: String

        /// Whether nothing more of it is printed than what is under way.
        var isCancelled: Bool { ["cancelled", "cancelling"].contains(state) }
    }

    struct Prints: Decodable { let prints: [Print] }

    struct Gallery: Decodable {
        struct Card: Decodable {
            let id: String
            let place: String
            let message: String?
            let state: String
            let exposedAt: String
        }

        let postcards: [Card]
        let next: String?
        let waiting: Int
    }

    struct Health: Decodable, Sendable {
        struct Kiosk: Decodable, Sendable {
            let silentSeconds: Int
            let screen: String?
        }

        struct Fault: Decodable, Sendable {
            let code: String
            let what: String
            let remedy: String
        }

        let status: String
        let portal: String
        let konzad: String
        let state: String?
        /// One by one; nil of a portal that is older.
        let faults: [Fault]?
        let version: String
        let kiosk: Kiosk?
    }

    static func invitation(_ invitation: Invitation, drawsCode: Bool) -> [Line] {
        let minutes = invitation.expiresInSeconds / 60
        var lines = drawsCode ? code(invitation.qr) : []
        lines += [
            Line(invitation.link, .strong),
            Line(
                "Whoever opens it first in the next \(Figures.count(minutes, "minute")) is paired as \(invitation.role).",
                .quiet),
        ]
        if invitation.link.hasPrefix("http://127.0.0.1"), invitation.role != "kiosk" {
            lines.append(
                Line(
                    "Only this machine can open it: name an address for tablets with [Portal] Listen= in konzad.conf.",
                    .caution))
        }
        return lines
    }

    /// A QR code in half blocks: two rows of modules in a line of text. The light ones are drawn, so that it reads on a dark
    /// terminal; on a light one most readers take the reversed code too.
    static func code(_ rows: [String]) -> [Line] {
        guard let first = rows.first else { return [] }
        let margin = 2
        let blank = String(repeating: "0", count: first.count + 2 * margin)
        let side = String(repeating: "0", count: margin)
        var padded = [blank, blank] + rows.map { side + $0 + side } + [blank, blank]
        if padded.count % 2 == 1 { padded.append(blank) }
        return stride(from: 0, to: padded.count, by: 2).map { index in
            Line(
                String(
                    zip(padded[index], padded[index + 1]).map { upper, lower -> Character in
                        switch (upper, lower) {
                        case ("0", "0"): "█"
                        case ("0", _): "▀"
                        case (_, "0"): "▄"
                        default: " "
                        }
                    }))
        }
    }

    static func devices(_ devices: [Device], _ requests: [Request], now: UTCInstant) -> [Line] {
        var lines: [Line] = []
        for request in requests where request.state == "waiting" {
            lines.append(
                Line(request.letters, .strong) + "  \(request.name)"
                    + Line(request.address.isEmpty ? "" : " at \(request.address)", .quiet)
                    + Line(" asks to be let in: konza devices approve \(request.letters) ROLE", .caution))
        }
        guard !devices.isEmpty else {
            return lines + [Line("No device is paired. Pair one: konza pair ranger")]
        }
        let width = min(max(devices.map { TextSafety.width($0.name) }.max() ?? 0, 4), 32)
        lines.append(
            Line("Id", .quiet).padded(to: 12) + Line("Name", .quiet).padded(to: width + 2)
                + Line("Role", .quiet).padded(to: 11) + Line("Last seen", .quiet))
        for device in devices {
            let name = TextSafety.shortened(TextSafety.cleaned(device.name), to: width)
            lines.append(
                Line(device.id).padded(to: 12) + Line(name, .strong).padded(to: width + 2)
                    + Line(device.role).padded(to: 11) + Line(seen(device.seenAt, now)))
        }
        return lines
    }

    private static func seen(_ text: String, _ now: UTCInstant) -> String {
        guard let at = UTCInstant(nearestRFC3339: text) else { return text }
        let seconds = now.seconds(since: at)
        return seconds < 3600 ? "within the hour" : "\(Figures.span(seconds: Int(min(seconds, 1e9)))) ago"
    }

    static func printer(_ printer: Printer) -> [Line] {
        guard printer.configured else {
            return [Line("This station has no printer: name one in [Printing] Printer= of konzad.conf.")]
        }
        let isWell = ["ready", "printing", "checking"].contains(printer.state)
        var lines = [Line(printer.reason ?? printer.state ?? "", isWell ? .good : .caution)]
        if let remedy = printer.remedy { lines.append(Line(remedy)) }
        if printer.isResumable == true { lines.append(Line("Resume it with: konza printer resume", .strong)) }
        if let model = printer.model { lines.append(Line("model    ", .quiet) + Line(TextSafety.cleaned(model))) }
        if let waiting = printer.waiting {
            lines.append(
                Line("waiting  ", .quiet) + Line("\(waiting)")
                    + Line(waiting > 0 ? "  (konza printer list)" : "", .quiet))
        }
        return lines
    }

    static func prints(_ prints: [Print], now: UTCInstant) -> [Line] {
        guard !prints.isEmpty else { return [Line("Nothing waits for the printer.")] }
        let head =
            Line("Id", .quiet).padded(to: 28) + Line("State", .quiet).padded(to: 12)
            + Line("Sheets", .quiet).padded(to: 9)
            + Line("Asked for", .quiet).padded(to: 16) + Line("Postcard", .quiet)
        return [head]
            + prints.map { print in
                let age = UTCInstant(nearestRFC3339: print.askedAt).map { now.seconds(since: $0) }
                return Line(print.id).padded(to: 28)
                    + Line(print.state, print.isCancelled ? .caution : .good).padded(to: 12)
                    + Line("\(print.printed) of \(print.copies)").padded(to: 9)
                    + Line(age.map { "\(Figures.span(seconds: Int(min(max($0, 0), 1e9)))) ago" } ?? "").padded(to: 16)
                    + Line(print.postcard, .quiet)
            }
    }

    static func cancelled(_ print: Print) -> [Line] {
        let sheets = "\(print.printed) of \(Figures.count(print.copies, "sheet"))"
        switch print.state {
        case "cancelled":
            return [Line("\(print.id) is cancelled: \(sheets) came out.", .good)]
        case "cancelling":
            return [
                Line("\(print.id) is being cancelled at the printer; the sheet under way may come out.", .caution)
            ]
        default: return [Line("\(print.id) had ended before (\(print.state)): \(sheets) came out.", .caution)]
        }
    }

    static func gallery(_ gallery: Gallery) -> [Line] {
        guard !gallery.postcards.isEmpty else { return [Line("No visitor has agreed to show a postcard.")] }
        var lines = gallery.postcards.map { card in
            Line(card.id).padded(to: 28)
                + Line(card.state, card.state == "hidden" ? .caution : .good).padded(to: 9)
                + Line(String(card.exposedAt.prefix(10)), .quiet).padded(to: 12)
                + Line(TextSafety.shortened(TextSafety.cleaned(card.message ?? card.place), to: 40))
        }
        if gallery.waiting > 0 {
            lines.append(
                Line(
                    "\(gallery.waiting) \(gallery.waiting == 1 ? "waits" : "wait") for: konza gallery show ID", .caution
                ))
        }
        return lines
    }

    static func certificate(_ report: Certificate, drawsCode: Bool) -> [Line] {
        var lines = drawsCode ? code(report.qr ?? []) : []
        lines += [
            Line(report.kind == "own" ? "The station's own authority" : "The operator's certificate", .strong),
            Line("SHA-256  \(report.fingerprint ?? "unreadable")"),
            Line("names    \(report.names.joined(separator: ", "))"), Line("ends     \(report.expiresAt)"),
        ]
        if let link = report.link {
            lines.append(Line("install  \(link)"))
        } else if report.kind == "own" {
            lines.append(
                Line("No tablet is served yet: name an address with [Portal] Listen= in konzad.conf.", .caution))
        }
        if let fault = report.fault { lines.append(Line(fault, .caution)) }
        return lines
    }

    static func health(_ health: Health) -> [Line] {
        let style: Style = health.status == "ok" ? .good : health.status == "degraded" ? .caution : .bad
        var lines = [Line("portal   ") + Line(health.status, style) + Line("  \(health.version)", .quiet)]
        lines.append(Line("konzad   ") + Line(health.konzad))
        if let state = health.state { lines.append(Line("state    ") + Line(state, .caution)) }
        return lines
    }
}
