internal import Drawing
internal import HTTPServing
internal import Interchange
internal import JPEGCoding
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

/// Reads pictures that were made elsewhere, perhaps to do harm: each is decoded wholly, in memory that is reserved for it,
/// before anything is made of it. The calls block.
struct PictureIntake {
    /// The media types that are taken.
    static let types = ["image/jpeg", "image/png"]

    /// How a picture comes in.
    enum Sent: Sendable {
        /// Small enough for memory.
        case bytes(FrameData)
        case file(Upload)

        /// The body of a request.
        init(_ request: Request) {
            self = request.upload.map(Self.file) ?? .bytes(FrameData(request.body))
        }
    }

    /// A picture that is whole.
    struct Checked {
        let width: Int
        let height: Int
        /// Large enough for the small copy.
        let small: RGBImage
    }

    let parts: StationParts

    /// The picture in memory that is reserved for it: it is checked and written from there.
    ///
    /// - Throws: `body-too-large` or `unavailable` where there is no memory for it.
    func contents(of sent: Sent) throws(Problem) -> FrameData {
        let file: Upload
        switch sent {
        case .bytes(let bytes): return bytes
        case .file(let upload): file = upload
        }
        guard file.count <= parts.memory.capacity else {
            throw Problem(
                .bodyTooLarge,
                "cannot take the picture: it has \(file.count) bytes, and to check it in memory \(parts.memory.capacity) are "
                    + "the most; make it smaller")
        }
        let memory = try reserve(file.count)
        do throws(SystemError) {
            return try file.contents(in: memory)
        } catch {
            throw Problem(.unavailable, "cannot read the picture back from the disk: \(error); send it again")
        }
    }

    /// Decodes a picture wholly.
    ///
    /// - Parameters:
    ///   - picture: the file.
    ///   - type: what it is said to be, of ``types``.
    ///   - smallEdge: of the small copy that will be made of it, pixels.
    /// - Returns: its size, and its pixels for a small copy.
    /// - Throws: `not-a-picture` unless it is a whole one of that type, `unavailable` without memory for it.
    func check(_ picture: FrameData, type: String, smallEdge: Int) throws(Problem) -> Checked {
        type == "image/png" ? try checkPNG(picture, smallEdge) : try checkJPEG(picture, smallEdge)
    }

    private func reserve(_ bytes: Int) throws(Problem) -> MemoryReservation {
        guard let memory = parts.pictureMemory.reserve(bytes) else {
            throw Problem(
                .unavailable,
                "cannot take the picture: other pictures and bodies hold the memory; try again in a moment")
        }
        return memory
    }

    private func checkPNG(_ picture: FrameData, _ smallEdge: Int) throws(Problem) -> Checked {
        let file = try reading { () throws(DrawingError) in try PNGPicture(picture) }
        let most = parts.pictureMemory.mostForOne
        guard file.memory <= most else {
            throw Problem(
                .notAPicture,
                "cannot take the picture: it needs \(file.memory / 1_000_000) MB of memory to decode, "
                    + "\(most / 1_000_000) MB are the most for one picture; send a JPEG")
        }
        let memory = try reserve(file.memory)
        defer { memory.release() }
        return try reading { () throws(DrawingError) in
            guard !InflatedSize.exceeds(file.mostInflated, in: picture, file.imageData) else {
                throw DrawingError(
                    .size, "cannot take the picture: its image data goes on after the last row; save it anew")
            }
            let preview = try file.preview(longestEdge: smallEdge)
            return Checked(width: preview.width, height: preview.height, small: preview.small)
        }
    }

    private func reading<Value>(_ body: () throws(DrawingError) -> Value) throws(Problem) -> Value {
        do throws(DrawingError) {
            return try body()
        } catch {
            throw Problem(.notAPicture, error.message)
        }
    }

    private func checkJPEG(_ picture: FrameData, _ smallEdge: Int) throws(Problem) -> Checked {
        do throws(ForeignPicture.Refusal) {
            let checked = try picture.withSpan { bytes throws(ForeignPicture.Refusal) in
                try ForeignPicture(checking: bytes, longestEdge: smallEdge, memory: parts.pictureMemory)
            }
            return Checked(width: checked.width, height: checked.height, small: checked.small)
        } catch {
            throw Problem(error)
        }
    }
}
