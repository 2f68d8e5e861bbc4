internal import CLinux
internal import Glibc

/// A system call that failed, with what was being attempted.
public struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The value of `errno`.
    public let code: Int32
    /// What could not be done, as in "open /dev/video0".
    public let action: String

    public init(code: Int32, action: String) {
        self.code = code
        self.action = action
    }

    /// The last failure of this thread.
    public init(_ action: String) {
        self.init(code: errno, action: action)
    }

    public var description: String { "cannot \(action): \(Self.text(code))" }

    /// The system's words for an error code.
    public static func text(_ code: Int32) -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress else { return "error \(code)" }
            unsafe konza_error_text(code, base, UInt(buffer.count))
            return unsafe String(cString: base)
        }
    }
}
