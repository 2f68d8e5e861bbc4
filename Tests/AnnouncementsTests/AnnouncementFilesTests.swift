import Foundation
import KonzaModel
import KonzaTesting
import Storage
import Testing

@testable import Announcements

@Suite("Announcements as files")
struct AnnouncementFilesTests {
    let folder: TemporaryFolder
    let register: AnnouncementRegister
    let files: AnnouncementFiles

    init() throws {
        folder = try TemporaryFolder()
        let clock = ManualClock()
        register = AnnouncementRegister(
            try Database(inMemory: 4 << 20, migrations: AnnouncementRegister.migrations), clock: clock)
        files = AnnouncementFiles(folder.path, register: register)
    }

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"), options: .atomic)
    }

    private func all() throws -> [Announcement] {
        try register.list(for: nil, isCrew: true, all: true).map(\.announcement)
    }

    @Test("have front matter, a body, what follows it, and another language beside them")
    func read() throws {
        try write(
            "burn.md",
            "---\ntitle: \"Burn: 20B\"\nurgent: yes\naudience: everyone\nstart: 2026-03-01T06:00:00Z\nend: 2026-03-03\n---\n\nStay *off*.\n\n<!-- more -->\nMap\n"
        )
        try write("burn.es.md", "---\ntitle: Quema\n---\nNo entre.\n")
        try write(".draft.md", "no")
        #expect(try files.refresh() && files.faults.isEmpty)
        let one = try #require(try all().first)
        #expect(one.words == .init(title: "Burn: 20B", body: "Stay *off*.", more: "Map") && one.isUrgent)
        #expect(one.translations == ["es": .init(title: "Quema", body: "No entre.")] && one.audience == .everyone)
        #expect(one.startDate == UTCInstant(rfc3339: "2026-03-01T06:00:00Z") && one.endDate != nil)
        #expect(try !files.refresh(), "nothing changed")
        try FileManager.default.removeItem(atPath: "\(folder.path)/burn.md")
        #expect(try files.refresh() && all().isEmpty)
    }

    @Test("can be checked without being taken up; a translation without its announcement is named")
    func check() throws {
        try write("burn.md", "---\ntitle: Burn\n---\n")
        try write("burn.es.md", "---\ntitle: Quema\n---\n")
        try write("bad.md", "no front matter")
        try write("lone.es.md", "---\ntitle: Sola\n---\n")
        let found = AnnouncementFiles.check(folder.path, at: UTCInstant(nanoseconds: 0))
        #expect(found.announcements.map(\.name) == ["burn"])
        #expect(found.announcements.first?.1.translations["es"]?.title == "Quema")
        #expect(found.faults.count == 2 && found.faults[0].contains("bad.md, line 1: it has no front matter; begin it"))
        #expect(
            found.faults[1]
                == "cannot take up lone.es.md: it translates lone.md, which is not there; put that beside it, or call this one lone.md"
        )
        #expect(try all().isEmpty)
        #expect(try files.refresh() && files.faults == found.faults)
    }

    @Test(
        "that are over can be used, and are named with the line and the remedy; by a clock that was never set none is")
    func over() throws {
        try write("old.md", "---\ntitle: Old\nstart: 2024-02-01\nEnd: 2024-02-03\n---\n")
        try write("new.md", "---\ntitle: New\nend: 2200-01-01\n---\n")
        try write("ever.md", "---\ntitle: Ever\n---\nend: 2024-02-03\n")
        let now = try #require(UTCInstant(rfc3339: "2026-06-02T13:00:00Z"))
        let found = AnnouncementFiles.check(folder.path, at: now)
        #expect(found.announcements.count == 3 && found.faults.isEmpty && found.warnings.count == 1)
        #expect(found.warnings.first?.hasPrefix("old.md, line 4: it ended at 2024-02-0") == true)
        #expect(found.warnings.first?.hasSuffix("give it a later end:, or take the file away") == true)
        #expect(AnnouncementFiles.check(folder.path, at: UTCInstant(nanoseconds: 0)).warnings.isEmpty)
    }

    @Test("of other names are named with those that are read; hidden files and backups are passed over")
    func names() throws {
        try write("burn.md", "---\ntitle: Burn\n---\n")
        for name in [".burn.md.swp", "burn.md~", "burn.md.dpkg-old"] { try write(name, "left behind") }
        #expect(try files.refresh() && files.faults.isEmpty)
        try write("closure.txt", "no")
        try write("Storm.MD", "no")
        try FileManager.default.createDirectory(atPath: "\(folder.path)/old.md", withIntermediateDirectories: false)
        let faults = ["Storm.MD", "closure.txt", "old.md"].map {
            "cannot take up \($0): it is not read, as its name is none of NAME.md, NAME.LANGUAGE.md; rename it, or take it away"
        }
        #expect(try files.refresh() && files.faults == faults && all().map(\.words.title) == ["Burn"])
        #expect(AnnouncementFiles.check(folder.path, at: UTCInstant(nanoseconds: 0)).faults == faults)
        #expect(try !files.refresh())
    }

    @Test("whose folder is a link are not read, and those that were there stay")
    func linkedFolder() throws {
        try write("burn.md", "---\ntitle: Burn\n---\n")
        try files.refresh()
        let elsewhere = "\(folder.path).away"
        try FileManager.default.moveItem(atPath: folder.path, toPath: elsewhere)
        defer { try? FileManager.default.removeItem(atPath: elsewhere) }
        try FileManager.default.createSymbolicLink(atPath: folder.path, withDestinationPath: elsewhere)
        try Data("---\ntitle: Other\n---\n".utf8).write(to: URL(fileURLWithPath: "\(elsewhere)/other.md"))
        #expect(try files.refresh() && all().map(\.words.title) == ["Burn"])
        #expect(
            files.faults.first?.hasPrefix("cannot list \(folder.path): it is a symbolic link, which is not") == true)
    }

    @Test("that are symbolic links are not followed, and named with the remedy; what the file said before stays")
    func links() throws {
        try write("burn.md", "---\ntitle: Burn\n---\n")
        try files.refresh()
        let manager = FileManager.default
        let outside = try TemporaryFolder()
        try Data("---\ntitle: Secret\n---\n".utf8).write(to: URL(fileURLWithPath: "\(outside.path)/secret.md"))
        try manager.removeItem(atPath: "\(folder.path)/burn.md")
        for (name, to) in [("burn.md", "secret.md"), ("lost.md", "nowhere.md")] {
            try manager.createSymbolicLink(
                atPath: "\(folder.path)/\(name)", withDestinationPath: "\(outside.path)/\(to)")
        }
        let words =
            ": it is a symbolic link, which is not followed; put the file or the folder itself in its place"
        let faults = ["burn.md", "lost.md"].map { "cannot take up \($0)\(words)" }
        let found = AnnouncementFiles.check(folder.path, at: UTCInstant(nanoseconds: 0))
        #expect(found.announcements.isEmpty && found.faults == faults)
        #expect(try files.refresh() && files.faults == faults && all().map(\.words.title) == ["Burn"])
    }

    @Test("with a fault are named with the line and the remedy, and leave the last good one in place")
    func faulty() throws {
        try write("a.md", "---\ntitle: First\n---\n")
        try files.refresh()
        for (text, words) in [
            ("no front matter", "a.md, line 1: it has no front matter; begin it"),
            ("---\ntitle: x\nurgnet: yes\n---\n", "a.md, line 3: urgnet is not known; known are title, urgent"),
            ("---\ntitle: x\nend: tomorrow\n---\n", "a.md, line 3: end: expected a date such as"),
            ("---\nurgent: yes\n---\n", "a.md, line 2: it has no title"),
            ("---\ntitle: x\n---\n" + String(repeating: "x", count: 17_000), "a.md, line 4: it has more than 16384"),
        ] {
            try write("a.md", text)
            try write("b.md", "---\ntitle: Other \(text.count)\n---\n")
            #expect(try files.refresh())
            #expect(files.faults.count == 1 && files.faults.first?.contains(words) == true, "\(files.faults)")
            #expect(try Set(all().map(\.words.title)) == ["First", "Other \(text.count)"])
        }
        try write("a.md", "---\ntitle: Mended\n---\n")
        #expect(try files.refresh() && files.faults.isEmpty)
        #expect(try all().contains { $0.words.title == "Mended" })
    }

    @Test("stay while their folder is there and cannot be listed, or one of them cannot be found")
    func lost() throws {
        try write("a.md", "---\ntitle: First\n---\n")
        try files.refresh()
        let elsewhere = "\(folder.path).away"
        try FileManager.default.moveItem(atPath: folder.path, toPath: elsewhere)
        try FileManager.default.createSymbolicLink(atPath: folder.path, withDestinationPath: "/nonexistent")
        #expect(try files.refresh())
        #expect(files.faults.first?.contains("cannot list") == true)
        #expect(try !files.refresh() && all().map(\.words.title) == ["First"])
        try FileManager.default.removeItem(atPath: folder.path)
        try FileManager.default.moveItem(atPath: elsewhere, toPath: folder.path)
        #expect(try files.refresh() && files.faults.isEmpty && all().map(\.words.title) == ["First"])

        try FileManager.default.removeItem(atPath: "\(folder.path)/a.md")
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/a.md", withDestinationPath: "/nonexistent")
        #expect(try files.refresh() && all().map(\.words.title) == ["First"])
        #expect(files.faults.first?.contains("a.md") == true)
        // One that is gone is retired.
        try FileManager.default.removeItem(atPath: "\(folder.path)/a.md")
        #expect(try files.refresh() && files.faults.isEmpty && all().isEmpty)
    }
}
