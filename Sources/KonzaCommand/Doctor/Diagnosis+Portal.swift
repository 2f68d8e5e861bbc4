internal import KonzaModel
internal import KonzaSystem

extension Diagnosis {
    /// Each of the portal's faults with what to do, else the pages for browsers.
    var portal: [Finding] {
        // Those of konzad's parts are findings of their own.
        if case .success(let health) = station.portal,
            let faults = health.faults?.filter({ $0.code != "station" }), !faults.isEmpty
        {
            return faults.map { Finding(.warn, "Portal", $0.what, remedy: $0.remedy) }
        }
        return [pages].compactMap { $0 }
    }

    /// The pages for browsers, and whether the kiosk's shows them.
    private var pages: Finding? {
        switch station.portal {
        case nil: return nil
        case .failure(let failure):
            // The portal says in the same words that konzad is away, and the daemon's own finding says more.
            if case .failure = station.status { return nil }
            return Finding(
                .warn, "Portal", failure.message,
                remedy: "look at systemctl status konza-portal and journalctl -u konza-portal; without it there is no "
                    + "kiosk and no tablet")
        case .success(let health):
            if let state = health.state, health.faults?.isEmpty != false {
                return Finding(
                    .warn, "Portal", state, remedy: "free or mend the disk, then systemctl restart konza-portal")
            }
            guard health.version == ProgramVersion.number else {
                return Finding(
                    .warn, "Portal", "konza-portal is \(health.version); konza is \(ProgramVersion.number)",
                    remedy: "systemctl restart konza-portal")
            }
            guard let kiosk = health.kiosk, kiosk.screen != nil else {
                return Finding(.ok, "Portal", "serves the pages; no kiosk has shown them yet")
            }
            guard kiosk.silentSeconds < 60 else {
                return Finding(
                    .warn, "Portal",
                    "serves the pages; the kiosk's screen fell silent \(Figures.span(seconds: kiosk.silentSeconds)) ago",
                    remedy: "look at the screen; systemctl restart konza-kiosk starts its browser anew")
            }
            return Finding(.ok, "Portal", "serves the pages; the kiosk shows them")
        }
    }
}
