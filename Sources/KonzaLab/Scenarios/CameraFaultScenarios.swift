/// What drivers do to buffers and calls: vivid's error injection.
extension Scenario {
    static let cameraBuffers: [Scenario] = [
        Scenario(
            "camera-error-flag-10", .guest,
            promise: """
                One frame in ten is marked corrupt by the driver: it is counted and not handed on (every frame that \
                came counts as one thing only), the camera stays ok, and five of five postcards are acknowledged and \
                decode.
                """
        ) { station in
            let vivid = try VividCamera()
            try station.startWatching(smallPicture) {
                let before = try station.cameraCount("errorFlagged")
                let frames = try station.cameraCount("frames")
                try vivid.pressing("inject_v4l2_buf_flag_error", every: 1) {
                    for _ in 0..<5 {
                        try station.expectPostcard()
                        let health = try station.health("camera")
                        try station.expect(health.kind == "ok", "the camera is \(health.kind): \(health.reason)")
                    }
                }
                let flagged = try station.cameraCount("errorFlagged") - before
                let all = try station.cameraCount("frames") - frames
                try station.expect(flagged >= 3, "only \(flagged) frames were marked corrupt")
                try station.expectFramesAccountedFor()
                station.note("\(Int(flagged)) of \(Int(all)) frames marked")
            }
        },
        Scenario(
            "camera-error-flag-100", .guest,
            promise: """
                Every frame is marked corrupt: the camera is camera-corrupt within 15 s, postcards are refused with \
                that reason, none is acknowledged. The first sound frames bring it back within 10 s.
                """
        ) { station in
            let vivid = try VividCamera()
            try station.startWatching(smallPicture) {
                try vivid.pressing("inject_v4l2_buf_flag_error", every: 0.002) {
                    let seen = try station.until("the status says camera-corrupt as failed", within: 15) {
                        try station.health("camera").level == "failed"
                    }
                    station.note("seen after \(seen.inTenths) s")
                    try station.untilCamera("camera-corrupt", within: 1)
                    try station.expectRefusal(while: "camera-corrupt")
                    try station.expect(
                        try station.get("/v1/postcards")["postcards"]?.elements.isEmpty == true, "a postcard is there")
                }
                let recovery = try station.untilPostcard(within: 10)
                station.note("recovery \(recovery.inTenths) s")
            }
        },
        Scenario(
            "camera-dropped-buffers", .guest,
            promise: """
                The driver loses six frames of ten: they are counted as lost, the camera stays ok, and postcards are \
                acknowledged and decode.
                """
        ) { station in
            let vivid = try VividCamera()
            try station.startWatching(smallPicture) {
                try vivid.set("percentage_of_dropped_buffers", 60)
                try station.until("lost frames are counted", within: 30) { try station.cameraCount("lost") > 10 }
                for _ in 0..<3 { try station.expectPostcard() }
                let health = try station.health("camera")
                try station.expect(health.kind == "ok", "the camera is \(health.kind): \(health.reason)")
                station.note("\(Int(try station.cameraCount("lost"))) frames lost")
            }
        },
        Scenario(
            "camera-fatal-error", .guest,
            promise: """
                The driver's queue breaks for good in the middle of the stream: konzad restarts the stream, counts it, \
                and frames and postcards are back within 20 s, twice over.
                """
        ) { station in
            let vivid = try VividCamera()
            try station.configure(smallPicture)
            try station.start()
            try station.watching {
                for _ in 0..<2 {
                    try station.untilCamera("ok", within: 30)
                    let restarts = try station.cameraCount("streamRestarts")
                    let delivered = try station.cameraCount("delivered")
                    try vivid.set("inject_fatal_streaming_error")
                    let recovery = try station.until("frames come again", within: 20) {
                        try station.cameraCount("streamRestarts") > restarts
                            && station.cameraCount("delivered") > delivered + 3
                    }
                    station.note("recovery \(recovery.inTenths) s")
                    try station.expectPostcard()
                }
            }
        },
    ]

    /// One scenario for each call that a driver can refuse.
    static let cameraCalls: [Scenario] = ["reqbufs", "qbuf", "streamon"].map { call in
        Scenario(
            "camera-\(call)-error", .guest,
            promise: """
                The driver refuses \(call.uppercased()) once at the start of the stream, \
                \(call == "reqbufs" ? "which is when it is called" : "and once more under way"): the device is opened \
                anew\(call == "qbuf" ? ", under way the stream started anew" : ""), which is counted, a postcard is \
                acknowledged within 20 s of the refusal, and decodes.
                """
        ) { station in
            let vivid = try VividCamera()
            try station.configure(smallPicture)
            try station.start()
            try station.untilCamera("idle", within: 20)
            let opens = try station.cameraCount("opens")
            try vivid.set("inject_vidioc_\(call)_error")
            let atStart = try station.untilPostcard(within: 20)
            station.note("at the start \(atStart.inTenths) s")
            try station.expect(
                try station.cameraCount("opens") > opens, "the device was not opened anew: the refusal was not met")
            guard call != "reqbufs" else { return }
            try station.watching {
                try station.untilCamera("ok", within: 20)
                // A queue that refuses a buffer is started anew; a stream that does not start has its device opened.
                let count = call == "qbuf" ? "streamRestarts" : "opens"
                let before = try station.cameraCount(count)
                try vivid.set("inject_vidioc_\(call)_error")
                if call == "streamon" { try vivid.set("inject_fatal_streaming_error") }
                var postcard: LabPostcard?
                let underWay = try station.until("the refusal is met and a postcard acknowledged", within: 20) {
                    guard try station.cameraCount(count) > before else { throw Complaint("\(count) did not grow") }
                    postcard = try station.postcard()
                    return postcard != nil
                }
                if let postcard { try station.verify(postcard) }
                station.note("under way \(underWay.inTenths) s")
                try station.untilCamera("ok", within: 20)
            }
        }
    }

    static let cameraWraps: [Scenario] = [(1, "64 bit"), (2, "32 bit")].map { mode, width in
        Scenario(
            "camera-wrap-\(width.prefix(2))", .guest,
            promise: """
                The driver's frame counter wraps, and its clock is far off and wraps (\(width)): the wrap counts as \
                no loss (what an emulated machine misses is less than half of the frames), most timestamps are \
                counted as not believed, and every postcard's exposure lies between its request and its answer.
                """
        ) { station in
            let vivid = try VividCamera()
            try vivid.set("wrap_sequence_number", 1)
            try vivid.set("wrap_timestamp", Int32(mode))
            try station.startWatching(smallPicture) {
                // The counter wraps 128 frames after the start.
                try station.until("the counter has wrapped", within: 60, every: 0.5) {
                    try station.cameraCount("frames") > 180
                }
                for _ in 0..<3 {
                    let postcard = try station.expectPostcard()
                    guard let requested = postcard.reply["requestedAt"]?.text,
                        let exposed = postcard.reply["exposedAt"]?.text,
                        let created = postcard.reply["createdAt"]?.text
                    else { throw Complaint("the reply lacks an instant") }
                    // RFC 3339 in UTC with milliseconds sorts as text.
                    try station.expect(
                        requested <= exposed && exposed <= created,
                        "requested \(requested), exposed \(exposed), created \(created)")
                }
                let lost = try station.cameraCount("lost")
                let frames = try station.cameraCount("frames")
                try station.expect(lost < frames / 2, "\(lost) frames count as lost of \(frames)")
                let unbelieved = try station.cameraCount("badTimestamps")
                station.note("\(Int(lost)) lost of \(Int(frames)), \(Int(unbelieved)) bad timestamps")
                try station.expect(
                    unbelieved > frames / 2, "only \(unbelieved) timestamps of \(frames) were not believed")
            }
        }
    }
}

extension LabStation {
    /// Every frame that came was either handed on, or dropped for one reason: none that was dropped is shown too.
    ///
    /// - Throws: ``Complaint`` with the counts.
    fileprivate func expectFramesAccountedFor() throws {
        // One page, so that the counts are of one moment, but for the frame that is just being looked at.
        let page = String(decoding: try get("/metrics").body, as: UTF8.self)
        func count(_ event: String) -> Double {
            let line = page.split(separator: "\n").first {
                $0.hasPrefix("konza_camera_events_total{event=\"\(event)\"}")
            }
            return line?.split(separator: " ").last.flatMap { Double($0) } ?? 0
        }
        let ends = ["delivered", "errorFlagged", "tooSmall", "truncated", "malformed", "startFrames", "skipped"]
        let left = count("frames") - ends.reduce(0) { $0 + count($1) }
        try expect(left == 0 || left == 1, "\(left) frames of \(count("frames")) are in no count, or in two")
    }
}
