internal import KonzaAPI
internal import KonzaModel

/// `konza sky`: the satellites as a plot with a table beside it.
enum SkyScreen {
    /// Fits the terminal's size; without one, prints everything, the table below the plot.
    static func lines(_ sky: SatellitesReply, size: (columns: Int, rows: Int)?) -> [Line] {
        let head = header(sky)
        guard !sky.satellites.isEmpty else {
            return head + [Line("The receiver has not reported any satellite yet. "), advice]
        }
        let listed = sky.satellites.sorted(by: isBefore)
        let radius = radius(size)
        let plot = SkyPlot(listed, radius: radius).lines
        let beside = size.map { $0.columns >= 4 * radius + 4 + tableColumns } ?? false
        guard beside else { return head + plot + [legend, Line()] + table(listed, rows: nil) }
        let rows = table(listed, rows: plot.count)
        let body = plot.enumerated().map { index, line in
            index < rows.count ? line.padded(to: 4 * radius + 4) + rows[index] : line
        }
        return head + body + [legend]
    }

    private static let advice = Line("After a cold start give it a few minutes with a free view of the sky.", .quiet)
    private static let tableColumns = 35
    private static let legend = Line("● used for the position   ○ seen only   rings at 30° and 60°", .quiet)

    /// Two rows for the header, one for the legend, one for the shell's prompt.
    private static func radius(_ size: (columns: Int, rows: Int)?) -> Int {
        guard let size else { return 9 }
        let byRows = (size.rows - 5) / 2
        let byColumns = size.columns >= 76 ? (size.columns - tableColumns - 4) / 4 : (size.columns - 1) / 4
        return min(max(min(byRows, byColumns), 4), 16)
    }

    private static func header(_ sky: SatellitesReply) -> [Line] {
        var first = Line()
        if let mark = StatusScreen.source(sky.source) { first += Line("(\(mark)) ", .caution) }
        first += Line("\(Figures.count(sky.used, "satellite")) used", sky.used >= 4 ? .good : .caution)
        first += " of \(sky.visible) in view"
        if let age = sky.ageMs { first += ", \(Figures.age(milliseconds: age))" }
        if sky.state != .fix { first = first + "; " + Line(WhereScreen.word(sky.state), .bad) }
        return [first, dilutions(sky.dop)]
    }

    private static func dilutions(_ dop: DilutionOfPrecision?) -> Line {
        let known = [("HDOP", dop?.horizontal), ("VDOP", dop?.vertical), ("PDOP", dop?.position)]
            .compactMap { name, value in value.map { "\(name) \(Figures.fixed($0, 1))" } }
        guard let horizontal = dop?.horizontal, !known.isEmpty else { return Line() }
        let word = horizontal <= 2 ? "good" : horizontal <= 5 ? "fair" : "poor"
        return Line("Geometry: \(word) (\(known.joined(separator: ", ")))", .quiet)
    }

    /// Those in use first, then the strongest.
    private static func isBefore(_ left: SatellitesReply.Entry, _ right: SatellitesReply.Entry) -> Bool {
        if left.used != right.used { return left.used }
        let (first, second) = (left.signal ?? -1, right.signal ?? -1)
        return first != second ? first > second : left.prn < right.prn
    }

    // MARK: the table

    private static func table(_ listed: [SatellitesReply.Entry], rows: Int?) -> [Line] {
        let head = Line("Sat    Elev  Azim  Signal (dB-Hz)", .quiet)
        guard let rows, listed.count > rows - 1 else { return [head] + listed.map(row) }
        let shown = listed.prefix(max(rows - 2, 0))
        return [head] + shown.map(row)
            + [Line("and \(listed.count - shown.count) weaker; all: konza sky | less", .quiet)]
    }

    private static func row(_ satellite: SatellitesReply.Entry) -> Line {
        var line = Line(satellite.used ? "● " : "○ ", satellite.used ? .good : .quiet)
        line += Line(name(satellite), satellite.healthy == false ? .bad : .plain).padded(to: 5)
        line += Line(satellite.elevation.map { "\(Figures.fixed($0, 0))°" } ?? "-").aligned(right: 4)
        line += Line(satellite.azimuth.map { "\(Figures.fixed($0, 0))°" } ?? "-").aligned(right: 6)
        guard let signal = satellite.signal, (0...99).contains(signal), signal > 0 else {
            return line + Line("-").aligned(right: 5) + unhealthy(satellite)
        }
        let bar = String(repeating: "█", count: min(Int((signal / 5).rounded()), 10))
        line += Line(Figures.fixed(signal, 0)).aligned(right: 5)
        return line + " " + Line(bar, signal >= 35 ? .good : signal >= 25 ? .plain : .caution) + unhealthy(satellite)
    }

    private static func unhealthy(_ satellite: SatellitesReply.Entry) -> Line {
        satellite.healthy == false ? Line(" sick", .bad) : Line()
    }

    /// The constellation's letter and the number in it, as in RINEX 3.05, section 3.5.
    static func name(_ satellite: SatellitesReply.Entry) -> String {
        let letters = [
            "GPS": "G", "GLONASS": "R", "Galileo": "E", "BeiDou": "C", "QZSS": "J", "SBAS": "S", "NavIC": "I",
        ]
        guard let letter = satellite.constellation.flatMap({ letters[$0] }), let number = satellite.svid else {
            return "#\(satellite.prn)"
        }
        // RINEX counts SBAS from 120 as 20.
        return letter + Figures.two(letter == "S" && number > 100 ? number - 100 : number)
    }
}

/// The sky as a disc of characters: a row is as high as two columns are wide.
struct SkyPlot {
    private struct Cell {
        var character: Character = " "
        var style = Style.plain
        var isTaken = false
    }

    private let radius: Int
    private var cells: [[Cell]]
    private var columns: Int { 4 * radius + 1 }

    init(_ satellites: [SatellitesReply.Entry], radius: Int) {
        self.radius = radius
        cells = Array(repeating: Array(repeating: Cell(), count: 4 * radius + 1), count: 2 * radius + 1)
        for elevation in [0.0, 30, 60] { drawRing(elevation) }
        put("+", row: radius, column: 2 * radius, .quiet)
        for (letter, row, column) in [
            ("N", 0, 2 * radius), ("S", 2 * radius, 2 * radius), ("W", radius, 0), ("E", radius, 4 * radius),
        ] as [(Character, Int, Int)] {
            put(letter, row: row, column: column, .strong)
        }
        let placed = satellites.compactMap { satellite in place(satellite).map { (satellite, $0) } }
        for (satellite, place) in placed {
            // A satellite in use comes first in the list and is not hidden by one that is only seen.
            guard !cells[place.row][place.column].isTaken else { continue }
            put(satellite.used ? "●" : "○", row: place.row, column: place.column, satellite.used ? .good : .quiet)
            cells[place.row][place.column].isTaken = true
        }
        for (satellite, place) in placed { label(satellite, place) }
    }

    var lines: [Line] {
        cells.map { row in
            var line = Line()
            var text = ""
            var style = Style.plain
            for cell in row {
                let next = cell.character == " " ? style : cell.style
                if next != style {
                    line += Line(text, style)
                    text = ""
                    style = next
                }
                text.append(cell.character)
            }
            while text.last == " " { text.removeLast() }
            return line + Line(text, style)
        }
    }

    private mutating func put(_ character: Character, row: Int, column: Int, _ style: Style) {
        cells[row][column].character = character
        cells[row][column].style = style
    }

    /// Where a direction lies on the disc: straight up in the middle, the horizon on the rim, north at the top.
    private func point(elevation: Double, azimuth: Double) -> (row: Int, column: Int)? {
        guard elevation.isFinite, azimuth.isFinite, (-5...90).contains(elevation) else { return nil }
        let distance = (90 - max(elevation, 0)) / 90 * Double(radius)
        let angle = azimuth * .pi / 180
        let row = Double(radius) - distance * Trigonometry.cosine(angle)
        let column = 2 * (Double(radius) + distance * Trigonometry.sine(angle))
        return (min(max(Int(row.rounded()), 0), 2 * radius), min(max(Int(column.rounded()), 0), 4 * radius))
    }

    private func place(_ satellite: SatellitesReply.Entry) -> (row: Int, column: Int)? {
        guard let elevation = satellite.elevation, let azimuth = satellite.azimuth else { return nil }
        return point(elevation: elevation, azimuth: azimuth)
    }

    private mutating func drawRing(_ elevation: Double) {
        // About as dense on every ring and at every size.
        let steps = Int((8 * Double(radius) * (1 - elevation / 90)).rounded())
        for step in 0..<steps {
            guard let place = point(elevation: elevation, azimuth: Double(step) * 360 / Double(steps)) else { continue }
            put("·", row: place.row, column: place.column, .quiet)
        }
    }

    /// Writes the name beside the mark, right or left of it, where it covers no other mark or name.
    private mutating func label(_ satellite: SatellitesReply.Entry, _ place: (row: Int, column: Int)) {
        let name = Array(SkyScreen.name(satellite))
        for start in [place.column + 1, place.column - name.count] {
            let range = start..<(start + name.count)
            guard range.lowerBound >= 0, range.upperBound <= columns,
                !cells[place.row][range].contains(where: \.isTaken)
            else { continue }
            for (offset, character) in name.enumerated() {
                put(character, row: place.row, column: start + offset, satellite.used ? .strong : .quiet)
                cells[place.row][start + offset].isTaken = true
            }
            return
        }
    }
}
