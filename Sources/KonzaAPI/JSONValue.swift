/// Any JSON value (RFC 8259), for requests whose members are checked one by one.
public enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(Double)
    /// A number whose text says more than the number does, such as `5.50`, with that text. `JSONReader` alone makes it.
    case decimal(Double, text: String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The number, however it is written.
    public var double: Double? {
        switch self {
        case .number(let value), .decimal(let value, _): value
        default: nil
        }
    }
}

extension JSONValue: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value), .decimal(let value, _):
            if let whole = Int64(exactly: value) { try container.encode(whole) } else { try container.encode(value) }
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

/// Reads the members of a request's JSON object, collects every fault, and refuses members nobody asked for.
public struct RequestMembers {
    private var members: [String: JSONValue]
    let prefix: String
    private var faults: [Problem.Fault] = []
    /// What fits the contract and is wrong all the same.
    private var objections: [Problem.Fault] = []

    /// - Parameters:
    ///   - value: the object; nil stands for an empty one.
    ///   - prefix: the JSON Pointer to the object.
    public init(_ value: JSONValue?, prefix: String = "") {
        self.prefix = prefix
        switch value {
        case nil: members = [:]
        case .object(let members): self.members = members
        default:
            members = [:]
            faults.append(.init(path: prefix, detail: "expected a JSON object"))
        }
    }

    mutating func take(_ name: String) -> JSONValue? {
        guard let value = members.removeValue(forKey: name), value != .null else { return nil }
        return value
    }

    public mutating func fault(_ name: String, _ detail: String) {
        faults.append(.init(path: "\(prefix)/\(name)", detail: detail))
    }

    /// Notes what fits the contract and is wrong all the same.
    mutating func object(to name: String, _ detail: String) {
        objections.append(.init(path: "\(prefix)/\(name)", detail: detail))
    }

    /// The member's value, still to be taken.
    func peek(_ name: String) -> JSONValue? { members[name] }

    /// Takes the member away unread.
    mutating func drop(_ name: String) { members[name] = nil }

    /// Whether the member is there, `null` included.
    public func has(_ name: String) -> Bool { members[name] != nil }

    /// Adds the faults of an object inside this one, and of its members that nobody asked for.
    mutating func adopt(_ inner: consuming RequestMembers) {
        for name in inner.members.keys.sorted() { inner.fault(name, "unknown member") }
        faults += inner.faults
        objections += inner.objections
    }

    public mutating func string(_ name: String) -> String? {
        guard let value = take(name) else { return nil }
        guard case .string(let text) = value else {
            fault(name, "expected a string")
            return nil
        }
        return text
    }

    public mutating func number(_ name: String, in range: ClosedRange<Double>) -> Double? {
        guard let value = take(name) else { return nil }
        guard let number = value.double, range.contains(number) else {
            fault(name, "expected a number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    public mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let value = take(name) else { return nil }
        guard let number = value.double, let whole = Int(exactly: number), range.contains(whole) else {
            fault(name, "expected a whole number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return whole
    }

    public mutating func bool(_ name: String) -> Bool? {
        guard let value = take(name) else { return nil }
        guard case .bool(let flag) = value else {
            fault(name, "expected true or false")
            return nil
        }
        return flag
    }

    /// All members whose values are numbers, whatever they are called.
    public mutating func allNumbers() -> [String: Double] {
        var numbers: [String: Double] = [:]
        for (name, value) in members {
            switch value {
            case .number(let number), .decimal(let number, _): numbers[name] = number
            case .bool(let flag): numbers[name] = flag ? 1 : 0
            default: fault(name, "expected a number or true or false")
            }
        }
        members.removeAll()
        return numbers
    }

    /// Ends the reading.
    ///
    /// - Throws: a problem that names every fault and every member that was not asked for.
    public mutating func finish() throws(Problem) {
        for name in members.keys.sorted() { fault(name, "unknown member") }
        let all = faults + objections
        guard all.isEmpty else {
            let list = all.map { "\($0.path.isEmpty ? "body" : $0.path) (\($0.detail))" }.joined(separator: ", ")
            throw Problem(
                .invalidRequest, "cannot take the request: \(list)", status: faults.isEmpty ? 422 : nil, errors: all)
        }
    }
}
