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
        let words = "\(Quantity.plain(range.lowerBound)) to \(Quantity.plain(range.upperBound))"
        return ValueKind("number", range: words) { text throws(ValueRefusal) in
            guard let number = Quantity.decimal(text) else {
                throw ValueRefusal("\"\(ConfigurationText.short(text))\" is no number")
            }
            guard range.contains(number) else { throw ValueRefusal("\(text) is out of range: \(words)") }
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
