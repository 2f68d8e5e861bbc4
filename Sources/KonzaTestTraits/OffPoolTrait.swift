// A release build of everything, linked without Swift's shared libraries, has no Testing.
#if canImport(Testing)
    internal import KonzaSystem
    public import Testing

    /// Runs tests that block in system calls on threads of their own, so that the handlers they wait for find one in
    /// Swift's pool. A dispatch queue would not do: on Linux it takes its threads from where the pool does.
    public struct OffPoolTrait: TestTrait, SuiteTrait, TestScoping {
        /// More than tests that run at once.
        private static let threads = BlockingThreads(named: "test", limit: 1024)

        public var isRecursive: Bool { true }

        public func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
        ) async throws {
            try await withTaskExecutorPreference(Self.threads) { try await function() }
        }
    }

    extension Trait where Self == OffPoolTrait {
        /// On threads of their own.
        public static var offPool: OffPoolTrait { OffPoolTrait() }
    }
#endif
