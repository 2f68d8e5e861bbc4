internal import Astronomy
internal import Capture
internal import JPEGCoding
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Views

/// Compares the skyline in the picture with the computed one, every week and when it is asked to: a camera that was moved, by hand or by
/// the wind, would put every name beside its thing.
struct ViewWatch: Service {
    let name = "view"
    private static let week = 7 * 86_400.0
    /// How often is looked whether it is time, seconds.
    private static let period = 600.0

    let parts: StationParts
    let desk: ViewDesk

    func run() async throws {
        while !Task.isCancelled {
            try await parts.clock.sleep(until: parts.clock.monotonic().advanced(bySeconds: Self.period))
            guard let now = parts.time.believedNow, isDue(at: now) else { continue }
            do throws(Problem) {
                let found = try await desk.verify()
                if !found.isReliable { parts.log(.warning, "the view is unverified: \(ViewDesk.doubt(found))") }
            } catch {
                parts.log(.debug, "\(error)")
            }
        }
    }

    /// Whether a week has gone by, and it is day.
    private func isDue(at now: UTCInstant) -> Bool {
        guard let calibration = desk.calibration,
            let last = UTCInstant(rfc3339: calibration.verification?.checkedAt ?? calibration.createdAt),
            now.seconds(since: last) >= Self.week
        else { return false }
        return ViewDesk.isDay(calibration.viewpoint, at: now)
    }
}

extension ViewDesk {
    /// The sun's least height for a picture in which sky and ground differ, degrees.
    private static let leastSun = 5.0

    /// Whether the sun stands high enough for a skyline to be judged.
    static func isDay(_ viewpoint: Viewpoint, at instant: UTCInstant) -> Bool {
        guard let place = viewpoint.place else { return false }
        let sun = CelestialBody.sun.horizontal(from: place, height: viewpoint.height, at: instant)
        return sun.elevation >= leastSun
    }

    /// Takes a picture and compares its skyline. The result is kept with the calibration.
    ///
    /// - Returns: the calibration with the result.
    /// - Throws: `conflict` where nothing is calibrated, at night, or where no skyline is to be seen; then nothing has changed.
    func verify() async throws(Problem) -> Calibration {
        guard let calibration else {
            throw Problem(
                .conflict, "cannot compare the skyline: nobody has calibrated the camera; use konza view calibrate")
        }
        guard Self.isDay(calibration.viewpoint, at: parts.time.now().instant) else {
            throw Problem(
                .conflict,
                "cannot compare the skyline: nothing is judged at night, while the sun is less than \(Int(Self.leastSun)) degrees "
                    + "above the horizon; try again by day")
        }
        let exposure = try await ExposureTaker(parts: parts).expose(trigger: parts.clock.monotonic())
        return try await onBlockingThread { () throws(Problem) in
            let picture = try self.gray(exposure.frame)
            let pose = calibration.pose
            let scale = Double(picture.width) / Double(pose.width)
            guard abs(Double(picture.height) / Double(pose.height) / scale - 1) < 0.01 else {
                throw Problem(
                    .conflict,
                    "cannot compare the skyline: the picture is \(picture.width)x\(picture.height), and the camera was "
                        + "calibrated with \(pose.width)x\(pose.height); calibrate it again")
            }
            guard let found = SkylineCheck(calibration, terrain: self.parts.ground.model).compare(picture) else {
                throw Problem(
                    .conflict,
                    "cannot compare the skyline: too little of one is to be seen in the picture; try again by day and in clear "
                        + "weather")
            }
            return try self.keep(
                Calibration.Verification(
                    checkedAt: exposure.time.instant.description, deviation: found.deviation.rounded(toDecimals: 2)),
                of: calibration)
        }
    }

    private func gray(_ frame: Frame) throws(Problem) -> GrayPicture {
        let image: RGBImage
        do throws(JPEGCodingError) {
            image = try JPEGDecoder(memory: parts.pictureMemory).decode(frame.data).image
        } catch {
            throw Problem(.cameraUnavailable, "cannot compare the skyline: \(error)")
        }
        let pixels = image.pixels
        var gray: [UInt8] = []
        gray.reserveCapacity(pixels.count / 3)
        for index in stride(from: 0, to: pixels.count - 2, by: 3) {
            // The blue of the sky counts most against ground of any colour.
            let (red, green, blue) = (Int(pixels[index]), Int(pixels[index + 1]), Int(pixels[index + 2]))
            gray.append(UInt8((red + green + 2 * blue) / 4))
        }
        guard let picture = GrayPicture(width: image.width, height: image.height, pixels: gray) else {
            throw Problem(.internalError, "the picture has not as many pixels as it says")
        }
        return picture
    }
}
