internal import KonzaSystem

/// A service that is made when it is to run, so that what cannot be made now is told of and tried again, and does
/// not keep the rest from starting.
struct LazyService: Service {
    let name: String
    private let make: @Sendable () throws -> any Service

    init(_ name: String, _ make: @escaping @Sendable () throws -> any Service) {
        self.name = name
        self.make = make
    }

    func run() async throws { try await make().run() }
}
