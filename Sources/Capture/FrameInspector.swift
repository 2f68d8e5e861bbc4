internal import JPEGCoding
internal import KonzaModel

/// A sound picture out of a camera's or recording's bytes.
struct InspectedPicture: Sendable {
    let width: Int
    let height: Int
    let turn: PictureTurn
    /// Of the picture once it is turned, in pixels.
    let uprightSize: (width: Int, height: Int)
    /// How many of the bytes are the picture; padding follows it in some cameras' buffers.
    let count: Int
    /// The picture with the tables it lacked, or nil if it lacked none.
    let repaired: FrameData?
}

/// Why a frame is dropped. Each is counted by itself.
enum FrameFault: Error, Sendable, Equatable {
    case errorFlagged
    case tooSmall
    case truncated
    case malformed(String)

    var name: String {
        switch self {
        case .errorFlagged: "marked corrupt by the driver"
        case .tooSmall: "too small"
        case .truncated: "truncated"
        case .malformed(let cause): cause
        }
    }
}

extension CameraRecord {
    /// Counts a frame that is dropped.
    mutating func note(_ fault: FrameFault, at arrival: MonotonicInstant) {
        switch fault {
        case .errorFlagged: counters.errorFlagged &+= 1
        case .tooSmall: counters.tooSmall &+= 1
        case .truncated: counters.truncated &+= 1
        case .malformed(let cause): counters.malformed[cause, default: 0] &+= 1
        }
        evidence.lastAny = arrival
        evidence.lastFault = fault.name
        evidence.recent.record(isGood: false)
    }
}

/// Walks the structure of one JPEG, and puts the standard Huffman tables in where Motion-JPEG left them out (T.81
/// annex K.3). Nothing is decoded.
///
/// - Parameters:
///   - bytes: what the device calls a frame: a picture, perhaps with padding behind it.
///   - rotation: what puts it upright.
/// - Returns: the picture's size and place.
/// - Throws: `FrameFault` with the cause that is counted.
func inspectPicture(
    _ bytes: UnsafeRawBufferPointer, _ rotation: PictureTurn.Rotation = .none
) throws(FrameFault) -> InspectedPicture {
    do {
        let structure = try unsafe JPEGStructure(parsing: bytes.assumingMemoryBound(to: UInt8.self).span)
        try structure.requireSoundRestarts()
        let count = structure.endOffset + 2
        guard count <= bytes.count else { throw FrameFault.truncated }
        let turn = PictureTurn(rotation)
        guard let size = structure.size(turned: turn) else { throw FrameFault.malformed("tooSmallToTurn") }
        var repaired: FrameData?
        if !structure.missingHuffmanTables.isEmpty {
            let lent = unsafe FrameData(lending: UnsafeRawBufferPointer(rebasing: bytes[0..<count])) {}
            repaired = try structure.withStandardHuffmanTables(lent)
        }
        return InspectedPicture(
            width: structure.width, height: structure.height, turn: turn, uprightSize: size, count: count,
            repaired: repaired)
    } catch let error as JPEGStructureError {
        throw error.cause == .truncated ? .truncated : .malformed(error.cause.rawValue)
    } catch let fault as FrameFault {
        throw fault
    } catch {
        throw .malformed("unknown")
    }
}
