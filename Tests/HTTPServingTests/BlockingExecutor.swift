import Foundation
import Testing

/// Runs tests that block in system calls on threads of their own, so that the handlers they wait for find one in
/// Swift's pool. A dispatch queue would not do: on Linux it takes its threads from where the pool does.
final class BlockingExecutor: TaskExecutor {
    static let shared = BlockingExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

struct OffPoolTrait: TestTrait, SuiteTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(BlockingExecutor.shared) { try await function() }
    }
}

extension Trait where Self == OffPoolTrait {
    static var offPool: OffPoolTrait { OffPoolTrait() }
}
