internal import Drawing
internal import HTTPServing
internal import KonzaModel
internal import KonzaSystem
internal import Postcards
internal import Settings
internal import Storage

/// The pictures that visitors carry home, and the templates that they are drawn by.
extension Feature {
    static func postcards(_ parts: StationParts, _ desk: PostcardDesk) -> Feature {
        let templates = RepeatedReading(named: "templates") {
            for problem in parts.library.reload() { parts.log(.warning, problem.message) }
        }
        var feature = Feature("postcards")
        feature.routes = PostcardRoutes(parts: parts, desk: desk).routes + ShotRoutes(desk: desk.shots).routes
        feature.parts = [Part("templates") { PostcardFeature.templates(parts.library, parts.settings) }]
        feature.metrics = { PostcardFeature.count(parts, desk, &$0) }
        // By the time that a postcard is asked for they are there.
        feature.start = { templates.ask() }
        feature.services = [Housekeeping(parts: parts, desk: desk)]
        feature.reload = { _, _ in
            desk.releaseMemory()
            templates.ask()
        }
        feature.finish = { await desk.close(graceSeconds: $0) }
        return feature
    }

    /// Where postcards and specimens are kept.
    static func storage(_ parts: StationParts, _ watch: ArchiveWatch) -> Feature {
        var feature = Feature("storage")
        feature.parts = [
            Part("archive") { parts.tally.archive(parts.store.figures.health, at: parts.clock.monotonic()) }
        ]
        feature.services = [watch]
        feature.reload = { _, _ in parts.setArchiveLimits() }
        return feature
    }
}

private enum PostcardFeature {
    static func templates(_ library: TemplateLibrary, _ settings: SettingsBox) -> PartHealth {
        let name = settings.current.postcards.template
        guard library.templates.contains(where: { $0.name == name }) else {
            return PartHealth(
                level: .failed, kind: "template-missing",
                reason: "the template \(name) is not there: set [Postcards] Template= to one of GET /v1/templates, "
                    + "or TemplateFolders= to the folder that holds it")
        }
        if let problem = library.problems.first {
            return PartHealth(level: .degraded, kind: "template-broken", reason: problem.message)
        }
        return .ok(counted(library.templates.count, "template"))
    }

    static func count(_ parts: StationParts, _ desk: PostcardDesk, _ page: inout MetricsText) {
        let usage = parts.archive.figures
        page.add("konza_archive_postcards", .gauge, "Postcards kept.", Double(usage.count))
        page.add("konza_archive_bytes", .gauge, "What they take.", Double(usage.storedBytes))
        page.add(
            "konza_archive_free_bytes", .gauge, "Free on the disk.", parts.store.figures.freeBytes.map { Double($0) })
        page.add(
            "konza_archive_slow_writes_total", .counter, "Postcards that took the disk more than a second.",
            Double(parts.tally.slowWrites))
        page.add(
            "konza_archive_write_age_seconds", .gauge, "How long the disk has been at the oldest request under way.",
            parts.tally.diskAge(at: parts.clock.monotonic()))
        page.add("konza_postcards_under_way", .gauge, "Postcards being made.", Double(desk.underWay))
        page.add("konza_shots", .gauge, "Pictures held for collages.", Double(desk.shots.count))
        let tally = desk.tally
        page.count("konza_stamping_total", "Postcards by the way of their stamping.", tally.ways, label: "way")
        page.count("konza_postcard_failures_total", "Postcards that failed.", tally.failures, label: "kind")
    }
}
