import Calendars
import KonzaModel

// A libFuzzer target over the reader of events in property lists.

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let (begin, end) = (
        UTCInstant(nanoseconds: 1_780_000_000_000_000_000), UTCInstant(nanoseconds: 1_782_000_000_000_000_000)
    )
    do throws(CalendarError) {
        let file = try CalendarFile(propertyList: unsafe input(bytes, count))
        _ = EventCalendar([file], station: .utc).instances(in: begin..<end, limit: 50)
    } catch {
        guard error.description.hasPrefix("cannot ") else { fail("a refusal without words") }
    }
    return 0
}
