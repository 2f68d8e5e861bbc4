internal import FleetMessaging
internal import Glibc
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import KonzaTesting
internal import PostgresAccess

/// A simulated fleet at real engines: loads, storms and faults, and what was seen.
final class FleetTrial {
    let engines: FleetEngines
    let fleet: SimulatedFleet
    private(set) var stations: [WholeStation] = []
    private(set) var visitors: Visitors?
    private let programs: String

    /// Starts the engines, and has all boxes connected and the hub at work.
    ///
    /// - Parameters:
    ///   - boxes: how many.
    ///   - programs: the folder of konzad and konza-hub.
    ///   - speed: how many seconds of a box's pass in one.
    /// - Throws: if something does not start.
    init(boxes: Int, programs: String, speed: Double) throws {
        self.programs = programs
        let bodies = try StationBodies(Files.environment("KONZAD") ?? "\(programs)/konzad")
        engines = try FleetEngines(hub: "\(programs)/konza-hub")
        fleet = SimulatedFleet(
            boxes,
            SimulatedBox.Fleet(
                port: engines.broker.port, bodies: bodies, wakeup: try Wakeup(), speed: speed,
                returns: .spread(seconds: 1)))
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

    /// The tables against the boxes and the whole stations. Asked when visitors are gone and nothing waits.
    var ledger: FleetLedger {
        get throws {
            let acknowledged = visitors?.outcome.acknowledged ?? []
            let whole = try zip(stations, acknowledged).map { station, acknowledged in
                FleetLedger.Whole(box: station.box, acknowledged: acknowledged, account: try station.account)
            }
            return try FleetLedger(fleet, whole, engines.address)
        }
    }

    // MARK: - Whole stations

    /// Has whole stations come, and visitors to them.
    ///
    /// - Parameters:
    ///   - count: how many stations.
    ///   - pause: the longest between two visitors, seconds.
    /// - Throws: if one of them does not start.
    func bring(stations count: Int, pause: Double = 1) throws {
        guard count > 0 else { return }
        for number in 0..<count {
            stations.append(try WholeStation("whole\(number)", programs: programs, port: engines.broker.port))
            // Each takes a second of a processor to start.
            fleet.run(seconds: 30) { self.stations[number].state != nil }
        }
        try settleStations()
        visitors = try Visitors(stations.map(\.socket), pause: pause)
    }

    /// Sends the visitors away for good, and waits until the fleet knows all that the stations have.
    ///
    /// - Returns: what came of the visits.
    /// - Throws: if that takes too long, or there were answers that must not be.
    func endVisits() throws -> Visitors.Outcome? {
        guard let visitors else { return nil }
        let outcome = visitors.end()
        try settleStations()
        if let first = outcome.strange.first { throw BenchError("whole stations answer amiss: \(first)") }
        return outcome
    }

    /// Waits until every station is connected and has nothing that waits.
    private func settleStations(seconds: Double = 300) throws {
        let end = steadySeconds() + seconds
        for station in stations {
            while true {
                try station.expectAlive()
                let state = station.state
                if let state, state.waiting == 0, state.connection?.state == .connected { break }
                guard steadySeconds() < end else {
                    throw BenchError(
                        "cannot go on: \(station.box) has \(state?.waiting ?? -1) records that wait, and says of the broker: "
                            + "\(state?.connection?.reason ?? "nothing"): \(station.log(.fleet)); "
                            + "konza-hub: \(engines.hubLog)")
                }
                if let state { try hasten(station, state) }
                fleet.run(seconds: 0.5)
            }
        }
    }

    /// After many broken connections a station tries again within a quarter of an hour. A trial does not wait for that: its
    /// `konza-fleet` is killed and started again.
    private func hasten(_ station: WholeStation, _ state: FleetReply) throws {
        guard state.connection?.state == .failed, let next = state.connection?.nextTryAt,
            next.seconds(since: SystemClock().utc()) > 15
        else { return }
        hastened += 1
        station.kill(.fleet)
        try station.start(.fleet)
    }

    /// How often ``hasten(_:_:)`` did so.
    private(set) var hastened = 0

    /// What the stations' programs use.
    func stationUse(_ program: WholeStation.Program) -> FleetEngines.Use {
        var all = FleetEngines.Use()
        for station in stations {
            guard let id = station.id(of: program), let figures = try? ProcessFigures(of: id) else { continue }
            all.processorSeconds += figures.processorSeconds
            all.anonymousBytes += figures.anonymousBytes
            all.residentBytes += figures.residentBytes
        }
        return all
    }

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
        fleet.tell(true)
        let begin = steadySeconds()
        fleet.run(seconds: seconds)
        fleet.tell(false)
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

    /// What is killed: an engine, or a program of a whole station.
    enum Target: Hashable {
        case engine(FleetEngines.Engine)
        case station(WholeStation.Program)

        var name: String {
            switch self {
            case .engine(let engine): engine.rawValue
            case .station(let program): program.rawValue
            }
        }
    }

    /// Everything that can be.
    var targets: [Target] {
        FleetEngines.Engine.allCases.map(Target.engine)
            + (stations.isEmpty ? [] : WholeStation.Program.allCases.map(Target.station))
    }

    struct Kills {
        var kills: [Target: Int] = [:]
        var stops: [Target: Int] = [:]
        var records = 0
        var resent = 0
        var seconds = 0.0
    }

    /// Kills each engine and the programs of whole stations so often in the middle of their work, and stops them for a while a
    /// fifth as often.
    ///
    /// - Parameters:
    ///   - count: of each; of a station's programs each time those of another one.
    ///   - seconds: begins no further fault after so long.
    ///   - generator: chooses the order and the moments.
    ///   - kills: what was done, also where it throws.
    /// - Throws: if nothing is kept any more.
    func kill(
        _ count: Int, seconds: Double = .infinity, using generator: inout some RandomNumberGenerator,
        into kills: inout Kills
    ) throws {
        let before = (records: fleet.acknowledged, resent: fleet.resent, begin: steadySeconds())
        fleet.common.returns = .spread(seconds: 0.5)
        fleet.tell(true)
        var order = targets.flatMap { target in
            (0..<count + max(1, count / 5)).map { (target: target, isKill: $0 < count) }
        }
        order.shuffle(using: &generator)
        for (index, (target, isKill)) in order.enumerated() where steadySeconds() < before.begin + seconds {
            // In the middle of whatever it does: after receipts that came since the last fault.
            let enough = fleet.acknowledged + Int.random(in: 1...max(1, fleet.boxes.count / 20), using: &generator)
            guard fleet.run(seconds: 120, until: { self.fleet.acknowledged >= enough }) else {
                throw BenchError(
                    "cannot go on: nothing is kept any more after \(index) faults, the last but one of the "
                        + "\(index > 0 ? order[index - 1].target.name : "none"): \(engines.hubLog)")
            }
            if case .station = target {
                // In the middle of a visit, rather than between two.
                fleet.run(seconds: 3) { self.visitors?.current != nil }
                usleep(UInt32.random(in: 0..<50_000, using: &generator))
            }
            let station = visitors?.current ?? Int.random(in: 0..<max(1, stations.count), using: &generator)
            if !isKill {
                freeze(target, station, true)
                fleet.run(seconds: Double.random(in: 0.2...1, using: &generator))
                freeze(target, station, false)
                kills.stops[target, default: 0] += 1
            } else {
                kill(target, station)
                fleet.run(seconds: Double.random(in: 0...0.2, using: &generator))
                try start(target, station)
                kills.kills[target, default: 0] += 1
            }
            if !stations.isEmpty {
                let other = stations[index % stations.count]
                try other.expectAlive()
                if let state = other.state { try hasten(other, state) }
            }
        }
        fleet.tell(false)
        try settle()
        kills.records = fleet.acknowledged - before.records
        kills.resent = fleet.resent - before.resent
        kills.seconds = steadySeconds() - before.begin
    }

    private func kill(_ target: Target, _ station: Int) {
        switch target {
        case .engine(let engine): engines.kill(engine)
        case .station(let program): stations[station].kill(program)
        }
    }

    private func start(_ target: Target, _ station: Int) throws {
        switch target {
        case .engine(let engine): try engines.start(engine)
        case .station(let program): try stations[station].start(program)
        }
    }

    private func freeze(_ target: Target, _ station: Int, _ isFrozen: Bool) {
        switch target {
        case .engine(let engine): engines.freeze(engine, isFrozen)
        case .station(let program): stations[station].freeze(program, isFrozen)
        }
    }
}

extension FleetEngines {
    var uses: [Engine: Use] { Dictionary(uniqueKeysWithValues: Engine.allCases.map { ($0, use(of: $0)) }) }
}
