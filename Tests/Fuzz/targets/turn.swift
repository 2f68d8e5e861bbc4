import JPEGCoding
import KonzaModel
import KonzaSystem

// A libFuzzer target over turning a JPEG: what is turned is a sound picture of the size that was told before, and turned
// back it has the coefficients of the source.

private let budget = MemoryBudget(bytes: 4 << 20)
private let limits = JPEGLimits(pixels: 1 << 20, scans: 20, outputBytes: 4 << 20)

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let file = FrameData(unsafe input(bytes, count))
    let rotations = PictureTurn.Rotation.allCases
    let turn = PictureTurn(rotations[count % rotations.count], isMirrored: count / rotations.count % 2 == 1)
    do throws(JPEGCodingError) {
        let turned = try JPEGTurner(limits: limits, memory: PictureMemory(budget, account: nil)).turn(file, by: turn)
        check(turned, of: file, turn)
    } catch {
        guard error.description.hasPrefix("cannot ") else { fail("a refusal without words") }
        if error.cause == .memoryBusy { fail("the budget is not given back") }
    }
    guard budget.figures.total == 0 else { fail("memory stays reserved") }
    return 0
}

private func check(_ turned: JPEGTurner.Turned, of file: FrameData, _ turn: PictureTurn) {
    guard let source = try? JPEGStructure(parsing: file), let result = try? JPEGStructure(parsing: turned.data),
        let size = source.size(turned: turn)
    else { fail("a turned picture that has no structure") }
    guard (result.width, result.height) == size, (turned.width, turned.height) == size else { fail("another size") }
    guard result.restartFault == nil else { fail("restart markers out of order") }
    guard let decoded = try? JPEGCoefficients(reading: turned.data, limits: limits) else { fail("cannot be read") }
    guard !decoded.isDamaged || turned.isDamaged else {
        fail("the turned picture is damaged: \(decoded.firstWarning ?? "")")
    }
    let expected = turn.transposes ? (source.height, source.width) : (source.width, source.height)
    // Where something was cut off, the way back cannot give it.
    guard size == expected else { return }
    // A mirrored turn is its own way back, and a turn by 90 degrees has that by 270.
    let back = PictureTurn(
        turn.isMirrored ? turn.rotation : PictureTurn.Rotation(rawValue: (360 - turn.rotation.rawValue) % 360) ?? .none,
        isMirrored: turn.isMirrored)
    guard result.size(turned: back).map({ $0 == (source.width, source.height) }) == true else { return }
    guard let again = try? JPEGTurner(limits: limits).turn(turned.data, by: back) else { fail("cannot be turned back") }
    compare(file, again.data)
}

private func compare(_ left: FrameData, _ right: FrameData) {
    guard let one = try? JPEGCoefficients(reading: left, limits: limits),
        let other = try? JPEGCoefficients(reading: right, limits: limits)
    else { fail("cannot be read again") }
    guard one.components.map(\.quantisation) == other.components.map(\.quantisation) else { fail("other steps") }
    for index in one.components.indices {
        guard one.components[index].rows == other.components[index].rows,
            one.components[index].columns == other.components[index].columns
        else { fail("other blocks") }
        for row in 0..<one.components[index].rows {
            guard let values = try? one.row(component: index, row: row),
                let others = try? other.row(component: index, row: row)
            else { fail("a row that cannot be read") }
            guard values == others else { fail("other coefficients") }
        }
    }
}
