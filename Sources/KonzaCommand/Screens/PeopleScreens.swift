internal import KonzaSystem

/// What `konza people` shows.
enum PeopleScreens {
    struct Person: Decodable {
        let number: Int
        let name: String
        let role: String
        let arrives: String?
        let departs: String?
        let canSignIn: Bool
    }

    struct People: Decodable { let people: [Person] }

    struct Badge: Decodable {
        let text: String
        let qr: [String]
    }

    struct Credentials: Decodable {
        let person: Person
        let passphrase: String
        let pin: String
        let badge: Badge
    }

    struct Import: Decodable {
        let added: Int
        let unchanged: Int?
    }

    static func people(_ people: [Person]) -> [Line] {
        guard !people.isEmpty else {
            return [Line("Nobody has an account. Make the first keeper: konza people add NAME --role keeper")]
        }
        let width = min(max(people.map { TextSafety.width($0.name) }.max() ?? 0, 4), 40)
        let head =
            Line("No.", .quiet).padded(to: 6) + Line("Name", .quiet).padded(to: width + 2)
            + Line("Role", .quiet).padded(to: 9) + Line("From", .quiet).padded(to: 12) + Line("Until", .quiet)
        return [head]
            + people.map { person in
                let name = TextSafety.shortened(TextSafety.cleaned(person.name), to: width)
                var line =
                    Line("\(person.number)").padded(to: 6) + Line(name, .strong).padded(to: width + 2)
                    + Line(person.role).padded(to: 9) + Line(person.arrives ?? "").padded(to: 12)
                    + Line(person.departs ?? "").padded(to: 12)
                if !person.canSignIn { line = line + Line("has no passphrase yet", .caution) }
                return line
            }
    }

    static func credentials(_ made: Credentials, isTerminal: Bool) -> [Line] {
        [
            Line(TextSafety.cleaned(made.person.name), .strong)
                + Line("  No. \(made.person.number), \(made.person.role)"),
            Line("passphrase  ", .quiet) + Line(made.passphrase, .strong),
            Line("PIN         ", .quiet) + Line(made.pin, .strong) + Line("  at the kiosk alone", .quiet),
            Line("badge       ", .quiet) + Line(made.badge.text),
        ] + (isTerminal ? PortalScreens.code(made.badge.qr) : []) + [
            Line("They are shown this once; konza people reset makes new ones.", .quiet)
        ]
    }
}
