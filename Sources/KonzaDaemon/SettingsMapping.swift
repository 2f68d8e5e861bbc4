internal import Capture
internal import KonzaModel
internal import KonzaSystem
internal import Positioning
internal import Postcards
internal import Settings

// What the configuration says, in the words of the part that it is for.

extension CameraSettings {
    init(_ settings: StationSettings.Camera) {
        self.init()
        device = settings.device ?? ""
        width = settings.width
        height = settings.height
        frameRate = Double(settings.frameRate)
        jpegQuality = settings.quality
        rotation = PictureTurn.Rotation(settings.rotate)
        powerLineFrequency =
            switch settings.powerLineFrequency {
            case .automatic: .automatic
            case .disabled: .disabled
            case .hertz50: .hertz50
            case .hertz60: .hertz60
            }
        dynamicFrameRate = settings.exposureDynamicFramerate
        controls = settings.controls.mapValues(Int64.init)
        idleSeconds = settings.idleAfter
    }
}

extension PictureTurn.Rotation {
    init(_ rotation: StationSettings.Rotation) {
        self =
            switch rotation {
            case .none: .none
            case .quarter: .quarter
            case .half: .half
            case .threeQuarters: .threeQuarters
            }
    }
}

extension PositionSettings {
    init(_ settings: StationSettings.Position) {
        self.init(
            staleAfterSeconds: settings.staleAfter, trackSeconds: Double(settings.trackMinutes) * 60,
            largestGapSeconds: settings.maxGap, largestExtrapolationSeconds: settings.maxExtrapolation)
    }
}

extension RetentionLimits {
    init(_ settings: StationSettings.Postcards, capacity: Int64) {
        self.init(
            maximumBytes: settings.maxBytes, maximumAge: settings.maxAge, maximumCount: settings.maxCount,
            spaceReserve: settings.spaceReserve.bytes(ofCapacity: capacity))
    }
}
