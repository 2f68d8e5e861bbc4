/// One figure or word of a row.
public enum Value: Sendable, Equatable {
    case text(String)
    /// Shown with so many decimals; infinity is a figure too.
    case number(Double, decimals: Int)
    /// One amount as a share or a multiple of another, shown as `1/200` or `x3.5`.
    case ratio(Double)

    /// A figure in a unit that suits a reader: three significant digits at least, never more than four decimals.
    public static func figure(_ value: Double) -> Value {
        switch abs(value) {
        case 100...: .number(value, decimals: 0)
        case 10..<100: .number(value, decimals: 1)
        case 1..<10: .number(value, decimals: 2)
        case 0.1..<1: .number(value, decimals: 3)
        default: .number(value, decimals: 4)
        }
    }

    public static func count(_ value: Int) -> Value { .number(Double(value), decimals: 0) }
}

/// What was measured of one thing: values by the keys of the table's columns. What was not measured is not there.
public struct Row: Sendable, Equatable {
    /// Rows of one group follow each other under its heading; empty for none.
    public let group: String
    public let values: [String: Value]

    public init(group: String = "", _ values: [String: Value]) {
        self.group = group
        self.values = values
    }
}

public struct Column: Sendable, Equatable {
    /// The name in JSON.
    public let key: String
    public let title: String

    public init(_ key: String, _ title: String) {
        self.key = key
        self.title = title
    }
}

/// Rows with the columns that they are shown in.
public struct Table: Sendable, Equatable {
    /// The name in JSON.
    public let name: String
    public let title: String
    public let columns: [Column]
    public var rows: [Row]
    /// What a reader must know to judge the figures, a sentence each.
    public var notes: [String]

    public init(name: String, title: String, columns: [Column], rows: [Row] = [], notes: [String] = []) {
        self.name = name
        self.title = title
        self.columns = columns
        self.rows = rows
        self.notes = notes
    }

    /// Brings the rows of each group together; the groups stay in the order of their first rows.
    public mutating func gatherGroups() {
        var order: [String: Int] = [:]
        for row in rows where order[row.group] == nil { order[row.group] = order.count }
        let numbered = rows.enumerated().sorted {
            (order[$0.element.group] ?? 0, $0.offset) < (order[$1.element.group] ?? 0, $1.offset)
        }
        rows = numbered.map(\.element)
    }
}

/// What a part of the bench found.
public struct PartReport: Sendable {
    public var table: Table
    /// Other tables, shown after it.
    public var more: [Table] = []
    /// The numbers to reach that the part measures.
    public var goals: [Goal] = []
    /// What could not be measured though it should be: "cannot measure X: why".
    public var failures: [String] = []

    public init(table: Table) {
        self.table = table
    }
}
