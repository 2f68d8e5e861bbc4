internal import CLinux

/// Keeps a process's memory to itself.
public enum ProcessSecrecy {
    /// No core is written from here on, and no other process of the user may attach (`PR_SET_DUMPABLE`, prctl(2)).
    public static func begin() { _ = konza_set_undumpable() }
}
