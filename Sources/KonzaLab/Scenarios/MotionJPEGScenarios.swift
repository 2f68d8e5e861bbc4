/// Motion-JPEG, sound and not, byte for byte as it is written into v4l2loopback.
extension Scenario {
    static let motionJPEG: [Scenario] = [
        Scenario(
            "camera-mjpeg", .guest, .short,
            promise: """
                A postcard from a Motion-JPEG camera is acknowledged and decodes, and its original holds the scan of a \
                frame that the camera sent, byte for byte.
                """
        ) { station in
            let camera = LoopbackCamera()
            let pictures = try LoopbackCamera.pictures()
            try camera.play(pictures)
            try station.configure(loopbackPicture)
            try station.start()
            let postcard = try station.expectPostcard(size: (640, 360))
            let original = try station.get("/v1/postcards/\(postcard.id)/original.jpg").body.scanBytes
            try station.expect(
                pictures.contains { $0.scanBytes == original }, "the original's scan is of no frame that was sent")
            let way = postcard.reply["stamping", "way"]?.text ?? "-"
            station.note("postcard \(postcard.seconds.inTenths) s, stamped by \(way)")
        },
        Scenario(
            "camera-no-huffman-tables", .guest,
            promise: """
                Frames without Huffman tables are sound: the standard ones are put in and counted, and five of five \
                postcards are acknowledged and decode anywhere.
                """
        ) { station in
            let camera = LoopbackCamera()
            try camera.play(try LoopbackCamera.pictures().map(\.withoutHuffmanTables))
            try station.configure(loopbackPicture)
            try station.start()
            for _ in 0..<5 { try station.expectPostcard(size: (640, 360)) }
            let added = try station.cameraCount("huffmanTablesAdded")
            try station.expect(added >= 5, "tables were put into \(added) frames only")
            try station.expect(try station.cameraCount("malformed") == 0, "frames count as malformed")
        },
        mixture(
            "camera-truncated-10", every: 10,
            promise: """
                One frame in ten is cut short, at a tenth and at nine tenths of its length in turn: it is counted as \
                truncated, and never as anything else, and not used; the camera stays ok, and five of five postcards are acknowledged and decode.
                """
        ) { station in
            let health = try station.health("camera")
            try station.expect(health.kind == "ok", "the camera is \(health.kind): \(health.reason)")
            for other in ["malformed", "tooSmall"] {
                try station.expect(try station.cameraCount(other) == 0, "frames count as \(other)")
            }
        },
        mixture(
            "camera-truncated-90", .full, soundEvery: 10,
            promise: """
                Nine frames of ten are cut short: the status says camera-corrupt, degraded, and five of five postcards \
                are still acknowledged, from the sound ones, and decode.
                """
        ) { station in
            try station.untilCamera("camera-corrupt", within: 10)
            let health = try station.health("camera")
            try station.expect(health.level == "degraded", "the camera is \(health.level): \(health.reason)")
        },
        Scenario(
            "camera-garbage", .guest,
            promise: """
                Noise, zeros, text, a picture's head before noise: the camera is camera-corrupt within 15 s, postcards \
                are refused with that reason, konzad goes on; sound frames bring it back within 10 s.
                """
        ) { station in
            let pictures = try LoopbackCamera.pictures()
            let camera = LoopbackCamera()
            try camera.play(pictures)
            try station.startWatching(loopbackPicture) {
                let id = try station.processID()
                camera.change(to: garbage(pictures[0], seed: 20_260_101))
                try station.until("the status says camera-corrupt as failed", within: 15) {
                    let health = try station.health("camera")
                    return health.level == "failed" && health.kind == "camera-corrupt"
                }
                try station.expectRefusal(while: "camera-corrupt")
                camera.change(to: pictures)
                let recovery = try station.untilPostcard(within: 10)
                station.note("recovery \(recovery.inTenths) s")
                try station.expect(try station.processID() == id, "konzad is another process now")
            }
        },
        Scenario(
            "camera-rotten-scan", .guest,
            promise: """
                In half of the frames a byte of the scan is wrong, which no marker shows: whatever is acknowledged \
                decodes without a warning of libjpeg, and the camera goes on.
                """
        ) { station in
            let pictures = try LoopbackCamera.pictures()
            let camera = LoopbackCamera()
            try camera.play(pictures.flatMap { [$0, rotten($0, seed: UInt64($0.count))] })
            try station.configure(loopbackPicture)
            try station.start()
            var acknowledged = 0
            for _ in 0..<10 {
                guard let postcard = try station.postcard() else { continue }
                acknowledged += 1
                try station.verify(postcard)
            }
            station.note("\(acknowledged) of 10 acknowledged")
            try station.expect(acknowledged >= 5, "only \(acknowledged) of 10 were acknowledged")
        },
        Scenario(
            "camera-4k", .guest, limitSeconds: 180,
            promise: "Postcards in 3840x2160 are acknowledged within the unit's limit of memory, and decode."
        ) { station in
            let camera = LoopbackCamera()
            try camera.play(try LoopbackCamera.pictures("3840x2160"), size: (3840, 2160), rate: 5)
            try station.configure("[Camera]\nDevice=/dev/video9\nWidth=3840\nHeight=2160\n")
            try station.start()
            let id = try station.processID()
            for _ in 0..<2 {
                let postcard = try station.expectPostcard(size: (3840, 2160))
                station.note("postcard \(postcard.seconds.inTenths) s")
            }
            try station.expect(try station.processID() == id, "konzad is another process now")
            station.note("resident \(Int(try station.metric("process_resident_memory_bytes") / 1_048_576)) MiB")
        },
    ]

    /// A stream of which a share is cut short.
    private static func mixture(
        _ name: String, _ extent: Extent = .full, every brokenEvery: Int = 0, soundEvery: Int = 0, promise: String,
        while assertion: @escaping @Sendable (LabStation) throws -> Void
    ) -> Scenario {
        Scenario(name, .guest, extent, promise: promise) { station in
            let pictures = try LoopbackCamera.pictures()
            let frames = (0..<60).map { index in
                let picture = pictures[index % pictures.count]
                let isBroken = brokenEvery > 0 ? index % brokenEvery == 0 : index % soundEvery != 0
                // In turn, whatever the step from one that is broken to the next.
                let turn = brokenEvery > 0 ? index / brokenEvery : index
                return isBroken ? picture.cut(at: turn % 2 == 0 ? 0.1 : 0.9) : picture
            }
            let camera = LoopbackCamera()
            try camera.play(frames)
            try station.configure(loopbackPicture)
            try station.start()
            try station.watching {
                try station.until("truncated frames are counted", within: 30) {
                    try station.cameraCount("truncated") > 5
                }
                for _ in 0..<5 { try station.expectPostcard(size: (640, 360)) }
                try assertion(station)
                let truncated = try station.cameraCount("truncated")
                station.note("\(Int(truncated)) of \(Int(try station.cameraCount("frames"))) frames truncated")
            }
        }
    }
}
