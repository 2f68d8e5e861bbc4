internal import KonzaAPI
internal import KonzaModel

/// `konza camera`.
enum CameraScreen {
    static func lines(_ camera: CameraReply, columns: Int?) -> [Line] {
        var lines = [Line("Camera ", .strong) + StatusScreen.level(camera.health.level)]
        lines += facts(camera).flatMap { name, text in
            Line.hanging(Line("  \(name)").padded(to: 12), text, columns: columns)
        }
        lines += counters(camera.counters, columns: columns)
        lines += controls(camera.controls, columns: columns)
        return lines
    }

    private static func facts(_ camera: CameraReply) -> [(String, String)] {
        var facts: [(String, String)] = []
        facts.append(("Health", camera.health.reason.isEmpty ? "nothing to report" : camera.health.reason))
        switch camera.source {
        case .live, .manual: break
        case .recorded: facts.append(("Source", "recorded pictures, not a live view"))
        case .simulated: facts.append(("Source", "simulated pictures, not a live view"))
        }
        if let device = camera.device {
            let parts = [device.card, device.path, device.driver.map { "driver \($0)" }, device.bus].compactMap { $0 }
            if !parts.isEmpty { facts.append(("Device", parts.joined(separator: ", "))) }
        }
        if let format = camera.format {
            let rate =
                format.framesPerSecond.map { ", \(Figures.fixed($0, $0 == $0.rounded() ? 0 : 1)) a second" } ?? ""
            facts.append(("Picture", "\(format.width) x \(format.height), \(format.fourcc)\(rate)\(turn(camera))"))
        }
        facts.append(("State", state(camera)))
        if let offers = camera.formats, !offers.isEmpty {
            let text = offers.map { "\($0.fourcc) (\($0.sizes.joined(separator: " ")))" }.joined(separator: ", ")
            facts.append(("Offers", text))
        }
        return facts
    }

    private static func turn(_ camera: CameraReply) -> String {
        let rotated = camera.rotate.flatMap { $0 == 0 ? nil : "; turned by \($0) degrees" } ?? ""
        return rotated + (camera.previewMirrored == true ? "; the preview is mirrored" : "")
    }

    private static func state(_ camera: CameraReply) -> String {
        var text = camera.streaming ? "taking frames" : "resting until somebody needs a frame"
        if let age = camera.lastFrameAgeMs { text += "; the last one is \(Figures.age(milliseconds: age))" }
        if camera.previewClients > 0 { text += "; \(Figures.count(camera.previewClients, "viewer")) of the preview" }
        return text
    }

    private static func counters(_ counters: [String: UInt64], columns: Int?) -> [Line] {
        let shown = counters.sorted { $0.key < $1.key }.filter { $0.value > 0 || $0.key == "frames" }
        guard !shown.isEmpty else { return [] }
        let text = shown.map { "\(words($0.key)) \(Figures.grouped($0.value))" }.joined(separator: ", ")
        return Line.hanging(Line("  Counted").padded(to: 12), text, columns: columns)
    }

    /// `droppedFrames` as "dropped frames".
    static func words(_ name: String) -> String {
        name.reduce(into: "") { text, character in
            if character.isUppercase, let last = text.last, !last.isUppercase { text += " " }
            text += character.lowercased()
        }
    }

    private static func controls(_ controls: [CameraReply.Control], columns: Int?) -> [Line] {
        guard !controls.isEmpty else { return [] }
        let width = min(controls.map { TextSafety.width($0.name) }.max() ?? 0, 34)
        var lines = [Line(), Line("Controls", .strong) + Line("  (konza camera set NAME=VALUE)", .quiet)]
        for control in controls {
            let head =
                Line("  ") + Line(TextSafety.shortened(control.name, to: width)).padded(to: width + 2)
                + Line(value(control), .strong).aligned(right: 6) + "  "
            lines += Line.hanging(head, range(control), style: .quiet, columns: columns)
        }
        return lines
    }

    static func value(_ control: CameraReply.Control) -> String {
        guard let value = control.value else { return "-" }
        return control.type == "boolean" ? (value == 0 ? "off" : "on") : number(value)
    }

    private static func range(_ control: CameraReply.Control) -> String {
        var parts: [String] = []
        if let menu = control.menu, !menu.isEmpty {
            let entries = menu.sorted { (Int($0.key) ?? 0, $0.key) < (Int($1.key) ?? 0, $1.key) }
            parts.append(entries.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
        } else if control.type == "boolean" {
            parts.append("on or off")
        } else if let minimum = control.minimum, let maximum = control.maximum {
            let step = control.step.map { $0 > 1 ? " by \(number($0))" : "" } ?? ""
            parts.append("\(number(minimum)) to \(number(maximum))\(step)")
        }
        if let standard = control.defaultValue, standard != control.value {
            parts.append("default \(control.type == "boolean" ? (standard == 0 ? "off" : "on") : number(standard))")
        }
        if !control.writable { parts.append("cannot be set now") }
        return parts.joined(separator: "; ")
    }

    private static func number(_ value: Double) -> String {
        Figures.fixed(value, value == value.rounded() ? 0 : 2)
    }
}
