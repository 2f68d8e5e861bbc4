internal import Foundation

/// A Motion-JPEG camera whose every byte the scenario chooses: v4l2loopback in the lab's machine. It is a capture device
/// only while it plays.
public final class LoopbackCamera: Sendable {
    private struct Playing {
        let frames: LockedValue<[[UInt8]]>
        let isDone = LockedValue(false)
        let ended = DispatchSemaphore(value: 0)
    }

    /// The device node.
    public let path = "/dev/video9"
    private let playing = LockedValue<Playing?>(nil)

    public init() {}

    deinit { stop() }

    /// Begins to play frames over and over, in place of those that it plays.
    ///
    /// - Parameters:
    ///   - frames: each is written as it is.
    ///   - size: what the device claims.
    ///   - fourcc: the format that it claims.
    ///   - rate: frames a second.
    /// - Throws: ``Complaint`` if the device does not take the format.
    public func play(
        _ frames: [[UInt8]], size: (width: Int, height: Int) = (640, 360), fourcc: String = "MJPG", rate: Double = 10
    ) throws {
        stop()
        let node = try VideoNode(path)
        try node.setOutput(
            fourcc: fourcc, width: UInt32(size.width), height: UInt32(size.height),
            bytes: UInt32(size.width * size.height * 4))
        let playing = Playing(frames: LockedValue(frames))
        self.playing.set(playing)
        Thread.detachNewThread {
            var index = 0
            while !playing.isDone.value {
                let frames = playing.frames.value
                if !frames.isEmpty { try? node.write(frames[index % frames.count]) }
                index += 1
                usleep(UInt32(1_000_000 / rate))
            }
            _ = consume node
            playing.ended.signal()
        }
    }

    /// Plays other frames from now on, without a pause.
    ///
    /// - Parameter frames: each is written as it is.
    public func change(to frames: [[UInt8]]) { playing.value?.frames.set(frames) }

    /// The producer ends: a reader then waits for ever.
    public func stop() {
        guard let playing = playing.value else { return }
        playing.isDone.set(true)
        playing.ended.wait()
        self.playing.set(nil)
    }

    /// The pictures that the lab keeps of a size: sound JPEGs in the standard Huffman coding, all different.
    ///
    /// - Parameter size: 640x360, 1280x720 or 3840x2160.
    /// - Returns: six files.
    /// - Throws: if they cannot be read.
    public static func pictures(_ size: String = "640x360") throws -> [[UInt8]] {
        try (1...6).map { number in
            let path = "\(LabMachine.tree)/.build/lab/pictures/\(size)-\(number).jpg"
            return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        }
    }
}

extension [UInt8] {
    /// This JPEG up to a share of its length, as a camera with too little bandwidth sends it.
    public func cut(at share: Double) -> [UInt8] { Array(prefix(Int(Double(count) * share))) }

    /// The segments of this JPEG before its scan: marker and place.
    private var segments: [(marker: UInt8, range: Range<Int>)] {
        var found: [(UInt8, Range<Int>)] = []
        var offset = 2
        while offset + 4 <= count, self[offset] == 0xFF, self[offset + 1] != 0xDA {
            let length = Int(self[offset + 2]) << 8 | Int(self[offset + 3])
            let end = Swift.min(count, offset + 2 + length)
            found.append((self[offset + 1], offset..<end))
            offset = end
        }
        return found
    }

    /// This JPEG without its Huffman tables, as Motion-JPEG cameras leave them out.
    public var withoutHuffmanTables: [UInt8] {
        var rest = self
        for segment in segments.reversed() where segment.marker == 0xC4 { rest.removeSubrange(segment.range) }
        return rest
    }

    /// The scan of this JPEG with all behind it: what nobody on the way need touch.
    public var scanBytes: ArraySlice<UInt8> { self[(segments.last?.range.upperBound ?? 0)...] }
}
