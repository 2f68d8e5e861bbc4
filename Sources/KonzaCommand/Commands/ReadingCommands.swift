internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

// status, templates, camera, version: one question and one screen.

extension CommandContext {
    func status() async throws(CommandFailure) -> ExitCode {
        let reply: StatusReply = try await answer("/v1/status") {
            StatusScreen.lines($0, dates: dates, columns: columns)
        }
        return reply.health.level == .failed ? .unavailable : .ok
    }

    func templates() async throws(CommandFailure) -> ExitCode {
        let _: TemplatesReply = try await answer("/v1/templates") { PostcardScreens.templates($0.templates) }
        return .ok
    }

    func camera() async throws(CommandFailure) -> ExitCode {
        let reply: CameraReply = try await answer("/v1/camera") { CameraScreen.lines($0, columns: columns) }
        return reply.health.level == .failed ? .unavailable : .ok
    }

    func setCamera() async throws(CommandFailure) -> ExitCode {
        var members: [String: JSONValue] = [:]
        for operand in invocation.operands {
            let parts = operand.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty, let value = Self.controlValue(parts[1]) else {
                throw CommandFailure(
                    "cannot understand \"\(operand)\": expected NAME=VALUE with a number, on or off, "
                        + "such as brightness=128",
                    .usage)
            }
            members[parts[0]] = .number(value)
        }
        let request = StationRequest(
            method: .patch, path: "/v1/camera/controls", body: try StationWriting.bytes(JSONValue.object(members)))
        let body = try await connection.send(request).body
        let _: CameraReply = try present(body) { camera in
            camera.controls.filter { members[$0.name] != nil }.map { control in
                Line("\(control.name) is ") + Line(CameraScreen.value(control), .strong)
            }
        }
        return .ok
    }

    private static func controlValue(_ text: String) -> Double? {
        switch text {
        case "on", "true", "yes": 1
        case "off", "false", "no": 0
        default: Int(text).map(Double.init)
        }
    }

    func cameraFrame() async throws(CommandFailure) -> ExitCode {
        let file = try OutputFile(invocation, standard: "frame.jpg")
        let picture = try await connection.send(StationRequest(path: "/v1/camera/frame.jpg")).body
        try file.write(picture, console: console)
        if !file.isStandardOutput {
            try show(Line("Frame saved as \(file.path), \(Figures.bytes(Int64(picture.count)))"))
        }
        return .ok
    }

    func version() async throws(CommandFailure) -> ExitCode {
        try show(Line("konza  \(ProgramVersion.number)"))
        do throws(CommandFailure) {
            let status: StatusReply = try await connection.get("/v1/status")
            try show(Line("\(status.name) \(status.version)"))
            if status.version != ProgramVersion.number {
                tell("konza: the versions differ; install both from the same release")
            }
        } catch {
            if error.code == .closedPipe { throw error }
            try show(Line("konzad (not reached: \(error.message))"))
        }
        return .ok
    }
}
