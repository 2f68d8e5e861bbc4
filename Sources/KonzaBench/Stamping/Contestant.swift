internal import JPEGCoding
internal import KonzaModel
internal import Stamping

/// What all contestants are given.
struct StampingTask: Sendable {
    let kind: FrameKind
    let frame: FrameData
    let overlay: Overlay
    /// The same as files, for programs; nil where none are run.
    let files: (frame: String, overlay: String)?
}

/// One way to put an overlay on a frame.
protocol Contestant {
    var name: String { get }
    /// Whether it makes a stamped picture, or is only there to compare with.
    var givesPicture: Bool { get }
    /// Does the work once, and says how long it took in milliseconds; nil if this kind of frame is not its task.
    func measure(_ task: StampingTask) throws -> Double?
    /// The stamped picture and the way that was taken.
    func result(_ task: StampingTask) throws -> ContestResult?
}

extension Contestant {
    var givesPicture: Bool { true }
}

struct ContestResult {
    let picture: FrameData
    /// As the engine reports it; nil for others.
    var way: String?
    /// The most memory that a program had; nil in process.
    var peakBytes: Int64?
}

/// An engine of konzad.
struct EngineContestant: Contestant {
    /// Whether what was worked out for the overlay is at hand, as for a second postcard with the same words.
    enum Preparation: String {
        case cold, cached
    }

    let name: String
    private let engine: any StampingEngine
    private let prepared: PreparedOverlay?

    init(_ name: String, _ engine: any StampingEngine, _ preparation: Preparation?, overlay: Overlay) {
        self.name = preparation.map { "\(name), \($0.rawValue)" } ?? name
        self.engine = engine
        prepared = preparation == .cached ? PreparedOverlay(overlay) : nil
    }

    func measure(_ task: StampingTask) throws -> Double? {
        do {
            return try milliseconds { _ = try stamp(task) }
        } catch StampingError.unsupported {
            return nil
        }
    }

    func result(_ task: StampingTask) throws -> ContestResult? {
        do {
            let stamped = try stamp(task)
            return ContestResult(picture: stamped.data, way: stamped.way.rawValue)
        } catch StampingError.unsupported {
            return nil
        }
    }

    private func stamp(_ task: StampingTask) throws(StampingError) -> StampedPicture {
        try engine.stamp(task.frame, with: prepared ?? PreparedOverlay(task.overlay))
    }

    /// The ladder as konzad uses it, and each of its engines alone.
    static func all(overlay: Overlay) -> [any Contestant] {
        [
            EngineContestant("konzad", StampingLadder(), .cached, overlay: overlay),
            EngineContestant("konzad", StampingLadder(), .cold, overlay: overlay),
            EngineContestant("coefficients alone", CoefficientEngine(), .cached, overlay: overlay),
            EngineContestant("coefficients alone", CoefficientEngine(), .cold, overlay: overlay),
        ]
    }
}

/// libjpeg-turbo: decode to RGB, blend, encode. What all others are measured by.
struct LibraryContestant: Contestant {
    static let name: String = "libjpeg-turbo RGB"
    let name: String = LibraryContestant.name
    private let engine: EngineContestant

    init(overlay: Overlay) {
        engine = EngineContestant(
            name, FullDecodeEngine(quality: FrameStudio.quality), .cached, overlay: overlay)
    }

    func measure(_ task: StampingTask) throws -> Double? { try engine.measure(task) }
    func result(_ task: StampingTask) throws -> ContestResult? { try engine.result(task) }
}

/// libjpeg-turbo without the blending, to show what that costs.
struct TranscodeContestant: Contestant {
    let name = "libjpeg-turbo RGB, no blend"
    let givesPicture = false

    func measure(_ task: StampingTask) throws -> Double? {
        try milliseconds {
            _ = try JPEGCompressor(
                quality: FrameStudio.quality, subsampling: task.kind.subsampling
            ).compress(try JPEGDecoder().decode(task.frame).image)
        }
    }

    func result(_ task: StampingTask) throws -> ContestResult? { nil }
}

/// Copying the frame: what nobody can beat.
final class CopyContestant: Contestant {
    static let name: String = "memcpy of the frame"
    let name: String = CopyContestant.name
    let givesPicture = false
    /// Copies in one measurement, since one is near the clock's own cost.
    private static let repeats = 16
    private var target: [UInt8]

    init(frame: FrameData) {
        target = [UInt8](repeating: 0, count: frame.count)
    }

    func measure(_ task: StampingTask) throws -> Double? {
        let all = unsafe target.withUnsafeMutableBytes { target in
            unsafe task.frame.withBytes { source in
                milliseconds {
                    for _ in 0..<Self.repeats { unsafe target.copyMemory(from: source) }
                }
            }
        }
        return all / Double(Self.repeats)
    }

    func result(_ task: StampingTask) throws -> ContestResult? { nil }
}
