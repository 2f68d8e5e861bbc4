internal import Glibc
internal import KonzaSystem

/// A serial line without a cable: what is written to the master, a program reads from the other side.
struct PseudoTerminal: ~Copyable, Sendable {
    /// The device that a program opens.
    let path: String
    private let master: FileDescriptor

    init() throws(SetUpError) {
        // Swift's Glibc has neither posix_openpt nor ptsname: these are the ioctls behind them (ioctl_tty(2)).
        let unlock: UInt = 0x4004_5431  // TIOCSPTLCK
        let numberOf: UInt = 0x8004_5430  // TIOCGPTN
        let descriptor = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SetUpError("open a pseudo terminal") }
        let master = FileDescriptor(owning: descriptor)
        var zero: Int32 = 0
        var number: Int32 = 0
        guard unsafe ioctl(descriptor, unlock, &zero) == 0, unsafe ioctl(descriptor, numberOf, &number) == 0 else {
            throw SetUpError("unlock a pseudo terminal")
        }
        let path = "/dev/pts/\(number)"
        // gpsd gives root's rights up once it has read from a receiver, and must still be able to open the next one.
        guard unsafe chmod(path, 0o666) == 0 else { throw SetUpError("open a pseudo terminal to others") }
        self.path = path
        self.master = master
    }

    /// Sends bytes down the line; what does not fit is lost, as on a serial line.
    func send(_ bytes: [UInt8]) {
        let descriptor = master.number
        _ = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    }

    /// Takes what the other side wrote, so that it never waits.
    func drain() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let descriptor = master.number
        while unsafe buffer.withUnsafeMutableBytes({ unsafe read(descriptor, $0.baseAddress, $0.count) }) > 0 {}
    }
}
