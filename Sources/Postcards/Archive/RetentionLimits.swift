public import KonzaModel

/// How much the archive may hold. Protected postcards count, and are never deleted by a limit.
public struct RetentionLimits: Sendable, Equatable {
    /// Bytes of all files; nil without a limit.
    public var maximumBytes: Int64?
    /// Seconds since a postcard was kept; nil without a limit.
    public var maximumAge: Double?
    /// nil without a limit.
    public var maximumCount: Int?
    /// Bytes that stay free on the disk for everything else.
    public var spaceReserve: Int64

    public init(
        maximumBytes: Int64? = nil, maximumAge: Double? = nil, maximumCount: Int? = nil,
        spaceReserve: Int64 = 256_000_000
    ) {
        self.maximumBytes = maximumBytes
        self.maximumAge = maximumAge
        self.maximumCount = maximumCount
        self.spaceReserve = spaceReserve
    }
}

/// How many postcards there are, and what they take.
public struct PostcardFigures: Sendable, Equatable {
    /// Bytes of all postcards' files.
    public var storedBytes: Int64
    public var count: Int
    public var protectedCount: Int
    /// Postcards whose picture is not on the disk.
    public var missingCount: Int
    /// What deleting every unprotected postcard would give back, bytes.
    public var prunableBytes: Int64
    /// When the oldest was taken, as far as was looked (``PostcardArchive/lookForOldest()``); nil without one.
    public var oldestAt: UTCInstant?
    public var limits: RetentionLimits
}
