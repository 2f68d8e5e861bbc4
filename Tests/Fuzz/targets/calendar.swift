import Calendars
import KonzaModel

// A libFuzzer target over the reader of iCalendar: what it takes is listed, written and read again.

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let (begin, end) = (
        UTCInstant(nanoseconds: 1_780_000_000_000_000_000), UTCInstant(nanoseconds: 1_782_000_000_000_000_000)
    )
    do throws(CalendarError) {
        let file = try CalendarFile(iCalendar: unsafe input(bytes, count), zones: ZoneLookup { _ in nil })
        guard file.remarks.count <= 20 else { fail("too many remarks") }
        let calendar = EventCalendar([file], station: .utc)
        let answer = calendar.instances(in: begin..<end, limit: 50)
        guard answer.steps <= EventCalendar.mostSteps else { fail("more steps than are granted") }
        for event in answer.instances {
            guard calendar.instance(event.id)?.id == event.id else { fail("an event is not found by its id") }
            guard EventText.short(event).utf8.count <= EventText.shortest else { fail("a code is too long") }
            let again = try CalendarFile(
                iCalendar: Array(EventText.iCalendar(event).utf8), zones: ZoneLookup { _ in nil })
            guard again.count == 1 else { fail("a written event is not read") }
        }
    } catch {
        guard error.description.hasPrefix("cannot ") else { fail("a refusal without words") }
    }
    return 0
}
