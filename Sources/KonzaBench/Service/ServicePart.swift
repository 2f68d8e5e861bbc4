enum ServicePart {
    static func run() async throws -> PartReport { throw BenchError("cannot measure the service yet") }
}
