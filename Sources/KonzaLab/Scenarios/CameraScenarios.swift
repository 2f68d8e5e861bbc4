extension Scenario {
    /// The camera, on the kernel's own drivers: raw video from vivid, Motion-JPEG through v4l2loopback.
    static let camera: [Scenario] =
        [cameraNone, cameraRaw] + cameraBuffers + cameraCalls + cameraPlugs + cameraWraps + motionJPEG
        + cameraProducers

    /// Small enough for an emulated machine to keep up.
    static let smallPicture = "[Camera]\nWidth=320\nHeight=180\nFrameRate=10\n"
    /// The camera that ``LoopbackCamera`` plays.
    static let loopbackPicture = smallPicture + "Device=/dev/video9\n"

    private static let cameraNone = Scenario(
        "camera-none", .here, .short,
        promise: """
            Without a camera konzad starts and answers; the status says camera-missing within 10 s, and a postcard is \
            refused with 503 and that reason.
            """
    ) { station in
        try station.configure("[Camera]\nDevice=/dev/video-that-is-not-there\n")
        try station.start()
        try station.untilCamera("camera-missing", within: 10)
        try station.expectRefusal(while: "camera-missing")
    }

    private static let cameraRaw = Scenario(
        "camera-yuyv", .guest,
        promise: """
            With nothing configured konzad finds the first usable camera, and a postcard in 1920x1080 from its YUYV \
            frames is acknowledged, there, and decodes.
            """
    ) { station in
        _ = try VividCamera()
        try station.start()
        let postcard = try station.expectPostcard(size: (1920, 1080))
        station.note("postcard \(postcard.seconds.inTenths) s")
        let camera = try station.get("/v1/camera")
        try station.expect(camera["format", "fourcc"]?.text == "YUYV", "the format is not YUYV")
        try station.expect(camera["device", "driver"]?.text == "vivid", "the driver is not vivid")
        try station.expect(postcard.reply["source"]?.text == "live", "the postcard's source is not live")
    }
}

extension Double {
    /// With one decimal, for figures.
    var inTenths: String { "\((self * 10).rounded() / 10)" }
}
