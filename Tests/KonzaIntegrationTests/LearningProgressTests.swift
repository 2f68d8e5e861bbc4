import Foundation
import KonzaTesting
import Testing

/// What players have reached, by the portal's own routes, through deaths of the portal.
@Suite("The progress of players", .serialized)
struct LearningProgressTests {
    private static func round(_ number: Int, right: Int) -> String {
        let id = String(repeating: "0", count: 32 - "\(number)".count) + "\(number)"
        return #"{"round":"\#(id)","activity":"quiz/easy","right":\#(right),"of":1000,"asked":\#(right),"seconds":60}"#
    }

    @Test(
        "is on the disk when a score is acknowledged, counts each round once, and survives a portal that is killed meanwhile"
    )
    func killed() throws {
        let station = try Station(Station.recorded)
        defer { withExtendedLifetime(station) {} }
        let portal = try RunningPortal(station)
        var number = 0
        for _ in 0..<2 {
            // Scores without a pause, until the portal is killed in the middle of one.
            let process = portal.process.processIdentifier
            let killer = Thread { kill(process, SIGKILL) }
            var acknowledged = number
            while true {
                number += 1
                if number % 8 == 0, !killer.isExecuting, !killer.isFinished { killer.start() }
                let answer = try? portal.post("/v1/learning/rounds", Self.round(number, right: number))
                guard answer?.status == 200 else { break }
                acknowledged = number
            }
            try portal.killAndRestart()
            let progress = try portal.ask("/v1/learning/progress").json()
            let best = try #require((progress["activities"] as? [[String: Any]])?.first)
            let right = try #require(best["right"] as? Int)
            #expect(right == acknowledged || right == number, "\(acknowledged) was acknowledged, \(right) is kept")
            // The round without an answer is sent again, as the page does, and counts once.
            #expect(try portal.post("/v1/learning/rounds", Self.round(number, right: number)).status == 200)
            let after = try portal.ask("/v1/learning/progress").json()
            let plays = (after["activities"] as? [[String: Any]])?.first?["plays"] as? Int
            #expect(plays == number)
        }
    }
}
