import JPEGCoding
import KonzaSystem

// A libFuzzer target over the check of an uploaded JPEG.

private let budget = MemoryBudget(bytes: 4 << 20)

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let file = unsafe input(bytes, count)
    do throws(ForeignPicture.Refusal) {
        let picture = try ForeignPicture(
            checking: file.span, longestEdge: 16, memory: PictureMemory(budget, account: nil))
        guard picture.small.pixels.count == picture.small.width * picture.small.height * 3 else {
            fail("a copy of another size than it says")
        }
    } catch {
        guard error.description.hasPrefix("cannot ") else { fail("a refusal without words") }
        if case .busy = error { fail("the budget is not given back") }
    }
    guard budget.figures.total == 0 else { fail("memory stays reserved") }
    return 0
}
