public import KonzaModel

extension StationSettings {
    /// Which full pictures go to the fleet's store.
    public enum Originals: String, Sendable, CaseIterable {
        case all
        /// Those that an operator asks for.
        case demand
        case none
    }

    /// Many stations over one broker.
    public struct Fleet: Sendable, Equatable {
        /// nil for none: then nothing is forwarded.
        public var broker: BrokerAddress?
        /// 3 to 20 of a-z and 0-9.
        public var site = "konza"
        public var box = ""
        /// For brokers that know users by password; empty for the box's certificate.
        public var user = ""
        public var homeAssistant = false
        /// Seconds that the first tries of many boxes are spread over.
        public var reconnectSpread = 40.0
        /// Seconds between two reports of the health that say the same.
        public var healthInterval = 900.0
        /// Where pictures are stored; nil for nowhere.
        public var store: ObjectStoreAddress?
        /// What requests to the store are signed for; empty for what its address says.
        public var region = ""
        public var originals = Originals.all
        /// Names of network interfaces, `*` for any letters; empty for whatever the system takes.
        public var interfaces: [String] = []
        /// The names of those that cost by volume.
        public var meteredInterfaces: [String] = []
        /// Bytes a second to the store; nil for no limit.
        public var uploadRate: Int64?
        /// Where people read what is stored, up to the key; nil where they cannot.
        public var publicStore: String?
        /// Whether visitors may have a postcard stored for whoever has its link.
        public var publicLinks = false

        /// The store with the region that is set.
        public var storeAddress: ObjectStoreAddress? {
            store.flatMap { ObjectStoreAddress($0.description, region: region.isEmpty ? nil : region) }
        }
        /// Whether operators with the right to may set what is harmless from afar.
        public var remoteSettings = true
    }
}

extension SettingsTable {
    static let fleet =
        [
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
            SettingDescription(
                SettingKey(
                    "Fleet", "RemoteSettings", \.fleet.remoteSettings, .boolean,
                    "Whether operators whose line in the credential fleet-operators has the right desired may set what is "
                        + "harmless from afar, over what stands here: the place, the picture's look, templates and limits of "
                        + "postcards.")),
        ] + pictures

    /// The object store.
    private static let pictures = [
        SettingDescription(
            SettingKey(
                "Fleet", "Store", \.fleet.store, .optionalStore,
                "The object store that pictures go to, with its bucket, for example https://s3.example:443/konza. It speaks S3's "
                    + "interface; the account is the credential fleet-store. Empty: pictures stay on the station.")),
        SettingDescription(
            SettingKey(
                "Fleet", "Region", \.fleet.region, .region,
                "The store's region, which requests are signed for. Empty: that in the name of AWS's host, and else us-east-1."
            )),
        SettingDescription(
            SettingKey(
                "Fleet", "Originals", \.fleet.originals, .choice(),
                "Which full pictures go to the store beside the small ones: all, those that an operator asks for by the command "
                    + "original (demand), or none. What an operator asks for goes whatever is set here.")),
        SettingDescription(
            SettingKey(
                "Fleet", "Interfaces", \.fleet.interfaces, .interfaces,
                "The only networks that pictures are sent over, the first that is up being taken; for example wlan0 eth*. "
                    + "Empty: whichever the system takes.")),
        SettingDescription(
            SettingKey(
                "Fleet", "MeteredInterfaces", \.fleet.meteredInterfaces, .interfaces,
                "The networks that cost by volume, for example wwan*: only small pictures, and originals that an operator asks "
                    + "for, go over them.")),
        SettingDescription(
            SettingKey(
                "Fleet", "UploadRate", \.fleet.uploadRate, .sizeLimit(1 << 10...1 << 30),
                "The most bytes of pictures to send in a second.")),
        SettingDescription(
            SettingKey(
                "Fleet", "PublicStore", \.fleet.publicStore, .optionalWebAddress,
                "Where Home Assistant and people read what is in the store, up to the key, for example "
                    + "https://pictures.example/konza. Empty: they cannot.")),
        SettingDescription(
            SettingKey(
                "Fleet", "PublicLinks", \.fleet.publicLinks, .boolean,
                "Whether visitors at the kiosk may take a postcard home by a public link: an unguessable address below "
                    + "PublicStore=, with a page and the picture, until the day that they choose. Nothing else becomes public."
            )),
    ]
}

extension ValueKind where Value == ObjectStoreAddress? {
    /// The address of an object store with its bucket, or none.
    static var optionalStore: ValueKind {
        ValueKind("store", range: "https, a host and a bucket") { text throws(ValueRefusal) in
            guard let address = ObjectStoreAddress(text) else {
                throw ValueRefusal(
                    "\"\(ConfigurationText.short(text))\" is no address of a store with its bucket, such as "
                        + "https://s3.example/konza; without TLS only this machine is taken")
            }
            return address
        } format: {
            $0?.description ?? ""
        }
    }
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
    /// The name of a store's region, or none.
    static var region: ValueKind {
        ValueKind("region", range: "letters, digits and -") { text throws(ValueRefusal) in
            guard text.isEmpty || ObjectStoreAddress("https://s3.example/konza", region: text) != nil else {
                throw ValueRefusal("\"\(ConfigurationText.short(text))\" is no name of a region, such as eu-west-1")
            }
            return text
        } format: {
            $0
        }
    }

    /// The name of a site or a box, as topics, certificates and brokers' lists of rights can hold it.
    static var fleetName: ValueKind {
        ValueKind("name", range: "3 to 20 of a-z and 0-9, but hub") { text throws(ValueRefusal) in
            guard text != "hub" else {
                throw ValueRefusal("hub is the name of who keeps the fleet's records; take another one")
            }
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
