internal import JPEGCoding
internal import KonzaModel
internal import Stamping

/// What all contestants are given.
struct StampingTask: Sendable {
    let frame: FrameData
    let overlay: Overlay
    let kind: FrameKind
    /// The same as files, for programs; nil where none are run.
    var files: (frame: String, overlay: String)?
}

/// One way to put an overlay on a frame.
protocol Contestant {
    var name: String { get }
    /// Whether it makes a stamped picture, or is only there to compare with.
    var givesPicture: Bool { get }
    /// Whether it works in this process, so that its memory can be counted and its work repeated at once.
    var isInProcess: Bool { get }
    /// Does the work once, and says how long it took in milliseconds, of the processor if in process; nil if this kind of
    /// frame is not its task.
    func measure(_ task: StampingTask) throws -> Double?
    /// The stamped picture and the way that was taken.
    func result(_ task: StampingTask) throws -> ContestResult?
}

extension Contestant {
    var givesPicture: Bool { true }
    var isInProcess: Bool { true }
}

struct ContestResult {
    let picture: FrameData
    /// As the engine reports it; nil for others.
    var way: String?
    /// The most memory that a program had; nil in process.
    var peakBytes: Int64?
}

/// Those in process.
enum Contestants {
    static let cached: String = "konzad, cached"
    static let cold: String = "konzad, cold"

    /// The ladder as konzad uses it, each of its engines alone, and what one would write with libjpeg-turbo.
    static func inProcess(_ task: StampingTask) -> [any Contestant] {
        var all: [any Contestant] = [
            EngineContestant(cached, StampingLadder(), keepingFor: task.overlay),
            EngineContestant(cold, StampingLadder()),
        ]
        // One of the two has nothing to do here.
        if task.kind.hasRestarts {
            all.append(EngineContestant("restart splice, cached", RestartSpliceEngine(), keepingFor: task.overlay))
            all.append(EngineContestant("restart splice, cold", RestartSpliceEngine()))
        } else {
            all.append(EngineContestant("entropy splice, cached", EntropySpliceEngine(), keepingFor: task.overlay))
            all.append(EngineContestant("entropy splice, cold", EntropySpliceEngine()))
        }
        all.append(EngineContestant("coefficients, cached", CoefficientEngine(), keepingFor: task.overlay))
        all.append(EngineContestant("coefficients, cold", CoefficientEngine()))
        all.append(
            EngineContestant(
                "full decode, last resort", FullDecodeEngine(quality: FrameStudio.quality), keepingFor: task.overlay))
        all.append(PlanesContestant())
        all.append(LibraryContestant())
        all.append(CopyContestant(frame: task.frame))
        return all
    }
}

/// An engine of konzad.
struct EngineContestant: Contestant {
    let name: String
    private let engine: any StampingEngine
    private let prepared: PreparedOverlay?

    /// - Parameters:
    ///   - name: In the table.
    ///   - engine: Which one.
    ///   - overlay: What is worked out for it is kept, as for a second postcard with the same words; nil for working it
    ///     out each time.
    init(_ name: String, _ engine: any StampingEngine, keepingFor overlay: Overlay? = nil) {
        self.name = name
        self.engine = engine
        prepared = overlay.map { PreparedOverlay($0) }
    }

    func measure(_ task: StampingTask) throws -> Double? {
        do {
            return try processorMilliseconds { _ = try stamp(task) }
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
                processorMilliseconds {
                    for _ in 0..<Self.repeats { unsafe target.copyMemory(from: source) }
                }
            }
        }
        return all / Double(Self.repeats)
    }

    func result(_ task: StampingTask) throws -> ContestResult? { nil }
}
