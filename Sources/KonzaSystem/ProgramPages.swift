internal import CLinux
public import KonzaModel

/// The machine code and constants of the process: its own and those of its libraries.
public enum ProgramPages {
    /// Lets go of resident pages of code and constants. The kernel reads each back from the page cache when it is next
    /// used, a microsecond each.
    ///
    /// Starting a program touches most of it once, and the kernel maps sixteen pages for each that is touched; a daemon
    /// that then waits for months keeps it all resident on a small board until memory runs short. Only segments that
    /// cannot be written are let go: their pages never differ from the file's.
    public static func release() { konza_release_program() }

    /// Gives back what the process holds without need: free pages of the heap, code and constants.
    public static func giveBack() {
        Heap.trim()
        release()
    }

    /// Gives back, when a program has started and now and then while it runs, what it holds without need
    /// (``giveBack()``).
    ///
    /// - Parameters:
    ///   - clock: that waits.
    ///   - startSeconds: before the first time.
    ///   - periodSeconds: between two later ones.
    public static func tend(
        _ clock: any StationClock, startSeconds: Double = 5, periodSeconds: Double = 60
    ) async {
        var pause = startSeconds
        while !Task.isCancelled {
            guard (try? await clock.sleep(until: clock.monotonic().advanced(bySeconds: pause))) != nil else { return }
            giveBack()
            pause = periodSeconds
        }
    }
}
