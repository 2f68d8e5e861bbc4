/// Growing pauses between attempts, with a cap, and with jitter so that many stations do not knock in step.
struct Backoff {
    let first: Double
    let cap: Double
    private var next: Double

    init(first: Double, cap: Double) {
        self.first = first
        self.cap = max(first, cap)
        next = first
    }

    /// The next pause in seconds: the doubled last one, up to the cap, shortened by up to a quarter.
    mutating func pause(using generator: inout some RandomNumberGenerator) -> Double {
        defer { next = min(cap, next * 2) }
        return next * Double.random(in: 0.75...1, using: &generator)
    }

    mutating func reset() { next = first }
}
