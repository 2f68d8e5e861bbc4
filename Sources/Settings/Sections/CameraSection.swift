extension StationSettings {
    /// Where pictures come from.
    public enum CameraSource: String, Sendable, CaseIterable {
        case v4l2
        case recorded
    }

    /// The frequency of the mains, against flicker.
    public enum PowerLineFrequency: String, Sendable, CaseIterable {
        case automatic = "auto"
        case disabled
        case hertz50 = "50"
        case hertz60 = "60"
    }

    /// The clockwise turn that puts the camera's pictures upright, in degrees.
    public enum Rotation: String, Sendable, CaseIterable {
        case none = "0"
        case quarter = "90"
        case half = "180"
        case threeQuarters = "270"
    }

    public struct Camera: Sendable, Equatable {
        public var source = CameraSource.v4l2
        /// nil for the first usable one.
        public var device: String?
        /// nil for the scene that konzad draws.
        public var recording: String?
        /// Pixels; the camera's nearest size is taken.
        public var width = 1920
        public var height = 1080
        /// Frames a second; the camera's nearest rate is taken.
        public var frameRate = 30
        public var rotate = Rotation.none
        /// Of the live preview alone.
        public var mirror = false
        /// Seconds.
        public var idleAfter = 30.0
        public var powerLineFrequency = PowerLineFrequency.automatic
        public var exposureDynamicFramerate = false
        /// 1 to 100, of pictures that the camera gives uncompressed.
        public var quality = 90
        /// V4L2 control names and values.
        public var controls: [String: Int] = [:]
    }
}

extension SettingsTable {
    static let camera = [
        SettingDescription(
            SettingKey(
                "Camera", "Source", \.camera.source, .choice(),
                "Where pictures come from: a V4L2 camera, or a recording, which every reply then says.")),
        SettingDescription(
            SettingKey(
                "Camera", "Device", \.camera.device, .optionalPath(),
                "The camera's device, best by its name in /dev/v4l/by-id, which stays when it is plugged in again. "
                    + "Empty: the first usable one.")),
        SettingDescription(
            SettingKey(
                "Camera", "Recording", \.camera.recording, .optionalPath(),
                "A folder of JPEG pictures or a Motion-JPEG file, for Source=recorded. Empty: the prairie that konzad "
                    + "draws.")),
        SettingDescription(
            SettingKey(
                "Camera", "Width", \.camera.width, .integer(16...16384),
                "Pixels across; the camera's nearest size is taken.")),
        SettingDescription(
            SettingKey(
                "Camera", "Height", \.camera.height, .integer(16...16384),
                "Pixels down; the camera's nearest size is taken.")),
        SettingDescription(
            SettingKey(
                "Camera", "FrameRate", \.camera.frameRate, .integer(1...240),
                "Frames a second; the camera's nearest rate is taken.")),
        SettingDescription(
            SettingKey(
                "Camera", "Rotate", \.camera.rotate, .choice(),
                "The clockwise turn, in degrees, that puts the pictures of a camera upright that hangs sideways or head "
                    + "down. Everything that konzad gives or keeps is turned; Width and Height are the camera's own.")),
        SettingDescription(
            SettingKey(
                "Camera", "Mirror", \.camera.mirror, .boolean,
                "Whether the live preview shows left and right as a mirror does. Postcards, photographs and single frames "
                    + "never do.")),
        SettingDescription(
            SettingKey(
                "Camera", "IdleAfter", \.camera.idleAfter, .duration(1...86_400), needsRestart: true,
                "The camera is stopped when nobody has looked for so long.")),
        SettingDescription(
            SettingKey(
                "Camera", "PowerLineFrequency", \.camera.powerLineFrequency, .choice(),
                "The frequency of the mains in hertz, against flicker under lamps.")),
        SettingDescription(
            SettingKey(
                "Camera", "ExposureDynamicFramerate", \.camera.exposureDynamicFramerate, .boolean,
                "Whether the camera may take fewer frames a second in the dark, down to 5 with some.")),
        SettingDescription(
            SettingKey(
                "Camera", "Quality", \.camera.quality, .integer(1...100),
                "The JPEG quality of pictures that the camera gives uncompressed.")),
        SettingDescription(
            SettingKey(
                "Camera", "Controls", \.camera.controls, .controls(),
                "Further V4L2 controls, as in \"brightness=10 sharpness=3\", set whenever the camera is opened. "
                    + "`v4l2-ctl --list-ctrls` names them. Several lines add up.")),
    ]
}
