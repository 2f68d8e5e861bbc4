internal import KonzaModel
internal import KonzaSystem

/// What `konza calendar`, `konza personnel` and `konza pages` show.
enum StationScreens {
    struct Code: Decodable { let qr: [String] }

    struct Event: Decodable {
        let id: String
        let title: String
        let isAllDay: Bool
        let firstDay: String
        let lastDay: String
        let startTime: String?
        let endTime: String?
        let place: String?
        let isCancelled: Bool
        let details: String?
        let link: String?
        let code: Code?
    }

    struct Events: Decodable {
        let events: [Event]
        let total: Int
    }

    struct Reach: Decodable {
        let text: String
        let kind: String?
    }

    struct Person: Decodable {
        let id: String
        let name: String
        let designation: String?
        let phones: [Reach]
        let mails: [Reach]
        let address: [String]?
        let interests: [String]?
        let publications: [String]?
        let profile: String?
        let code: Code?
    }

    struct People: Decodable {
        struct Group: Decodable {
            let name: String?
            let people: [Person]
        }

        let groups: [Group]
    }

    struct Listed: Decodable {
        let name: String
        let language: String
        let title: String
    }

    struct Pages: Decodable { let pages: [Listed] }

    struct Node: Decodable {
        let kind: String
        let text: String?
        let start: Int?
        let target: String?
        let children: [Node]?
    }

    struct Page: Decodable {
        let title: String
        let blocks: [Node]
    }

    // MARK: - Events

    static func events(_ reply: Events) -> [Line] {
        guard !reply.events.isEmpty else { return [Line("Nothing is on.")] }
        var lines = reply.events.map { event in
            Line(
                "\(day(event))  \(event.isCancelled ? "CANCELLED " : "")\(event.title)  \(event.place ?? "")  \(event.id)"
            )
        }
        if reply.total > reply.events.count { lines.append(Line("and \(reply.total - reply.events.count) more")) }
        return lines
    }

    static func event(_ event: Event, isTerminal: Bool) -> [Line] {
        var lines = [Line("\(event.isCancelled ? "CANCELLED: " : "")\(event.title)", .strong), Line(day(event))]
        for text in [event.place, event.details, event.link] { lines += texts(text) }
        return lines + code(event.code, isTerminal)
    }

    private static func day(_ event: Event) -> String {
        let days = event.firstDay == event.lastDay ? event.firstDay : "\(event.firstDay) to \(event.lastDay)"
        guard let start = event.startTime else { return days }
        return "\(days) \(start)" + (event.endTime.map { "-\($0)" } ?? "")
    }

    // MARK: - People

    static func people(_ reply: People) -> [Line] {
        guard !reply.groups.isEmpty else { return [Line("There are no cards.")] }
        return reply.groups.flatMap { group in
            [Line(group.name ?? "Others", .strong)]
                + group.people.map { person in
                    let reach = (person.phones + person.mails).map(\.text)
                    let words = [person.name, person.designation ?? ""] + reach + [person.id]
                    return Line("  " + words.filter { !$0.isEmpty }.joined(separator: "  "))
                }
        }
    }

    static func person(_ person: Person, isTerminal: Bool) -> [Line] {
        var lines = [Line(person.name, .strong)]
        lines += texts(person.designation)
        lines += (person.phones + person.mails).map { Line($0.text) }
        lines += (person.address ?? []).map { Line($0) }
        if let interests = person.interests, !interests.isEmpty {
            lines.append(Line("Interests: \(interests.joined(separator: ", "))"))
        }
        lines += (person.publications ?? []).map { Line("Publication: \($0)") }
        lines += texts(person.profile)
        return lines + code(person.code, isTerminal)
    }

    // MARK: - Pages

    static func pages(_ reply: Pages) -> [Line] {
        guard !reply.pages.isEmpty else { return [Line("There are no pages.")] }
        return reply.pages.map { Line("\($0.name)  \($0.title)  (\($0.language))") }
    }

    static func page(_ page: Page, columns: Int?) -> [Line] {
        [Line(page.title, .strong)] + blocks(page.blocks, indent: "")
    }

    private static func blocks(_ nodes: [Node], indent: String) -> [Line] {
        nodes.flatMap { node -> [Line] in
            switch node.kind {
            case "list":
                return (node.children ?? []).enumerated().flatMap { index, item -> [Line] in
                    let mark = node.start.map { "\($0 + index). " } ?? "- "
                    let first = item.children?.first.map { words($0.children ?? []) } ?? ""
                    return [Line("\(indent)\(mark)\(first)")]
                        + blocks(Array((item.children ?? []).dropFirst()), indent: indent + "   ")
                }
            case "quote": return blocks(node.children ?? [], indent: indent + "  ")
            case "code": return [Line("")] + texts(node.text)
            case "rule": return [Line("")]
            default: return [Line(""), Line(indent + words(node.children ?? []))]
            }
        }
    }

    private static func words(_ nodes: [Node]) -> String {
        nodes.map { node in
            if node.kind == "line" { return " " }
            let inner = (node.text ?? "") + words(node.children ?? [])
            return node.kind == "link" ? "\(inner) <\(node.target ?? "")>" : inner
        }.joined()
    }

    private static func texts(_ text: String?) -> [Line] {
        text.map { $0.split(whereSeparator: \.isNewline).map { Line(String($0)) } } ?? []
    }

    private static func code(_ code: Code?, _ isTerminal: Bool) -> [Line] {
        guard isTerminal, let rows = code?.qr, !rows.isEmpty else { return [] }
        return PortalScreens.code(rows)
    }
}
