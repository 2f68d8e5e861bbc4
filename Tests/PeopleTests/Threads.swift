import Foundation

/// Threads of their own, for what blocks.
enum Threads {
    static func start(_ body: @escaping @Sendable () -> Void) { Thread(block: body).start() }
}
