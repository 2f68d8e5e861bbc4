internal import KonzaAPI

/// The target of a request line, taken apart (RFC 9112 section 3.2) and decoded once, here and nowhere else.
struct RequestTarget: Equatable {
    /// One name and value of the query.
    struct Item: Equatable {
        var name: String
        var value: String
    }

    /// The authority of an absolute-form target, which takes the place of `Host`.
    var authority: String?
    /// The path as it was sent.
    var path: String
    /// The path's segments, decoded; a decoded slash stays inside its segment.
    var segments: [String]
    /// The query in order, decoded.
    var query: [Item]
    /// `OPTIONS *`.
    var isAsterisk = false

    init(_ raw: [UInt8]) throws(Problem) {
        if raw == [UInt8(ascii: "*")] {
            (path, segments, query, isAsterisk) = ("*", [], [], true)
            return
        }
        var rest = raw[...]
        if rest.first != UInt8(ascii: "/") {
            (authority, rest) = try Self.splitAbsolute(rest)
        }
        if let fragment = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<fragment] }
        var queryBytes: ArraySlice<UInt8> = []
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            queryBytes = rest[rest.index(after: mark)...]
            rest = rest[..<mark]
        }
        path = rest.isEmpty ? "/" : String(decoding: rest, as: UTF8.self)
        segments = try Self.segments(rest)
        query = try Self.items(queryBytes)
    }

    /// The path and the query of a target whose form was found good: without the scheme and the authority of the absolute form,
    /// and without a fragment.
    static func origin(_ raw: [UInt8]) -> ArraySlice<UInt8> {
        var rest = raw[...]
        if rest.first != UInt8(ascii: "/"), let split = try? splitAbsolute(rest) { rest = split.rest }
        return rest.prefix { $0 != UInt8(ascii: "#") }
    }

    private static func splitAbsolute(
        _ raw: ArraySlice<UInt8>
    ) throws(Problem) -> (authority: String, rest: ArraySlice<UInt8>) {
        for scheme in ["http://", "https://"] where raw.starts(with: scheme.utf8) {
            let rest = raw.dropFirst(scheme.utf8.count)
            let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
            return (String(decoding: rest[..<end], as: UTF8.self), rest[end...])
        }
        throw Problem(
            .malformedRequest, "cannot read the request target: it does not begin with a slash; send an absolute path")
    }

    private static func segments(_ path: ArraySlice<UInt8>) throws(Problem) -> [String] {
        var segments: [String] = []
        for part in path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let segment = PercentCoding.decode(part) else {
                throw Problem(
                    .malformedRequest,
                    "cannot read the path: it has a bad percent-encoding or a control character; encode it as UTF-8")
            }
            segments.append(segment)
        }
        return segments == [""] ? [] : segments
    }

    private static func items(_ query: ArraySlice<UInt8>) throws(Problem) -> [Item] {
        var items: [Item] = []
        for part in query.split(separator: UInt8(ascii: "&")) {
            let equals = part.firstIndex(of: UInt8(ascii: "="))
            let value = equals.map { part[part.index(after: $0)...] } ?? []
            guard let name = PercentCoding.decode(part[..<(equals ?? part.endIndex)]),
                let value = PercentCoding.decode(value)
            else {
                throw Problem(
                    .malformedRequest,
                    "cannot read the query: it has a bad percent-encoding or a control character; encode it as UTF-8")
            }
            items.append(Item(name: name, value: value))
        }
        return items
    }
}
