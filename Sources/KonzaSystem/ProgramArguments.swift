/// A daemon's arguments, one after another: `--name VALUE` and `--name=VALUE` are the same.
public struct ProgramArguments {
    /// An argument that the program does not take, or that lacks its value.
    public struct UsageError: Error, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    private var rest: ArraySlice<String>
    private var attached: String?
    /// What ``next()`` took last, as it was written.
    public private(set) var written = ""

    /// - Parameter arguments: without the program's name.
    public init(_ arguments: [String]) { rest = arguments[...] }

    /// The next argument's name; nil at the end.
    public mutating func next() -> String? {
        guard let argument = rest.popFirst() else { return nil }
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        written = argument
        attached = parts.count > 1 ? parts[1] : nil
        return parts[0]
    }

    /// The value of the argument that ``next()`` named.
    ///
    /// - Parameter name: for the message.
    /// - Returns: it, never empty.
    /// - Throws: if there is none.
    public mutating func value(of name: String) throws(UsageError) -> String {
        guard let value = attached ?? rest.popFirst(), !value.isEmpty else {
            throw UsageError(description: "cannot take \(name) without a value")
        }
        return value
    }
}
