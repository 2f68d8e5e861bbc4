import KonzaAPI

// A libFuzzer target over the reader of request bodies, and over the readers of their members.

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let body = unsafe input(bytes, count)
    do throws(Problem) {
        let value = try JSONReader.value(of: body)
        _ = try? PostcardRequest(value)
        _ = try? SpecimenRequest(value)
        _ = try? PhotographRequest(value)
        _ = try? OccupationRequest(value)
        _ = try? SubmitRequest(value)
        _ = try? SendingProgress(value)
    } catch {
        guard (400..<500).contains(error.status), error.detail.hasPrefix("cannot ") else {
            fail("a refusal without words")
        }
        // What is no JSON is none for those who only check it.
        do throws(Problem) {
            try JSONReader.check(body)
            fail("checked, and not read")
        } catch {}
    }
    return 0
}
