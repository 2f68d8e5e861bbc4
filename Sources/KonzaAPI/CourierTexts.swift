public import KonzaModel

extension Vocabulary {
    /// The longest name, and the longest id, Unicode scalars.
    public static let longestText = 200

    /// Checks that every name can be one, and that there are rock types.
    ///
    /// - Throws: a problem that names the first ones that cannot.
    public func checkTexts() throws(Problem) {
        var faults: [Problem.Fault] = []
        func check(_ text: String?, _ path: @autoclosure () -> String) {
            guard let text else { return }
            let complaint = text.isEmpty ? "cannot be empty" : TextRule.complaint(text, upTo: Self.longestText)
            if let complaint { faults.append(.init(path: path(), detail: complaint)) }
        }
        if let origin, !TextRule.isWebAddress(origin) {
            faults.append(.init(path: "/origin", detail: "expected an http or https address"))
        }
        for kind in Kind.allCases {
            for (index, term) in (terms[kind] ?? []).enumerated() where faults.count < 20 {
                let place = "/terms/\(kind.rawValue)/\(index)"
                check(term.name, "\(place)/name")
                check(term.id, "\(place)/id")
                check(term.synonymOf, "\(place)/synonymOf")
                for (number, parent) in term.parents.enumerated() { check(parent, "\(place)/parents/\(number)") }
            }
        }
        guard faults.isEmpty else {
            let list = faults.map { "\($0.path) (\($0.detail))" }.joined(separator: ", ")
            throw Problem(.invalidRequest, "cannot take the vocabulary: \(list)", errors: faults)
        }
        guard terms[.rockTypes]?.isEmpty == false else {
            // A kind without names is not checked, and every sample has a rock type.
            let place = "/terms/\(Kind.rockTypes.rawValue)"
            let detail = "it has no names, and every sample needs one of them"
            throw Problem(
                .invalidRequest, "cannot take the vocabulary: \(place) (\(detail)); the one before stays", status: 422,
                errors: [.init(path: place, detail: detail)])
        }
    }
}
