internal import Capture
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Scenery
internal import Settings

/// What the station sees: the camera, its controls, the preview.
extension Feature {
    static func camera(_ parts: StationParts) -> Feature {
        let camera = RestartableService("camera", parts.clock, parts.log) {
            try CameraFeature.camera(parts.settings.current, parts)
        }
        var feature = Feature("camera")
        feature.routes = CameraRoutes(parts: parts).routes
        feature.parts = [Part("camera") { parts.hub.status().health }]
        feature.metrics = { CameraFeature.count(parts, &$0) }
        feature.start = { camera.start() }
        feature.reload = { old, new in
            // The preview reads for itself whether it is a mirror.
            var before = old.camera
            before.mirror = new.camera.mirror
            guard before != new.camera else { return }
            parts.hub.expectSuccessor()
            camera.restart()
        }
        feature.stop = { camera.stop() }
        return feature
    }
}

private enum CameraFeature {
    static func camera(
        _ settings: StationSettings, _ parts: StationParts
    ) throws -> any Service {
        let camera = settings.camera
        switch camera.source {
        case .v4l2:
            return try V4L2Camera(settings: CameraSettings(camera), hub: parts.hub)
        case .recorded:
            return RecordedCamera(
                recording: camera.recording.map(Capture.Recording.path) ?? prairie(settings, parts),
                frameRate: Double(camera.frameRate), rotation: PictureTurn.Rotation(camera.rotate), hub: parts.hub)
        }
    }

    /// The painted scene, which lets go of its memory when nobody watches.
    private static func prairie(_ settings: StationSettings, _ parts: StationParts) -> Capture.Recording {
        let camera = PrairieCamera(
            width: settings.camera.width, height: settings.camera.height, time: parts.time, clock: parts.clock)
        camera.restWhenUnwatched(parts.hub)
        return camera.recording
    }

    static func count(_ parts: StationParts, _ page: inout MetricsText) {
        let status = parts.hub.status()
        page.add("konza_camera_streaming", .gauge, "1 while frames flow.", status.isStreaming ? 1 : 0)
        page.add("konza_camera_frame_age_seconds", .gauge, "Age of the last good frame.", status.lastFrameAge)
        page.count(
            "konza_camera_events_total", "What the camera's side counted.", CameraReply.flatten(status.counters),
            label: "event")
    }
}
