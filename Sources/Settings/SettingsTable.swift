/// Every key there is. The reference, the shipped file and the check of a keeper's file all come from here.
public enum SettingsTable {
    /// The sections in their order.
    public static let sections = [
        "General", "Position", "Camera", "Postcards", "Specimens", "MetPetDB", "SESAR", "Courier", "API", "Portal",
        "Muster", "Trips", "Printing", "Terrain", "Fleet",
    ]

    /// All keys, by section.
    public static let keys: [SettingDescription] =
        general + position + camera + postcards + specimens + metPetDB + sesar + courier + api + portal
        + muster + trips + printing + terrain + fleet

    static func key(_ name: String, in section: String) -> SettingDescription? {
        keys.first { $0.section == section && $0.name == name }
    }

    static let day = 86_400.0

    private static let general = [
        SettingDescription(
            SettingKey(
                "General", "State", \.general.state, .path(), needsRestart: true,
                "The folder that holds the postcards and their index. It is made if it is not there.")),
        SettingDescription(
            SettingKey(
                "General", "Socket", \.general.socket, .path(upTo: 107), needsRestart: true,
                "The Unix socket of the API. A socket that systemd passes takes its place.")),
        SettingDescription(
            SettingKey(
                "General", "TimeZone", \.general.timeZone, .text(upTo: 64), needsRestart: true,
                "The zone of the dates on postcards, as the time zone database names it (America/Chicago). Empty: the "
                    + "system's.")),
        SettingDescription(
            SettingKey(
                "General", "Place", \.general.place, .text(upTo: 80),
                "The place in a postcard's caption, unless the request names another.")),
        SettingDescription(
            SettingKey(
                "General", "Station", \.general.station, .text(upTo: 40),
                "The station's name, in its mark on postcards and in their metadata.")),
    ]

    private static let position = [
        SettingDescription(
            SettingKey(
                "Position", "Source", \.position.source, .choice(),
                "Where the position comes from: a receiver by way of gpsd, or a recording, which every reply then says."
            )
        ),
        SettingDescription(
            SettingKey("Position", "GPSD", \.position.gpsd, .endpoint(), "Where gpsd listens.")),
        SettingDescription(
            SettingKey(
                "Position", "Recording", \.position.recording, .optionalPath(),
                "A recording of gpsd's JSON or of NMEA sentences, for Source=recorded. Empty: the walk that konzad "
                    + "carries.")),
        SettingDescription(
            SettingKey(
                "Position", "RecordingRate", \.position.recordingRate, .number(0.1...100),
                "How many recorded seconds pass in one second.")),
        SettingDescription(
            SettingKey(
                "Position", "StaleAfter", \.position.staleAfter, .duration(1...600), needsRestart: true,
                "A fix older than this is called stale.")),
        SettingDescription(
            SettingKey(
                "Position", "MaxGap", \.position.maxGap, .duration(1...300), needsRestart: true,
                "No position is interpolated between fixes that are farther apart than this.")),
        SettingDescription(
            SettingKey(
                "Position", "MaxExtrapolation", \.position.maxExtrapolation, .duration(0...30), needsRestart: true,
                "No position is given for an instant that is later than the newest fix by more than this.")),
        SettingDescription(
            SettingKey(
                "Position", "GeotagWait", \.position.geotagWait, .duration(0...10),
                "How long a postcard waits for the fix after its exposure, to interpolate rather than extrapolate.")),
        SettingDescription(
            SettingKey(
                "Position", "TrackMinutes", \.position.trackMinutes, .integer(1...1440), needsRestart: true,
                "How many minutes of the track are kept in memory.")),
    ]

    private static let camera = [
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

    private static let postcards = [
        SettingDescription(
            SettingKey(
                "Postcards", "Template", \.postcards.template, .name(upTo: 64),
                "The template of a postcard whose request names none.")),
        SettingDescription(
            SettingKey(
                "Postcards", "TemplateFolders", \.postcards.templateFolders, .paths(), needsRestart: true,
                "Where templates are sought, the first that has one wins. Several lines add up.")),
        SettingDescription(
            SettingKey(
                "Postcards", "KeepOriginal", \.postcards.keepOriginal, .boolean,
                "Whether the camera's own frame is kept beside the postcard.")),
        SettingDescription(
            SettingKey(
                "Postcards", "MessageLimit", \.postcards.messageLimit, .integer(0...500),
                "The longest message of a visitor, in characters.")),
        SettingDescription(
            SettingKey(
                "Postcards", "MaxCountdown", \.postcards.maxCountdown, .duration(0...60),
                "The longest countdown that a request may ask for. At most 32 run at once, and one user has no more than are "
                    + "left for all others.")),
        SettingDescription(
            SettingKey(
                "Postcards", "Artist", \.postcards.artist, .text(upTo: 120), "The Artist in the metadata. Empty: none.")
        ),
        SettingDescription(
            SettingKey(
                "Postcards", "Copyright", \.postcards.copyright, .text(upTo: 200),
                "The Copyright in the metadata. Empty: none.")),
        SettingDescription(
            SettingKey(
                "Postcards", "MaxBytes", \.postcards.maxBytes, .sizeLimit(1 << 20...Quantity.terabyte),
                "The most that all postcards may take; the oldest unprotected ones are deleted first.")),
        SettingDescription(
            SettingKey(
                "Postcards", "MaxAge", \.postcards.maxAge, .durationLimit(3600...36_500 * day),
                "Unprotected postcards older than this are deleted, by a synchronised clock or the receiver's.")),
        SettingDescription(
            SettingKey(
                "Postcards", "MaxCount", \.postcards.maxCount, .limit(1...10_000_000),
                "The most postcards that are kept; the oldest unprotected ones are deleted first.")),
        SettingDescription(
            SettingKey(
                "Postcards", "SpaceReserve", \.postcards.spaceReserve, .share(),
                "What must stay free on the disk; room is made before a postcard is written, or it is refused.")),
    ]

    private static let api = [
        SettingDescription(
            SettingKey(
                "API", "MaxConnections", \.api.maxConnections, .integer(4...4096), needsRestart: true,
                "The most connections at one time. One user may have no more of them than are left for the others: a half, "
                    + "while nobody else has any. Root and konzad's own user are not bound by that, and have 16 more.")),
        SettingDescription(
            SettingKey(
                "API", "MaxBody", \.api.maxBody, .size(1 << 10...16 << 20), needsRestart: true,
                "The largest body of a request.")),
        SettingDescription(
            SettingKey(
                "API", "RequestTimeout", \.api.requestTimeout, .duration(1...120), needsRestart: true,
                "A request must be whole within this time.")),
        SettingDescription(
            SettingKey(
                "API", "IdleTimeout", \.api.idleTimeout, .duration(1...3600), needsRestart: true,
                "A connection without a request is closed after this time.")),
        SettingDescription(
            SettingKey(
                "API", "AllowedOrigins", \.api.allowedOrigins, .words("origin", isOrigin), needsRestart: true,
                "The origins of web pages that may use the API through a proxy, as in \"https://kiosk.local\". "
                    + "Several lines add up.")),
        SettingDescription(
            SettingKey(
                "API", "AllowedHosts", \.api.allowedHosts, .words("host name", isHost), needsRestart: true,
                "The names that requests may address this station by. Several lines add up.")),
        SettingDescription(
            SettingKey(
                "API", "Group", \.api.group, .name(upTo: 32), needsRestart: true,
                "The group whose members may write, beside root and konzad's own user; all others read.")),
        SettingDescription(
            SettingKey(
                "API", "CourierUser", \.api.courierUser, .name(upTo: 32), needsRestart: true,
                "The user that konza-courier runs as: it alone, root and konzad's own user may take errands and report what "
                    + "came of them.")),
        SettingDescription(
            SettingKey(
                "API", "PortalUser", \.api.portalUser, .name(upTo: 32), needsRestart: true,
                "The user that konza-portal runs as: it may do what people do, and with Konza-On-Behalf-Of say for whom it "
                    + "asks, who is then held to that role and to a share of their own.")),
        SettingDescription(
            SettingKey(
                "API", "FleetUser", \.api.fleetUser, .name(upTo: 32), needsRestart: true,
                "The user that konza-fleet runs as: it alone, root and konzad's own user may take what waits for the fleet "
                    + "and confirm it; it may also have a postcard taken.")),
        SettingDescription(
            SettingKey(
                "API", "PositionEventsPerSecond", \.api.positionEventsPerSecond, .integer(1...50),
                "The most position events a second that one client may ask for.")),
        SettingDescription(
            SettingKey(
                "API", "EventsPerClient", \.api.eventsPerClient, .integer(16...4096), needsRestart: true,
                "How many events are kept, in at most 1 MiB, for a client that comes back with Last-Event-ID. One that "
                    + "missed more gets the event gap.")),
        SettingDescription(
            SettingKey(
                "API", "MaxPreviews", \.api.maxPreviews, .integer(1...64), needsRestart: true,
                "The most live previews at one time.")),
    ]

    /// A scheme, a host and perhaps a port (RFC 6454 section 6.2).
    @Sendable private static func isOrigin(_ word: Substring) -> Bool {
        for scheme in ["https://", "http://"] where word.hasPrefix(scheme) {
            let authority = word.dropFirst(scheme.count)
            return Endpoint(String(authority)) != nil || Endpoint("\(authority):1") != nil
        }
        return false
    }

    @Sendable private static func isHost(_ word: Substring) -> Bool { Endpoint("\(word):1") != nil }
}
