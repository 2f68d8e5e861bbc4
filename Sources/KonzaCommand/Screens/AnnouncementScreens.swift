internal import KonzaModel

/// What `konza announce` shows.
enum AnnouncementScreens {
    struct Announcement: Decodable {
        let id: String
        let title: String
        let pubDate: String
        let startDate: String?
        let endDate: String?
        let isUrgent: Bool
        let isRead: Bool
        let isChanged: Bool
        let isActive: Bool
        let audience: String
        let body: String?
        let more: String?
        let link: String?
        let isUnreadAgain: Bool?
    }

    static func changed(_ one: Announcement, now: UTCInstant) -> [Line] {
        var lines = [
            one.isUnreadAgain == false
                ? Line("\(one.id) says what it said: whoever has read it need not read it again.")
                : Line("\(one.id) is changed, and unread by everyone.")
        ]
        if let end = one.endDate.flatMap({ UTCInstant(rfc3339: $0) }), end <= now {
            lines.append(Line("Its end is over: nobody is shown it.", .caution))
        }
        return lines
    }

    struct Feed: Decodable {
        let title: String
        let ageSeconds: Int?
        let source: String?
        let fault: String?
    }

    struct List: Decodable {
        let announcements: [Announcement]
        let unread: Int
        let feeds: [Feed]
        let faults: [String]?
    }

    static func list(_ list: List, now: UTCInstant) -> [Line] {
        var lines: [Line] = []
        if list.announcements.isEmpty { lines.append(Line("There are no announcements. Write one: konza announce")) }
        for one in list.announcements {
            let state = one.isRead ? "read" : one.isChanged ? "changed" : "unread"
            let mark = one.isUrgent ? Line("urgent ", .caution) : Line("")
            lines.append(
                Line(one.id, .quiet) + "  " + Line(state, one.isRead ? .quiet : .strong).padded(to: 9) + mark
                    + Line(TextSafety.cleaned(one.title), .strong)
                    + Line(
                        "  \(one.pubDate.prefix(10))\(one.audience == "crew" ? ", crew" : ", everyone")\(one.isActive ? "" : ", not active")",
                        .quiet))
        }
        for feed in list.feeds {
            let name = TextSafety.cleaned(feed.title.isEmpty ? feed.source ?? "a feed" : feed.title)
            let age = feed.ageSeconds.map { "asked \(Figures.span(seconds: $0)) ago" } ?? "not heard of"
            lines.append(Line("Feed \(name): \(age)", .quiet))
            if let fault = feed.fault { lines.append(Line("  \(TextSafety.cleaned(fault))", .caution)) }
        }
        for fault in list.faults ?? [] { lines.append(Line(TextSafety.cleaned(fault), .caution)) }
        return lines
    }

    static func one(_ announcement: Announcement) -> [Line] {
        var lines = [Line(TextSafety.cleaned(announcement.title), .strong)]
        let until = announcement.endDate.map { ", until \($0.prefix(16))Z" } ?? ""
        lines.append(
            Line(
                "\(announcement.isUrgent ? "urgent, " : "")\(announcement.audience), \(announcement.pubDate.prefix(10))\(until)",
                .quiet))
        for text in [announcement.body, announcement.more] {
            guard let text, !text.isEmpty else { continue }
            lines.append(Line(""))
            lines += text.split(separator: "\n", omittingEmptySubsequences: false).map {
                Line(TextSafety.cleaned(String($0)))
            }
        }
        if let link = announcement.link { lines += [Line(""), Line(TextSafety.cleaned(link))] }
        return lines
    }
}
