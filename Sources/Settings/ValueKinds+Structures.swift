internal import KonzaModel

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

extension ValueKind where Value == Endpoint? {
    /// `host:port`, or nothing.
    static func optionalEndpoint() -> ValueKind {
        let kind = ValueKind<Endpoint>.endpoint()
        return ValueKind("address:port", range: "port 1 to 65535") { text throws(ValueRefusal) in
            try kind.parse(text)
        } format: {
            $0?.description ?? ""
        }
    }
}

extension ValueKind where Value == [Endpoint] {
    /// The port where none is named.
    static let tlsPort: UInt16 = 8443

    /// Numeric addresses with or without a port, divided by spaces; further assignments add to them.
    static func addresses() -> ValueKind {
        var kind = ValueKind("addresses or address:port, divided by spaces") { text throws(ValueRefusal) in
            var endpoints: [Endpoint] = []
            for word in text.split(separator: " ") {
                let text = String(word)
                let isBareIPv6 = text.filter { $0 == ":" }.count > 1 && !text.hasPrefix("[")
                let whole = isBareIPv6 ? "[\(text)]:\(tlsPort)" : text.contains(":") ? text : "\(text):\(tlsPort)"
                guard let endpoint = Endpoint(text.hasPrefix("[") && text.hasSuffix("]") ? "\(text):\(tlsPort)" : whole)
                else {
                    throw ValueRefusal(
                        "\"\(ConfigurationText.short(text))\" is no address such as 192.168.8.1:8443 or [fd00::1]:8443")
                }
                endpoints.append(endpoint)
            }
            return endpoints
        } format: {
            $0.map(\.description).joined(separator: " ")
        }
        kind.join = { $0 + $1 }
        return kind
    }
}

extension ValueKind where Value: CaseIterable & RawRepresentable<String> {
    /// One of an enumeration's names.
    static func choice() -> ValueKind {
        let names = Value.allCases.map(\.rawValue)
        return ValueKind("choice", range: names.joined(separator: ", ")) { text throws(ValueRefusal) in
            guard let value = Value(rawValue: text) else {
                // A number is not a slip of another.
                let isNumber = Double(text) != nil
                let near =
                    isNumber
                    ? nil : Spelling.nearest(to: text, among: names, always: 2).map { ": did you mean \($0)?" }
                let remedy = near ?? "; there are \(names.joined(separator: ", "))"
                throw ValueRefusal("\"\(ConfigurationText.short(text))\" is not known\(remedy)")
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
