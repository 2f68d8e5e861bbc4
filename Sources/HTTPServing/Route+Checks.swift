internal import KonzaAPI

/// What a request must be before its handler sees it.
extension Route {
    /// The query as the route declares it.
    ///
    /// - Throws: a problem that names every parameter that is unknown, missing, repeated or not one of its values.
    func checkedQuery(_ items: [RequestTarget.Item]) throws(Problem) -> [String: [String]] {
        if isForwarded || (items.isEmpty && query.isEmpty) { return [:] }
        var values: [String: [String]] = [:]
        var faults: [Problem.Fault] = []
        var objections: [Problem.Fault] = []
        for item in items {
            guard let declared = query.first(where: { $0.name == item.name }) else {
                let known =
                    query.isEmpty ? "the route takes none" : "known are " + query.map(\.name).joined(separator: ", ")
                faults.append(.init(path: item.name, detail: "unknown query parameter; \(known)"))
                continue
            }
            if let complaint = declared.shape.complaint(text: item.value) {
                faults.append(.init(path: item.name, detail: complaint))
            } else if let objection = declared.shape.objection(text: item.value) {
                objections.append(.init(path: item.name, detail: objection))
            }
            if values[item.name] != nil, !declared.repeats {
                faults.append(.init(path: item.name, detail: "given more than once"))
            }
            values[item.name, default: []].append(item.value)
        }
        for parameter in query {
            guard values[parameter.name] != nil else {
                if parameter.isRequired {
                    faults.append(.init(path: parameter.name, detail: "missing query parameter"))
                }
                continue
            }
            if values[parameter.name, default: []].count > QueryParameter.mostValues {
                faults.append(.init(path: parameter.name, detail: "given more than \(QueryParameter.mostValues) times"))
            }
            for other in parameter.excludes where values[other] != nil {
                faults.append(.init(path: parameter.name, detail: "not together with \(other)"))
            }
            if let needed = parameter.needs, values[needed] == nil {
                faults.append(.init(path: parameter.name, detail: "only with \(needed)"))
            }
        }
        let all = faults + objections
        guard all.isEmpty else {
            let list = all.map { "\($0.path.prefix(80)) (\($0.detail))" }.joined(separator: ", ")
            throw Problem(
                .invalidRequest, "cannot take the query: \(list)", status: faults.isEmpty ? 422 : nil, errors: all)
        }
        return values
    }

    /// The media type to answer in.
    func checkedType(accept: String?) throws(Problem) -> String {
        guard !produces.isEmpty, !isForwarded else { return "" }
        guard let chosen = MediaType.choose(from: produces, accept: accept) else {
            throw Problem(
                .notAcceptable,
                "cannot answer in a form that Accept allows: this route has \(produces.joined(separator: ", "))")
        }
        return chosen
    }

    /// Checks what the head says about the body.
    ///
    /// - Returns: the most bytes that the body may have.
    func checkedBodyLimit(
        _ framing: BodyFraming, _ headers: HeaderFields, standard: Int
    ) throws(Problem) -> Int {
        guard let body else {
            guard framing == .none || framing == .length(0) else {
                throw Problem(.invalidRequest, "cannot take the request: \(method.rawValue) \(path) takes no body")
            }
            return 0
        }
        let limit = body.limit ?? standard
        switch framing {
        case .none where body.isRequired:
            throw Problem(.lengthRequired, "cannot take the request: it has no body; send one with Content-Length")
        case .length(let length) where length > limit:
            throw Problem(
                .bodyTooLarge, "cannot take the body: it has \(length) bytes; at most \(limit) are taken",
                figures: ["limitBytes": Double(limit)])
        case .none, .length, .chunked, .unknown: break
        }
        if framing != .none, framing != .length(0), !isForwarded { try body.checkForm(headers) }
        return limit
    }
}

extension RequestBody {
    /// Checks the form that the head announces.
    ///
    /// - Throws: a problem for a type that is not taken, text in another encoding than UTF-8, or a coded body.
    fileprivate func checkForm(_ headers: HeaderFields) throws(Problem) {
        if let type = headers.first(lowercased: "content-type") {
            let essence = MediaType.essence(type)
            guard types.contains(essence) else {
                throw Problem(
                    .unsupportedMediaType,
                    "cannot read a body of type \(type.prefix(80)): send \(types.joined(separator: " or "))")
            }
            if !essence.hasPrefix("image/"), let charset = MediaType.parameter("charset", of: type),
                charset.lowercased() != "utf-8"
            {
                throw Problem(
                    .unsupportedMediaType, "cannot read a body in the encoding \(charset.prefix(80)): send UTF-8")
            }
        }
        // RFC 9110 section 8.4; an empty list is none.
        for coding in (headers.list("content-encoding") ?? "").split(separator: ",").map(MediaType.trim)
        where !coding.isEmpty && coding.lowercased() != "identity" {
            throw Problem(
                .unsupportedMediaType,
                "cannot decode a body with Content-Encoding \(coding.prefix(80)): send it as it is, without one")
        }
    }
}

/// How the length of a body is given (RFC 9112 section 6).
enum BodyFraming: Equatable {
    case none
    case length(Int)
    case chunked
    /// The headers do not tell, or contradict one another: where the next request begins is unknown.
    case unknown

    init(_ headers: HeaderFields, isVersion10: Bool) throws(Problem) {
        let codings = headers.all("transfer-encoding")
        let lengths = headers.all("content-length")
        guard codings.isEmpty || (lengths.isEmpty && !isVersion10), lengths.count < 2 else {
            throw Problem(.malformedRequest, "cannot tell the length of the body: the headers contradict one another")
        }
        if let coding = codings.first {
            guard codings.count == 1, coding.lowercased() == "chunked" else {
                throw Problem(
                    .malformedRequest,
                    "cannot decode the transfer encoding \(coding.prefix(80)): only chunked is taken",
                    status: 501)
            }
            self = .chunked
        } else if let text = lengths.first {
            guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(text) else {
                throw Problem(.malformedRequest, "cannot read Content-Length: it is not a number of bytes")
            }
            self = .length(length)
        } else {
            self = .none
        }
    }
}
