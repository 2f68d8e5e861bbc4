internal import Glibc
internal import KonzaSystem

/// The real gpsd, fed with a recording of a receiver: what one would ask for the position without konzad.
final class StartedGPSD {
    let port: UInt16
    private var child: ChildProcess
    private let stopFlag = StopFlag()

    /// Starts gpsd and waits until it has a fix.
    init(_ program: String, log: String) async throws {
        let feed = try Loopback.Listener()
        port = try Loopback.freePort()
        child = try ChildProcess(
            program, ["-N", "-n", "-S", "\(port)", "tcp://127.0.0.1:\(feed.port)"], log: log)
        let receiver = try feed.accept(seconds: 10)
        startReplay(to: receiver, stopFlag)
        let deadline = steadySeconds() + 15
        while try !hasFix() {
            guard steadySeconds() < deadline else { throw BenchError("cannot get a fix out of gpsd") }
            usleep(300_000)
        }
    }

    deinit { stopFlag.raise() }

    func stop() {
        stopFlag.raise()
        _ = child.stop()
    }

    private func hasFix() throws -> Bool {
        guard let channel = try? Self.watching(port) else { return false }
        try channel.write("?POLL;\n")
        return try channel.readLine(seconds: 5).contains("\"mode\":3")
    }

    /// A connection that may poll: gpsd answers `?POLL;` with what it has while a client watches (gpsd_json(5)).
    static func watching(_ port: UInt16) throws -> LineChannel {
        let channel = try LineChannel(port: port)
        try channel.write("?WATCH={\"enable\":true,\"json\":false};\n")
        while try !channel.readLine(seconds: 5).contains("\"class\":\"WATCH\"") {}
        return channel
    }
}

/// Plays a receiver on a thread of its own, which ends when gpsd closes the connection or the flag is raised.
private func startReplay(to receiver: Int32, _ flag: StopFlag) {
    Task {
        try? await onDedicatedThread(named: "receiver") {
            replay(to: receiver, flag)
            close(receiver)
        }
    }
}

/// A receiver at the trail head, an epoch a second, in NMEA 0183.
private func replay(to receiver: Int32, _ flag: StopFlag) {
    var second = 0
    while !flag.isSet {
        let clock = "12" + "\(second / 60 % 60)".twoDigits + "\(second % 60)".twoDigits
        let sentences = [
            "GPRMC,\(clock).00,A,3906.4140,N,09636.5460,W,1.2,84.4,280826,,,A",
            "GPGGA,\(clock).00,3906.4140,N,09636.5460,W,1,08,0.9,443.0,M,-28.0,M,,",
            "GPGSA,A,3,04,05,09,12,24,25,29,31,,,,,1.8,0.9,1.5",
        ]
        do {
            try writeAll(Array(sentences.map(nmeaSentence).joined().utf8), to: receiver)
        } catch {
            return
        }
        second += 1
        for _ in 0..<10 where !flag.isSet { usleep(100_000) }
    }
}

/// A sentence with its frame: the checksum is the exclusive or of all between `$` and `*`.
func nmeaSentence(_ body: String) -> String {
    let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
    return "$\(body)*\(sum.twoDigits)\r\n"
}

extension String {
    fileprivate var twoDigits: String { count < 2 ? "0" + self : self }
}
