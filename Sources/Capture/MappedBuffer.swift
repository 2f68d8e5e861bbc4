/// Owns the memory of one capture buffer and gives it back when the last holder lets go: the camera while it
/// streams, and every frame that was lent from it. A device may be closed long before.
@safe final class MappedBuffer: @unchecked Sendable {
    // Sendable: the address and length never change. The driver writes the memory only while the buffer is queued,
    // and a buffer is not queued while a frame from it is lent (LeasePool).
    private let memory: UnsafeRawBufferPointer
    private let release: @Sendable () -> Void

    init(memory: UnsafeRawBufferPointer, release: @escaping @Sendable () -> Void) {
        unsafe self.memory = unsafe memory
        self.release = release
    }

    deinit { release() }

    /// The size of the buffer, which a frame need not fill.
    var count: Int { unsafe memory.count }

    /// Lends the first bytes to the body; `count` is limited to the buffer.
    func withBytes<Result, Failure: Error>(
        first count: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(UnsafeRawBufferPointer(rebasing: memory[0..<min(max(count, 0), memory.count)]))
    }
}
