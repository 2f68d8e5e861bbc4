public import HTTPTransfer
public import KonzaAPI

/// Why a request to konzad brought nothing.
public enum ClientError: Error, Sendable, CustomStringConvertible {
    /// konzad was not reached, or did not answer.
    case transfer(TransferError)
    /// konzad answers that it cannot.
    case problem(Problem)
    /// The answer is not what this client understands.
    case unexpected(String)
    /// The answer could not be kept.
    case file(String)

    public var description: String {
        switch self {
        case .transfer(let error): error.description
        case .problem(let problem): problem.detail
        case .unexpected(let text), .file(let text): text
        }
    }

    /// The problem's kind, if konzad answered with one.
    public var kind: ProblemKind? {
        if case .problem(let problem) = self { problem.kind } else { nil }
    }
}
