internal import ContactCards
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel

/// `/v1/personnel`: whom to ask.
struct PersonnelRoutes: Sendable {
    struct Reach: Encodable {
        let text: String
        let address: String?
        let kind: String?

        init(_ reach: ContactCard.Reach) {
            text = reach.text
            address = reach.address
            kind = reach.kind
        }
    }

    struct Links: Encodable {
        let `self`: String
        let card: String
    }

    struct Person: Encodable {
        let id: String
        let name: String
        let designation: String?
        let organization: String?
        let phones: [Reach]
        let mails: [Reach]
        var groups: [String]?
        var address: [String]?
        var interests: [String]?
        var publications: [String]?
        var note: String?
        var profile: String?
        var profileCode: PageCode?
        var code: PageCode?
        let links: Links
    }

    private struct Group: Encodable {
        /// As the cards name it; absent for people of no group.
        let name: String?
        let people: [Person]
    }

    private struct List: Encodable {
        let groups: [Group]
        let total: Int
        let links: [String: String]
    }

    /// What comes first, and in the order of the files: whom to ask before all others.
    static let primary = "Primary Contacts"

    let content: StationContent

    var routes: [Route] {
        [
            Route(
                .get, "/v1/personnel", access: .everyone, operation: "listPersonnel",
                summary: "The people of the station, by group",
                query: [QueryParameter("group", "One group alone.", .name(60))],
                replies: [Reply(200, "Groups, the primary contacts first.", schema: "Personnel")],
                handler: .asynchronous { request in try .json(list(request.query("group"))) }),
            Route(
                .get, "/v1/personnel/{id}", access: .everyone, operation: "getPersonnelMember",
                summary: "One person: address, interests, publications, and a code of the card",
                replies: [Reply(200, "The person.", schema: "PersonnelMember")],
                handler: .asynchronous { request in try .json(described(try person(request), inFull: true)) }
            ).failing(.notFound).taking("id", .string),
            Route(
                .get, "/v1/personnel/{id}/card.vcf", access: .everyone, operation: "getPersonCard",
                summary: "One person's card (vCard 4.0)", produces: ["text/vcard"], replies: [Reply(200, "A vCard.")],
                handler: .asynchronous { request in
                    var response = Response.text(try person(request).card.vCard, type: "text/vcard; charset=utf-8")
                    response.headers["content-disposition"] = "attachment; filename=\"card.vcf\""
                    return response
                }
            ).failing(.notFound).taking("id", .string),
        ]
    }

    private func list(_ wanted: String?) -> List {
        let people = content.current.people
        var order: [String] = []
        var groups: [String: [StationContent.Person]] = [:]
        for person in people {
            for group in person.card.groups.isEmpty ? [""] : person.card.groups where wanted ?? group == group {
                if groups[group] == nil { order.append(group) }
                groups[group, default: []].append(person)
            }
        }
        // The primary contacts first, those of no group last, the others as the files have them.
        order =
            order.filter { $0 == Self.primary } + order.filter { $0 != Self.primary && !$0.isEmpty }
            + order.filter(\.isEmpty)
        let listed = order.map { name in
            var members = groups[name] ?? []
            if name != Self.primary {
                members.sort { ($0.card.sortName, $0.id) < ($1.card.sortName, $1.id) }
            }
            return Group(
                name: name.isEmpty ? nil : name, people: members.map { described($0, inFull: false) })
        }
        return List(groups: listed, total: people.count, links: ["self": "/v1/personnel"])
    }

    private func person(_ request: Request) throws(Problem) -> StationContent.Person {
        let id = request.parameter("id")
        guard let person = content.current.people.first(where: { $0.id == id }) else {
            throw Problem(
                .notFound,
                "cannot find the person \(TextRule.cleaned(String(id.prefix(40)))): the card was changed or taken out; "
                    + "GET /v1/personnel lists who is here")
        }
        return person
    }

    private func described(_ person: StationContent.Person, inFull: Bool) -> Person {
        let card = person.card
        var described = Person(
            id: person.id, name: card.name, designation: card.designation, organization: card.organization,
            phones: card.phones.map(Reach.init), mails: card.mails.map(Reach.init),
            links: Links(self: "/v1/personnel/\(person.id)", card: "/v1/personnel/\(person.id)/card.vcf"))
        guard inFull else { return described }
        described.groups = card.groups
        described.address = card.address
        described.interests = card.interests
        described.publications = card.publications
        described.note = card.note
        described.profile = card.profile
        described.profileCode = card.profile.map { PageCode($0) }
        described.code = PageCode(card.short)
        return described
    }
}
