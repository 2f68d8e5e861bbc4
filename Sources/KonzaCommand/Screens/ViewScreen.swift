internal import KonzaAPI

/// What the fixed camera sees, and how it looks.
enum ViewScreen {
    static func lines(_ view: ViewReply) -> [Line] {
        guard view.state != "uncalibrated" else { return [Line(view.reason ?? "the view is not calibrated", .caution)] }
        let doubt = view.state == "unverified" ? unverified(view.reason ?? "") : []
        guard !view.labels.isEmpty else { return doubt + [Line("Nothing that has a name is in the picture now.")] }
        let head = Line("      x      y  error  azimuth   distance  name", .quiet)
        return doubt + [head]
            + view.labels.map { label in
                Line(Figures.fixed(label.x, 0)).aligned(right: 7) + Line(Figures.fixed(label.y, 0)).aligned(right: 7)
                    + Line("±\(Figures.fixed(label.sigma, 0))").aligned(right: 7)
                    + Line("\(Figures.fixed(label.azimuth, 1))°").aligned(right: 9)
                    + Line(label.distance.map { "\(Figures.fixed($0 / 1000, 1)) km" } ?? "").aligned(right: 11)
                    + "  " + Line(label.name, .strong)
            }
    }

    private static func unverified(_ reason: String) -> [Line] { [Line("Unverified: \(reason)", .caution)] }

    static func calibration(_ found: ViewCalibrationReply) -> [Line] {
        func row(_ name: String, _ value: Double, _ digits: Int, _ unit: String, _ member: String) -> Line {
            let error = found.standardErrors[member].map { " ±\(Figures.fixed($0, digits))" } ?? ""
            return Line(name, .strong).padded(to: 15) + "\(Figures.fixed(value, digits))\(error) \(unit)"
        }
        var lines = found.reason.map(unverified) ?? []
        lines += [
            row("Azimuth", found.azimuth, 2, "degrees", "azimuth"), row("Pitch", found.pitch, 2, "degrees", "pitch"),
            row("Roll", found.roll, 2, "degrees", "roll"), row("Focal length", found.focal, 1, "pixels", "focal"),
            row("Distortion", found.k1, 3, "", "k1"),
            Line("Field of view", .strong).padded(to: 15) + "\(Figures.fixed(found.fieldOfView, 1)) degrees",
            Line("Label error", .strong).padded(to: 15)
                + "\(Figures.fixed(found.errorMedian, 1)) pixels in the middle, "
                + "at most \(Figures.fixed(found.error95, 1)) in 95 % of the frame",
            Line("Calibrated", .strong).padded(to: 15) + found.createdAt,
        ]
        if let deviation = found.skylineDeviation, let verified = found.verifiedAt {
            lines.append(
                Line("Skyline", .strong).padded(to: 15)
                    + Line(
                        "\(Figures.fixed(deviation, 1)) pixels off on \(verified)", found.reason == nil ? .plain : .bad)
            )
        }
        for click in found.clicks {
            var line = Line("  \(Figures.fixed(click.x, 0)), \(Figures.fixed(click.y, 0))").padded(to: 15)
            line += "\(Figures.fixed(click.residual, 1)) pixels off"
            if let without = click.residualWithout { line += ", \(Figures.fixed(without, 1)) by all others" }
            line += "  \(click.name)"
            if click.isSuspect { line += Line("  most likely wrong: click it again", .bad) }
            lines.append(line)
        }
        return lines
    }
}
