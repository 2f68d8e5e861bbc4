internal import CBenchMemory
public import KonzaBench

extension MemoryMeter {
    /// Counts what passes through malloc(3), on all threads and in all libraries. Whatever links this module has a
    /// malloc of its own that leads to glibc's: meant for `konza-bench`, and counts nothing under a sanitizer.
    public static let allocations = MemoryMeter(
        begin: { bench_memory_begin() },
        end: {
            let peak = bench_memory_end()
            return bench_memory_is_counted() == 1 ? peak : nil
        })
}
