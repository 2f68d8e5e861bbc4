internal import KonzaModel

extension Schema {
    private static let named = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// Checks a body against the schema of a name, as the contract has it.
    ///
    /// - Parameters:
    ///   - value: the body; nil without one.
    ///   - name: of the schema.
    ///   - what: what it is, for people.
    /// - Throws: a problem that names the first members at fault.
    public static func check(_ value: JSONValue?, against name: String, as what: String) throws(Problem) {
        var check = SchemaCheck(schemas: named)
        check.check(value ?? .null, .reference(name), at: "")
        let all = check.faults + check.objections
        guard all.isEmpty else {
            let list = all.map { "\($0.path.isEmpty ? "body" : $0.path) (\($0.detail))" }
            throw Problem(
                .invalidRequest, "cannot take \(what): \(list.joined(separator: ", "))",
                status: check.faults.isEmpty ? 422 : nil, errors: all)
        }
    }
}

extension Schema.Shape {
    /// What is wrong with the value of a query parameter; nil if nothing is.
    public func complaint(text: String) -> String? {
        switch self {
        case .number, .range, .integer, .count:
            // The grammar of JSON, so that the contract's type says what is taken.
            guard let value = try? JSONReader.value(of: Array(text.utf8)), value.double != nil, text.first != " " else {
                return expectation
            }
            return complaint(value)
        case .dateTime:
            return UTCInstant(nearestRFC3339: text) == nil
                ? "expected an RFC 3339 date-time such as 2026-05-30T14:03:07Z" : nil
        case .boolean: return text == "true" || text == "false" ? nil : expectation
        default: return complaint(.string(text))
        }
    }

    /// What is wrong with the value of a query parameter that fits all the same: its status is 422.
    public func objection(text: String) -> String? {
        if case .text(let form, _) = self { form.objection(text) } else { nil }
    }

    /// What is wrong with a value that holds no others.
    fileprivate func complaint(_ value: JSONValue) -> String? {
        switch (self, value) {
        case (.anything, _), (.boolean, .bool), (.string, .string): return nil
        case (.text(let form, let length), .string(let text)):
            let count = length.upperBound == .max && length.lowerBound == 0 ? 0 : text.unicodeScalars.count
            if count > length.upperBound { return "at most \(length.upperBound) characters, these are \(count)" }
            if count < length.lowerBound {
                return length.lowerBound == 1 ? "cannot be empty" : "expected at least \(length.lowerBound) characters"
            }
            return form.complaint(text)
        case (.dateTime, .string(let text)): return TextForm.instant.complaint(text)
        case (.choice(let words), .string(let word)): return words.contains(word) ? nil : expectation
        case (.number, _): return value.double == nil ? expectation : nil
        case (.range(let range), _):
            return value.double.map(range.contains) == true ? nil : expectation
        case (.integer, _): return value.double.flatMap { Int(exactly: $0) } == nil ? expectation : nil
        case (.count(let range), _):
            return value.double.flatMap { Int(exactly: $0) }.map(range.contains) == true ? nil : expectation
        default: return expectation
        }
    }

    /// What belongs there.
    fileprivate var expectation: String {
        switch self {
        case .string, .text, .dateTime: "expected a string"
        case .number: "expected a number"
        case .range(let range): "expected a number from \(range.lowerBound) to \(range.upperBound)"
        case .integer: "expected a whole number"
        case .count(let range): "expected a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .boolean: "expected true or false"
        case .choice(let words): "expected one of \(words.joined(separator: ", "))"
        case .array, .list: "expected an array"
        case .reference, .map, .table: "expected a JSON object"
        case .either: "expected one of several forms"
        case .nullable(let shape): shape.expectation
        case .anything: "expected anything"
        }
    }
}

/// Walks a value beside its shape and collects faults.
private struct SchemaCheck {
    /// So many faults are enough.
    private static let most = 20

    let schemas: [String: Schema]
    var faults: [Problem.Fault] = []
    /// What fits and is wrong all the same.
    var objections: [Problem.Fault] = []

    mutating func check(_ value: JSONValue, _ shape: Schema.Shape, at path: String) {
        guard faults.count < Self.most else { return }
        switch (shape, value) {
        case (.nullable(let inner), _):
            if value != .null { check(value, inner, at: path) }
        case (.either(let shapes), _):
            for shape in shapes {
                var attempt = SchemaCheck(schemas: schemas)
                attempt.check(value, shape, at: path)
                if attempt.faults.isEmpty {
                    objections += attempt.objections
                    return
                }
            }
            fault(path, shape.expectation)
        case (.array(let element), .array(let values)):
            for (index, value) in values.enumerated() { check(value, element, at: "\(path)/\(index)") }
        case (.list(let element, let most), .array(let values)):
            if values.count > most { fault(path, "at most \(most), these are \(values.count)") }
            for (index, value) in values.prefix(most).enumerated() { check(value, element, at: "\(path)/\(index)") }
        case (.map(let element), .object(let members)):
            for (name, value) in members { check(value, element, at: "\(path)/\(name)") }
        case (.table(let names, let element), .object(let members)):
            for (name, value) in members {
                if names.contains(name) {
                    check(value, element, at: "\(path)/\(name)")
                } else {
                    fault("\(path)/\(name)", "unknown member; known are \(names.joined(separator: ", "))")
                }
            }
        case (.reference(let name), _):
            guard let schema = schemas[name] else { return }
            if let shape = schema.shape {
                check(value, shape, at: path)
            } else if case .object(let members) = value {
                check(members, schema, at: path)
            } else {
                fault(path, shape.expectation)
            }
        default:
            if let complaint = shape.complaint(value) {
                fault(path, complaint)
            } else if case (.text(let form, _), .string(let text)) = (shape, value), let words = form.objection(text) {
                objections.append(.init(path: path, detail: words))
            }
        }
    }

    private mutating func check(_ members: [String: JSONValue], _ schema: Schema, at path: String) {
        for member in schema.members {
            if let value = members[member.name] {
                check(value, member.shape, at: "\(path)/\(member.name)")
            } else if member.isRequired {
                fault("\(path)/\(member.name)", "missing member")
            }
        }
        guard schema.isClosed || schema.others != nil else { return }
        let known = Set(schema.members.map(\.name))
        for (name, value) in members where !known.contains(name) {
            if let others = schema.others {
                check(value, others, at: "\(path)/\(name)")
            } else {
                fault("\(path)/\(name)", "unknown member")
            }
        }
    }

    private mutating func fault(_ path: String, _ detail: String) {
        if faults.count < Self.most { faults.append(.init(path: path, detail: detail)) }
    }
}
