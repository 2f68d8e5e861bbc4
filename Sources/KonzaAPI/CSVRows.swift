/// The rows of comma-separated values (RFC 4180), without those that are empty. Lines end in CRLF, LF or CR; a byte order mark is
/// skipped; a quoted cell may hold commas, line ends and doubled quotation marks. Semicolons are read as well.
public struct CSVRows: Sendable {
    public struct Row: Sendable, Equatable {
        /// On which line of the text it begins, from 1.
        public let line: Int
        public let cells: [String]
    }

    /// A place for people: the number of a row among those that are not empty, and the line on which that begins; both from 1.
    public struct Place: Sendable, Equatable {
        public let row: Int
        public let line: Int
    }

    public private(set) var rows: [Row] = []
    /// The first quotation mark within a cell that does not begin with one; it is taken as it is.
    public private(set) var strayQuote: Place?
    /// A cell that is quoted to the end of the text.
    public private(set) var unclosedQuote: Place?

    private var cells: [String] = []
    private var cell = String.UnicodeScalarView()
    private var wasQuoted = false
    private var begin = 1
    private var line = 1

    /// - Parameters:
    ///   - text: the values.
    ///   - limit: after how many rows and one more it is not read on.
    public init(_ text: String, limit: Int = .max) {
        var isQuoted = false
        var scalars = Substring(text).unicodeScalars
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        let separator = Self.separator(of: scalars)
        while let scalar = scalars.popFirst(), rows.count <= limit {
            switch scalar {
            case "\"" where isQuoted && scalars.first == "\"":
                scalars.removeFirst()
                cell.append(scalar)
            case "\"" where isQuoted: isQuoted = false
            case "\"" where cell.isEmpty && !wasQuoted:
                isQuoted = true
                wasQuoted = true
            case separator where !isQuoted: endCell()
            case "\r" where !isQuoted && scalars.first == "\n": break
            case "\r" where !isQuoted, "\n" where !isQuoted: endRow()
            default:
                if scalar == "\"", strayQuote == nil { strayQuote = place }
                if scalar == "\n" { line += 1 }
                cell.append(scalar)
            }
        }
        if isQuoted { unclosedQuote = place }
        if !cell.isEmpty || !cells.isEmpty || wasQuoted { endRow() }
    }

    /// What stands between cells: a semicolon where the first line that is not empty has one and no comma, outside of quotation
    /// marks, as spreadsheets write tables in countries whose numbers have commas.
    private static func separator(of text: Substring.UnicodeScalarView) -> Unicode.Scalar {
        enum Cell { case begin, plain, quoted, closed }
        var cell = Cell.begin
        var hasSemicolon = false
        for scalar in text {
            switch (cell, scalar) {
            case (.quoted, "\""): cell = .closed
            case (.quoted, _): continue
            // After the end of a quoted cell it is the second half of a doubled one.
            case (.begin, "\""), (.closed, "\""): cell = .quoted
            case (_, ","): return ","
            case (_, ";"):
                hasSemicolon = true
                cell = .begin
            case (_, "\n"), (_, "\r"):
                if hasSemicolon { return ";" }
                if cell != .begin { return "," }
            default: cell = .plain
            }
        }
        return hasSemicolon ? ";" : ","
    }

    private var place: Place { Place(row: rows.count + 1, line: begin) }

    private mutating func endCell() {
        cells.append(String(cell))
        cell = String.UnicodeScalarView()
        wasQuoted = false
    }

    private mutating func endRow() {
        endCell()
        if cells != [""] { rows.append(Row(line: begin, cells: cells)) }
        cells = []
        line += 1
        begin = line
    }
}
