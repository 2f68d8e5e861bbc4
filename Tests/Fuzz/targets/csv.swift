import CSVWriting
import KonzaAPI
import KonzaModel

// A libFuzzer target over the rows of imported people: what is read is written and read again.

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let text = unsafe String(decoding: input(bytes, count), as: UTF8.self)
    do throws(PeopleError) {
        let rows = try CSVText.rows(text, limit: 100)
        guard rows.count <= 100 else { fail("too many rows") }
        for row in rows {
            for name in row {
                if let kept = Person.checkedName(name), kept.unicodeScalars.count > Person.longestName {
                    fail("a name is too long")
                }
            }
        }
        let again = try CSVText.rows(rows.map(CSVText.line).joined(), limit: 100)
        guard again == rows else { fail("what is written is read otherwise") }
    } catch {
        guard case .invalid(let words) = error, !words.isEmpty else { fail("a refusal without words") }
    }
    return 0
}
