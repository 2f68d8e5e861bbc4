/// A time of the local day, to the minute.
public struct TimeOfDay: Sendable, Equatable {
    /// Since midnight by the clock on the wall, 0 to 1439.
    public var minutes: Int

    public init(minutes: Int) { self.minutes = min(max(minutes, 0), 1439) }
}

extension ValueKind where Value == TimeOfDay {
    /// Hours and minutes, as in `09:00`.
    static func timeOfDay() -> ValueKind {
        ValueKind("time of day", range: "00:00 to 23:59") { text throws(ValueRefusal) in
            let bytes = Array(text.utf8)
            func number(_ at: Int) -> Int? {
                guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"),
                    bytes[at...at + 1].allSatisfy({ (0x30...0x39).contains($0) })
                else { return nil }
                return Int(bytes[at] - 0x30) * 10 + Int(bytes[at + 1] - 0x30)
            }
            guard let hour = number(0), let minute = number(3), hour < 24, minute < 60 else {
                throw ValueRefusal(
                    "\"\(ConfigurationText.short(text))\" is no time of day such as 09:00, from 00:00 to 23:59")
            }
            return TimeOfDay(minutes: hour * 60 + minute)
        } format: {
            let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
            return "\(two($0.minutes / 60)):\(two($0.minutes % 60))"
        }
    }
}
