/// The request methods that a route may have (RFC 9110 section 9, RFC 5789).
public enum HTTPMethod: String, Sendable, CaseIterable, Comparable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"

    public static func < (left: HTTPMethod, right: HTTPMethod) -> Bool { left.order < right.order }

    private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
