/// Waits until a condition holds, looking a hundred times a second.
///
/// - Parameters:
///   - seconds: the longest wait. It is a bound for a broken run, not a measurement: be generous.
///   - condition: looked at until it holds.
/// - Returns: whether the condition came to hold.
public func eventually(within seconds: Double = 20, _ condition: () async throws -> Bool) async rethrows -> Bool {
    let clock = ContinuousClock()
    let deadline = clock.now.advanced(by: .seconds(seconds))
    while clock.now < deadline {
        if try await condition() { return true }
        try? await Task.sleep(for: .milliseconds(10))
    }
    return try await condition()
}
