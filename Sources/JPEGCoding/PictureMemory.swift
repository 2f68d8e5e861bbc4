public import KonzaSystem

/// Whom to ask for memory before a picture is decoded, and on whose account.
public struct PictureMemory: Sendable {
    private let budget: MemoryBudget?
    private let account: Account?

    /// Nobody: for pictures of one's own, as in programs that only measure.
    public static let unbounded = PictureMemory(budget: nil, account: nil)

    /// - Parameters:
    ///   - budget: the bound on what clients can make the process hold.
    ///   - account: in whose name; nil for what nobody asked for.
    public init(_ budget: MemoryBudget, account: Account?) {
        self.init(budget: budget, account: account)
    }

    private init(budget: MemoryBudget?, account: Account?) {
        self.budget = budget
        self.account = account
    }

    /// Whether there is anybody to ask.
    var isBounded: Bool { budget != nil }

    /// Bytes that one picture may take: half of all, which is what one account comes to while no other holds any.
    public var mostForOne: Int { budget.map { $0.capacity / 2 } ?? .max }

    /// Reserves memory for a picture.
    ///
    /// - Parameter bytes: how much.
    /// - Returns: nil if it is not to be had now, or nobody is to be asked.
    public func reserve(_ bytes: Int) -> MemoryReservation? {
        budget?.reserve(bytes, for: .pictures, account: account)
    }

    /// Reserves memory for a picture, or says why not.
    ///
    /// - Parameters:
    ///   - bytes: how much.
    ///   - task: such as `decode the picture`.
    /// - Returns: nil if nobody is to be asked.
    /// - Throws: `JPEGCodingError` with `memoryLimit` or `memoryBusy`.
    public func reserve(_ bytes: Int, to task: String) throws(JPEGCodingError) -> MemoryReservation? {
        guard isBounded else { return nil }
        guard bytes <= mostForOne else {
            throw JPEGCodingError(
                .memoryLimit,
                "cannot \(task): it needs \((bytes + 999_999) / 1_000_000) MB of memory, "
                    + "\(mostForOne / 1_000_000) MB are the most for one picture")
        }
        guard let reservation = reserve(bytes) else {
            throw JPEGCodingError(.memoryBusy, "cannot \(task): too many pictures are being worked on")
        }
        return reservation
    }
}
