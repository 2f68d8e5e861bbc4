/// Something that runs for as long as the daemon does.
public protocol Service: Sendable {
    /// The name in messages.
    var name: String { get }
    /// Runs until the task is cancelled, then puts its things in order and returns.
    func run() async throws
}
