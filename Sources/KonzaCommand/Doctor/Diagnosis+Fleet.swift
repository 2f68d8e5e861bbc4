internal import KonzaAPI
internal import KonzaModel

extension Diagnosis {
    /// The way to the fleet's broker; nil for a station that belongs to no fleet.
    var fleet: Finding? {
        guard let health = (try? station.status.get())?.fleet?.health else { return nil }
        guard health.level != .ok else { return Finding(.ok, "Fleet", health.reason) }
        return Finding(
            health.level == .failed ? .fail : .warn, "Fleet", health.reason, remedy: Self.remedy(health.kind))
    }

    /// What to do about a broker that cannot be used, by the kind of its failure.
    private static func remedy(_ kind: String?) -> String {
        switch kind {
        case "fleet-unnamed": "set [Fleet] Box= to a name that no other station has, then restart konza-fleet"
        case "fleet-no-public-links":
            "look at [Fleet] Store= and PublicStore=; konzad --check-config --config /etc/konza/konzad.conf says what is missing"
        case "fleet-silent": "systemctl enable --now konza-fleet; journalctl -u konza-fleet says why it does not run"
        case "fleet-no-certificate":
            "at home konza hub enrol BOX makes a code for konza fleet enrol here; or put fleet-certificate.pem and "
                + "fleet-key.pem into /etc/konza/credentials"
        case "fleet-certificate-early": "set the clock (timedatectl), or give the receiver a view of the sky"
        case "fleet-certificate-expired":
            "look at the clock (timedatectl); if it is right, enrol the station again with a new code of konza hub enrol"
        case "fleet-certificate-rejected":
            "at home konza hub show BOX says whether the certificate was revoked, and the broker's log why it was not taken; "
                + "konza hub enrol BOX makes a code for another, for konza fleet enrol here"
        case "fleet-untrusted":
            "look at the certificates fleet-ca.pem, fleet-certificate.pem and fleet-key.pem in /etc/konza/credentials "
                + "(openssl x509 -noout -dates -subject), at [Fleet] Broker= and at the clock (timedatectl)"
        case "fleet-refused", "fleet-not-allowed":
            "ask whoever keeps the broker whether this station's certificate is revoked (konza hub show) and what it may do "
                + "there"
        case "fleet-identity-in-use":
            "another machine has this station's certificate: give each a name and a key of its own"
        case "fleet-unheard": "at home: systemctl status konza-hub"
        case "fleet-store-credentials":
            "put the account's two lines (aws_access_key_id=, aws_secret_access_key=) into "
                + "/etc/konza/credentials/fleet-store, then restart konza-fleet"
        case "fleet-store-clock":
            "look at the clock (timedatectl) and give the receiver a view of the sky; pictures that wait are not lost"
        case "fleet-store-forbidden":
            "ask whoever keeps the store to let this station write, read and delete below its own names (SITE/BOX/)"
        case "fleet-store-no-bucket", "fleet-store-region":
            "look at [Fleet] Store= and Region=, or ask whoever keeps the store; pictures that wait are not lost"
        case "fleet-store-untrusted-certificate": "look at [Fleet] Store= and at the clock (timedatectl)"
        case "fleet-store-refused": "konza fleet says how many pictures; they are tried again later and later"
        case let kind? where kind.hasPrefix("fleet-store-"):
            "look at the network and at [Fleet] Store=; pictures that wait are not lost"
        case "fleet-full": "ask whoever keeps the broker for room; what waits is not lost"
        default: "look at the network and at [Fleet] Broker=; what waits is not lost"
        }
    }
}
