public import JPEGCoding
public import KonzaModel
internal import KonzaSystem

/// Puts an overlay on a JPEG. Each engine does it its own way; the way taken comes with the result.
public protocol StampingEngine: Sendable {
    /// Stamps a picture.
    ///
    /// - Parameters:
    ///   - jpeg: A whole JPEG, perhaps hostile.
    ///   - overlay: Drawn for exactly the picture's size.
    /// - Returns: The stamped picture, with the application segments and comments of the original.
    /// - Throws: `StampingError`.
    func stamp(_ jpeg: FrameData, with overlay: PreparedOverlay) throws(StampingError) -> StampedPicture
}

extension StampingEngine {
    /// Stamps a picture with an overlay that is used once.
    public func stamp(_ jpeg: FrameData, with overlay: Overlay) throws(StampingError) -> StampedPicture {
        try stamp(jpeg, with: PreparedOverlay(overlay))
    }
}

/// How a picture was stamped.
public enum StampingWay: String, Sendable, Codable, CaseIterable {
    /// Only the rows of MCUs between restart markers that the overlay touches were coded again.
    case restartSplice
    /// Only the MCUs that the overlay touches were coded again; all other bits were copied.
    case entropySplice
    /// All coefficients were read and written; those that the overlay does not touch kept their values.
    case coefficients
    /// The whole picture was decoded and compressed again, with a loss.
    case fullDecode
}

public struct StampedPicture: Sendable {
    public let data: FrameData
    public let way: StampingWay

    public init(data: FrameData, way: StampingWay) {
        self.data = data
        self.way = way
    }
}

/// Why a picture could not be stamped.
public enum StampingError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The picture is not a sound JPEG.
    case structure(JPEGStructureError)
    /// The overlay was drawn for another size than the picture's.
    case overlaySize(overlay: PixelSize, picture: PixelSize)
    /// A kind of JPEG that the engine does not stamp; the text says which.
    case unsupported(String)
    /// Reading or writing the picture failed.
    case coding(JPEGCodingError)

    public var description: String {
        switch self {
        case .structure(let error): error.description
        case .overlaySize(let overlay, let picture):
            "cannot stamp: the overlay is drawn for \(overlay), the picture has \(picture); draw it for this size"
        case .unsupported(let what): "cannot stamp: \(what); use a camera or file with 8-bit grey, YCbCr, RGB or CMYK"
        case .coding(let error): error.description
        }
    }
}

public struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    public let width: Int
    public let height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    public var description: String { "\(width)x\(height)" }
}

/// Tries engines in turn, the best first: one that does not know a kind of picture leaves it to the next.
public struct StampingLadder: StampingEngine {
    private let engines: [any StampingEngine]

    /// The engines, the best first.
    public init(_ engines: [any StampingEngine]) {
        self.engines = engines
    }

    /// All ways there are.
    public init(limits: JPEGLimits = CoefficientEngine.defaultLimits, memory: PictureMemory = .unbounded) {
        self.init([
            RestartSpliceEngine(limits: limits), EntropySpliceEngine(limits: limits),
            CoefficientEngine(limits: limits, memory: memory), FullDecodeEngine(limits: limits, memory: memory),
        ])
    }

    public func stamp(
        _ jpeg: FrameData, with overlay: PreparedOverlay
    ) throws(StampingError) -> StampedPicture {
        var last = StampingError.unsupported("there is no engine")
        for engine in engines {
            do {
                return try engine.stamp(jpeg, with: overlay)
            } catch {
                guard error.mayBeAnothersTask else { throw error }
                last = error
            }
        }
        throw last
    }
}

extension StampingError {
    /// Whether another engine may do what this one could not.
    var mayBeAnothersTask: Bool {
        switch self {
        case .unsupported: true
        case .coding(let error): error.cause == .tablesChanged || error.cause == .refused
        case .structure, .overlaySize: false
        }
    }
}
