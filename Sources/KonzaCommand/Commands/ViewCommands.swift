internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

// The named view.

extension CommandContext {
    func view() async throws(CommandFailure) -> ExitCode {
        let reply: ViewReply = try await answer("/v1/view") { ViewScreen.lines($0) }
        return reply.state == "calibrated" ? .ok : .unavailable
    }

    func calibrateView() async throws(CommandFailure) -> ExitCode {
        let texts = invocation.all("click")
        guard !texts.isEmpty else {
            let _: ViewCalibrationReply = try await answer("/v1/view/calibration") { ViewScreen.calibration($0) }
            return .ok
        }
        var members: [String: JSONValue] = [:]
        var clicks: [JSONValue] = []
        for text in texts { clicks.append(try Self.click(text)) }
        members["clicks"] = .array(clicks)
        let size = try await pictureSize()
        members["width"] = .number(Double(size.width))
        members["height"] = .number(Double(size.height))
        if let text = invocation.text("camera-at") {
            guard let numbers = TextForm.decimals(text), numbers.count == 2 else {
                throw Self.unclear("--camera-at", text, "latitude,longitude in degrees")
            }
            (members["latitude"], members["longitude"]) = (.number(numbers[0]), .number(numbers[1]))
        }
        if let height = invocation.measure("camera-height") { members["cameraHeight"] = .number(height) }
        if let field = invocation.measure("field-of-view") { members["fieldOfView"] = .number(field) }
        // Tried first: a click that is most likely wrong would take the place of a calibration that is good.
        members["dryRun"] = .bool(true)
        let tried = try await connection.send(try Self.calibration(members)).body
        let found: ViewCalibrationReply = try StationReading.read(tried)
        if found.clicks.contains(where: \.isSuspect) {
            let _: ViewCalibrationReply = try present(tried) { ViewScreen.calibration($0) }
            throw CommandFailure(
                "cannot calibrate the view: one of the clicks is most likely wrong, and nothing was kept; click it again, or "
                    + "leave it out", .data)
        }
        members["dryRun"] = nil
        let _: ViewCalibrationReply = try present(try await connection.send(try Self.calibration(members)).body) {
            ViewScreen.calibration($0)
        }
        return .ok
    }

    private static func calibration(_ members: [String: JSONValue]) throws(CommandFailure) -> StationRequest {
        StationRequest(
            method: .put, path: "/v1/view/calibration", body: try StationWriting.bytes(JSONValue.object(members)))
    }

    func verifyView() async throws(CommandFailure) -> ExitCode {
        let body = try await connection.send(StationRequest(method: .post, path: "/v1/view/verification")).body
        let found: ViewCalibrationReply = try present(body) { ViewScreen.calibration($0) }
        return found.reason == nil ? .ok : .unavailable
    }

    private func pictureSize() async throws(CommandFailure) -> (width: Int, height: Int) {
        guard let text = invocation.text("size") else {
            let camera: CameraReply = try await connection.get("/v1/camera")
            guard let mode = camera.format else {
                throw CommandFailure(
                    "cannot tell how large the picture is: the camera is not running; give --size WIDTHxHEIGHT",
                    .unavailable
                )
            }
            return (mode.width, mode.height)
        }
        let sides = text.split(separator: "x").compactMap { Int($0) }
        guard sides.count == 2 else { throw Self.unclear("--size", text, "width and height such as 1920x1080") }
        return (sides[0], sides[1])
    }

    /// `X,Y=LANDMARK`, `X,Y=LATITUDE,LONGITUDE[,HEIGHT]` or `X,Y=sun@TIME`.
    static func click(_ text: String) throws(CommandFailure) -> JSONValue {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let pixel = TextForm.decimals(parts[0]), pixel.count == 2, !parts[1].isEmpty else {
            throw unclear("--click", text, "X,Y=LANDMARK such as \"1195,530=FAA 20-001751\"")
        }
        var members: [String: JSONValue] = ["x": .number(pixel[0]), "y": .number(pixel[1])]
        let target = parts[1]
        if let body = ["sun", "moon"].first(where: { target.hasPrefix("\($0)@") }) {
            members["body"] = .string(body)
            members["time"] = .string(String(target.dropFirst(body.count + 1)))
        } else if let numbers = TextForm.decimals(target), (2...3).contains(numbers.count) {
            (members["latitude"], members["longitude"]) = (.number(numbers[0]), .number(numbers[1]))
            if numbers.count == 3 { members["height"] = .number(numbers[2]) }
        } else {
            members["landmark"] = .string(target)
        }
        return .object(members)
    }

    private static func unclear(_ option: String, _ text: String, _ expected: String) -> CommandFailure {
        CommandFailure("cannot understand \(option) \(text): expected \(expected)", .usage)
    }
}
