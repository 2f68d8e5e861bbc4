internal import FleetMessaging
internal import Glibc
internal import KonzaSystem
internal import KonzaTesting
internal import PostgresAccess

/// A simulated fleet at real engines: loads, storms and faults, and what was seen.
final class FleetTrial {
    let engines: FleetEngines
    let fleet: SimulatedFleet

    /// Starts the engines, and has all boxes connected and the hub at work.
    ///
    /// - Parameters:
    ///   - boxes: how many.
    ///   - programs: the folder of konzad and konza-hub.
    ///   - speed: how many seconds of a box's pass in one.
    /// - Throws: if something does not start.
    init(boxes: Int, programs: String, speed: Double) throws {
        let bodies = try StationBodies(Files.environment("KONZAD") ?? "\(programs)/konzad")
        engines = try FleetEngines(hub: "\(programs)/konza-hub")
        fleet = SimulatedFleet(
            boxes,
            SimulatedBox.Fleet(
                port: engines.broker.port, bodies: bodies, wakeup: try Wakeup(), speed: speed,
                returns: .spread(seconds: 1)))
        fleet.common.isTelling = false
        try engines.startHub(workers: 1)
        try engines.waitForHub()
        try settle()
    }

    /// Waits until all boxes are connected and have nothing that waits.
    func settle(seconds: Double = 300) throws {
        let isSettled = fleet.run(seconds: seconds) {
            self.fleet.online == self.fleet.boxes.count && self.fleet.waiting == 0
        }
        guard isSettled else {
            throw BenchError(
                "cannot go on: after \(Int(seconds)) s \(fleet.online) of \(fleet.boxes.count) boxes are connected, and "
                    + "\(fleet.waiting) records wait: \(engines.hubLog)")
        }
    }

    var ledger: FleetLedger { get throws { try FleetLedger(fleet, engines.address) } }

    // MARK: - Quiet

    /// What a quiet time has taken.
    struct Quiet {
        var boxDays = 0.0
        var messages = 0
        var wire = WireBytes()
        var rows = 0
        var rowBytes = 0
        var syncs = 0
        var logBytes = 0
        var ages: [Double] = []
        var sent: [FleetKind: (messages: Int, bytes: Int)] = [:]
        var seconds = 0.0
        var uses: [FleetEngines.Engine: FleetEngines.Use] = [:]
    }

    /// The boxes' usual days.
    func quiet(seconds: Double) throws -> Quiet {
        for box in fleet.boxes { box.forgetFigures() }
        let (published, wire, before) = (fleet.published, fleet.wire, try DatabaseFigures(engines.address))
        let uses = engines.uses
        fleet.common.isTelling = true
        let begin = steadySeconds()
        fleet.run(seconds: seconds)
        fleet.common.isTelling = false
        var quiet = Quiet()
        quiet.seconds = steadySeconds() - begin
        try settle()
        // The states that came last have no receipt: the hub is at rest when it has written all of them.
        fleet.run(seconds: 1)
        let after = try DatabaseFigures(engines.address)
        quiet.boxDays = Double(fleet.boxes.count) * quiet.seconds * fleet.common.speed / 86_400
        quiet.messages = fleet.published - published
        quiet.wire = fleet.wire.since(wire)
        quiet.rows = after.rows - before.rows
        quiet.rowBytes = after.rowBytes - before.rowBytes
        quiet.syncs = after.syncs - before.syncs
        quiet.logBytes = after.logBytes - before.logBytes
        quiet.ages = fleet.ages
        quiet.sent = fleet.sent
        for (engine, use) in engines.uses {
            var use = use
            use.processorSeconds -= uses[engine]?.processorSeconds ?? 0
            quiet.uses[engine] = use
        }
        return quiet
    }

    // MARK: - Backlog

    /// How fast what has gathered on the boxes is kept.
    ///
    /// - Parameters:
    ///   - records: of each box.
    ///   - workers: of the hub.
    /// - Returns: records a second, from the first receipt to the last.
    /// - Throws: if the hub does not take them.
    func drain(records: Int, workers: Int) throws -> Double {
        engines.stopHub()
        let now = steadySeconds()
        for box in fleet.boxes { for _ in 0..<records { box.makeRecord(at: now) } }
        let all = fleet.waiting
        try engines.startHub(workers: workers)
        try engines.waitForHub()
        for box in fleet.boxes { box.forgetSilence() }
        guard fleet.run(seconds: 60, until: { self.fleet.waiting < all }) else {
            throw BenchError("cannot measure the backlog: no receipt in a minute: \(engines.hubLog)")
        }
        let begin = steadySeconds()
        let left = fleet.waiting
        try settle()
        return Double(left) / (steadySeconds() - begin)
    }

    // MARK: - Storm

    struct Storm {
        /// From the broker's start until so many boxes were connected, seconds.
        var half = 0.0
        var nearlyAll = 0.0
        var brokerSeconds = 0.0
        var brokerBytes: Int64 = 0
    }

    /// The broker is killed and started again while all boxes are connected.
    ///
    /// - Parameters:
    ///   - returns: how they come back.
    ///   - away: how long the broker is away, seconds.
    /// - Returns: how long it took.
    /// - Throws: if the boxes do not come back.
    func storm(_ returns: SimulatedBox.Return, away: Double = 1) throws -> Storm {
        fleet.common.returns = returns
        engines.kill(.broker)
        fleet.run(seconds: away)
        try engines.start(.broker)
        let begin = steadySeconds()
        let count = fleet.boxes.count
        var storm = Storm()
        func wait(for boxes: Int) throws -> Double {
            guard fleet.run(seconds: 600, until: { self.fleet.online >= boxes }) else {
                throw BenchError("cannot measure the storm: \(fleet.online) of \(count) boxes came back in 10 minutes")
            }
            return steadySeconds() - begin
        }
        storm.half = try wait(for: count / 2)
        storm.nearlyAll = try wait(for: (count * 99 + 99) / 100)
        let use = engines.use(of: .broker)
        storm.brokerSeconds = use.processorSeconds
        storm.brokerBytes = use.residentBytes
        fleet.common.returns = .spread(seconds: 1)
        try settle()
        return storm
    }

    // MARK: - Faults

    struct Kills {
        var kills: [FleetEngines.Engine: Int] = [:]
        var stops: [FleetEngines.Engine: Int] = [:]
        var records = 0
        var resent = 0
        var seconds = 0.0
    }

    /// Kills each engine so often in the middle of its work, and stops each fifth instead for a while.
    ///
    /// - Parameters:
    ///   - count: of each engine.
    ///   - generator: chooses the order and the moments.
    ///   - kills: what was done, also where it throws.
    /// - Throws: if nothing is kept any more.
    func kill(
        _ count: Int, using generator: inout some RandomNumberGenerator, into kills: inout Kills
    ) throws {
        let before = (records: fleet.acknowledged, resent: fleet.resent, begin: steadySeconds())
        fleet.common.returns = .spread(seconds: 0.5)
        fleet.common.isTelling = true
        var order = FleetEngines.Engine.allCases.flatMap { [FleetEngines.Engine](repeating: $0, count: count) }
        order.shuffle(using: &generator)
        for (index, engine) in order.enumerated() {
            // In the middle of whatever it does: after receipts that came since the last fault.
            let enough = fleet.acknowledged + Int.random(in: 1...max(1, fleet.boxes.count / 20), using: &generator)
            guard fleet.run(seconds: 120, until: { self.fleet.acknowledged >= enough }) else {
                throw BenchError(
                    "cannot go on: nothing is kept any more after \(index) faults, the last but one of the "
                        + "\(index > 0 ? order[index - 1].rawValue : "none"): \(engines.hubLog)")
            }
            if index % 5 == 4 {
                engines.freeze(engine, true)
                fleet.run(seconds: Double.random(in: 0.2...1, using: &generator))
                engines.freeze(engine, false)
                kills.stops[engine, default: 0] += 1
            } else {
                engines.kill(engine)
                fleet.run(seconds: Double.random(in: 0...0.2, using: &generator))
                try engines.start(engine)
                kills.kills[engine, default: 0] += 1
            }
        }
        fleet.common.isTelling = false
        try settle()
        kills.records = fleet.acknowledged - before.records
        kills.resent = fleet.resent - before.resent
        kills.seconds = steadySeconds() - before.begin
    }
}

extension FleetEngines {
    var uses: [Engine: Use] { Dictionary(uniqueKeysWithValues: Engine.allCases.map { ($0, use(of: $0)) }) }
}
