internal import Capture
internal import KonzaAPI
internal import KonzaModel
internal import Settings

extension CameraReply {
    /// The camera part as the API shows it.
    init(_ status: CameraStatus, newest: Frame?, previewClients: Int, settings: StationSettings.Camera) {
        self.init(
            source: status.source, health: status.health, streaming: status.isStreaming,
            previewClients: previewClients, counters: Self.flatten(status.counters),
            controls: status.device?.controls.map(Control.init) ?? [])
        if let device = status.device {
            self.device = Device(path: device.path, card: device.card, driver: device.driver, bus: device.bus)
            let size = Self.uprightSize(device, newest: newest, PictureTurn(PictureTurn.Rotation(settings.rotate)))
            format = Format(
                fourcc: device.format, width: size.width, height: size.height, framesPerSecond: device.frameRate)
            formats = device.formats.map {
                Offer(fourcc: $0.code, description: $0.description, sizes: $0.sizes)
            }
        }
        if format == nil, let newest {
            format = Format(
                fourcc: "JPEG", width: newest.uprightWidth, height: newest.uprightHeight, framesPerSecond: nil)
        }
        rotate = PictureTurn.Rotation(settings.rotate).rawValue
        previewMirrored = settings.mirror
        timestampSource = status.timestampSource
        lastFrameAgeMs = status.lastFrameAge.map { Int(($0 * 1000).rounded()) }
    }

    /// The size of the pictures that konzad gives. What is cut off where a JPEG is turned only a frame tells.
    private static func uprightSize(
        _ device: CameraDevice, newest: Frame?, _ turn: PictureTurn
    ) -> (width: Int, height: Int) {
        if let newest, newest.turn == turn, (newest.width, newest.height) == (device.width, device.height) {
            return (newest.uprightWidth, newest.uprightHeight)
        }
        return turn.transposes ? (device.height, device.width) : (device.width, device.height)
    }

    /// Every count by name, those of unsound frames by their cause.
    static func flatten(_ counters: CameraCounters) -> [String: UInt64] {
        var flat = [
            "frames": counters.frames, "delivered": counters.delivered, "errorFlagged": counters.errorFlagged,
            "tooSmall": counters.tooSmall, "truncated": counters.truncated, "startFrames": counters.startFrames,
            "skipped": counters.skipped, "sequenceGaps": counters.sequenceGaps, "lost": counters.lost,
            "timeouts": counters.timeouts, "streamRestarts": counters.streamRestarts, "opens": counters.opens,
            "openFailures": counters.openFailures, "disconnects": counters.disconnects,
            "idleStops": counters.idleStops, "huffmanTablesAdded": counters.huffmanTablesAdded,
            "compressed": counters.compressed, "badTimestamps": counters.badTimestamps, "lent": counters.lent,
            "copied": counters.copied, "malformed": counters.malformed.values.reduce(0, &+),
        ]
        for (cause, count) in counters.malformed { flat["malformed.\(cause)"] = count }
        return flat
    }
}

extension CameraReply.Control {
    init(_ control: CameraControl) {
        self.init(name: control.name, type: control.kind.rawValue, writable: !control.isReadOnly && !control.isInactive)
        value = control.value.map(Double.init)
        minimum = Double(control.minimum)
        maximum = Double(control.maximum)
        step = Double(control.step)
        defaultValue = Double(control.defaultValue)
        if !control.items.isEmpty {
            menu = Dictionary(uniqueKeysWithValues: control.items.map { (String($0.key), $0.value) })
        }
    }
}
