import KonzaAPI
import KonzaModel
import KonzaTesting
import Testing
import Views

@testable import KonzaDaemon

@Suite("Whether the camera still looks there")
struct ViewDeskTests {
    /// A tower, a ridge and a kite where a straight projection has them, for pictures of the size that the desks' camera makes:
    /// to 118 degrees, 2 degrees up, f 114.25. The kite is 1 km away there, 20 degrees up.
    private static let clicks = #"""
        {"x":99.59,"y":60.77,"landmark":"FAA 20-001751"},
        {"x":42.18,"y":61.17,"latitude":39.100774,"longitude":-96.563075,"height":425.81,"accuracy":2},
        {"x":80.0,"y":22.88,"latitude":39.102671,"longitude":-96.598879,"height":694.5,"accuracy":2}
        """#
    private static let calibration = #"""
        {"width":160,"height":120,"fieldOfView":70,"latitude":39.1069,"longitude":-96.6091,"cameraHeight":330.5,"accuracy":2,
        "clicks":[\#(clicks)]}
        """#

    @Test("nothing is judged at night, and nothing changes; by day the skyline is looked for")
    func night() async throws {
        let desks = try Desks(isSynchronized: { true })
        let desk = ViewDesk(parts: desks.parts, trails: TrailDesk(parts: desks.parts))
        let request = try ViewCalibrationRequest(JSONReader.value(of: Array(Self.calibration.utf8)))
        // It is the afternoon there; nine hours later it is after midnight.
        let made = try desk.calibrate(request)
        #expect(ViewDesk.isDay(made.viewpoint, at: desks.parts.time.now().instant))
        desks.clock.advance(bySeconds: 9 * 3600)
        try desks.publishFrame()
        let refusal = await #expect(throws: Problem.self) { try await desk.verify() }
        #expect(refusal?.kind == .conflict && refusal?.detail.contains("nothing is judged at night") == true)
        #expect(desk.calibration?.verification == nil)
        desks.clock.advance(bySeconds: 15 * 3600)
        try desks.publishFrame()
        do {
            let found = try await desk.verify()
            #expect(found.verification != nil)
        } catch {
            // The painted hills may hide too little of the sky.
            #expect(!error.detail.contains("night"), "\(error)")
        }
    }
}
