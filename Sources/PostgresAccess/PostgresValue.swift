/// A parameter of a statement. All go as text, in the form that PostgreSQL reads.
public enum PostgresValue: Sendable, Equatable {
    case null
    case text(String)
    case integer(Int64)
    case double(Double)
    case boolean(Bool)
    case bytes([UInt8])
    /// An array of texts.
    case texts([String])

    /// - Returns: nil for nothing.
    var literal: String? {
        switch self {
        case .null: nil
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .boolean(let flag): flag ? "t" : "f"
        case .bytes(let bytes): Self.hexadecimal(bytes)
        case .texts(let texts): "{\(texts.map(Self.quoted).joined(separator: ","))}"
        }
    }

    public static func optional(_ text: String?) -> PostgresValue { text.map(PostgresValue.text) ?? .null }

    public static func optional(_ number: Double?) -> PostgresValue { number.map(PostgresValue.double) ?? .null }

    public static func optional(_ number: Int64?) -> PostgresValue { number.map(PostgresValue.integer) ?? .null }

    /// The input form of `bytea` (PostgreSQL documentation, section 8.4.1).
    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = Array("\\x".utf8)
        text.reserveCapacity(2 + 2 * bytes.count)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// An element of an array (section 8.15.6).
    private static func quoted(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}

/// What a statement gave: texts, row by row.
public struct PostgresRows: Sendable, Equatable {
    public let columns: Int
    /// Row after row.
    let values: [String?]
    /// How many rows the statement changed or gave.
    public let affected: Int

    public var count: Int { columns == 0 ? 0 : values.count / columns }

    /// A value; nil for NULL.
    public subscript(row: Int, column: Int) -> String? { values[row * columns + column] }

    /// A value as a whole number; nil for NULL and for what is none.
    public func integer(_ row: Int, _ column: Int) -> Int64? { self[row, column].flatMap(Int64.init) }

    /// A value as a truth value; false for NULL.
    public func boolean(_ row: Int, _ column: Int) -> Bool { self[row, column] == "t" }

    /// The values of the first column.
    public var texts: [String] { (0..<count).compactMap { self[$0, 0] } }
}

/// Rows in the text form of `COPY` (PostgreSQL documentation, COPY, section File Formats).
public struct CopyText: Sendable {
    public private(set) var bytes: [UInt8] = []
    public private(set) var count = 0

    public init() {}

    /// Adds a row.
    public mutating func add(_ values: [PostgresValue]) {
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "\t")) }
            guard let literal = value.literal else {
                bytes += [UInt8(ascii: "\\"), UInt8(ascii: "N")]
                continue
            }
            append(literal)
        }
        bytes.append(UInt8(ascii: "\n"))
        count += 1
    }

    private mutating func append(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes += [byte, byte]
            case UInt8(ascii: "\t"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
            case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
            case UInt8(ascii: "\r"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
            default: bytes.append(byte)
            }
        }
    }
}
