internal import Glibc

/// Sleeps on the calling thread.
public enum Pause {
    public static func seconds(_ seconds: Double) { usleep(UInt32(max(0, seconds) * 1e6)) }
}
