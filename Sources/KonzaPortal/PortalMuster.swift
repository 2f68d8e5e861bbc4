internal import Announcements
internal import KonzaModel
internal import KonzaSystem
internal import Muster
internal import Settings
internal import Storage

extension MusterRules {
    /// The rules of the settings, by the zone of the process.
    init(_ settings: StationSettings.Muster) {
        self.init { LocalTime.offsetSeconds(at: $0) }
        from = settings.from.minutes
        until = settings.until.minutes
        hasFederalHolidays = settings.holidays == .federal
        closedDays = Set(settings.closedDays.compactMap { CalendarDate($0) })
        allowsNetwork = settings.place != .kiosk
        if settings.place == .fence {
            fences = settings.fence.compactMap(MusterFence.init)
        }
    }
}

extension MusterFence {
    /// Nil unless the text is latitude, longitude and metres, with commas between.
    init?(_ text: String) {
        guard let circle = StationSettings.FenceCircle(text),
            let center = Coordinate(latitude: circle.latitude, longitude: circle.longitude)
        else { return nil }
        self.init(center: center, radius: circle.radius)
    }
}

/// What of the announcements counts for a muster: those that the crew must read, at their present hashes.
struct RequiredAnnouncements: AnnouncementGate {
    func reading(
        of person: Int64, at now: UTCInstant, _ connection: inout Connection
    ) throws(DatabaseError) -> AnnouncementReading {
        let unread = try AnnouncementRegister.unread(
            by: PortalAnnouncements.key(ofPerson: person), at: now, &connection)
        let all = try AnnouncementRegister.unread(by: "", at: now, &connection)
        return AnnouncementReading(
            unread: unread.map { UnreadAnnouncement(id: $0.id, title: $0.title, translations: $0.translations) },
            digest: AnnouncementReading.digest(of: all.map { ($0.id, $0.hash) }))
    }
}
