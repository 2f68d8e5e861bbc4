extension Scenario {
    /// The camera, on the kernel's own drivers.
    static let camera: [Scenario] = [
        Scenario(
            "camera-none", .here, .short,
            promise: """
                Without a camera konzad starts, answers, and says camera-missing in the status; a postcard is refused \
                with 503 and the same reason.
                """
        ) { station in
            try station.configure("[Camera]\nDevice=/dev/video-that-is-not-there\n")
            try station.start()
            try station.until("the camera is known to be missing", within: 10) {
                try station.health("camera").kind == "camera-missing"
            }
            let reply = try station.post("/v1/postcards")
            try station.expect(reply.status == 503, "a postcard without a camera was answered with \(reply.status)")
        },
        Scenario(
            "camera-yuyv", .guest, .short,
            promise: """
                With nothing configured konzad finds the first usable camera, and a postcard from its YUYV frames is \
                acknowledged, there, and decodes, within 20 s of the start in the emulated machine.
                """
        ) { station in
            _ = try VividCamera()
            try station.start()
            guard let postcard = try station.postcard() else { throw Complaint("the postcard was refused") }
            try station.verify(postcard)
            station.note("postcard \(postcard.seconds.inTenths) s")
            let camera = try station.get("/v1/camera")
            try station.expect(camera["format", "fourcc"]?.text == "YUYV", "the format is not YUYV")
        },
    ]
}

extension Double {
    /// With one decimal, for figures.
    var inTenths: String { "\((self * 10).rounded() / 10)" }
}
