/// Content negotiation by media type (RFC 9110 section 12.5.1).
enum MediaType {
    /// The type and subtype of a header value in lower case, without parameters.
    static func essence(_ value: some StringProtocol) -> String {
        let end = value.firstIndex(of: ";") ?? value.endIndex
        return String(trim(value[..<end])).lowercased()
    }

    /// The value of a parameter of a media type (RFC 9110 section 5.6.6), without its quotes.
    ///
    /// - Returns: nil if it has none of that name.
    static func parameter(_ name: String, of value: String) -> String? {
        for part in value.split(separator: ";").dropFirst() {
            guard let equals = part.firstIndex(of: "="), trim(part[..<equals]).lowercased() == name else { continue }
            return trim(part[part.index(after: equals)...]).filter { $0 != "\"" && $0 != "\\" }
        }
        return nil
    }

    /// The offered type that an `Accept` value prefers; the earlier one where it has no preference.
    ///
    /// - Returns: nil if it accepts none of them.
    static func choose(from offered: [String], accept: String?) -> String? {
        guard let accept, !trim(accept[...]).isEmpty, accept != "*/*" else { return offered.first }
        let ranges = accept.split(separator: ",").map(Range.init)
        var best: (type: String, quality: Double)?
        for type in offered {
            let quality = quality(of: essence(type), in: ranges)
            if quality > (best?.quality ?? 0) { best = (type, quality) }
        }
        return best?.type
    }

    private struct Range {
        let type: String
        let quality: Double

        init(_ text: Substring) {
            let parts = text.split(separator: ";").map(MediaType.trim)
            type = parts.first?.lowercased() ?? ""
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") || $0.hasPrefix("Q=") }
            quality = weight.flatMap { Double($0.dropFirst(2)) } ?? 1
        }

        func specificity(for offered: String) -> Int? {
            if type == offered { return 2 }
            if type.hasSuffix("/*"), offered.hasPrefix(type.dropLast()) { return 1 }
            return type == "*/*" ? 0 : nil
        }
    }

    /// The most specific range that matches decides.
    private static func quality(of offered: String, in ranges: [Range]) -> Double {
        var best: (specificity: Int, quality: Double) = (-1, 0)
        for range in ranges {
            guard let specificity = range.specificity(for: offered), specificity > best.specificity else { continue }
            best = (specificity, range.quality)
        }
        return best.quality
    }

    static func trim(_ text: some StringProtocol) -> Substring {
        var rest = Substring(text)
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return rest
    }
}
