internal import KonzaModel

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
