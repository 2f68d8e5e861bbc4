internal import HTTPServing
internal import KonzaModel
internal import KonzaSystem
internal import Settings
internal import Specimens

/// What collectors bring: specimens with their positions, photographs and labels, and what is to be sent of them.
extension Feature {
    static func specimens(_ parts: StationParts, _ outbox: OutboxDesk, _ occupations: OccupationDesk) -> Feature {
        let desk = outbox.specimens
        let exports = ExportDesk(specimens: desk)
        var feature = Feature("specimens")
        feature.routes =
            SpecimenRoutes(desk: desk).routes
            + PhotographRoutes(
                desk: PhotographDesk(specimens: desk), limit: Int(parts.settings.current.specimens.maxPhotograph)
            ).routes
            + OccupationRoutes(desk: occupations).routes + LabelRoutes(desk: desk).routes
            + ExportRoutes(parts: parts, desk: exports).routes + OutboxRoutes(parts: parts, desk: outbox).routes
            + VocabularyRoutes(desk: desk).routes
        feature.parts = [Part("outbox") { SpecimenFeature.outbox(parts.specimens) }]
        feature.metrics = { SpecimenFeature.count(parts, outbox, occupations, exports, &$0) }
        feature.finish = { _ in await occupations.close() }
        return feature
    }

    /// What is known of MetPetDB's samples.
    static func samples(_ parts: StationParts, _ outbox: OutboxDesk) -> Feature {
        var feature = Feature("samples")
        feature.routes =
            SampleRoutes(
                desk: SampleDesk(outbox: outbox),
                filter: SampleFilter(parts: parts, vocabulary: outbox.specimens.vocabulary)
            ).routes
        return feature
    }
}

private enum SpecimenFeature {
    /// A submission that nobody looks at never arrives.
    static func outbox(_ specimens: SpecimenArchive) -> PartHealth {
        let counts = specimens.figures.outbox
        let refused = counts[.refused] ?? 0
        let conflicts = counts[.conflict] ?? 0
        guard refused + conflicts > 0 else {
            let waiting = (counts[.ready] ?? 0) + (counts[.sending] ?? 0)
            return .ok(
                waiting == 0
                    ? "nothing waits to be sent"
                    : "\(counted(waiting, "submission waits", "submissions wait")) to be sent")
        }
        return PartHealth(
            level: .degraded, kind: "outbox-needs-a-person",
            reason:
                "\(counted(refused, "submission was", "submissions were")) refused and \(conflicts) \(conflicts == 1 ? "is" : "are") in conflict; see GET /v1/outbox, then "
                + "change the specimens or resolve the conflicts")
    }

    static func count(
        _ parts: StationParts, _ outbox: OutboxDesk, _ occupations: OccupationDesk, _ exports: ExportDesk,
        _ page: inout MetricsText
    ) {
        let usage = parts.specimens.figures
        page.add(
            "konza_specimens", .gauge, "Specimens.",
            [([("state", "kept")], Double(usage.count)), ([("state", "deleted")], Double(usage.deletedCount))])
        page.add("konza_specimens_bytes", .gauge, "What they take.", Double(usage.storedBytes))
        page.add(
            "konza_outbox", .gauge, "Submissions by their state.",
            Submission.State.allCases.map { ([("state", $0.rawValue)], Double(usage.outbox[$0] ?? 0)) })
        page.add(
            "konza_courier_idle_seconds", .gauge, "Since the courier last asked for an errand.",
            outbox.courierSeenAt.map { parts.clock.monotonic().seconds(since: $0) })
        page.add("konza_occupations", .gauge, "Occupations that run.", Double(occupations.count))
        page.count("konza_exports_total", "Exports by their form.", exports.tally, label: "format")
    }
}
