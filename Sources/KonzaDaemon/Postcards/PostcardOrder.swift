internal import KonzaAPI
internal import KonzaModel
internal import Storage

/// A postcard that has been asked for, with everything settled but the picture.
struct PostcardOrder: Sendable {
    let id: PostcardID
    let template: String
    let place: String
    let message: String?
    let countdownSeconds: Int
    let idempotency: IdempotencyKey?
    /// How long frames are taken for an animated picture, seconds; 0 for none.
    var burstSeconds = 0
    /// Whether the names of what is to be seen are asked for, whatever the template.
    var labels = false
    /// Of the station's words on it (RFC 5646).
    var language = ""
    /// The pictures, if they are taken already.
    var collage: CollageOrder?
}

extension PostcardRequest {
    /// Checks the words of a request.
    ///
    /// - Throws: a problem that names the members at fault.
    func checkWords(messageLimit: Int) throws(Problem) {
        var faults: [Problem.Fault] = []
        var fitsContract = true
        for (name, text, limit) in [("message", message, messageLimit), ("place", place, Self.placeLimit)] {
            guard let text else { continue }
            if text.count > limit {
                faults.append(.init(path: "/\(name)", detail: "at most \(limit) characters, these are \(text.count)"))
            }
            // One character may be made of any number of marks, each of which has to be drawn.
            if text.unicodeScalars.count > limit * Self.scalarsPerCharacter {
                faults.append(.init(path: "/\(name)", detail: "too many marks on its characters"))
                // The contract has the highest limit that a station can be set to.
                let highest = max(limit, name == "message" ? Self.highestMessageLimit : limit)
                if text.unicodeScalars.count > highest * Self.scalarsPerCharacter { fitsContract = false }
            }
            if let complaint = TextRule.complaint(text) {
                faults.append(.init(path: "/\(name)", detail: complaint))
                fitsContract = fitsContract && complaint == TextRule.blankComplaint
            }
        }
        guard faults.isEmpty else {
            throw Problem(
                .invalidRequest,
                "cannot take the request: " + faults.map { "\($0.path) (\($0.detail))" }.joined(separator: ", "),
                status: fitsContract ? 422 : 400, errors: faults)
        }
    }
}
