internal import Forwarding
internal import HTTPServing
internal import KonzaAPI
internal import KonzaSystem
internal import Storage

/// The fleet's outboxes wait for the disk: on a thread where that holds nobody up.
extension StationParts {
    func onOutbox<Value: Sendable>(
        _ body: @escaping @Sendable (ForwardingArchive) throws(StorageError) -> Value
    ) async throws(StorageError) -> Value {
        let archive = forwarding
        return try await onBlockingThread { () throws(StorageError) in try body(archive) }
    }

    /// The same for a request, with an answer to it where it fails.
    func wordingOutbox<Value: Sendable>(
        _ body: @escaping @Sendable (ForwardingArchive) throws(StorageError) -> Value
    ) async throws(Problem) -> Value {
        do throws(StorageError) {
            return try await onOutbox(body)
        } catch {
            throw Problem(error)
        }
    }
}
