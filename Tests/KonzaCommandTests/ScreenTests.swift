import Foundation
import KonzaAPI
import KonzaModel
import Testing

@testable import KonzaCommand

@Suite("The screens")
struct ScreenTests {
    @Test("show the status with one reason for each part, within 80 columns")
    func status() throws {
        let lines = StatusScreen.lines(try decoded(Replies.status), dates: prairieDates, columns: 80)
        #expect(
            plain(lines) == """
                Field station FAILED   konzad 0.1.0
                running for 3 days 5 h, since 2026-05-27 04:00:00 UTC-05:00

                Position   ok        3D fix with 9 satellites
                Camera     degraded  (recorded) recorded pictures are shown
                Templates  ok        3 templates
                Archive    FAILED    the disk is full: 12 kB are free and 268 MB are kept back;
                                     delete what is not needed on the disk
                Clock      ok        synchronised

                Kept       128 postcards, 45 MB in /var/lib/konza
                Disk       12 kB free, of which 268 MB are kept back
                Time       2026-05-30 09:03:07 UTC-05:00 by the receiver, synchronised
                Daemon     process 812, 21 MB of memory, 34 open files, 12.3 s of processor time
                """)
        #expect(lines.allSatisfy { $0.width <= 80 })
    }

    @Test("say where, how exactly and how old in one line of 80 columns")
    func fresh() throws {
        let line = WhereScreen.line(try decoded(Replies.position))
        #expect(
            line.text == "39.106912° N, 96.609146° W, ±4.2 m (receiver, 95 %), 0.8 s old, elevation 415 m, DGPS")
    }

    @Test("tell of an import what was found once in the singular, and what was found twice in the plural")
    func importedOnce() {
        func report(_ count: Int) -> [String] {
            var reply = TrailReportReply(source: "trails", format: "gpx", dryRun: true)
            (reply.segments, reply.junctions, reply.places) = (count, count, count)
            (reply.joinedEnds, reply.gaps, reply.looseEnds, reply.crossings) = (count, count, count, count)
            (reply.islands, reply.refused, reply.ignored) = (count, count, count)
            (reply.bareClosures, reply.unreadableDates) = (count, count)
            return TrailScreens.report(reply, columns: nil).map(\.text)
        }
        #expect(
            report(1) == [
                "trails: 0 trails, 1 segment, 1 junction, 1 place, 0 m (looked at only, nothing is kept)",
                "  no line has a name: without one they are paths, which no list, closure or way names",
                "  1 end was joined to what it nearly touched", "  1 gap within a trail",
                "  1 end near another line that does not join it", "  1 crossing without a node",
                "  1 way that nobody may walk, left out", "  1 element that is no trail, left out",
                "  1 line called closed without dates, closed until it is imported anew",
                "  1 closure with a date that cannot be read, taken as without that end",
            ])
        #expect(report(2).contains("  2 ends were joined to what they nearly touched"))
        #expect(report(2).contains("  2 parts that no way connects"))
    }

    @Test("a geo URI of a fresh live fix stands alone, of any other behind a word")
    func uri() throws {
        var position: PositionReply = try decoded(Replies.position)
        #expect(WhereScreen.line(position, format: .geo).text == "geo:39.1069123,-96.6091456,386.1;u=4.2")
        position.state = .stale
        #expect(WhereScreen.line(position, format: .geo).text.hasPrefix("STALE geo:"))
    }

    @Test("never show a recorded, stale or missing position as a live one")
    func honest() throws {
        var position: PositionReply = try decoded(Replies.position)
        position.source = .recorded
        position.state = .stale
        position.ageMs = 720_000
        position.reason = "the receiver went silent"
        position.accuracy = nil
        position.altitudeMSL = nil
        #expect(
            WhereScreen.line(position).text
                == "(recorded) STALE 39.106912° N, 96.609146° W, accuracy not known, 12 min old, "
                + "386 m above the ellipsoid, DGPS; the receiver went silent")
        position.longitude = nil
        #expect(WhereScreen.line(position).text == "(recorded) no position: the receiver went silent")
    }

    @Test("plot the sky: north up, the horizon on the rim, a table beside it that fits 80 by 24")
    func sky() throws {
        let lines = SkyScreen.lines(try decoded(Replies.satellites), size: (80, 24))
        #expect(lines.count == 22)
        #expect(lines.allSatisfy { $0.width <= 80 })
        #expect(
            plain(lines) == """
                4 satellites used of 6 in view, 0.4 s old
                Geometry: good (HDOP 0.9, VDOP 1.4)
                             · ·· N ·· ·                Sat    Elev  Azim  Signal (dB-Hz)
                         ·· ·           · ··            ● G13   90°    0°   46 █████████
                      · ·                   · ·         ● G05   45°  180°   38 ████████
                    ··       · ·· · ·· ·       ··       ● E03    0°   90°   30 ██████
                  ··       ··           ··       ··     ● R06   30°  270°   22 ████
                  ·     · ·               · ·     ·     ○ S33   30°  225°    -
                 ·      ·      ·· · ··      ·      ·    ○ #99     -     -    - sick
                ··    ··      ·       ·      ··    ··
                ·     ·     ··         ··     ·     ·
                W     ●R06  ·     ●G13  ·     ·  E03●
                ·     ·     ·           ·     ·     ·
                ··    ··     ··       ··     ··    ··
                 ·      ·      ·· · ··      ·      ·
                  ·     · ○S33            · ·     ·
                  ··       ··     ●G05  ··       ·
                    ··       · ·· · ·· ·       ··
                      · ·                   · ·
                         ·· ·           · ··
                             · ·· S ·· ·
                ● used for the position   ○ seen only   rings at 30° and 60°
                """)
        let rows = plain(lines).split(separator: "\n", omittingEmptySubsequences: false)
        // Straight up in the middle of 37 columns and 19 rows; halfway down to the south; the rim to the east.
        #expect(Array(rows[2 + 9])[18...21] == ["●", "G", "1", "3"])
        #expect(Array(rows[2 + 9 + 5])[18] == "●" || Array(rows[2 + 9 + 4])[18] == "●")
        #expect(Array(rows[2 + 9])[36] == "●")
        #expect(Array(rows[2 + 9])[6...9] == ["●", "R", "0", "6"])
    }

    @Test("keep the sky within the terminal, whatever its size")
    func skySizes() throws {
        let sky: SatellitesReply = try decoded(Replies.satellites)
        for columns in [20, 40, 75, 76, 80, 120, 200] {
            for rows in [10, 24, 50] {
                let lines = SkyScreen.lines(sky, size: (columns, rows))
                if columns >= 55 { #expect(lines.allSatisfy { $0.width <= max(columns, 60) }, "\(columns) x \(rows)") }
            }
        }
    }

    @Test("keep directions that make no sense out of the plot")
    func strangeDirections() throws {
        let text = """
            {"state":"fix","used":1,"visible":2,"satellites":[
            {"prn":1,"elevation":1e300,"azimuth":-1e300,"used":true,"signal":1e300},
            {"prn":-5,"elevation":45,"azimuth":1e9,"used":false}]}
            """
        let lines = SkyScreen.lines(try decoded(text), size: (80, 24))
        #expect(lines.count == 22)
    }

    @Test("show the camera with its counts and the controls that can be set")
    func camera() throws {
        let lines = CameraScreen.lines(try decoded(Replies.camera), columns: 80)
        #expect(
            plain(lines) == """
                Camera ok
                  Health    frames arrive
                  Device    HD Webcam, /dev/video0, driver uvcvideo, usb-1
                  Picture   1920 x 1080, MJPG, 30 a second
                  State     taking frames; the last one is 0.0 s old; 1 viewer of the preview
                  Counted   frames 12,345, sequence gaps 2

                Controls  (konza camera set NAME=VALUE)
                  brightness          128  0 to 255; default 100
                  exposure_auto         3  1 Manual, 3 Aperture
                  focus_automatic      on  on or off; cannot be set now
                """)
    }

    @Test("show a postcard without the commands that a message may hide")
    func postcard() throws {
        let lines = PostcardScreens.taken(try decoded(Replies.postcard), dates: prairieDates, columns: 80)
        #expect(
            plain(lines) == """
                Postcard kept as 01m7yk27pwtvfqpyxwrn22s8ht
                  Exposed   2026-05-30 09:03:07 UTC-05:00
                  Where     39.106912° N, 96.609146° W, ±4.2 m, 415 m above sea level
                  Caption   Konza Prairie
                  Message   Hello[31m from the tallgrass
                  Picture   1920 x 1080, 201 kB
                  Template  vintage
                  File      /var/lib/konza/postcards/x.jpg
                """)
    }

    @Test("list postcards one a line within 80 columns")
    func list() throws {
        let card: PostcardReply = try decoded(Replies.postcard)
        var second = card
        second.message = nil
        second.source = .recorded
        let lines = PostcardScreens.list([card, second], hasMore: true, dates: prairieDates, columns: 80)
        #expect(
            plain(lines) == """
                Id                          Taken             On the card
                01m7yk27pwtvfqpyxwrn22s8ht  2026-05-30 09:03  Hello[31m from the tallgrass
                01m7yk27pwtvfqpyxwrn22s8ht  2026-05-30 09:03  (recorded) Konza Prairie
                There are more: konza postcards --limit 10
                """)
    }

    @Test("write figures with units that fit them")
    func figures() {
        #expect(Figures.metres(0.014) == "1 cm")
        #expect(Figures.metres(4.25) == "4.3 m")
        #expect(Figures.metres(17.06) == "17 m")
        #expect(Figures.metres(12_345) == "12.3 km")
        #expect(Figures.bytes(999) == "999 bytes")
        #expect(Figures.bytes(1_500_000) == "1.5 MB")
        #expect(Figures.span(seconds: 59) == "59 s")
        #expect(Figures.span(seconds: 3660) == "1 h 1 min")
        #expect(Figures.age(milliseconds: 9_949) == "9.9 s old")
        #expect(Figures.age(milliseconds: 61_000) == "1 min 1 s old")
        #expect(Figures.grouped(1_234_567) == "1,234,567")
        #expect(Figures.fixed(-0.04, 1) == "0.0")
        #expect(Figures.fixed(.nan, 1) == "?")
        #expect(Figures.fixed(1e300, 1) == "1e+300")
    }

    @Test(
        "write coordinates in every hemisphere and form",
        arguments: [
            // The CN Tower, 43°38'33.24"N 79°23'13.7"W, is 17T 630084 E 4833439 N (the example of many textbooks).
            (
                43.642567, -79.387139, "43.642567° N, 79.387139° W", "43°38'33.2\"N 79°23'13.7\"W",
                "17T 630084 E 4833439 N"
            ),
            (0, 0, "0.000000° N, 0.000000° E", "0°00'00.0\"N 0°00'00.0\"E", "31N 166021 E 0 N"),
            // On a central meridian the easting is 500 000 by definition.
            (-0.0000001, 3, "0.000000° S, 3.000000° E", "0°00'00.0\"N 3°00'00.0\"E", "31M 500000 E 10000000 N"),
            // 59.99999" is carried, not shown as 60.
            (9.99999999, -179.99999999, "10.000000° N, 180.000000° W", "10°00'00.0\"N 180°00'00.0\"W", nil),
            // Norway's widened zone; Snyder 1987, equations 8-9 and 8-10, gives 276 979.93 and 6 658 157.20.
            (60, 5, "60.000000° N, 5.000000° E", "60°00'00.0\"N 5°00'00.0\"E", "32V 276980 E 6658157 N"),
            (
                89, 10, "89.000000° N, 10.000000° E", "89°00'00.0\"N 10°00'00.0\"E",
                "89.000000° N, 10.000000° E (outside the UTM zones)"
            ),
        ] as [(Double, Double, String, String, String?)])
    func coordinates(latitude: Double, longitude: Double, decimal: String, dms: String, utm: String?) throws {
        let place = try #require(Coordinate(latitude: latitude, longitude: longitude))
        #expect(CoordinateFormat.decimal.text(place) == decimal)
        #expect(CoordinateFormat.dms.text(place) == dms)
        if let utm { #expect(CoordinateFormat.utm.text(place) == utm) }
    }

    @Test("write a geo URI as RFC 5870 wants it")
    func geo() throws {
        let place = try #require(Coordinate(latitude: 39.1069123, longitude: -96.6091456))
        #expect(
            CoordinateFormat.geo.text(place, altitude: 386.1, accuracy: 4.2) == "geo:39.1069123,-96.6091456,386.1;u=4.2"
        )
    }
}
