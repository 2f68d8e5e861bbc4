internal import KonzaTesting

/// Cameras that fall silent, change under way, or offer nothing that can be read.
extension Scenario {
    static let cameraProducers: [Scenario] = [
        Scenario(
            "camera-silent", .guest,
            promise: """
                The camera streams and sends nothing more: it is camera-silent within 10 s, postcards are refused with \
                that reason, and the next frames bring it back within 20 s, whether it was reopened or not.
                """
        ) { station in
            let camera = LoopbackCamera()
            let pictures = try LoopbackCamera.pictures()
            try camera.play(pictures)
            try station.startWatching(loopbackPicture) {
                camera.stop()
                let seen = try station.untilCamera("camera-silent", within: 10)
                station.note("seen after \(seen.inTenths) s")
                try station.expectRefusal(while: "camera-silent")
                try camera.play(pictures)
                let first = try station.untilPostcard(within: 20)
                station.note("recovery \(first.inTenths) s")
                // Long enough for the device to be closed: it is then no capture device any more.
                camera.stop()
                try station.untilCamera("camera-disconnected", within: 40)
                try station.expectRefusal(while: "camera-disconnected")
                try camera.play(pictures)
                let second = try station.untilPostcard(within: 20)
                station.note("after the close \(second.inTenths) s")
            }
        },
        Scenario(
            "camera-size-changes", .guest,
            promise: """
                The frames change their size under way, with the device open and against what it promised: postcards \
                before, between and after are acknowledged, have the frame's own size, and decode.
                """
        ) { station in
            let camera = LoopbackCamera()
            let small = try LoopbackCamera.pictures()
            let large = try LoopbackCamera.pictures("1280x720")
            try camera.play(large, size: (1280, 720))
            try station.configure(loopbackPicture)
            try station.start()
            try station.watching {
                for (pictures, size) in [(large, (1280, 720)), (small, (640, 360)), (large, (1280, 720))] {
                    camera.change(to: pictures)
                    // A frame of the old size may still be under way.
                    try station.until("frames have the new size", within: 10) {
                        let frame = try station.get("/v1/camera/frame.jpg")
                        guard frame.status == 200 else { return false }
                        try station.decode(frame.body, "a frame", size: size)
                        return true
                    }
                    try station.expectPostcard(size: size)
                }
                let health = try station.health("camera")
                try station.expect(health.kind == "ok", "the camera is \(health.kind): \(health.reason)")
            }
        },
        Scenario(
            "camera-format-refused", .guest,
            promise: """
                A camera that offers only H.264 is camera-format-refused, with the formats it has in the reason, and \
                postcards are refused with it; once it offers Motion-JPEG it is used within 20 s.
                """
        ) { station in
            let camera = LoopbackCamera()
            let pictures = try LoopbackCamera.pictures()
            try camera.play(pictures, fourcc: "H264")
            try station.configure(loopbackPicture)
            try station.start()
            try station.untilCamera("camera-format-refused", within: 20)
            try station.expect(try station.health("camera").reason.contains("H264"), "the reason names no format")
            try station.expectRefusal(while: "camera-format-refused")
            camera.stop()
            // Between two looks of konzad nobody has the device open, and it takes another format.
            try station.until("the device takes another format", within: 20) {
                try camera.play(pictures)
                return true
            }
            let recovery = try station.untilPostcard(within: 20)
            station.note("recovery \(recovery.inTenths) s")
        },
    ]

    /// What a broken camera or cable may send for frames.
    static func garbage(_ picture: [UInt8], seed: UInt64) -> [[UInt8]] {
        say("seed: \(seed)")
        var random = SeededGenerator(seed: seed)
        func noise(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255, using: &random) } }
        return [
            noise(20_000), [UInt8](repeating: 0, count: 40_000), [UInt8](repeating: 0xFF, count: 40_000),
            Array(String(repeating: "no picture\n", count: 1000).utf8), Array(picture.prefix(300)) + noise(30_000),
            [0xFF, 0xD8] + noise(30_000) + [0xFF, 0xD9], Array(picture.reversed()),
            Array(picture.dropFirst(picture.count / 2)), [0xFF, 0xD8, 0xFF, 0xD9], [0xFF],
        ]
    }

    /// A picture with one byte of its scan changed; no marker comes or goes by it.
    static func rotten(_ picture: [UInt8], seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        var bytes = picture
        let scan = bytes.scanBytes.startIndex + 100..<bytes.count - 100
        let places = scan.filter { bytes[$0] != 0xFF && bytes[$0 - 1] != 0xFF }
        guard let place = places.randomElement(using: &random) else { return bytes }
        bytes[place] = bytes[place] == 0x55 ? 0x2A : 0x55
        return bytes
    }
}
