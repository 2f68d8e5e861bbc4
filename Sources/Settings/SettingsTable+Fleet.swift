extension SettingsTable {
    static let fleet = [
        SettingDescription(
            SettingKey(
                "Fleet", "Broker", \.fleet.broker, .optionalBroker,
                "The MQTT broker that konza-fleet brings the station's records to, for example mqtts://hub.example:8883. "
                    + "Empty: the station belongs to no fleet, and nothing is forwarded.")),
        SettingDescription(
            SettingKey(
                "Fleet", "Site", \.fleet.site, .fleetName,
                "The name of the site, a level of every topic.")),
        SettingDescription(
            SettingKey(
                "Fleet", "Box", \.fleet.box, .fleetName,
                "The name of this station in its fleet: a level of every topic, the client's id, and the name in its "
                    + "certificate. No two stations may share it.")),
        SettingDescription(
            SettingKey(
                "Fleet", "User", \.fleet.user, .text(upTo: 64),
                "The user's name for a broker that asks for a password, which is the credential fleet-password. Empty: the "
                    + "broker knows the station by its certificate, or takes everybody.")),
        SettingDescription(
            SettingKey(
                "Fleet", "HomeAssistant", \.fleet.homeAssistant, .boolean,
                "Whether Home Assistant, on the same broker, is told what the station has, so that it shows it by itself."
            )),
        SettingDescription(
            SettingKey(
                "Fleet", "ReconnectSpread", \.fleet.reconnectSpread, .duration(0...3600),
                "After a lost connection the first try comes at a random time within this, so that a broker that restarts "
                    + "does not get all stations at once: for N stations and a broker that takes C connections a second, "
                    + "2N/C.")),
        SettingDescription(
            SettingKey(
                "Fleet", "HealthInterval", \.fleet.healthInterval, .duration(10...86_400),
                "How often the station says how it is when nothing changes; a change is told at once.")),
    ]
}

extension ValueKind where Value == BrokerAddress? {
    /// The address of an MQTT broker, or none.
    static var optionalBroker: ValueKind {
        ValueKind("broker", range: "mqtt or mqtts") { text throws(ValueRefusal) in
            guard let address = BrokerAddress(text) else {
                throw ValueRefusal(
                    "\"\(ConfigurationText.short(text))\" is no address of a broker such as mqtts://hub.example:8883")
            }
            return address
        } format: {
            $0?.description ?? ""
        }
    }
}

extension ValueKind where Value == String {
    /// The name of a site or a box, as topics, certificates and brokers' lists of rights can hold it.
    static var fleetName: ValueKind {
        ValueKind("name", range: "3 to 20 of a-z and 0-9") { text throws(ValueRefusal) in
            let isName =
                (3...20).contains(text.utf8.count)
                && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
            guard isName else {
                throw ValueRefusal(
                    "\"\(ConfigurationText.short(text))\" is no name in a fleet: 3 to 20 of a-z and 0-9")
            }
            return text
        } format: {
            $0
        }
    }
}
