internal import KonzaModel

/// Names a series among all of a calendar: 48 bits made of the event's UID and, for one that takes the place of an instance, of
/// its time.
struct EventKey: Sendable, Hashable, Comparable, CustomStringConvertible {
    private static let digits = 12

    private let value: UInt64

    init(uid: String, replacing local: Int?) {
        var hash = SHA256()
        hash.update(Array(uid.utf8) + [0] + Array((local.map(String.init) ?? "").utf8))
        // All of them are hexadecimal digits.
        value = UInt64(hash.hexadecimal().prefix(Self.digits), radix: 16) ?? 0
    }

    /// - Returns: nil for what is not as ``description`` has it.
    init?(_ text: Substring) {
        let isLowercase = text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        guard text.utf8.count == Self.digits, isLowercase, let value = UInt64(text, radix: 16) else { return nil }
        self.value = value
    }

    /// Twelve hexadecimal digits.
    var description: String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: Self.digits - text.utf8.count) + text
    }

    /// The id of an instance: the series, and its start by the calendar, as `20260530T190000Z` or `20260530`.
    func instance(_ seconds: Int, isAllDay: Bool) -> String {
        "\(self)-\(EventText.stamp(seconds, isAllDay: isAllDay))" + (isAllDay ? "" : "Z")
    }

    static func < (left: EventKey, right: EventKey) -> Bool { left.value < right.value }
}
