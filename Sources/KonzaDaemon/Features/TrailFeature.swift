internal import HTTPServing
internal import KonzaModel
internal import Trails

/// The trails: what is known of them, where the station is on them, and the way home.
extension Feature {
    static func trails(_ parts: StationParts, _ desk: TrailDesk) -> Feature {
        var feature = Feature("trails")
        let recorder = TrailRecorderDesk(trails: desk)
        feature.routes =
            TrailRoutes(desk: desk).routes + TrailUpkeepRoutes(desk: desk).routes
            + TrailRecordingRoutes(desk: recorder).routes
        parts.surroundings.tellTrail { desk.trailName(at: $0) }
        feature.parts = [
            Part("trails") {
                recorder.fault.map { PartHealth(level: .degraded, kind: "trail-not-saved", reason: $0) } ?? desk.health
            }
        ]
        feature.services = [desk, recorder]
        feature.finish = { _ in await recorder.save() }
        feature.metrics = { page in
            let network = desk.network
            page.add("konza_trail_segments", .gauge, "Segments of the trails in use.", Double(network.edgeCount))
            page.add(
                "konza_trail_demonstration", .gauge, "1 while the made-up trails are in use.",
                network.isDemonstration ? 1 : 0)
            page.add(
                "konza_trail_recorded_points", .gauge, "Points of the trail that is recorded now; 0 without one.",
                Double(recorder.pointCount ?? 0))
            let counts = desk.importCounts
            page.count(
                "konza_trail_imports_total", "Imports of trails by what became of them.",
                ["kept": counts.kept, "refused": counts.refused], label: "outcome")
        }
        return feature
    }
}
