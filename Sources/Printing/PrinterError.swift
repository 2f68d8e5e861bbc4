/// Why a printer did not do what it was asked.
public struct PrinterError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable {
        /// No answer came; what was asked may have been done nevertheless.
        case unreachable
        /// The printer answered that it does not.
        case refused
    }

    public let code: Code
    public let description: String

    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
