internal import KonzaAPI
internal import KonzaModel

/// Conditional and range requests (RFC 9110 sections 13 and 14), for answers of a known length.
struct Conditions {
    /// What is left to send of an answer.
    struct Part: Equatable {
        var offset: Int
        var count: Int
    }

    enum Verdict: Equatable {
        case whole
        case notModified
        case part(Part)
        case notSatisfiable
    }

    static func judge(_ response: Response, headers: HeaderFields) -> Verdict {
        guard response.status == 200, let length = response.length else { return .whole }
        guard response.entityTag != nil || response.lastModified != nil else { return .whole }
        if isNotModified(response, headers) { return .notModified }
        guard let range = headers.first(lowercased: "range"), allowsRange(response, headers) else { return .whole }
        return part(of: length, range: range)
    }

    /// The bytes of the body that are sent; nil if none are.
    static func sent(_ response: Response, method: HTTPMethod, headers: HeaderFields) -> Part? {
        guard method != .head, let length = response.length, length > 0 else { return nil }
        return switch method == .get ? judge(response, headers: headers) : .whole {
        case .whole: Part(offset: 0, count: length)
        case .part(let part): part
        case .notModified, .notSatisfiable: nil
        }
    }

    private static func isNotModified(_ response: Response, _ headers: HeaderFields) -> Bool {
        if let candidates = headers.list("if-none-match") {
            guard let tag = response.entityTag else { return false }
            return candidates.split(separator: ",").contains { candidate in
                let candidate = MediaType.trim(candidate)
                return candidate == "*" || candidate == "\"\(tag)\"" || candidate == "W/\"\(tag)\""
            }
        }
        guard let modified = response.lastModified,
            let since = headers.first(lowercased: "if-modified-since").flatMap(HTTPDate.parse)
        else { return false }
        return modified.nanoseconds / 1_000_000_000 <= since.nanoseconds / 1_000_000_000
    }

    /// A range is of use only if the rest comes from the same bytes (`If-Range`, strong comparison).
    private static func allowsRange(_ response: Response, _ headers: HeaderFields) -> Bool {
        guard let condition = headers.first(lowercased: "if-range") else { return true }
        if let tag = response.entityTag, condition == "\"\(tag)\"" { return true }
        guard let modified = response.lastModified, let date = HTTPDate.parse(condition) else { return false }
        return modified.nanoseconds / 1_000_000_000 == date.nanoseconds / 1_000_000_000
    }

    /// One range of bytes. Several, or another unit, are answered with the whole (RFC 9110 section 14.2).
    static func part(of length: Int, range: String) -> Verdict {
        guard range.lowercased().hasPrefix("bytes=") else { return .whole }
        let spec = MediaType.trim(range.dropFirst(6))
        let ends = spec.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2, !spec.contains(","), ends.allSatisfy(isDigits), !(ends[0].isEmpty && ends[1].isEmpty)
        else { return .whole }
        // A number too large for an Int is past every end.
        let first = ends[0].isEmpty ? nil : Int(ends[0]) ?? Int.max
        let last = ends[1].isEmpty ? nil : Int(ends[1]) ?? Int.max
        switch (first, last) {
        case (nil, let suffix?):
            guard suffix > 0, length > 0 else { return .notSatisfiable }
            let count = min(suffix, length)
            return .part(Part(offset: length - count, count: count))
        case (let first?, let last):
            guard first < length else { return .notSatisfiable }
            let last = min(last ?? length - 1, length - 1)
            guard last >= first else { return .whole }
            return .part(Part(offset: first, count: last - first + 1))
        default: return .whole
        }
    }

    private static func isDigits(_ text: Substring) -> Bool { text.utf8.allSatisfy { (0x30...0x39).contains($0) } }
}
