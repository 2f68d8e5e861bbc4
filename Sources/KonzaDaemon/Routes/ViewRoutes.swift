internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import Views

/// `/v1/view`: names in the picture of the fixed camera, and how that was calibrated.
struct ViewRoutes: Sendable {
    private static let bodyLimit = 64 << 10

    private static let time = QueryParameter(
        "time", "The instant of the sun and the moon, RFC 3339; now by default.", .dateTime)

    private static let language = QueryParameter(
        "language", "Of the names, RFC 5646: es, or English for every other one and by default.", .name(35))

    let parts: StationParts
    let desk: ViewDesk

    var routes: [Route] {
        [
            Route(
                .get, "/v1/view", access: .everyone, operation: "getView",
                summary: "What the fixed camera sees, now or at an instant: names as pixels, each with its error",
                query: [Self.time, Self.language],
                replies: [Reply(200, "The labels.", schema: "View")],
                handler: .asynchronous { request in
                    try .json(view(try request.queryTime("time", around: 5), Self.language(of: request)))
                }),
            Route(
                .get, "/v1/view/calibration", access: .everyone, operation: "getViewCalibration",
                summary: "How the fixed camera looks, and how well that is known",
                replies: [Reply(200, "The calibration.", schema: "ViewCalibration")],
                handler: .asynchronous { _ in
                    guard let calibration = desk.calibration else {
                        throw Problem(.conflict, "cannot show the calibration of the view: \(Self.uncalibrated)")
                    }
                    return try .json(try Self.reply(calibration))
                }
            ).failing(.conflict),
            Route(
                .put, "/v1/view/calibration", access: .only(.ranger, .keeper), operation: "calibrateView",
                summary: "Calibrate the fixed camera by clicks on landmarks, the sun or the moon",
                query: [Self.language],
                body: RequestBody(schema: "ViewCalibrationRequest", isRequired: true, limit: Self.bodyLimit),
                replies: [Reply(200, "The calibration, which is kept but in a dry run.", schema: "ViewCalibration")],
                handler: .asynchronous { request in
                    let wish = try ViewCalibrationRequest(try request.json())
                    let calibration = try desk.calibrate(wish)
                    var reply = try Self.reply(calibration)
                    let language = Self.language(of: request)
                    reply.labels = desk.labels(by: calibration).map { ViewReply.Label($0, language) }
                    return try .json(reply)
                }
            ).failing(.noPosition, .archiveUnavailable),
            Route(
                .get, "/v1/view/landmarks", access: .only(.collector, .ranger, .keeper), operation: "listViewLandmarks",
                summary: "What is to be seen from the fixed camera, to calibrate it by, or from another place",
                query: [
                    QueryParameter(
                        "latitude", "Degrees, WGS 84, north positive; the fixed camera's place by default.",
                        .range(-90...90), needs: "longitude"),
                    QueryParameter(
                        "longitude", "Degrees, WGS 84, east positive; the fixed camera's place by default.",
                        Observer.longitudes, needs: "latitude"), Self.time, Self.language,
                ],
                replies: [Reply(200, "The landmarks.", schema: "ViewLandmarks")],
                handler: .asynchronous { request in
                    let place = request.queryNumber("latitude") == nil ? nil : try Observer(request, parts.board).place
                    let instant = try request.queryTime("time", around: 5) ?? parts.time.now().instant
                    return try .json(
                        try desk.prospects(from: place, at: instant, language: Self.language(of: request)))
                }
            ).failing(.noPosition),
            Route(
                .post, "/v1/view/verification", access: .only(.ranger, .keeper), operation: "verifyView",
                summary:
                    "Compare the skyline in the picture with the computed one now, by day; it is done every week by itself",
                replies: [Reply(200, "The calibration with the result.", schema: "ViewCalibration")],
                handler: .asynchronous { _ in try .json(try Self.reply(try await desk.verify())) }
            ).failing(.conflict, .cameraUnavailable, .archiveUnavailable),
        ]
    }

    private static let uncalibrated = "nobody has calibrated it yet; use konza view calibrate"

    private static func language(of request: Request) -> String {
        request.query("language") ?? SightName.languages[0]
    }

    private func view(_ asked: UTCInstant?, _ language: String) -> ViewReply {
        let now = asked ?? parts.time.now().instant
        guard let (calibration, labels) = desk.labels(at: now, isNow: asked == nil) else {
            var reply = ViewReply(state: "uncalibrated", time: now, labels: [])
            reply.reason = "it is not known how the camera looks: \(Self.uncalibrated)"
            return reply
        }
        var reply = ViewReply(
            state: calibration.isReliable ? "calibrated" : "unverified", time: now,
            labels: labels.map { ViewReply.Label($0, language) })
        reply.calibratedAt = calibration.createdAt
        reply.verifiedAt = calibration.verification?.checkedAt
        reply.skylineDeviation = calibration.verification?.deviation
        if !calibration.isReliable { reply.reason = ViewDesk.doubt(calibration) }
        (reply.width, reply.height) = (calibration.pose.width, calibration.pose.height)
        return reply
    }

    private static func reply(_ calibration: Calibration) throws(Problem) -> ViewCalibrationReply {
        guard let place = calibration.viewpoint.place else {
            throw Problem(.internalError, "the calibration has no place")
        }
        let (pose, solved, error) = (calibration.pose, calibration.solved, calibration.frameError)
        var errors: [String: Double] = [:]
        for (index, name) in CameraPose.parameters.enumerated() {
            errors[name] = solved.standardError(index).rounded(toDecimals: 4)
        }
        var reply = ViewCalibrationReply(
            createdAt: calibration.createdAt, place: place,
            cameraHeight: calibration.viewpoint.height.rounded(toDecimals: 2), width: pose.width, height: pose.height,
            azimuth: pose.azimuth.rounded(toDecimals: 4), pitch: pose.pitch.rounded(toDecimals: 4),
            roll: pose.roll.rounded(toDecimals: 4), focal: pose.focal.rounded(toDecimals: 2),
            fieldOfView: pose.fieldOfView.rounded(toDecimals: 2), k1: pose.k1.rounded(toDecimals: 5),
            standardErrors: errors, errorMedian: error.median.rounded(toDecimals: 1),
            error95: error.upper.rounded(toDecimals: 1),
            clicks: calibration.fits.enumerated().map { index, fit in
                ViewCalibrationReply.Click(
                    name: fit.name, x: fit.point.x, y: fit.point.y, residual: fit.residual.rounded(toDecimals: 1),
                    residualWithout: fit.residualWithout?.rounded(toDecimals: 1),
                    isSuspect: index == calibration.suspect)
            })
        reply.verifiedAt = calibration.verification?.checkedAt
        reply.skylineDeviation = calibration.verification?.deviation
        if !calibration.isReliable { reply.reason = ViewDesk.doubt(calibration) }
        return reply
    }
}

extension ViewReply.Label {
    init(_ label: ViewLabel, _ language: String = SightName.languages[0]) {
        self.init(
            name: label.called.text(language), kind: label.kind, x: label.point.x.rounded(toDecimals: 1),
            y: label.point.y.rounded(toDecimals: 1), sigma: label.sigma.rounded(toDecimals: 1),
            azimuth: label.azimuth.rounded(toDecimals: 3), elevation: label.elevation.rounded(toDecimals: 3),
            distance: label.distance?.rounded(toDecimals: 0))
    }
}
