internal import FleetMessaging
internal import Glibc
internal import KonzaFleet
internal import KonzaSystem

/// All simulated boxes, on one thread: it waits for all their connections at once.
final class SimulatedFleet {
    private(set) var boxes: [SimulatedBox]
    var common: SimulatedBox.Fleet
    private var turns = 0

    /// - Parameters:
    ///   - count: of boxes.
    ///   - common: what they have in common.
    init(_ count: Int, _ common: SimulatedBox.Fleet) {
        self.common = common
        Self.raiseDescriptorLimit()
        boxes = (0..<count).map { SimulatedBox(FleetName(site: "konza", box: "box\($0)")) }
    }

    /// One descriptor a box; the usual limit is 1,024.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Whether the boxes say anything but that they are there. What they say begins at a moment of each one's own.
    func tell(_ isTelling: Bool) {
        common.isTelling = isTelling
        let now = steadySeconds()
        if isTelling { for box in boxes { box.beginTelling(common, at: now) } }
    }

    var online: Int { boxes.count { $0.isUp } }
    var waiting: Int { boxes.reduce(0) { $0 + $1.waiting } }
    var acknowledged: Int { boxes.reduce(0) { $0 + $1.acknowledged.count } }
    var ages: [Double] { boxes.flatMap(\.ages) }
    var published: Int { boxes.reduce(0) { $0 + $1.published } }
    var resent: Int { boxes.reduce(0) { $0 + $1.resent } }

    /// Messages and bytes of payload, by kind.
    var sent: [FleetKind: (messages: Int, bytes: Int)] {
        var all: [FleetKind: (messages: Int, bytes: Int)] = [:]
        for box in boxes {
            all.merge(box.sent) { ($0.messages + $1.messages, $0.bytes + $1.bytes) }
        }
        return all
    }

    /// Waits for what happens, five milliseconds at most, and has every box do what is due.
    func turn() {
        var now = steadySeconds()
        turns += 1
        for box in boxes where box.isAway { box.connect(common, at: now) }
        let found =
            (try? waitForEvents(on: boxes.map { ($0.descriptor, $0.wanted) }, milliseconds: 5))
            ?? boxes.map { _ in [] }
        now = steadySeconds()
        for (index, box) in boxes.enumerated() {
            // Time alone makes something due too, such as the question whether the broker is there.
            if !found[index].isEmpty || (index + turns).isMultiple(of: 128) {
                box.handle(found[index], common, at: now)
            }
            box.tick(common, at: now)
        }
    }

    /// Turns until a condition holds.
    ///
    /// - Returns: whether it came to hold in time.
    @discardableResult
    func run(seconds: Double, until condition: () -> Bool = { false }) -> Bool {
        let end = steadySeconds() + seconds
        while steadySeconds() < end {
            if condition() { return true }
            turn()
        }
        return condition()
    }

    /// Bytes on the wire so far, of the connections that are there.
    var wire: WireBytes { boxes.reduce(into: WireBytes()) { $0.add(WireBytes(of: $1.descriptor)) } }
}

/// What a TCP connection has carried, as the kernel counts it (tcp(7), TCP_INFO).
struct WireBytes: Equatable {
    /// Headers of IPv4 and TCP with the time stamps' option, bytes a segment.
    private static let headerBytes = 52

    var payload = 0
    var segments = 0

    /// With the headers of IP and TCP, bytes.
    var total: Int { payload + segments * Self.headerBytes }

    init() {}

    init(of descriptor: Int32) {
        var bytes = [UInt8](repeating: 0, count: 256)
        var count = socklen_t(bytes.count)
        // linux/tcp.h, struct tcp_info: tcpi_bytes_acked and tcpi_bytes_received at 120, tcpi_segs_out and _in at 136.
        guard descriptor >= 0, unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &bytes, &count) == 0,
            count >= 144
        else { return }
        unsafe bytes.withUnsafeBytes { bytes in
            payload =
                Int(unsafe bytes.load(fromByteOffset: 120, as: UInt64.self))
                + Int(unsafe bytes.load(fromByteOffset: 128, as: UInt64.self))
            segments =
                Int(unsafe bytes.load(fromByteOffset: 136, as: UInt32.self))
                + Int(unsafe bytes.load(fromByteOffset: 140, as: UInt32.self))
        }
    }

    mutating func add(_ other: WireBytes) {
        payload += other.payload
        segments += other.segments
    }

    func since(_ earlier: WireBytes) -> WireBytes {
        var difference = self
        difference.payload -= earlier.payload
        difference.segments -= earlier.segments
        return difference
    }
}
