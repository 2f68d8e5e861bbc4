import Drawing
import KonzaModel

// A libFuzzer target over the check of an uploaded PNG.

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let file = FrameData(unsafe input(bytes, count))
    do throws(DrawingError) {
        let whole = try PNGPicture(file)
        // Small pictures only: more inputs a second.
        guard whole.memory <= 8 << 20 else { return 0 }
        let picture = try whole.preview(longestEdge: 16)
        guard picture.small.pixels.count == picture.small.width * picture.small.height * 3,
            max(picture.small.width, picture.small.height) <= 16
        else { fail("a copy of another size than it says") }
    } catch {
        guard error.message.hasPrefix("cannot ") else { fail("a refusal without words") }
    }
    return 0
}
