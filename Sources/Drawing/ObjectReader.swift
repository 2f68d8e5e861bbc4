/// Reads the members of one JSON object, each at most once, and refuses those that nobody asked for.
struct ObjectReader {
    let path: String
    private let line: Int
    private var members: [(key: String, node: JSONNode)]
    /// What a member is when the object does not have it: a named style.
    private var defaults: [(key: String, node: JSONNode)] = []
    private var asked: Set<String> = []

    init(_ node: JSONNode, _ path: String) throws(DrawingError) {
        guard case .object(let members) = node.value else {
            throw Self.error(node.line, path, "must be an object, and is \(node.kind)")
        }
        self.path = path
        line = node.line
        self.members = members
    }

    static func error(_ line: Int, _ path: String, _ reason: String) -> DrawingError {
        DrawingError(.template, "line \(line): \(path.isEmpty ? "the template" : path) \(reason)")
    }

    mutating func use(defaults node: JSONNode) {
        if case .object(let members) = node.value { defaults = members }
    }

    func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    func has(_ key: String) -> Bool { members.contains { $0.key == key } || defaults.contains { $0.key == key } }

    func fault(_ reason: String) -> DrawingError { Self.error(line, path, reason) }

    mutating func node(_ key: String) -> JSONNode? {
        asked.insert(key)
        return members.first { $0.key == key }?.node ?? defaults.first { $0.key == key }?.node
    }

    mutating func required(_ key: String) throws(DrawingError) -> JSONNode {
        guard let node = node(key) else { throw fault("lacks the member \"\(key)\"") }
        return node
    }

    mutating func string(_ key: String) throws(DrawingError) -> String? {
        guard let node = node(key) else { return nil }
        guard case .string(let text) = node.value else {
            throw Self.error(node.line, path(of: key), "must be a string, and is \(node.kind)")
        }
        return text
    }

    mutating func requiredString(_ key: String) throws(DrawingError) -> String {
        guard let text = try string(key) else { throw fault("lacks the member \"\(key)\"") }
        return text
    }

    mutating func number(_ key: String, in range: ClosedRange<Double>) throws(DrawingError) -> Double? {
        guard let node = node(key) else { return nil }
        guard case .number(let value) = node.value else {
            throw Self.error(node.line, path(of: key), "must be a number, and is \(node.kind)")
        }
        guard range.contains(value) else {
            throw Self.error(
                node.line, path(of: key), "must be \(plain(range.lowerBound)) to \(plain(range.upperBound))")
        }
        return value
    }

    private func plain(_ value: Double) -> String { value == value.rounded() ? String(Int(value)) : String(value) }

    mutating func bool(_ key: String) throws(DrawingError) -> Bool {
        guard let node = node(key) else { return false }
        guard case .bool(let value) = node.value else {
            throw Self.error(node.line, path(of: key), "must be true or false, and is \(node.kind)")
        }
        return value
    }

    mutating func choice<Choice: RawRepresentable & CaseIterable>(_ key: String, _ type: Choice.Type)
        throws(DrawingError) -> Choice? where Choice.RawValue == String
    {
        guard let text = try string(key) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw fault(key, "must be one of \(names), and is \"\(text)\"")
        }
        return choice
    }

    mutating func elements(_ key: String, required: Bool = false) throws(DrawingError) -> [(JSONNode, String)]? {
        guard let node = node(key) else {
            if required { throw fault("lacks the member \"\(key)\"") }
            return nil
        }
        guard case .array(let elements) = node.value else {
            throw Self.error(node.line, path(of: key), "must be an array, and is \(node.kind)")
        }
        return elements.enumerated().map { ($1, "\(path(of: key))[\($0)]") }
    }

    /// An error at one member.
    func fault(_ key: String, _ reason: String) -> DrawingError {
        let node = members.first { $0.key == key }?.node ?? defaults.first { $0.key == key }?.node
        return Self.error(node?.line ?? line, path(of: key), reason)
    }

    /// Refuses the members that were not asked for.
    func finish() throws(DrawingError) {
        guard let stranger = members.first(where: { !asked.contains($0.key) }) else { return }
        let known = asked.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
        throw Self.error(stranger.node.line, path(of: stranger.key), "is unknown; the members here are \(known)")
    }
}

extension Length {
    /// Reads a sum of parts such as `50w`, `-2.5s` or `100h - 8s`; `w`, `h`, `s`, `l` and `e` stand for hundredths of
    /// the width, the height, the short and the long edge and the em.
    init?(parsing text: String) {
        self.init()
        var rest = text.filter { $0 != " " }[...]
        guard !rest.isEmpty else { return nil }
        var isFirst = true
        while !rest.isEmpty {
            var sign = 1.0
            if rest.first == "+" || rest.first == "-" {
                sign = rest.first == "-" ? -1 : 1
                rest.removeFirst()
            } else if !isFirst {
                return nil
            }
            isFirst = false
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            guard let value = Double(digits), value <= 10_000, let unit = rest.dropFirst(digits.count).first else {
                return nil
            }
            rest = rest.dropFirst(digits.count + 1)
            switch unit {
            case "w": width += sign * value
            case "h": height += sign * value
            case "s": short += sign * value
            case "l": long += sign * value
            case "e": em += sign * value
            default: return nil
            }
        }
    }
}
