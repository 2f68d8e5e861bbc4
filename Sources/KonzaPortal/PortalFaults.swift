internal import Announcements
internal import KonzaAPI
internal import KonzaModel
internal import Muster
internal import Printing
internal import StationPages
internal import Storage
internal import Trips

/// Something that is wrong, for monitors and for `konza doctor`.
struct PortalFault: Encodable, Sendable, Equatable {
    enum Code: String, Encodable, Sendable, CaseIterable {
        /// A part of konzad does not work: the same as in `GET /v1/status`.
        case station
        /// What the portal keeps.
        case store
        /// Files of the operator.
        case content
        /// The certificate that tablets are served with.
        case certificate
        /// An address that is not served.
        case address
        /// No sheet comes out before somebody has done something.
        case printer
        /// Messages to people elsewhere were not sent.
        case messages
        /// A feed or a calendar gives no valid answer, or none has come for a day.
        case feed
        /// The time cannot be right.
        case clock
    }

    let code: Code
    /// Of konzad, as `GET /v1/status` names it; nil for what is the portal's.
    var part: String?
    let what: String
    let remedy: String
}

/// What can be wrong beside the portal itself: looked at when somebody asks. None of it keeps a visitor from being served.
struct PortalFaults: Sendable {
    /// A feed that nobody has answered for so long is old, seconds.
    private static let oldSeconds = 86_400.0
    /// A message that waits for so long is late, and one that was given up is shown for so long, seconds.
    private static let lateSeconds = 900.0
    private static let toldSeconds = 7 * 86_400.0
    /// Of each kind.
    private static let most = 5

    let printing: PrintService?
    let outbox: MessageOutbox
    let announcements: AnnouncementRegister
    let files: AnnouncementFiles
    let calendars: CalendarFeeds
    let muster: MusterLedger
    let clock: any StationClock

    /// What is wrong now. Blocks.
    var found: [PortalFault] {
        clockFaults + printerFaults + messageFaults + feedFaults
            + files.faults.prefix(Self.most).map {
                PortalFault(
                    code: .content, what: "announcements: \($0)",
                    remedy: "mend the file at the line that is named, and try it with konza pages check")
            }
    }

    private var clockFaults: [PortalFault] {
        guard muster.clockTrust == .unbelieved else { return [] }
        return [
            PortalFault(
                code: .clock,
                what: "the clock says \(clock.utc()), which cannot be: musters have no day until it is right",
                remedy: "connect the receiver or the network, or set it with timedatectl set-time")
        ]
    }

    private var printerFaults: [PortalFault] {
        guard let printing else { return [] }
        // It is asked anew, so that the next look knows.
        printing.need()
        let condition = printing.queue.condition
        guard condition.state != .checking, !condition.takesJobs else { return [] }
        return [
            PortalFault(
                code: .printer, what: "the printer is halted: \(condition.reason)",
                remedy: condition.remedy.isEmpty ? "look at its display, then at konza printer" : condition.remedy)
        ]
    }

    private var messageFaults: [PortalFault] {
        let now = clock.utc()
        let messages = (try? outbox.list(limit: 100)) ?? []
        let late = messages.filter { one in
            one.sentAt == nil && one.ending != .withdrawn
                && (one.givenUpAt.map { now.seconds(since: $0) < Self.toldSeconds }
                    ?? (one.failure != nil || now.seconds(since: one.writtenAt) > Self.lateSeconds))
        }
        guard let last = late.first else { return [] }
        return [
            PortalFault(
                code: .messages,
                what: "\(late.count) \(late.count == 1 ? "message was" : "messages were") not sent, the last one to "
                    + "\(last.recipient.isEmpty ? "the webhook" : last.recipient): \(last.failure ?? "the courier has not fetched it")",
                remedy: "tell those people by telephone or radio; look at konza trips messages, at systemctl status "
                    + "konza-courier, and at [Courier] MailServer= and Webhook=")
        ]
    }

    private var feedFaults: [PortalFault] {
        let feeds =
            calendars.states.map { ("the calendar \($0.source)", $0.fault, [$0.fetchedAt, $0.checkedAt]) }
            + ((try? announcements.feedStates()) ?? [:]).sorted { $0.key < $1.key }.map {
                ("the feed \($0.key)", $0.value.fault, [$0.value.fetchedAt, $0.value.checkedAt])
            }
        let now = clock.utc()
        let found = feeds.compactMap { name, fault, times -> PortalFault? in
            let last = times.compactMap { $0 }.max()
            let age = last.map { now.seconds(since: $0) }
            guard fault != nil || age ?? 0 > Self.oldSeconds else { return nil }
            let why = fault.map { "gives no valid answer: \($0)" } ?? "was not answered for a day"
            let said = last.map { "what it said at \($0) is shown" } ?? "nothing of it is shown"
            return PortalFault(
                code: .feed, what: "\(name) \(why); \(said)",
                remedy:
                    "look at systemctl status konza-courier and at the network; an address that is over is taken out of "
                    + "[Courier] Feeds= or Calendars=")
        }
        return Array(found.prefix(Self.most))
    }
}

extension PortalFault {
    /// What to do about a part of konzad; the others have the last one.
    private static let remedies = [
        "camera": "look at the camera and its cable; konza doctor tells what the machine sees",
        "archive":
            "make room on the disk that the reason names; konza doctor tells how much is free and how much is kept so",
        "position": "give the antenna a free sky, and look at its cable; konza doctor tells what gpsd says",
    ]

    /// The parts of konzad that do not work.
    static func parts(of status: StatusReply) -> [PortalFault] {
        let parts: [(name: String, health: PartHealth?)] = [
            ("camera", status.camera.health), ("archive", status.archive.health), ("position", status.position.health),
            ("templates", status.templates.health), ("outbox", status.outbox?.health), ("clock", status.clock.health),
            ("configuration", status.configuration?.health), ("trails", status.trails?.health),
        ]
        return parts.compactMap { name, health in
            guard let health, health.level == .failed else { return nil }
            return PortalFault(
                code: .station, part: name, what: "\(name): \(health.reason)",
                remedy: remedies[name] ?? "konza doctor tells what to do")
        }
    }
}
