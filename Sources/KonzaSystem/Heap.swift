internal import CLinux

/// The process's heap (malloc(3)).
public enum Heap {
    /// Keeps the heap small over months: few arenas, and large blocks that go back to the system when they are freed.
    /// Many short-lived threads would otherwise each get an arena of their own, which glibc never gives back. Call
    /// once, before other threads run.
    public static func keepSmall() { konza_keep_heap_small() }

    /// Gives free pages back to the system.
    public static func trim() { konza_trim_heap() }

    /// Bytes that are allocated and not freed (mallinfo2(3)). Unlike resident memory it does not depend on what the
    /// system has taken back, so that a leak shows.
    public static var bytesInUse: Int { Int(konza_heap_in_use()) }
}
