import KonzaModel
import Testing

@testable import Capture

@Suite struct ExposureTimingTests {
    /// 20 frames a second: an interval of 50 ms.
    private let interval: Int64 = 50_000_000
    private let arrival = MonotonicInstant(nanoseconds: 10_000_000_000)

    private func exposure(
        _ timing: inout ExposureTiming, age: Int64, flags: BufferFlags, sequence: UInt64 = 1, lastEmpty: Int64 = 0
    ) -> Exposure {
        timing.exposure(
            timestamp: arrival.nanoseconds - age, flags: flags, sequence: sequence, arrival: arrival,
            lastEmpty: MonotonicInstant(nanoseconds: arrival.nanoseconds - lastEmpty))
    }

    @Test func aStartOfExposureIsTakenAsItIs() {
        var timing = ExposureTiming(frameRate: 20)
        let result = exposure(&timing, age: 60_000_000, flags: [.monotonic, .startOfExposure])
        #expect(result.start.nanoseconds == arrival.nanoseconds - 60_000_000)
        #expect(result.earliest == result.start)
        #expect(result.source == .startOfExposure)
    }

    @Test func anEndOfFrameGoesBackByOneIntervalAndIsBoundedByTwo() {
        var timing = ExposureTiming(frameRate: 20)
        let result = exposure(&timing, age: 1_000_000, flags: .monotonic)
        #expect(result.start.nanoseconds == arrival.nanoseconds - 1_000_000 - interval)
        #expect(result.earliest.nanoseconds == arrival.nanoseconds - 1_000_000 - 2 * interval)
        #expect(result.source == .endOfFrame)
    }

    @Test func withoutAMonotonicTimestampTheBoundIsTheEmptyQueue() {
        var timing = ExposureTiming(frameRate: 20)
        let result = exposure(&timing, age: 0, flags: .startOfExposure, lastEmpty: 400_000_000)
        #expect(result.source == .arrival)
        #expect(result.start.nanoseconds == arrival.nanoseconds - interval)
        #expect(result.earliest.nanoseconds == arrival.nanoseconds - 400_000_000 - 2 * interval)
        #expect(!result.isTimestampBad)
    }

    @Test(arguments: [
        // In the future, by more than the grain of the clocks.
        -6_000_000,
        // Older than any frame.
        5_000_000_001,
        // Wrapped, as vivid's control does.
        Int64.max, Int64.min / 2,
    ])
    func aTimestampThatCannotBeIsNotBelieved(_ age: Int64) {
        var timing = ExposureTiming(frameRate: 20)
        let result = timing.exposure(
            timestamp: arrival.nanoseconds &- age, flags: [.monotonic, .startOfExposure], sequence: 1,
            arrival: arrival, lastEmpty: arrival)
        #expect(result.isTimestampBad)
        #expect(result.source == .arrival)
    }

    @Test func theMeasuredIntervalCountsWhereTheCameraIsSlowerThanItPromised() {
        var timing = ExposureTiming(frameRate: 30)
        #expect(timing.interval == 33_333_333)
        // 5 a second in the dark, with one frame lost between.
        _ = exposure(&timing, age: 400_000_000, flags: .monotonic, sequence: 1)
        let result = exposure(&timing, age: 0, flags: .monotonic, sequence: 3)
        #expect(timing.interval == 200_000_000)
        #expect(result.earliest.nanoseconds == arrival.nanoseconds - 400_000_000)
        timing.restart()
        #expect(timing.interval == 33_333_333)
    }

    @Test(arguments: [nil, 0, -5, .nan, .infinity, 0.0001])
    func anUnusablePromiseIsReplaced(_ rate: Double?) {
        #expect(ExposureTiming(frameRate: rate).interval == 66_666_667)
    }

    @Test func theSequenceWidensOverItsWrapAndNeverGoesBack() {
        var counter = SequenceCounter()
        var values: [UInt64] = []
        for number: UInt32 in [7, 8, .max, 0, 2, 2, 0, 1] { values.append(counter.advance(to: number)) }
        #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 })
        // 8 to the largest is half the range back: it began again. 0 to 2 lost one.
        #expect(counter.gaps == 1)
        #expect(counter.lost == 1)
        counter.restart()
        _ = counter.advance(to: 500)
        #expect(counter.gaps == 1)
    }
}
