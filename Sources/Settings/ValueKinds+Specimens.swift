internal import KonzaModel

extension ValueKind where Value == NumberTemplate {
    /// A template of specimens' numbers.
    static var numberTemplate: ValueKind {
        ValueKind("number template", range: "one {seq}, up to 35 characters with nine digits for it") {
            text throws(ValueRefusal) in
            guard let template = NumberTemplate(text) else {
                throw ValueRefusal(
                    "\"\(ConfigurationText.short(text))\" is no template of numbers: text with one {seq} or {seq:04}, "
                        + "perhaps {yyyy}, {yy}, {mm}, {dd}, no comma, room for nine digits in 35 characters")
            }
            return template
        } format: {
            $0.description
        }
    }
}

extension ValueKind where Value == String {
    /// The address of a server: a scheme, a host and perhaps a port and a path.
    static var webAddress: ValueKind {
        ValueKind("web address", range: "http or https") { text throws(ValueRefusal) in
            let refusal = ValueRefusal(
                "\"\(ConfigurationText.short(text))\" is no web address such as https://api.metpetdb.com")
            guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { throw refusal }
            let rest = text.dropFirst(scheme.count)
            let authority = rest.prefix { $0 != "/" }
            let isHost = Endpoint(String(authority)) != nil || Endpoint("\(authority):1") != nil
            // No account, query or fragment: a password does not belong in a settings file.
            guard isHost, rest.allSatisfy({ !" ?#@\\\"<>".contains($0) && $0.isASCII }), text.utf8.count <= 300 else {
                throw refusal
            }
            return text.hasSuffix("/") ? String(text.dropLast()) : text
        } format: {
            $0
        }
    }
}

extension ValueKind where Value == String? {
    /// The address of a server, or none.
    static var optionalWebAddress: ValueKind {
        let address = ValueKind<String>.webAddress
        return ValueKind(address.name, range: address.range) { text throws(ValueRefusal) in
            try address.parse(text)
        } format: {
            $0 ?? ""
        }
    }
}

extension ValueKind where Value == [String] {
    /// Names of network interfaces (at most 15 bytes, netdevice(7)), `*` for any letters.
    static var interfaces: ValueKind {
        words("network interface") { word in
            word.utf8.count <= 15
                && word.unicodeScalars.allSatisfy { $0.isLetterOrDigit || "-._*@".unicodeScalars.contains($0) }
        }
    }
}
