extension SettingsTable {
    static let portal = [
        SettingDescription(
            SettingKey(
                "Portal", "Port", \.portal.port, .integer(0...65_535), needsRestart: true,
                "The port of the kiosk's page on the loopback addresses of this machine (http://127.0.0.1:8470/). 0: no "
                    + "such page.")),
        SettingDescription(
            SettingKey(
                "Portal", "Loopback", \.portal.loopback, .choice(), needsRestart: true,
                "What a browser on a loopback address is that was not paired: kiosk, or visitor where the kiosk's own is "
                    + "paired (konza pair kiosk). What a reverse proxy passes on is a visitor's in any case.")),
        SettingDescription(
            SettingKey(
                "Portal", "Listen", \.portal.listen, .addresses(), needsRestart: true,
                "The addresses of this machine that tablets reach it at, with TLS; for example 192.168.8.1:8443. The port "
                    + "is 8443 where none is named. Empty: the pages are served to this machine alone.")),
        SettingDescription(
            SettingKey(
                "Portal", "Names", \.portal.names, .words("host name") { HostName.isName($0) }, needsRestart: true,
                "The names that tablets call this machine by, for example konza.lan. The first is in links; without one "
                    + "the address is.")),
        SettingDescription(
            SettingKey(
                "Portal", "Certificate", \.portal.certificate, .optionalPath(), needsRestart: true,
                "A certificate of the operator's in PEM, with those of its issuers behind it. Empty: the station's own, "
                    + "made at the first start (konza portal certificate).")),
        SettingDescription(
            SettingKey(
                "Portal", "Key", \.portal.key, .optionalPath(), needsRestart: true,
                "The private key of Certificate=, in PEM without a password.")),
        SettingDescription(
            SettingKey(
                "Portal", "TakeHome", \.portal.takeHome, .optionalEndpoint(), needsRestart: true,
                "The address and port of this machine at which telephones fetch their postcards by a link, without TLS so that "
                    + "none of them warns; for example 192.168.8.1:8480. Nothing else is there. Empty: no such links.")),
        SettingDescription(
            SettingKey(
                "Portal", "WiFiName", \.portal.wifiName, .text(upTo: 32), needsRestart: true,
                "The name of the station's Wi-Fi, for the code that has a telephone join it before it fetches a postcard. "
                    + "Empty: telephones are in the network anyway.")),
        SettingDescription(
            SettingKey(
                "Portal", "WiFiPassword", \.portal.wifiPassword, .text(upTo: 63), needsRestart: true,
                "Its password, which every visitor is shown. Empty: it has none.")),
        SettingDescription(
            SettingKey(
                "Portal", "State", \.portal.state, .path(), needsRestart: true,
                "The folder of what the portal keeps: paired devices, links, the station's own certificate.")),
        SettingDescription(
            SettingKey(
                "Portal", "Socket", \.portal.socket, .path(upTo: 107), needsRestart: true,
                "The portal's Unix socket, by which konza reaches it.")),
    ]
}

/// Host names (RFC 1123 section 2.1).
enum HostName {
    static func isName(_ text: Substring) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
                    && label.unicodeScalars.allSatisfy { $0.isASCII && ($0.isLetterOrDigit || $0 == "-") }
            }
    }
}
