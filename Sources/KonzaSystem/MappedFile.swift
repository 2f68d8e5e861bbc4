internal import Glibc

/// A file mapped into memory for reading (mmap(2)): the kernel keeps the pages that are read, and lets them go when memory
/// is short.
///
/// The file must not be shortened while it is mapped: reading beyond its new end would be a bus error. Packages and konza's
/// own programs replace files by rename(2), which leaves the mapped one as it is.
public final class MappedFile: Sendable {
    /// Bytes.
    public let count: Int
    // Written by nobody after init: the mapping is read-only.
    private let base: UInt

    /// - Parameters:
    ///   - path: of a regular file that is not empty.
    ///   - limit: the largest size that is accepted, bytes.
    /// - Throws: what the system says; `EFBIG` for a file over the limit, `EINVAL` for one that is empty or not regular.
    public init(_ path: String, limit: Int) throws(SystemError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError("open \(path)") }
        defer { close(descriptor) }
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0 else { throw SystemError("read the size of \(path)") }
        guard facts.st_mode & S_IFMT == S_IFREG, facts.st_size > 0 else {
            throw SystemError(code: EINVAL, action: "map \(path)")
        }
        guard facts.st_size <= limit else { throw SystemError(code: EFBIG, action: "map \(path)") }
        count = Int(facts.st_size)
        let address = unsafe mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0)
        guard let address = unsafe address, unsafe address != MAP_FAILED else { throw SystemError("map \(path)") }
        base = UInt(bitPattern: address)
    }

    deinit { unsafe munmap(UnsafeMutableRawPointer(bitPattern: base), count) }

    /// A little-endian number at a distance from the beginning.
    ///
    /// - Parameters:
    ///   - type: of the number.
    ///   - offset: bytes; need not be aligned.
    /// - Returns: nil if it does not lie wholly within the file.
    public func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type, at offset: Int) -> Number? {
        guard offset >= 0, offset <= count - MemoryLayout<Number>.size,
            let pointer = unsafe UnsafeRawPointer(bitPattern: base)
        else { return nil }
        return unsafe Number(littleEndian: pointer.loadUnaligned(fromByteOffset: offset, as: type))
    }

    /// A sample of two bytes, little-endian; nil beyond the end.
    public func int16(at offset: Int) -> Int16? { number(Int16.self, at: offset) }

    /// The bytes of a range; fewer where the file ends.
    public func bytes(_ range: Range<Int>) -> [UInt8] {
        let range = range.clamped(to: 0..<count)
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: base) else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: pointer + range.lowerBound, count: range.count))
    }
}
