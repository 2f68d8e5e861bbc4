/// A value that a key does not take, and what it takes.
struct ValueRefusal: Error, Equatable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// How a kind of value is written: read, printed and described.
struct ValueKind<Value: Sendable & Equatable>: Sendable {
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

extension ValueKind where Value == Int {
    static func integer(_ range: ClosedRange<Int>) -> ValueKind {
        ValueKind("whole number", range: "\(range.lowerBound) to \(range.upperBound)") { text throws(ValueRefusal) in
            guard let number = Int(text) else {
                throw ValueRefusal("\"\(ConfigurationText.short(text))\" is no whole number")
            }
            guard range.contains(number) else {
                throw ValueRefusal("\(number) is out of range: \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        } format: {
            String($0)
        }
    }
}

extension ValueKind where Value == Int? {
    /// A whole number, or `infinity` for no limit.
    static func limit(_ range: ClosedRange<Int>) -> ValueKind {
        let inner = ValueKind<Int>.integer(range)
        return ValueKind("whole number", range: "\(inner.range), or infinity") { text throws(ValueRefusal) in
            text == "infinity" ? nil : try inner.parse(text)
        } format: {
            $0.map(inner.format) ?? "infinity"
        }
    }
}

extension ValueKind where Value == Double {
    static func number(_ range: ClosedRange<Double>) -> ValueKind {
        ValueKind(
            "number", range: "\(Quantity.plain(range.lowerBound)) to \(Quantity.plain(range.upperBound))"
        ) { text throws(ValueRefusal) in
            guard let number = Quantity.decimal(text) else {
                throw ValueRefusal("\"\(ConfigurationText.short(text))\" is no number")
            }
            guard range.contains(number) else {
                throw ValueRefusal(
                    "\(text) is out of range: \(Quantity.plain(range.lowerBound)) to \(Quantity.plain(range.upperBound))"
                )
            }
            return number
        } format: {
            Quantity.plain($0)
        }
    }

    /// A time span, in seconds.
    static func duration(_ range: ClosedRange<Double>) -> ValueKind {
        let words = "\(Quantity.duration(range.lowerBound)) to \(Quantity.duration(range.upperBound))"
        return ValueKind("time span", range: words) { text throws(ValueRefusal) in
            guard let seconds = Quantity.seconds(text) else {
                throw ValueRefusal(
                    "\"\(ConfigurationText.short(text))\" is no time span such as 500ms, 10s or 5min 30s")
            }
            guard range.contains(seconds) else { throw ValueRefusal("\(text) is out of range: \(words)") }
            return seconds
        } format: {
            Quantity.duration($0)
        }
    }
}

extension ValueKind where Value == Double? {
    /// A time span in seconds, or `infinity` for no limit.
    static func durationLimit(_ range: ClosedRange<Double>) -> ValueKind {
        let inner = ValueKind<Double>.duration(range)
        return ValueKind("time span", range: "\(inner.range), or infinity") { text throws(ValueRefusal) in
            text == "infinity" ? nil : try inner.parse(text)
        } format: {
            $0.map(inner.format) ?? "infinity"
        }
    }
}

extension ValueKind where Value == Int64 {
    /// A size, in bytes.
    static func size(_ range: ClosedRange<Int64>) -> ValueKind {
        let words = "\(Quantity.size(range.lowerBound)) to \(Quantity.size(range.upperBound))"
        return ValueKind("size", range: words) { text throws(ValueRefusal) in
            guard let bytes = Quantity.bytes(text) else {
                throw ValueRefusal("\"\(ConfigurationText.short(text))\" is no size such as 64K, 10M or 2G")
            }
            guard range.contains(bytes) else { throw ValueRefusal("\(text) is out of range: \(words)") }
            return bytes
        } format: {
            Quantity.size($0)
        }
    }
}

extension ValueKind where Value == Int64? {
    /// A size in bytes, or `infinity` for no limit.
    static func sizeLimit(_ range: ClosedRange<Int64>) -> ValueKind {
        let inner = ValueKind<Int64>.size(range)
        return ValueKind("size", range: "\(inner.range), or infinity") { text throws(ValueRefusal) in
            text == "infinity" ? nil : try inner.parse(text)
        } format: {
            $0.map(inner.format) ?? "infinity"
        }
    }
}

extension ValueKind where Value == SpaceShare {
    /// A size, or a percentage of the disk.
    static func share() -> ValueKind {
        let sizes = ValueKind<Int64>.size(0...Quantity.terabyte)
        return ValueKind("size or percentage", range: "\(sizes.range), or 0% to 90%") { text throws(ValueRefusal) in
            guard text.hasSuffix("%") else { return .bytes(try sizes.parse(text)) }
            guard let percent = Quantity.decimal(ConfigurationText.trimmed(text.dropLast())) else {
                throw ValueRefusal("\"\(ConfigurationText.short(text))\" is no percentage such as 5%")
            }
            guard (0...90).contains(percent) else { throw ValueRefusal("\(text) is out of range: 0% to 90%") }
            return .percent(percent)
        } format: {
            switch $0 {
            case .bytes(let bytes): Quantity.size(bytes)
            case .percent(let percent): "\(Quantity.plain(percent))%"
            }
        }
    }
}

extension ValueKind where Value == Endpoint {
    /// `host:port`; a numeric IPv6 host stands in brackets.
    static func endpoint() -> ValueKind {
        ValueKind("host:port", range: "port 1 to 65535") { text throws(ValueRefusal) in
            guard let endpoint = Endpoint(text) else {
                throw ValueRefusal(
                    "\"\(ConfigurationText.short(text))\" is no host:port such as 127.0.0.1:2947 or [::1]:2947")
            }
            return endpoint
        } format: {
            $0.description
        }
    }
}

extension ValueKind where Value: CaseIterable & RawRepresentable<String> {
    /// One of an enumeration's names.
    static func choice() -> ValueKind {
        let names = Value.allCases.map(\.rawValue)
        return ValueKind("choice", range: names.joined(separator: ", ")) { text throws(ValueRefusal) in
            guard let value = Value(rawValue: text) else {
                let near = Spelling.nearest(to: text, in: names).map { ": did you mean \($0)?" }
                throw ValueRefusal(
                    "\"\(ConfigurationText.short(text))\" is not known\(near ?? "; there are \(names.joined(separator: ", "))")"
                )
            }
            return value
        } format: {
            $0.rawValue
        }
    }
}

extension ValueKind where Value == [String: Int] {
    /// `name=value` pairs divided by spaces; further assignments add to them.
    static func controls() -> ValueKind {
        var kind = ValueKind("name=number pairs, divided by spaces") { text throws(ValueRefusal) in
            var controls: [String: Int] = [:]
            for word in text.split(separator: " ") {
                let parts = word.split(separator: "=", omittingEmptySubsequences: false)
                let isName = parts[0].unicodeScalars.allSatisfy { $0.isLetterOrDigit || $0 == "_" }
                guard parts.count == 2, !parts[0].isEmpty, isName, let value = Int(parts[1]),
                    Int(Int32.min)...Int(Int32.max) ~= value
                else {
                    throw ValueRefusal(
                        "\"\(ConfigurationText.short(String(word)))\" is no control such as brightness=10")
                }
                controls[String(parts[0])] = value
            }
            return controls
        } format: { controls in
            controls.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        }
        kind.join = { $0.merging($1) { $1 } }
        return kind
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
