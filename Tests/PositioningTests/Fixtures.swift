import KonzaModel
import KonzaTesting

@testable import Positioning

let epochStart = UTCInstant(nanoseconds: 1_780_149_600_000_000_000)

func place(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
    struct BadPlace: Error {}
    guard let place = Coordinate(latitude: latitude, longitude: longitude) else { throw BadPlace() }
    return place
}

/// A 3D fix some seconds after the start, arrived at the clock's now.
func fix(
    _ seconds: Double, _ latitude: Double = 39.1069, _ longitude: Double = -96.6091, mode: FixMode = .threeDimensional,
    clock: ManualClock = ManualClock()
) -> Fix {
    Fix(
        time: epochStart.advanced(bySeconds: seconds), arrival: clock.monotonic(), mode: mode,
        coordinate: mode >= .twoDimensional ? Coordinate(latitude: latitude, longitude: longitude) : nil,
        source: .live)
}

/// A board with gpsd connected and one receiver.
func connectedBoard(_ clock: ManualClock, _ settings: PositionSettings = PositionSettings()) -> PositionBoard {
    let board = PositionBoard(clock: clock, settings: settings)
    board.report(link: .connected(endpoint: "127.0.0.1:2947", release: "3.22"))
    board.report(receivers: [Receiver(path: "/dev/ttyACM0", driver: "u-blox", isActivated: true, cycleSeconds: 1)])
    return board
}
