import KonzaAPI
import KonzaModel
import KonzaTesting
import Testing

@testable import KonzaDaemon

@Suite("Following the receiver on the trails")
struct TrailDeskTests {
    private static let east = #"""
        {"type":"Feature","geometry":{"type":"LineString","coordinates":[[-96.6091,39.1069],[-96.6041,39.1069]]},
        "properties":{"name":"East"}}
        """#

    @Test("new trails are judged by the last fix at once, once, and by each fix after it")
    func changed() async throws {
        let desks = try Desks()
        let desk = TrailDesk(parts: desks.parts)
        await desk.load()
        #expect(desk.presentMatch() == nil && desk.nearest().state == "unknown")
        desks.reportFix()
        _ = try await desk.take(Array(Self.east.utf8), source: "east", isDryRun: false)
        let first = desk.nearest()
        #expect(first.trail == "East" && first.state == "on" && first.timestamp == desks.receiverNow)
        // A way begins on it, and a picture may name it.
        #expect(desk.presentMatch() != nil)
        #expect(desk.trailName(at: desks.receiverNow) == "East")
        #expect(desk.nearest() == first)
        // Without a fix nobody is anywhere.
        desks.clock.advance(bySeconds: 60)
        _ = try await desk.take(Array(Self.east.utf8), source: "east", isDryRun: false)
        #expect(desk.nearest().state == "unknown" && desk.presentMatch() == nil)
    }
}
