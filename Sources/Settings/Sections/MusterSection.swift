internal import KonzaModel

extension StationSettings {
    /// Which days beside weekends nobody is expected at the muster.
    public enum HolidayRule: String, Sendable, CaseIterable {
        /// Those of the federal government of the United States (5 U.S.C. 6103).
        case federal
        /// None but `ClosedDays=`.
        case none
    }

    /// Where a muster may be made.
    public enum MusterPlace: String, Sendable, CaseIterable {
        /// At the kiosk alone.
        case kiosk
        /// On a device of the station's network too, with the code that the kiosk shows.
        case network
        /// The same where the device says that it is within a circle of the settings, too.
        case fence
    }

    /// A circle on the ground.
    public struct FenceCircle: Sendable, Equatable {
        /// Degrees, WGS 84.
        public let latitude: Double
        public let longitude: Double
        /// Metres, 50 to 100 000.
        public let radius: Double

        /// Nil unless the text is latitude, longitude and metres, with commas between.
        public init?(_ text: some StringProtocol) {
            let parts = text.split(separator: ",", omittingEmptySubsequences: false).map {
                Quantity.decimal(String($0))
            }
            guard parts.count == 3, let latitude = parts[0], let longitude = parts[1], let radius = parts[2],
                (-90...90).contains(latitude), (-180...180).contains(longitude), (50...100_000).contains(radius)
            else { return nil }
            (self.latitude, self.longitude, self.radius) = (latitude, longitude, radius)
        }
    }

    public struct Muster: Sendable, Equatable {
        /// From when on a day's muster is taken, local time.
        public var from = TimeOfDay(minutes: 0)
        /// Later ones are late, local time.
        public var until = TimeOfDay(minutes: 9 * 60)
        public var holidays = HolidayRule.federal
        /// Further days without a muster, YYYY-MM-DD.
        public var closedDays: [String] = []
        public var place = MusterPlace.network
        /// Circles, each a text that ``FenceCircle`` reads.
        public var fence: [String] = []
    }
}

extension SettingsTable {
    static let muster = [
        SettingDescription(
            SettingKey(
                "Muster", "From", \.muster.from, .timeOfDay(), needsRestart: true,
                "From when on the muster of a day is taken, by the station's local time ([General] TimeZone=).")),
        SettingDescription(
            SettingKey(
                "Muster", "Until", \.muster.until, .timeOfDay(), needsRestart: true,
                "Until when the muster of a day is on time; later ones, until midnight, are late.")),
        SettingDescription(
            SettingKey(
                "Muster", "Holidays", \.muster.holidays, .choice(), needsRestart: true,
                "On which days from Monday to Friday nobody is expected: federal holidays of the United States, observed on "
                    + "Friday where they fall on a Saturday and on Monday where on a Sunday; or none.")),
        SettingDescription(
            SettingKey(
                "Muster", "ClosedDays", \.muster.closedDays, .words("date") { CalendarDate(String($0)) != nil },
                needsRestart: true, "Further days on which nobody is expected, for example 2026-12-24 2026-12-31.")),
        SettingDescription(
            SettingKey(
                "Muster", "Place", \.muster.place, .choice(), needsRestart: true,
                "Where a muster may be made: network, which is the kiosk and any device of the station's own network that has "
                    + "the code which the kiosk shows at that moment; fence, where such a device must say that it is within one of "
                    + "the circles of Fence=, too; or kiosk alone. Browsers know where they are over https only.")),
        SettingDescription(
            SettingKey(
                "Muster", "Fence", \.muster.fence,
                .words("latitude,longitude,metres") { StationSettings.FenceCircle($0) != nil }, needsRestart: true,
                "Circles for Place=fence, for example 39.1069,-96.6091,500. A device counts as inside if it is with all of its "
                    + "position's error, which may be 100 m. Neither its position nor its distance is kept.")),
    ]
}
