import Glibc

// What all targets share. `make fuzz FUZZ=target` builds and runs one; they are no part of the package, since each has
// its own main function.

/// Ends the run; libFuzzer keeps the input.
func fail(_ words: String) -> Never {
    let line = Array("cannot go on: \(words)\n".utf8)
    _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    abort()
}

/// The input's bytes.
func input(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
}
