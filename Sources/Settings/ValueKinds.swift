/// A value that a key does not take, and what it takes.
struct ValueRefusal: Error, Equatable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// How a kind of value is written: read, printed and described.
struct ValueKind<Value: Sendable>: Sendable {
    /// For the reference, as in "time span".
    let name: String
    /// For the reference, as in "1s to 10min"; empty without limits.
    let range: String
    let parse: @Sendable (String) throws(ValueRefusal) -> Value
    /// What `parse` reads back as the same value.
    let format: @Sendable (Value) -> String
    /// How a further assignment joins the one before; nil where it takes its place.
    var join: (@Sendable (Value, Value) -> Value)?

    init(
        _ name: String, range: String = "", parse: @escaping @Sendable (String) throws(ValueRefusal) -> Value,
        format: @escaping @Sendable (Value) -> String
    ) {
        self.name = name
        self.range = range
        self.parse = parse
        self.format = format
    }
}

extension ValueKind where Value == String {
    /// Free text on one line.
    static func text(upTo maximum: Int) -> ValueKind {
        ValueKind("text", range: "up to \(maximum) characters") { text throws(ValueRefusal) in
            guard text.count <= maximum else { throw ValueRefusal("more than \(maximum) characters") }
            return text
        } format: {
            $0
        }
    }

    /// A name without spaces or slashes.
    static func name(upTo maximum: Int) -> ValueKind {
        ValueKind("name", range: "letters, digits, - _ . up to \(maximum)") { text throws(ValueRefusal) in
            let isName = text.unicodeScalars.allSatisfy { $0.isLetterOrDigit || "-_.".unicodeScalars.contains($0) }
            guard isName, text.count <= maximum, text != ".", text != ".." else {
                throw ValueRefusal(
                    "\"\(ConfigurationText.short(text))\" is no name: letters, digits, - _ . up to \(maximum)")
            }
            return text
        } format: {
            $0
        }
    }

    /// A path from the root. A relative one would mean another file in each folder the daemon is started from.
    static func path(upTo maximum: Int = 4095) -> ValueKind {
        ValueKind("absolute path", range: maximum < 4095 ? "up to \(maximum) bytes" : "") { text throws(ValueRefusal) in
            try Paths.checked(text, maximum)
        } format: {
            $0
        }
    }
}

extension ValueKind where Value == String? {
    /// A path from the root, or none.
    static func optionalPath() -> ValueKind {
        ValueKind("absolute path") { text throws(ValueRefusal) in
            try Paths.checked(text, 4095)
        } format: {
            $0 ?? ""
        }
    }
}

extension ValueKind where Value == [String] {
    /// Paths from the root, divided by spaces; further assignments add to them.
    static func paths() -> ValueKind {
        var kind = ValueKind("absolute paths, divided by spaces") { text throws(ValueRefusal) in
            var paths: [String] = []
            for word in text.split(separator: " ") { paths.append(try Paths.checked(String(word), 4095)) }
            return paths
        } format: {
            $0.joined(separator: " ")
        }
        kind.join = { $0 + $1 }
        return kind
    }

    /// Words divided by spaces; further assignments add to them.
    static func words(_ name: String, _ isWord: @escaping @Sendable (Substring) -> Bool) -> ValueKind {
        var kind = ValueKind("\(name)s, divided by spaces") { text throws(ValueRefusal) in
            var words: [String] = []
            for word in text.split(separator: " ") {
                guard isWord(word) else {
                    throw ValueRefusal("\"\(ConfigurationText.short(String(word)))\" is no \(name)")
                }
                words.append(String(word))
            }
            return words
        } format: {
            $0.joined(separator: " ")
        }
        kind.join = { $0 + $1 }
        return kind
    }
}

extension ValueKind where Value == Bool {
    /// As systemd takes them.
    static var boolean: ValueKind {
        ValueKind("boolean", range: "yes or no") { text throws(ValueRefusal) in
            switch text.lowercased() {
            case "yes", "y", "true", "t", "on", "1": return true
            case "no", "n", "false", "f", "off", "0": return false
            default: throw ValueRefusal("\"\(ConfigurationText.short(text))\" is neither yes nor no")
            }
        } format: {
            $0 ? "yes" : "no"
        }
    }
}

private enum Paths {
    static func checked(_ text: String, _ maximum: Int) throws(ValueRefusal) -> String {
        if text.hasPrefix("~") { throw ValueRefusal("\"~\" is the shell's: write the whole path") }
        guard text.hasPrefix("/") else {
            throw ValueRefusal("\"\(ConfigurationText.short(text))\" is not absolute: begin it with /")
        }
        guard text.utf8.count <= maximum else { throw ValueRefusal("longer than \(maximum) bytes") }
        guard !text.split(separator: "/").contains("..") else { throw ValueRefusal("a path must not go up by \"..\"") }
        return text
    }
}

extension Unicode.Scalar {
    /// An ASCII letter or digit.
    var isLetterOrDigit: Bool {
        ("a"..."z").contains(self) || ("A"..."Z").contains(self) || ("0"..."9").contains(self)
    }
}
