import Foundation
import Geodesy
import KonzaModel
import Testing

@testable import Positioning

@Suite struct TrackTests {
    /// A circle of 50 m radius driven at 20 m/s, north of east of a place, in its local frame.
    private struct Curve {
        let middle: Coordinate
        let radius = 50.0
        let speed = 20.0

        func point(at seconds: Double) throws -> TrackPoint {
            let angle = speed / radius * seconds
            let frame = LocalFrame(at: middle)
            let offset = Vector(x: radius * sin(angle), y: radius * cos(angle), z: 0)
            let coordinate = try #require(WGS84.place(frame.origin + frame.earthCentred(direction: offset)))
            var fix = fix(seconds)
            fix.coordinate = coordinate
            fix.speed = speed
            // The velocity in the frame of the place itself, where course and north differ near the poles.
            let velocity = frame.earthCentred(direction: Vector(x: cos(angle), y: -sin(angle), z: 0))
            let local = LocalFrame(at: coordinate).local(direction: velocity)
            fix.track = Course.degrees(east: local.x, north: local.y)
            fix.climb = 0
            fix.altitudeMSL = 400 + 2 * seconds
            fix.altitudeHAE = 372 + 2 * seconds
            fix.geoidSeparation = -28
            return try #require(TrackPoint(fix))
        }

        /// The largest error of the track, of a straight line and of the last fix, metres, every 10 ms.
        func errors(of track: Track) throws -> (hermite: Double, linear: Double, last: Double) {
            var worst = (hermite: 0.0, linear: 0.0, last: 0.0)
            for step in 0...1000 {
                let seconds = Double(step) / 100
                let truth = try point(at: seconds).coordinate
                let found = try track.position(at: epochStart.advanced(bySeconds: seconds)).get()
                let before = try point(at: seconds.rounded(.down))
                let after = try point(at: seconds.rounded(.down) + 1)
                let share = seconds - seconds.rounded(.down)
                let start = WGS84.earthCentred(before.coordinate)
                let straight = start + (WGS84.earthCentred(after.coordinate) - start) * share
                worst.hermite = max(worst.hermite, WGS84.chord(found.coordinate, truth))
                worst.linear = max(worst.linear, (straight - WGS84.earthCentred(truth)).length)
                worst.last = max(worst.last, WGS84.chord(before.coordinate, truth))
            }
            return worst
        }
    }

    @Test(
        "on a curve of 50 m at 20 m/s and 1 Hz the track is within 0.1 m, a line is not, the last fix is 20 m off",
        arguments: [
            (39.1069, -96.6091),  // Konza
            (0.0, 180.0),  // the antimeridian and the equator
            (-17.0, -179.9999),
            (89.9998, 10.0),  // a circle around the pole's neighbourhood
            (-90.0, 0.0),
        ])
    func curve(_ latitude: Double, _ longitude: Double) throws {
        let curve = Curve(middle: try place(latitude, longitude))
        var track = Track()
        for second in 0...11 { track.append(try curve.point(at: Double(second))) }
        let errors = try curve.errors(of: track)
        #expect(errors.hermite < 0.1)
        // v² Δt² / 8R = 1 m of sagitta; the chord of 19.87 m for the fix before.
        #expect((0.9...1.1).contains(errors.linear))
        #expect((19.0...20.0).contains(errors.last))
    }

    @Test("speed, course and altitude are interpolated too")
    func movement() throws {
        let curve = Curve(middle: try place(39.1069, -96.6091))
        var track = Track()
        for second in 0...3 { track.append(try curve.point(at: Double(second))) }
        let found = try track.position(at: epochStart.advanced(bySeconds: 1.5)).get()
        #expect(found.method == .interpolated)
        #expect(found.gapSeconds == 1)
        #expect(abs(try #require(found.speed) - 20) < 0.2)
        // The circle is driven clockwise from the north: the course is 90 degrees plus the angle.
        let course = try #require(found.track)
        let expected: Double = 90 + 0.4 * 1.5 * 180 / Double.pi
        #expect(abs(course - expected) < 0.5)
        #expect(found.altitudeMSL.map { abs($0 - 403) < 0.51 } == true)
        #expect(found.geoidSeparation == -28)
    }

    @Test("a fix of exactly the instant is given unchanged")
    func exact() throws {
        var track = Track()
        for second in 0...3 { track.append(try #require(TrackPoint(fix(Double(second), 39.1 + Double(second))))) }
        let found = try track.position(at: epochStart.advanced(bySeconds: 2)).get()
        #expect(found.method == .exact)
        #expect(found.coordinate.latitude == 41.1)
    }

    @Test("a heading north over a thousand fixes crosses the antimeridian without a leap")
    func antimeridian() throws {
        var track = Track()
        var first = fix(0, 10, 179.9999)
        var second = fix(1, 10, -179.9999)
        first.speed = 21.93
        first.track = 90
        second.speed = 21.93
        second.track = 90
        track.append(try #require(TrackPoint(first)))
        track.append(try #require(TrackPoint(second)))
        let middle = try track.position(at: epochStart.advanced(bySeconds: 0.5)).get().coordinate
        #expect(abs(abs(middle.longitude) - 180) < 1e-7)
        #expect(abs(middle.latitude - 10) < 1e-6)
    }

    @Test("outside the track, over a gap and without a track there is no position, and the reason is said")
    func refusals() throws {
        var track = Track()
        #expect(track.position(at: epochStart) == .failure(.empty))
        track.append(try #require(TrackPoint(fix(0))))
        track.append(try #require(TrackPoint(fix(11))))
        #expect(
            track.position(at: epochStart.advanced(bySeconds: -1)) == .failure(.beforeTrack(oldest: epochStart)))
        #expect(
            track.position(at: epochStart.advanced(bySeconds: 5))
                == .failure(.gapTooLarge(seconds: 11, limitSeconds: 10)))
        let late = TrackError.afterTrack(newest: epochStart.advanced(bySeconds: 11), limitSeconds: 2)
        #expect(track.position(at: epochStart.advanced(bySeconds: 13.001)) == .failure(late))
        #expect("\(late)".hasPrefix("cannot tell the position at that instant: the newest fix is of 2026-05-30T14:"))
    }

    @Test("beyond the newest fix the way goes straight on, with an error that grows")
    func extrapolation() throws {
        var newest = fix(0)
        newest.speed = 10
        newest.track = 0
        newest.horizontalAccuracy = Accuracy(metres: 3, source: .receiver, confidence: 0.95)
        var track = Track()
        track.append(try #require(TrackPoint(newest)))
        let one = try track.position(at: epochStart.advanced(bySeconds: 1)).get()
        let two = try track.position(at: epochStart.advanced(bySeconds: 2)).get()
        #expect(one.method == .extrapolated)
        #expect(abs(WGS84.chord(one.coordinate, try place(39.1069, -96.6091)) - 10) < 0.01)
        let oneError = try #require(one.accuracy)
        let twoError = try #require(two.accuracy)
        #expect(oneError.metres > 3)
        #expect(twoError.metres > oneError.metres)
        #expect(oneError.confidence == nil)
    }

    @Test("the error between fixes grows with the gap, and with positions that contradict the speeds")
    func errorGrows() throws {
        func accuracy(gap: Double, speed: Double) throws -> Double {
            var track = Track()
            for (seconds, latitude) in [(0.0, 39.0), (gap, 39.0 + gap * 1e-5)] {
                var point = fix(seconds, latitude)
                // 1e-5 degrees of latitude a second are 1.11 m/s.
                point.speed = speed
                point.track = 0
                point.horizontalAccuracy = Accuracy(metres: 3, source: .receiver)
                track.append(try #require(TrackPoint(point)))
            }
            return try #require(track.position(at: epochStart.advanced(bySeconds: gap / 2)).get().accuracy).metres
        }
        let one = try accuracy(gap: 1, speed: 1.11)
        #expect(one > 3)
        #expect(one < 3.2)
        #expect(try accuracy(gap: 4, speed: 1.11) > one + 0.5)
        #expect(try accuracy(gap: 1, speed: 20) > one + 3)
    }

    @Test("two dimensions on either side give two dimensions, without an altitude")
    func twoDimensional() throws {
        var track = Track()
        var first = fix(0)
        first.altitudeMSL = 400
        track.append(try #require(TrackPoint(first)))
        track.append(try #require(TrackPoint(fix(1, mode: .twoDimensional))))
        let found = try track.position(at: epochStart.advanced(bySeconds: 0.5)).get()
        #expect(found.mode == .twoDimensional)
        #expect(found.altitudeMSL == nil)
    }

    @Test("the track forgets what is older than its time or more than its count")
    func bounds() throws {
        var byTime = Track(settings: PositionSettings(trackSeconds: 60))
        var byCount = Track(settings: PositionSettings(trackPoints: 100))
        for second in 0..<5000 {
            let point = try #require(TrackPoint(fix(Double(second))))
            byTime.append(point)
            byCount.append(point)
        }
        #expect(byTime.count == 61)
        #expect(byTime.oldest?.time == epochStart.advanced(bySeconds: 4939))
        #expect(byCount.count == 100)
        #expect(byCount.points(since: epochStart.advanced(bySeconds: 4990)).count == 9)
        #expect(byCount.points().count == 100)
    }

    @Test("a degree and its earth-centred place are each other's inverse everywhere")
    func geodesy() throws {
        for latitude in stride(from: -90.0, through: 90, by: 7.5) {
            for longitude in stride(from: -180.0, through: 180, by: 30) {
                let here = try place(latitude, longitude)
                for height in [-400.0, 0, 9000] {
                    let there = try #require(WGS84.place(WGS84.earthCentred(here, height: height)))
                    #expect(WGS84.chord(here, there) < 1e-6)
                }
            }
        }
        // One degree of latitude at Konza is 111.02 km, one of longitude 86.47 km (WGS 84 arc lengths).
        #expect(abs(WGS84.chord(try place(39.1, -96.6), try place(39.11, -96.6)) - 1110.15) < 0.1)
    }
}
