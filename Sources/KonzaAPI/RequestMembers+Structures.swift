internal import KonzaModel

/// What a PATCH says about one member (RFC 7396).
public enum Change<Value: Sendable & Equatable>: Sendable, Equatable {
    /// Left out: it stays as it is.
    case keep
    /// `null`: it is taken away.
    case clear
    case set(Value)

    /// Makes the change.
    public func apply(to value: inout Value?) {
        switch self {
        case .keep: break
        case .clear: value = nil
        case .set(let new): value = new
        }
    }

    /// Makes the change to a member that is always there: taken away it is what `empty` says.
    public func apply(to value: inout Value, empty: Value) {
        switch self {
        case .keep: break
        case .clear: value = empty
        case .set(let new): value = new
        }
    }
}

extension RequestMembers {
    /// What a request says about one member, read by a function that gives nil where it is no good.
    mutating func change<Value>(_ name: String, _ read: (inout RequestMembers) -> Value?) -> Change<Value> {
        guard has(name) else { return .keep }
        guard let value = peek(name), value != .null else {
            drop(name)
            return .clear
        }
        return read(&self).map { .set($0) } ?? .keep
    }

    /// Text of a length, in Unicode scalars, as the servers that it goes to count.
    ///
    /// - Parameters:
    ///   - name: of the member.
    ///   - limit: the most scalars.
    ///   - hasLines: whether it may have line ends and tabs.
    /// - Returns: nil where it is missing or no good.
    mutating func words(_ name: String, upTo limit: Int, hasLines: Bool = false) -> String? {
        guard let text = string(name) else { return nil }
        guard let complaint = TextRule.complaint(text, upTo: limit, hasLines: hasLines) else { return text }
        refuse(name, complaint)
        return nil
    }

    /// Notes what `TextRule` says: that a text shows nothing, the contract does not tell.
    private mutating func refuse(_ name: String, _ complaint: String) {
        if complaint == TextRule.blankComplaint { object(to: name, complaint) } else { fault(name, complaint) }
    }

    /// A list of texts, none empty.
    mutating func list(_ name: String, count: Int, upTo limit: Int) -> [String]? {
        guard let values = array(name, count: count) else { return nil }
        var texts: [String] = []
        for (index, value) in values.enumerated() {
            guard case .string(let text) = value, !text.isEmpty else {
                fault("\(name)/\(index)", "expected a string that is not empty")
                continue
            }
            if let complaint = TextRule.complaint(text, upTo: limit, hasLines: false) {
                refuse("\(name)/\(index)", complaint)
            }
            texts.append(text)
        }
        return texts
    }

    /// A list of objects, each read by a function that gives nil where it is no good.
    mutating func objects<Value>(
        _ name: String, count: Int, _ read: (inout RequestMembers) -> Value?
    ) -> [Value]? {
        guard let values = array(name, count: count) else { return nil }
        var made: [Value] = []
        for (index, value) in values.enumerated() {
            if let one = object(value, at: "\(prefix)/\(name)/\(index)", read) { made.append(one) }
        }
        return made
    }

    /// An object, read by a function that gives nil where it is no good.
    mutating func object<Value>(
        _ value: JSONValue, at pointer: String, _ read: (inout RequestMembers) -> Value?
    ) -> Value? {
        var inner = RequestMembers(value, prefix: pointer)
        let made = read(&inner)
        adopt(inner)
        return made
    }

    mutating func array(_ name: String, count: Int) -> [JSONValue]? {
        guard let value = take(name) else { return nil }
        guard case .array(let values) = value else {
            fault(name, "expected an array")
            return nil
        }
        guard values.count <= count else {
            fault(name, "at most \(count), these are \(values.count)")
            return nil
        }
        return values
    }

    /// One of a few words.
    mutating func choice<Word: RawRepresentable & CaseIterable>(_ name: String) -> Word?
    where Word.RawValue == String {
        guard let text = string(name) else { return nil }
        if let word = Word(rawValue: text) { return word }
        fault(name, "expected one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        return nil
    }

    /// Text that must be there and not be empty.
    mutating func requireText(_ name: String) {
        require(name)
        if peek(name) == .string("") || peek(name) == .null { fault(name, "cannot be empty") }
    }

    /// A member that must be there.
    mutating func require(_ name: String) {
        if !has(name) { fault(name, "missing member") }
    }
}

/// What the text of a request must be.
enum RequestText {
    /// What is wrong with the amount of a mineral: a number is a share in percent; words such as `x` are as good.
    static func amountComplaint(_ text: String) -> String? {
        guard let number = Double(text) else { return nil }
        let isPlain = text.utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: ".") }
        return isPlain && (0...100).contains(number) ? nil : "expected a share of 0 to 100 percent, or a word such as x"
    }
}
