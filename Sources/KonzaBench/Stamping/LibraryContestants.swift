internal import CBenchJPEG
internal import KonzaModel

/// libjpeg-turbo: decode to RGB, blend, encode, strip by strip. What all others are measured by.
struct LibraryContestant: Contestant {
    static let name: String = "libjpeg-turbo RGB"
    let name: String = LibraryContestant.name

    func measure(_ task: StampingTask) throws -> Double? {
        try processorMilliseconds { _ = try stamp(task) }
    }

    func result(_ task: StampingTask) throws -> ContestResult? {
        ContestResult(picture: try stamp(task))
    }

    private func stamp(_ task: StampingTask) throws -> FrameData {
        let picture = unsafe task.overlay.withPatches { patches in
            unsafe task.frame.withBytes { bytes in
                unsafe bench_stamp_rgb(
                    bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, patches.baseAddress, patches.count,
                    Int32(FrameStudio.quality))
            }
        }
        return try unsafe picture.owned()
    }
}

/// libjpeg-turbo on the planes as they are, with an overlay that was brought to their sizes before.
@safe final class PlanesContestant: Contestant {
    static let name: String = "libjpeg-turbo raw YCbCr"
    let name: String = PlanesContestant.name
    /// Made for the first stamp, kept for all others.
    private var ink: OpaquePointer?

    deinit { unsafe bench_ink_free(ink) }

    func measure(_ task: StampingTask) throws -> Double? {
        try processorMilliseconds { _ = try stamp(task) }
    }

    func result(_ task: StampingTask) throws -> ContestResult? {
        ContestResult(picture: try stamp(task))
    }

    private func stamp(_ task: StampingTask) throws -> FrameData {
        if unsafe ink == nil {
            unsafe ink = task.overlay.withPatches { patches in
                unsafe bench_ink_create(patches.baseAddress, patches.count, 2, task.kind.isHalfHeight ? 2 : 1)
            }
        }
        guard let ink = unsafe ink else { throw BenchError("cannot prepare an overlay for its planes: no memory") }
        let picture = unsafe task.frame.withBytes { bytes in
            unsafe bench_stamp_raw(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, ink)
        }
        return try unsafe picture.owned()
    }
}

extension bench_picture {
    /// The picture, whose memory goes with it.
    fileprivate func owned() throws -> FrameData {
        guard unsafe failed == 0, let bytes = unsafe bytes else {
            let text = unsafe withUnsafeBytes(of: text) {
                unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            throw BenchError("cannot stamp with libjpeg: \(text)")
        }
        let address = UInt(bitPattern: bytes)
        return unsafe FrameData(lending: UnsafeRawBufferPointer(start: bytes, count: count)) {
            unsafe bench_free(UnsafeMutableRawPointer(bitPattern: address))
        }
    }
}

extension Overlay {
    /// Lends the patches as C knows them.
    fileprivate func withPatches<Result>(_ body: (UnsafeBufferPointer<bench_patch>) -> Result) -> Result {
        unsafe withPatches(patches[...], [], body)
    }

    private func withPatches<Result>(
        _ rest: ArraySlice<Patch>, _ lent: [bench_patch], _ body: (UnsafeBufferPointer<bench_patch>) -> Result
    ) -> Result {
        guard let patch = rest.first else { return unsafe lent.withUnsafeBufferPointer { unsafe body($0) } }
        return unsafe patch.pixels.withUnsafeBufferPointer { pixels in
            let next = unsafe bench_patch(
                x: UInt32(patch.x), y: UInt32(patch.y), width: UInt32(patch.width), height: UInt32(patch.height),
                pixels: pixels.baseAddress)
            return unsafe withPatches(rest.dropFirst(), lent + [next], body)
        }
    }
}
