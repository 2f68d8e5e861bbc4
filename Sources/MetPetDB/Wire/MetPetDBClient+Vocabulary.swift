internal import FoundationEssentials
internal import HTTPTransfer
public import KonzaModel
internal import Terminology

extension MetPetDBClient {
    /// More pages than this are no vocabulary.
    private static var mostPages: Int { 20 }

    /// Fetches the server's vocabulary, whole: ids differ from one installation to another. Nothing is ever added to it.
    ///
    /// - Parameter instant: now.
    /// - Returns: the names that this server takes, with its ids, completed with the synonyms that are known here.
    /// - Throws: ``MetPetDBError`` unless every list came whole.
    public func vocabulary(at instant: UTCInstant) throws(MetPetDBError) -> Vocabulary {
        var terms: [Vocabulary.Kind: [Vocabulary.Term]] = [:]
        for (kind, path) in [
            (Vocabulary.Kind.rockTypes, "rock_types"), (.metamorphicGrades, "metamorphic_grades"),
            (.metamorphicRegions, "metamorphic_regions"), (.minerals, "minerals"), (.imageTypes, "image_types"),
        ] {
            terms[kind] = try list(path, kind)
        }
        return Vocabulary(origin: address.text, fetchedAt: instant, terms: terms).completed(from: .embedded)
    }

    private func list(_ path: String, _ kind: Vocabulary.Kind) throws(MetPetDBError) -> [Vocabulary.Term] {
        var terms: [Vocabulary.Term] = []
        for page in 1...Self.mostPages {
            let query = [("page_size", "1000"), ("page", String(page)), ("format", "json")]
            let answer = try get("/api/\(path)/", query, what: "fetch the vocabulary")
            let reply = try decode(Page<RemoteTerm>.self, answer)
            terms += reply.items.compactMap { item in
                let name = shortened(TextRule.cleaned(item.name(for: kind)))
                // What shows nothing cannot be chosen, and what has no usable id cannot be sent.
                guard TextRule.isVisible(name), TextRule.complaint(item.id, upTo: 200) == nil else { return nil }
                return Vocabulary.Term(name: name, id: item.id)
            }
            if !reply.hasMore { return terms }
        }
        throw MetPetDBError(.unreadable, "cannot fetch the vocabulary: \(path) has no end")
    }
}

private struct RemoteTerm: Decodable {
    let id: String
    private let name: String
    private let abbreviation: String?

    /// Image types are known by their abbreviations.
    func name(for kind: Vocabulary.Kind) -> String { kind == .imageTypes ? abbreviation ?? name : name }

    private enum Key: String, CodingKey { case id, name, image_type, abbreviation }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        if let number = try? members.decode(Int.self, forKey: .id) {
            id = String(number)
        } else {
            id = try members.decode(String.self, forKey: .id)
        }
        if let name = try members.decodeIfPresent(String.self, forKey: .name) {
            self.name = name
        } else {
            name = try members.decode(String.self, forKey: .image_type)
        }
        abbreviation = try members.decodeIfPresent(String.self, forKey: .abbreviation)
    }
}
