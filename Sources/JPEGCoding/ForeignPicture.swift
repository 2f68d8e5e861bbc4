public import KonzaModel

/// A JPEG that somebody else made, found to be whole by decoding all of it.
public struct ForeignPicture: Sendable {
    /// Why a picture is not taken.
    public enum Refusal: Error, Equatable, Sendable, CustomStringConvertible {
        /// It is no whole JPEG, or one that cannot be decoded.
        case unfit(String)
        /// It takes more memory than any picture may.
        case tooLarge(String)
        /// Its memory is not to be had now.
        case busy(String)

        public var description: String {
            switch self {
            case .unfit(let words), .tooLarge(let words), .busy(let words): words
            }
        }
    }

    /// Pixels beyond which a picture is not decoded, for the time that it takes.
    public static let mostPixels = 200_000_000

    public let width: Int
    public let height: Int
    /// A copy at a fraction of the size, its longer edge no shorter than was asked for if the picture's is not.
    public let small: RGBImage

    /// Checks a picture, cheapest first: what it says of itself, whether its bytes can hold that, whether decoding fits
    /// into memory, and then its pixels.
    ///
    /// - Parameters:
    ///   - bytes: the file, perhaps hostile.
    ///   - longestEdge: that the small copy is to have at least, pixels.
    ///   - memory: whom to ask for memory.
    /// - Throws: ``Refusal``, worded "cannot ...: why; what to do".
    public init(
        checking bytes: Span<UInt8>, longestEdge: Int, memory: PictureMemory
    ) throws(Refusal) {
        let structure: JPEGStructure
        do throws(JPEGStructureError) {
            structure = try JPEGStructure(parsing: bytes)
            try structure.requireSoundRestarts()
            try structure.requireWholeScans()
            try structure.requirePlausibleSize()
            try structure.requirePlausibleWork()
        } catch {
            throw .unfit("cannot take the picture: \(error)")
        }
        if case .other = structure.process {
            throw .unfit("cannot take the picture: it is a lossless or hierarchical JPEG; save it as a usual one")
        }
        let longer = max(structure.width, structure.height)
        let scale =
            [JPEGDecoder.Scale.eighth, .quarter, .half].first { longer / $0.rawValue >= longestEdge } ?? .full
        let decoder = JPEGDecoder(limits: JPEGLimits(pixels: Self.mostPixels), memory: memory)
        let decoded: JPEGDecoder.Decoded
        do throws(JPEGCodingError) {
            decoded = try decoder.decode(bytes, scale: scale)
        } catch {
            throw switch error.cause {
            case .memoryLimit:
                .tooLarge(
                    "cannot take the picture: \(error); make it smaller, or save it as a baseline JPEG, not a progressive one"
                )
            case .memoryBusy, .outOfMemory: .busy("cannot take the picture: \(error); try again in a moment")
            default: .unfit("cannot take the picture: \(error)")
            }
        }
        guard decoded.warningCount == 0 else {
            throw .unfit(
                "cannot take the picture: it is damaged (\(decoded.firstWarning ?? "data is missing")); send it again")
        }
        width = structure.width
        height = structure.height
        small = decoded.image
    }
}
