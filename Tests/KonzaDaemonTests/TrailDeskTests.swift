import KonzaAPI
import KonzaModel
import KonzaTesting
import Positioning
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

    @Test("where a poor position leaves two trails, the one that is closed is said to be so")
    func closedCandidate() async throws {
        let desks = try Desks()
        let desk = TrailDesk(parts: desks.parts)
        await desk.load()
        // 22 m north of the other.
        let north = Self.east.replacing("39.1069", with: "39.1071").replacing("East", with: "North")
        func closed(_ trail: String) -> String {
            trail.replacing(#"{"name":"#, with: #"{"closed":"prescribed burn","name":"#)
        }
        desks.reportFix()
        let fix = try desks.parts.board.position(at: desks.receiverNow).get()
        let rows: [(String, String, [String]?, String)] = [
            (closed(Self.east), north, ["East"], "it may be East (closed) or North"),
            (closed(Self.east), closed(north), ["East", "North"], "it may be East (closed) or North (closed)"),
            (Self.east, north, nil, "it may be East or North"),
        ]
        for (one, other, closedOnes, words) in rows {
            let lines = #"{"type":"FeatureCollection","features":[\#(one),\#(other)]}"#
            _ = try await desk.take(Array(lines.utf8), source: "lines", isDryRun: false)
            let found = desk.nearest(to: Observer(fix), accuracy: 120, at: desks.receiverNow)
            #expect(found.state == "unknown" && found.candidates == ["East", "North"])
            #expect(found.closedCandidates == closedOnes)
            #expect(found.words.contains(words), "\(found.words)")
        }
    }
}
