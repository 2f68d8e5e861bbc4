internal import Glibc

/// Sleeps on the calling thread.
enum Pause {
    static func seconds(_ seconds: Double) { usleep(UInt32(max(0, seconds) * 1e6)) }
}
