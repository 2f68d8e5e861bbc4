internal import KonzaAPI

/// The header fields of a message, in order; names are compared without regard to case (RFC 9110 section 5.1).
public struct HeaderFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    public struct Field: Sendable, Equatable {
        /// In lower case.
        public let name: String
        public let value: String
    }

    public private(set) var fields: [Field] = []

    public init() {}

    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(name, value) }
    }

    /// The value of the first field of that name; setting replaces all of that name, and nil removes them.
    public subscript(name: String) -> String? {
        get {
            let name = Self.lowercased(name)
            return fields.first { $0.name == name }?.value
        }
        set {
            let name = Self.lowercased(name)
            fields.removeAll { $0.name == name }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// The values of all fields of that name.
    public func all(_ name: String) -> [String] {
        let name = Self.lowercased(name)
        return fields.filter { $0.name == name }.map(\.value)
    }

    /// The values of all fields of that name as one comma-separated list (RFC 9110 section 5.3); nil without any.
    public func list(_ name: String) -> String? {
        let values = all(name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: Self.lowercased(name), value: value))
    }

    /// Most names that come here are written in lower case: those are taken as they are.
    private static func lowercased(_ name: String) -> String {
        name.utf8.allSatisfy { $0 < 0x80 && !(0x41...0x5A).contains($0) } ? name : name.lowercased()
    }

    /// Fields that have one value: two of them would be understood by one program as the first, by another as the last.
    private static let singles = [
        "konza-on-behalf-of", "idempotency-key", "content-type", "if-range", "last-event-id", "range",
    ]

    /// - Throws: a problem if a field that has one value comes twice.
    func checkSingles() throws(Problem) {
        for name in Self.singles {
            guard fields.count(where: { $0.name == name }) < 2 else {
                throw Problem(
                    .malformedRequest, "cannot take the request: it has more than one field \(name); send one",
                    errors: [.init(path: name, detail: "given more than once")])
            }
        }
    }

    /// - Throws: a problem for an expectation other than `100-continue` (RFC 9110 section 10.1.1).
    func checkExpectations() throws(Problem) {
        for field in fields where field.name == "expect" && field.value.lowercased() != "100-continue" {
            throw Problem(
                .invalidRequest,
                "cannot meet the expectation \(field.value.prefix(80)): only 100-continue is known; leave Expect out",
                status: 417)
        }
    }

    /// The first value of a name that is already in lower case: no lowering on the way of every request.
    func first(lowercased name: String) -> String? {
        for field in fields where field.name == name { return field.value }
        return nil
    }
}
