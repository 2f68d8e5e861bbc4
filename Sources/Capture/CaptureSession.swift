internal import Glibc
internal import KonzaModel
internal import KonzaSystem

/// A device that is open: its format, its buffers, and the way from a filled buffer to a frame. Lives on the
/// camera's thread; a new one is made whenever the device is opened again.
final class CaptureSession {
    let device: any VideoDevice
    let format: VideoFormat
    private let settings: CameraSettings
    private let hub: FrameHub
    private let pool: LeasePool
    /// Whether a dequeued buffer stays as it is until it is queued again, so that it may be lent.
    private let holdsStill: Bool
    private var buffers: [MappedBuffer] = []
    private var isQueued: [Bool] = []
    private var isStreaming = false
    private var dropsNext = false
    private var timing: ExposureTiming
    private var sequence: SequenceCounter
    private var lastEmpty: MonotonicInstant
    private let compressor: RawCompressor?

    static let bufferCount = 4
    /// A frame is lent only while this many buffers stay with the driver.
    static let leastQueued = 2

    init(
        device: any VideoDevice, format: VideoFormat, frameRate: Double?, holdsStill: Bool, settings: CameraSettings,
        hub: FrameHub, wakeup: Wakeup, sequence: SequenceCounter
    ) {
        self.device = device
        self.format = format
        self.holdsStill = holdsStill
        self.settings = settings
        self.hub = hub
        self.sequence = sequence
        pool = LeasePool(wakeup: wakeup)
        timing = ExposureTiming(frameRate: frameRate)
        lastEmpty = hub.clock.monotonic()
        compressor =
            format.pixelFormat.isJPEG
            ? nil : RawCompressor(format: format, quality: settings.jpegQuality, rotation: settings.rotation)
    }

    /// The counter, to go on from when the device is opened again.
    var sequenceCounter: SequenceCounter { sequence }

    // MARK: The stream

    func start() throws(SystemError) {
        if buffers.isEmpty { try allocate() }
        for index in pool.takeReturned() { isQueued[index] = false }
        for index in buffers.indices where !isQueued[index] && !pool.isLent(index) { try queue(index) }
        try device.streamOn()
        isStreaming = true
        dropsNext = true
        sequence.restart()
        timing.restart()
        lastEmpty = hub.clock.monotonic()
    }

    /// Stops the stream; every buffer comes back from the driver by it.
    func stop() throws(SystemError) {
        isStreaming = false
        isQueued = isQueued.map { _ in false }
        try device.streamOff()
    }

    private func allocate() throws(SystemError) {
        let count = try device.requestBuffers(Self.bufferCount)
        guard count >= 2 else {
            throw SystemError(code: ENOMEM, action: "get two capture buffers of \(device.path)")
        }
        var mapped: [MappedBuffer] = []
        for index in 0..<min(count, 32) { mapped.append(try device.mapBuffer(index)) }
        buffers = mapped
        isQueued = mapped.map { _ in false }
    }

    private func queue(_ index: Int) throws(SystemError) {
        try device.queueBuffer(index)
        isQueued[index] = true
    }

    /// Gives buffers that came back from readers to the driver again.
    private func requeueReturned() throws(SystemError) {
        for index in pool.takeReturned() where isStreaming && !isQueued[index] { try queue(index) }
    }

    /// Waits for a frame; a buffer that comes back meanwhile is queued and the wait goes on.
    func wait(milliseconds: Int32, wakeup: Wakeup) throws(SystemError) -> DeviceReadiness {
        repeat { try requeueReturned() } while !pool.beginWaiting()
        defer { pool.endWaiting() }
        return try device.wait(milliseconds: milliseconds, wakeup: wakeup)
    }

    // MARK: Frames

    /// Takes every frame that is ready and hands the sound ones on. With no shot waiting only the newest is looked at.
    ///
    /// - Returns: whether there was any, and whether one was sound.
    func takeFrames() throws(SystemError) -> (any: Bool, good: Bool) {
        var ready: [DequeuedBuffer] = []
        var isDrained = false
        while ready.count < buffers.count {
            guard let buffer = try device.dequeueBuffer() else {
                isDrained = true
                break
            }
            guard buffers.indices.contains(buffer.index) else { continue }
            isQueued[buffer.index] = false
            ready.append(buffer)
        }
        let arrival = hub.clock.monotonic()
        var good = false
        for (position, buffer) in ready.enumerated() {
            let mayBeSkipped = position < ready.count - 1 && !hub.hasShots
            if take(buffer, arrival: arrival, mayBeSkipped: mayBeSkipped) { good = true }
            if !pool.isLent(buffer.index), !isQueued[buffer.index] { try queue(buffer.index) }
        }
        if isDrained { lastEmpty = arrival }
        return (!ready.isEmpty, good)
    }

    private func take(_ buffer: DequeuedBuffer, arrival: MonotonicInstant, mayBeSkipped: Bool) -> Bool {
        let number = sequence.advance(to: buffer.sequence)
        let exposure = timing.exposure(
            timestamp: buffer.timestamp, flags: buffer.flags, sequence: number, arrival: arrival,
            lastEmpty: lastEmpty)
        hub.update { [sequence] record in
            record.counters.frames &+= 1
            record.counters.sequenceGaps = sequence.gaps
            record.counters.lost = sequence.lost
            if exposure.isTimestampBad { record.counters.badTimestamps &+= 1 }
        }
        if dropsNext {
            dropsNext = false
            hub.update { $0.counters.startFrames &+= 1 }
            return false
        }
        if let fault = fault(of: buffer) {
            hub.update { $0.note(fault, at: arrival) }
            return false
        }
        if mayBeSkipped {
            hub.update { $0.counters.skipped &+= 1 }
            return false
        }
        return handOn(buffer, number, exposure, arrival)
    }

    private func fault(of buffer: DequeuedBuffer) -> FrameFault? {
        if buffer.flags.contains(.error) { return .errorFlagged }
        let least = format.pixelFormat.isJPEG ? settings.minimumBytes : 1
        if buffer.bytesUsed < least { return .tooSmall }
        if buffer.bytesUsed > buffers[buffer.index].count { return .malformed("longer than its buffer") }
        return nil
    }

    private func handOn(
        _ buffer: DequeuedBuffer, _ number: UInt64, _ exposure: Exposure, _ arrival: MonotonicInstant
    ) -> Bool {
        do throws(FrameFault) {
            let picture = if let compressor { try raw(buffer, compressor) } else { try jpeg(buffer) }
            let frame = Frame(
                data: picture.data, width: picture.width, height: picture.height, sequence: number,
                exposedAt: exposure.start, timestampSource: exposure.source, source: .live,
                turn: picture.turn, uprightSize: picture.uprightSize)
            hub.publish(frame, earliest: exposure.earliest, arrival: arrival)
            return true
        } catch {
            hub.update { $0.note(error, at: arrival) }
            return false
        }
    }

    /// A picture in the bytes that are handed on.
    private struct Picture {
        let data: FrameData
        let width: Int
        let height: Int
        var turn = PictureTurn.none
        var uprightSize: (width: Int, height: Int)?

        init(_ data: FrameData, width: Int, height: Int) {
            self.data = data
            self.width = width
            self.height = height
        }

        init(_ data: FrameData, _ inspected: InspectedPicture) {
            self.init(data, width: inspected.width, height: inspected.height)
            turn = inspected.turn
            uprightSize = inspected.uprightSize
        }
    }

    private func jpeg(_ buffer: DequeuedBuffer) throws(FrameFault) -> Picture {
        guard holdsStill else { return try copiedJPEG(buffer) }
        let picture = try unsafe buffers[buffer.index].withBytes(first: buffer.bytesUsed) {
            bytes throws(FrameFault) in try unsafe inspectPicture(bytes, settings.rotation)
        }
        if let repaired = picture.repaired {
            hub.update { $0.counters.huffmanTablesAdded &+= 1 }
            return Picture(repaired, picture)
        }
        return Picture(data(of: buffer.index, count: picture.count), picture)
    }

    /// Copies first and looks at the copy, since the memory may change at any time.
    private func copiedJPEG(_ buffer: DequeuedBuffer) throws(FrameFault) -> Picture {
        let copy = unsafe buffers[buffer.index].withBytes(first: buffer.bytesUsed) {
            unsafe FrameData(copying: $0)
        }
        let picture = try unsafe copy.withBytes { bytes throws(FrameFault) in
            try unsafe inspectPicture(bytes, settings.rotation)
        }
        hub.update { record in
            record.counters.copied &+= 1
            if picture.repaired != nil { record.counters.huffmanTablesAdded &+= 1 }
        }
        return Picture(picture.repaired ?? copy.prefix(picture.count), picture)
    }

    /// The bytes themselves while enough buffers stay with the driver, else a copy.
    private func data(of index: Int, count: Int) -> FrameData {
        let queued = isQueued.count { $0 }
        if queued >= Self.leastQueued {
            hub.update { $0.counters.lent &+= 1 }
            return pool.lend(buffers[index], index: index, count: count)
        }
        hub.update { $0.counters.copied &+= 1 }
        return unsafe buffers[index].withBytes(first: count) { unsafe FrameData(copying: $0) }
    }

    private func raw(_ buffer: DequeuedBuffer, _ compressor: RawCompressor) throws(FrameFault) -> Picture {
        guard buffer.bytesUsed >= compressor.byteCount else { throw .truncated }
        let data = try unsafe buffers[buffer.index].withBytes(first: compressor.byteCount) {
            bytes throws(FrameFault) in try unsafe compressor.compress(bytes)
        }
        hub.update { $0.counters.compressed &+= 1 }
        return Picture(data, width: compressor.width, height: compressor.height)
    }
}
