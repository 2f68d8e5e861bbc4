import Foundation
import Geodesy
import KonzaModel
import KonzaTesting
import Testing

@testable import Positioning

@Suite("Occupation") struct OccupationTests {
    static let begin = MonotonicInstant(nanoseconds: 5_000_000_000)

    /// A 3D fix of a second of the occupation.
    static func fix(
        _ second: Double, _ latitude: Double = 39.1069, _ longitude: Double = -96.6091, height: Double? = 350,
        mode: FixMode = .threeDimensional, status: FixStatus = .unknown, metres: Double = 3
    ) -> Fix {
        var fix = Fix(
            time: epochStart.advanced(bySeconds: second), arrival: begin.advanced(bySeconds: second), mode: mode,
            status: status, coordinate: Coordinate(latitude: latitude, longitude: longitude), source: .live)
        fix.altitudeHAE = height
        fix.horizontalAccuracy = Accuracy(metres: metres, source: .receiver)
        fix.verticalAccuracy = Accuracy(metres: metres * 1.5, source: .receiver)
        fix.dop.horizontal = 0.9
        fix.satellitesUsed = 9
        return fix
    }

    static func occupation(_ settings: OccupationSettings = OccupationSettings(timeLimit: .infinity)) -> Occupation {
        Occupation(settings: settings, now: begin)
    }

    @Suite("Which fixes count") struct Admission {
        @Test("Without a usable fix there is no estimate")
        func empty() {
            var occupation = occupation()
            occupation.add(fix(0, mode: .noFix))
            #expect(occupation.estimate == nil)
            #expect(occupation.refused == [.noFix: 1])
        }

        @Test(
            "What is no observation of the sky is refused",
            arguments: [
                (FixStatus.simulated, OccupationRefusal.simulated), (.deadReckoning, .estimated),
                (.timeOnly, .estimated),
            ])
        func notObserved(status: FixStatus, reason: OccupationRefusal) {
            var occupation = occupation()
            #expect(occupation.add(fix(0, status: status)) == reason)
        }

        @Test("A simulator's fixes count in training, and the result says what they are")
        func training() throws {
            var occupation = occupation(OccupationSettings(acceptsSimulated: true))
            var made = fix(0)
            made.source = .simulated
            #expect(occupation.add(made) == nil)
            #expect(try #require(occupation.estimate).source == .simulated)
        }

        @Test("Further reports of an epoch and stragglers count once")
        func repeated() {
            var occupation = occupation()
            occupation.add(fix(3))
            var again = fix(3)
            again.arrival = begin.advanced(bySeconds: 3.4)
            #expect(occupation.add(again) == .repeated)
            var late = fix(2)
            late.arrival = begin.advanced(bySeconds: 3.5)
            #expect(occupation.add(late) == .repeated)
            #expect(occupation.accepted == 1)
        }

        @Test("Reports without a time are told apart by their arrival")
        func timeless() {
            var occupation = occupation()
            for second in [0, 0.1, 1, 1.2, 2] {
                var report = fix(second)
                report.time = nil
                occupation.add(report)
            }
            #expect(occupation.accepted == 3)
        }

        @Test("A receiver whose date jumps back goes on counting")
        func clockStep() throws {
            var occupation = occupation()
            for second in 0..<5 { occupation.add(fix(Double(second))) }
            for second in 5..<10 {
                var report = fix(Double(second))
                report.time = epochStart.advanced(bySeconds: Double(second) - 619_315_200)
                occupation.add(report)
            }
            #expect(occupation.accepted == 10)
            #expect(abs(try #require(occupation.estimate).seconds - 9) < 1e-9)
        }

        @Test("Old fixes, and those of another kind of source, are refused")
        func staleAndOther() {
            var occupation = occupation()
            occupation.add(fix(0))
            occupation.tick(begin.advanced(bySeconds: 10))
            #expect(occupation.add(fix(2)) == .stale)
            var before = fix(0)
            before.time = nil
            before.arrival = begin.advanced(bySeconds: -1)
            #expect(occupation.add(before) == .stale)
            var recorded = fix(10)
            recorded.source = .recorded
            #expect(occupation.add(recorded) == .otherSource)
        }
    }

    @Suite("How it ends") struct Ending {
        @Test("It ends at the wanted accuracy, not before the minimum duration")
        func accuracy() {
            var occupation = occupation(OccupationSettings(wantedAccuracy: 10, timeLimit: 600, minimumDuration: 20))
            for second in 0..<20 { occupation.add(fix(Double(second))) }
            #expect(occupation.state == .running)
            for second in 20..<25 { occupation.add(fix(Double(second))) }
            #expect(occupation.state == .ended(.accuracyReached))
            #expect(occupation.estimate?.endReason == .accuracyReached)
        }

        @Test("Never at an accuracy below the systematic part")
        func unreachable() {
            var occupation = occupation(OccupationSettings(wantedAccuracy: 1.4, timeLimit: 120))
            for second in 0...120 { occupation.add(fix(Double(second), metres: 0.1)) }
            #expect(occupation.state == .ended(.timeOut))
        }

        @Test("It ends at its time limit without a fix coming")
        func timeOut() {
            var occupation = occupation(OccupationSettings(timeLimit: 20))
            occupation.add(fix(0))
            occupation.tick(begin.advanced(bySeconds: 19.9))
            #expect(occupation.state == .running)
            occupation.tick(begin.advanced(bySeconds: 20))
            #expect(occupation.state == .ended(.timeOut))
        }

        @Test("It ends when the receiver is lost, also if it never had a fix, and reports without a fix do not help")
        func lost() {
            var occupation = occupation(OccupationSettings(timeLimit: 600, lostAfter: 15))
            for second in 0..<14 { occupation.add(fix(Double(second), mode: .noFix)) }
            #expect(occupation.state == .running)
            occupation.add(fix(15, mode: .noFix))
            #expect(occupation.state == .ended(.receiverLost))
        }

        @Test("It ends when the fixes come from another receiver, and keeps what the first one gave")
        func otherReceiver() throws {
            var occupation = occupation()
            func named(_ second: Double, _ device: String?, _ latitude: Double) -> Fix {
                var fix = fix(second, latitude)
                fix.device = device
                return fix
            }
            for second in 0..<10 { occupation.add(named(Double(second), "/dev/a", 39.1)) }
            // A report that names none changes nothing.
            #expect(occupation.add(named(10, nil, 39.1)) == nil)
            #expect(occupation.add(named(11, "/dev/b", 39.2)) == .otherReceiver)
            #expect(occupation.state == .ended(.receiverChanged))
            occupation.add(named(12, "/dev/a", 39.1))
            let result = try #require(occupation.estimate)
            #expect(result.fixesUsed == 11 && result.coordinate.latitude == 39.1)
            #expect(result.endReason == .receiverChanged && result.fixesRefused == [.otherReceiver: 1])
        }

        @Test("The first end stays, and nothing is taken after it")
        func final() {
            var occupation = occupation()
            occupation.add(fix(0))
            occupation.end()
            occupation.add(fix(1))
            occupation.tick(begin.advanced(bySeconds: 10_000))
            #expect(occupation.state == .ended(.endedByUser))
            #expect(occupation.accepted == 1)
        }
    }

    @Suite("The mean") struct Mean {
        @Test(
            "Outliers below a half are rejected and counted, even if the first fix is one",
            arguments: [0.1, 0.3, 0.45])
        func outliers(share: Double) throws {
            var generator = SeededGenerator(seed: 99)
            var occupation = occupation()
            let wrong = Int(share * 100)
            for second in 0..<100 {
                let noise = Double.random(in: -1...1, using: &generator) * 1e-5
                let shift = second < wrong ? 60e-5 * Double(second % 3 + 1) : 0
                occupation.add(fix(Double(second), 39.1069 + noise + shift, -96.6091 - noise, height: 350))
            }
            let result = try #require(occupation.estimate)
            #expect(result.fixesRejected == wrong)
            #expect(result.fixesUsed == 100 - wrong)
            #expect(WGS84.chord(result.coordinate, try place(39.1069, -96.6091)) < 0.5)
        }

        @Test("An outlier on the other side of the earth is one")
        func antipode() throws {
            var occupation = occupation()
            for second in 0..<10 { occupation.add(fix(Double(second))) }
            occupation.add(fix(10, -39.1069, 83.3909))
            let result = try #require(occupation.estimate)
            #expect(result.fixesRejected == 1)
            #expect(WGS84.chord(result.coordinate, try place(39.1069, -96.6091)) < 1e-6)
        }

        @Test("Fixes count by the square of their own error")
        func weights() throws {
            var occupation = occupation()
            for second in 0..<40 {
                let isGood = second % 2 == 0
                occupation.add(fix(Double(second), 39.1069 + (isGood ? 0 : 1e-5), metres: isGood ? 2 : 4))
            }
            let result = try #require(occupation.estimate)
            // Weights 4 to 1: a fifth of the way.
            #expect(abs(result.coordinate.latitude - 39.106_902) < 1e-9)
        }

        @Test(
            "Antimeridian and poles are places like others",
            arguments: [
                ((10, 179.99999), (10, -179.99999), (10, 180)), ((0, -179.99999), (0, 179.99999), (0, 180)),
                ((89.99999, 0), (89.99999, 180), (90, 0)), ((-89.99999, 90), (-89.99999, -90), (-90, 0)),
            ] as [((Double, Double), (Double, Double), (Double, Double))])
        func edges(first: (Double, Double), second: (Double, Double), middle: (Double, Double)) throws {
            var occupation = occupation()
            for number in 0..<20 {
                let (latitude, longitude) = number % 2 == 0 ? first : second
                occupation.add(fix(Double(number), latitude, longitude))
            }
            let result = try #require(occupation.estimate)
            #expect(result.fixesRejected == 0)
            #expect(WGS84.chord(result.coordinate, try place(middle.0, middle.1)) < 1e-6)
        }

        @Test("2D fixes count for the place and not for the height")
        func twoDimensional() throws {
            var occupation = occupation()
            for second in 0..<10 { occupation.add(fix(Double(second), height: 200, mode: .twoDimensional)) }
            var result = try #require(occupation.estimate)
            #expect(result.altitudeHAE == nil)
            #expect(result.verticalError == nil)
            #expect(result.fixes3D == 0)
            for second in 10..<15 { occupation.add(fix(Double(second), height: 350)) }
            result = try #require(occupation.estimate)
            #expect(result.altitudeHAE == 350)
            #expect(result.fixesUsed == 15)
            #expect(result.fixes3D == 5)
        }

        @Test("Heights above the ellipsoid and the sea differ by the geoid")
        func heights() throws {
            var occupation = occupation()
            for second in 0..<10 {
                var fix = fix(Double(second), height: 350)
                fix.geoidSeparation = -28
                fix.altitudeMSL = 378
                occupation.add(fix)
            }
            let result = try #require(occupation.estimate)
            #expect(result.altitudeHAE == 350)
            #expect(result.altitudeMSL == 378)
            #expect(result.geoidSeparation == -28)
        }
    }

    @Suite("The claim") struct Claim {
        @Test("A frozen receiver proves nothing: its claim stays near its own word however long it stands")
        func frozen() throws {
            var occupation = occupation()
            for second in 0..<600 { occupation.add(fix(Double(second), metres: 5)) }
            #expect(try #require(occupation.estimate).horizontalError > 5)
        }

        @Test("RTK is believed where gpsd's model is not")
        func rtk() throws {
            var occupation = occupation()
            for second in 0..<60 {
                var fix = fix(Double(second), status: .rtkFixed)
                fix.horizontalAccuracy = Accuracy(metres: 13.3, source: .model)
                occupation.add(fix)
            }
            #expect(try #require(occupation.estimate).horizontalError < 0.2)
        }

        @Test("A long occupation is thinned, keeps its beginning and end, and says so")
        func thinning() throws {
            var occupation = occupation()
            for tenth in 0..<20_000 { occupation.add(fix(Double(tenth) / 10)) }
            let result = try #require(occupation.estimate)
            #expect(occupation.kept <= Occupation.mostEpochs)
            #expect(occupation.kept > Occupation.mostEpochs / 2)
            #expect(result.fixesUsed + result.fixesRejected + result.fixesThinned == 20_000)
            #expect(result.seconds > 1990)
            #expect(result.start == epochStart)
        }

        @Test("It is worth more the longer one stands, and never more than the fixes")
        func effective() throws {
            let receiver = StandingReceiver(StandingReceiver.Conditions.field[6], at: try place(39.1069, -96.6091))
            var last = 0.0
            for duration in [20, 300, 1800] {
                var occupation = Occupation(
                    settings: OccupationSettings(timeLimit: .infinity), now: MonotonicInstant(nanoseconds: 0))
                for fix in receiver.fixes(seconds: duration, seed: 7) { occupation.add(fix) }
                let result = try #require(occupation.estimate)
                #expect(result.effectiveFixes > last)
                #expect(result.effectiveFixes <= Double(duration) / 20)
                last = result.effectiveFixes
            }
        }
    }
}
