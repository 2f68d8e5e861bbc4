extension ValueKind where Value: Comparable {
    /// A quantity between two limits. Its name is for the reference and, with the examples after it, for refusals; what cannot be
    /// read is no such value.
    private static func quantity(
        _ name: String, _ range: ClosedRange<Value>, examples: String = "",
        format: @escaping @Sendable (Value) -> String, read: @escaping @Sendable (String) -> Value?
    ) -> ValueKind {
        let words = "\(format(range.lowerBound)) to \(format(range.upperBound))"
        return ValueKind(name, range: words) { text throws(ValueRefusal) in
            guard let value = read(text) else {
                throw ValueRefusal("\"\(ConfigurationText.short(text))\" is no \(name)\(examples)")
            }
            guard range.contains(value) else { throw ValueRefusal("\(text) is out of range: \(words)") }
            return value
        } format: {
            format($0)
        }
    }
}

extension ValueKind where Value == Int {
    static func integer(_ range: ClosedRange<Int>) -> ValueKind {
        quantity("whole number", range, format: { String($0) }, read: { Int($0) })
    }
}

extension ValueKind where Value == Double {
    static func number(_ range: ClosedRange<Double>) -> ValueKind {
        quantity("number", range, format: { Quantity.plain($0) }, read: { Quantity.decimal($0) })
    }

    /// A time span, in seconds.
    static func duration(_ range: ClosedRange<Double>) -> ValueKind {
        quantity(
            "time span", range, examples: " such as 500ms, 10s or 5min 30s", format: { Quantity.duration($0) },
            read: { Quantity.seconds($0) })
    }
}

extension ValueKind where Value == Int64 {
    /// A size, in bytes.
    static func size(_ range: ClosedRange<Int64>) -> ValueKind {
        quantity(
            "size", range, examples: " such as 64K, 10M or 2G", format: { Quantity.size($0) },
            read: { Quantity.bytes($0) })
    }
}

extension ValueKind {
    /// What the other kind takes, or `infinity` for no limit.
    private static func limit<Limit>(_ inner: ValueKind<Limit>) -> ValueKind where Value == Limit? {
        ValueKind(inner.name, range: "\(inner.range), or infinity") { text throws(ValueRefusal) in
            text == "infinity" ? nil : try inner.parse(text)
        } format: {
            $0.map(inner.format) ?? "infinity"
        }
    }
}

extension ValueKind where Value == Int? {
    /// A whole number, or `infinity` for no limit.
    static func limit(_ range: ClosedRange<Int>) -> ValueKind { limit(.integer(range)) }
}

extension ValueKind where Value == Double? {
    /// A time span in seconds, or `infinity` for no limit.
    static func durationLimit(_ range: ClosedRange<Double>) -> ValueKind { limit(.duration(range)) }
}

extension ValueKind where Value == Int64? {
    /// A size in bytes, or `infinity` for no limit.
    static func sizeLimit(_ range: ClosedRange<Int64>) -> ValueKind { limit(.size(range)) }
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
