internal import KonzaModel

extension StandingReceiver.Conditions {
    /// Where a collector may stand, from correlation times of 30 s to 20 min and amplitudes of 0.5 to 5 m, with an ionosphere
    /// that drifts over hours. Sizes are made up within those bounds, and the receiver's word is right but for a factor.
    public static let field = [
        open(named: "open sky, own word 68 %", word: .own(confidence: 0.68)),
        open(named: "open sky, own word 95 %", word: .own(confidence: 0.95)),
        open(named: "open sky, gpsd's model", word: .model),
        Self(
            name: "under trees, outliers",
            wanders: [.init(30, 1.5), .init(180, 2), .init(600, 1.5), .init(1200, 1)], white: 0.5, burstsPerHour: 6),
        Self(
            name: "under trees, outliers, gpsd's model",
            wanders: [.init(30, 1.5), .init(180, 2), .init(600, 1.5), .init(1200, 1)], white: 0.5, burstsPerHour: 6,
            word: .model),
        Self(
            name: "below a cliff, outliers", wanders: [.init(30, 2), .init(120, 3), .init(1200, 5)], white: 1,
            burstsPerHour: 6),
        Self(name: "fast multipath only", wanders: [.init(30, 3)], white: 0.5),
        Self(name: "slow multipath only", wanders: [.init(1200, 4)], white: 0.3),
        Self(
            name: "smoothing receiver, ionosphere", wanders: [.init(300, 0.7), .init(5400, 1.5)], white: 0.5,
            smoothing: 15),
        Self(
            name: "SBAS", wanders: [.init(60, 0.3), .init(600, 0.4)], white: 0.1, status: .differential),
    ]

    /// A receiver that says half of what it should. No short occupation can tell.
    public static let boastful = open(named: "open sky, says half its error", word: .own(confidence: 0.25))

    private static func open(named name: String, word: StandingReceiver.Word) -> Self {
        Self(
            name: name, wanders: [.init(60, 0.5), .init(300, 0.7), .init(1200, 0.6), .init(7200, 0.5)], white: 0.2,
            word: word)
    }
}

extension StandingReceiver.Wander {
    fileprivate init(_ time: Double, _ sigma: Double) { self.init(time: time, sigma: sigma) }
}
