internal import FoundationEssentials
internal import Glibc

/// A folder of its own for a test, in `TMPDIR` or `/tmp`, removed with all that is in it when the owner goes.
public final class TemporaryFolder: Sendable {
    public let path: String

    /// - Throws: ``SetUpError`` if the system's folder for temporary files cannot be written.
    public init() throws(SetUpError) {
        var template = Array("\(FileManager.default.temporaryDirectory.path)/konza-test-XXXXXX".utf8CString)
        let made = unsafe template.withUnsafeMutableBufferPointer { buffer -> String? in
            guard let base = buffer.baseAddress, unsafe mkdtemp(base) != nil else { return nil }
            return unsafe String(cString: base)
        }
        guard let made else { throw SetUpError("make a temporary folder") }
        path = made
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// A fixture that could not be set up, with the system's reason.
public struct SetUpError: Error, Sendable, CustomStringConvertible {
    public let description: String

    /// A system call that failed just now.
    init(_ action: String) {
        description = "cannot \(action): error \(errno)"
    }

    init(message: String) {
        description = message
    }
}
