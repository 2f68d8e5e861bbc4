internal import FoundationEssentials
internal import Glibc
package import KonzaModel
internal import KonzaSystem
package import Storage
internal import Synchronization

/// Announcements that the keeper writes as files: `NAME.md` in CommonMark with front matter, and `NAME.LANGUAGE.md` for what it is
/// called in another language. A change is taken up at the next look; a file that cannot be read leaves what it said before.
package final class AnnouncementFiles: Sendable {
    /// In the register.
    package static let source = "file"
    /// Files of the folder that are looked at.
    static let mostFiles = 400
    /// Of what has another name, those that are named.
    static let mostUnknown = 50
    /// Bytes of a file.
    static let longestFile = 40 << 10

    private struct State {
        var seen: [String: String] = [:]
        var faults: [String] = []
    }

    package let folder: String
    private let register: AnnouncementRegister
    private let state = Mutex(State())

    /// - Parameters:
    ///   - folder: that has them; it need not be there.
    ///   - register: takes them.
    package init(_ folder: String, register: AnnouncementRegister) {
        self.folder = folder
        self.register = register
    }

    /// What is wrong with files, for people.
    package var faults: [String] { state.withLock { $0.faults } }

    /// Looks at the folder, and takes up what changed since the last look.
    ///
    /// - Returns: whether anything was read.
    /// - Throws: if it cannot be kept; the next look tries again.
    @discardableResult
    package func refresh() throws(StorageError) -> Bool {
        guard let seen = Self.marks(folder) else { return lose() }
        guard state.withLock({ $0.seen != seen }) else { return false }
        let found = Found(folder, seen)
        _ = try register.synchronize(Self.source, found.items, keeping: found.keeping)
        state.withLock { $0 = State(seen: seen, faults: found.faults) }
        return true
    }

    /// What ``check(_:at:)`` finds.
    package struct Check: Sendable {
        package var announcements: [(name: String, Announcement)] = []
        /// What cannot be used.
        package var faults: [String] = []
        /// What can be, and is shown to nobody.
        package var warnings: [String] = []
    }

    /// Reads a folder as ``refresh()`` does, and takes nothing up. Blocks.
    ///
    /// - Parameters:
    ///   - folder: that has the files.
    ///   - now: by which some are over; a clock that was never set says nothing of that.
    /// - Returns: what there is, and what is wrong with it.
    package static func check(_ folder: String, at now: UTCInstant) -> Check {
        guard let seen = marks(folder) else { return Check(faults: [unlistable(folder)]) }
        let found = Found(folder, seen)
        let over = found.items.filter { item in
            now >= .believedFrom && item.announcement.endDate.map { $0 <= now } ?? false
        }
        return Check(
            announcements: found.items.map { ($0.external, $0.announcement) }, faults: found.faults,
            warnings: over.map { item in
                let name = "\(item.external).md"
                let text = (try? Folder.contents("\(folder)/\(name)", limit: longestFile)) ?? nil
                let line = AnnouncementText.line(of: "end", in: String(decoding: text ?? [], as: UTF8.self))
                let end = item.announcement.endDate.map(LocalTime.text) ?? ""
                return
                    "\(name)\(line.map { ", line \($0)" } ?? ""): it ended at \(end), and nobody sees it; give it a later end:, or "
                    + "take the file away"
            })
    }

    /// What the files of a folder say.
    private struct Found {
        var items: [AnnouncementRegister.SourceItem] = []
        /// Those that have become bad.
        var keeping: Set<String> = []
        var faults: [String] = []
        /// The mark of what is no announcement by its name.
        static let unknown = "unknown"

        init(_ folder: String, _ seen: [String: String]) {
            let names = seen.filter { $0.value != Self.unknown }.keys.sorted()
            if names.count >= mostFiles {
                faults.append("\(folder) has more than \(mostFiles) files: the others are left out")
            }
            var translations = Dictionary(
                grouping: names.compactMap { name in language(of: name).map { (name: name, language: $0) } },
                by: { String($0.name.dropLast($0.language.count + 4)) })
            for name in names where language(of: name) == nil {
                let stem = String(name.dropLast(3))
                let others = translations.removeValue(forKey: stem) ?? []
                do throws(FileFault) {
                    var announcement = try read(name, in: folder)
                    for other in others {
                        announcement.translations[other.language] = try read(other.name, in: folder).words
                    }
                    items.append((stem, announcement, []))
                } catch {
                    faults.append(error.description)
                    keeping.insert(stem)
                }
            }
            for (stem, others) in translations.sorted(by: { $0.key < $1.key }) {
                faults += others.map {
                    FileFault(
                        $0.name, 0,
                        "it translates \(stem).md, which is not there; put that beside it, or call this one \(stem).md"
                    ).description
                }
            }
            faults += seen.filter { $0.value == Self.unknown }.keys.sorted().map {
                FileFault($0, 0, ContentError.isUnknown(as: ["NAME.md", "NAME.LANGUAGE.md"]).detail).description
            }
        }
    }

    /// The folder is there and cannot be read: what it said stays, and is read anew when it can be.
    ///
    /// - Returns: whether that is news.
    private func lose() -> Bool {
        let fault = "\(Self.unlistable(folder)); what it said before is used on"
        return state.withLock { state in
            defer { state = State(seen: ["": "lost"], faults: [fault]) }
            return state.faults != [fault]
        }
    }

    private static func unlistable(_ folder: String) -> String {
        Folder.status(folder)?.isLink == true
            ? "cannot list \(folder): \(ContentError.isLink.detail)"
            : "cannot list \(folder): look at its owner, its mode and whether its disk is mounted"
    }

    /// The files, with what tells that one was changed, and what else there is; nil for a folder that is there and cannot be listed.
    private static func marks(_ folder: String) -> [String: String]? {
        guard Folder.status(folder)?.isLink != true, let entries = try? folderEntries(of: folder) else {
            var facts = stat()
            return unsafe lstat(folder, &facts) != 0 && errno == ENOENT ? [:] : nil
        }
        var marks: [String: String] = [:]
        for entry in entries.sorted(by: { $0.name < $1.name })
        where !entry.isFolder && entry.name.hasSuffix(".md") && !entry.name.hasPrefix(".") {
            guard marks.count < mostFiles else { break }
            var facts = stat()
            // One that was removed meanwhile is gone at the next look; what else cannot be read is a fault of the file.
            guard unsafe lstat("\(folder)/\(entry.name)", &facts) == 0 else {
                marks[entry.name] = "unreadable"
                continue
            }
            marks[entry.name] = "\(facts.st_ino) \(facts.st_size) \(facts.st_mtim.tv_sec).\(facts.st_mtim.tv_nsec)"
        }
        let others = entries.filter { ($0.isFolder || !$0.name.hasSuffix(".md")) && !Folder.isBackup($0.name) }
        for entry in others.sorted(by: { $0.name < $1.name }).prefix(mostUnknown) {
            marks[entry.name] = Found.unknown
        }
        return marks
    }

    /// Of `burn.es.md`: es; nil for a file of its own.
    private static func language(of name: String) -> String? {
        let parts = name.split(separator: ".")
        guard parts.count >= 3, case let language = String(parts[parts.count - 2]), language.count == 2,
            AnnouncementRoutes.isLanguage(language)
        else { return nil }
        return language
    }

    private static func read(_ name: String, in folder: String) throws(FileFault) -> Announcement {
        let path = "\(folder)/\(name)"
        let status = Folder.status(path)
        guard status?.isLink != true else { throw FileFault(name, 0, ContentError.isLink.detail) }
        let bytes: [UInt8]?
        do throws(FileError) {
            bytes = try Folder.contents(path, limit: longestFile)
        } catch {
            throw FileFault(name, 0, "it cannot be read; look at its owner and its mode")
        }
        guard let bytes else {
            throw FileFault(name, 0, "it has \(status?.byteCount ?? 0) bytes; \(longestFile) are the most")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw FileFault(name, 0, "it is not UTF-8; save it as UTF-8")
        }
        return try AnnouncementText.read(text, file: name)
    }
}

/// What is wrong with a file, where, and what to do.
struct FileFault: Error, CustomStringConvertible {
    let description: String

    init(_ file: String, _ line: Int, _ reason: String) {
        description = "cannot take up \(file)\(line > 0 ? ", line \(line)" : ""): \(reason)"
    }
}

/// An announcement as a file has it: lines `key: value` between two lines `---`, then the body, and after a line `<!--more-->` the rest.
enum AnnouncementText {
    private static let keys = ["title", "urgent", "audience", "required", "start", "end", "published", "language"]

    static func read(_ text: String, file: String) throws(FileFault) -> Announcement {
        var lines = text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
        if lines.first?.hasPrefix("\u{FEFF}") == true { lines[0] = lines[0].dropFirst() }
        guard lines.first == "---", let end = lines.dropFirst().firstIndex(of: "---") else {
            throw FileFault(
                file, 1, "it has no front matter; begin it with a line ---, the line title: …, and a line ---")
        }
        var announcement = Announcement(words: .init(title: ""))
        for (index, line) in lines[1..<end].enumerated() {
            let number = index + 2
            guard !line.allSatisfy(\.isWhitespace), !line.hasPrefix("#") else { continue }
            guard let colon = line.firstIndex(of: ":") else {
                throw FileFault(file, number, "expected key: value")
            }
            let key = String(line[..<colon]).lowercased()
            var value = line[line.index(after: colon)...].drop(while: \.isWhitespace)
            while value.last?.isWhitespace == true { value.removeLast() }
            if value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") { value = value.dropFirst().dropLast() }
            do throws(ValueFault) {
                try set(key, String(value), &announcement)
            } catch {
                throw FileFault(file, number, error.reason)
            }
        }
        guard !announcement.words.title.isEmpty else {
            throw FileFault(file, 2, "it has no title; add the line title: …")
        }
        if let start = announcement.startDate, let end = announcement.endDate, end <= start {
            throw FileFault(file, 2, "it ends before it starts; put end: after start:")
        }
        let rest = lines[(end + 1)...]
        let cut = rest.firstIndex { $0.filter { !$0.isWhitespace } == "<!--more-->" }
        announcement.words.body = joined(rest[..<(cut ?? rest.endIndex)])
        announcement.words.more = cut.map { joined(rest[($0 + 1)...]) } ?? ""
        for text in [announcement.words.body, announcement.words.more] {
            if text.utf8.count > AnnouncementRoutes.longestBody {
                throw FileFault(
                    file, end + 2, "it has more than \(AnnouncementRoutes.longestBody) bytes of text; say less")
            }
            if let complaint = TextRule.complaint(text, hasLines: true) { throw FileFault(file, end + 2, complaint) }
        }
        return announcement
    }

    /// The line of the front matter that has a key, the last one, which counts.
    static func line(of key: String, in text: String) -> Int? {
        let lines = text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
        guard let end = lines.dropFirst().firstIndex(of: "---") else { return nil }
        let found = lines[..<end].lastIndex { line in
            line.firstIndex(of: ":").map { line[..<$0].lowercased() == key } ?? false
        }
        return found.map { $0 + 1 }
    }

    private struct ValueFault: Error { let reason: String }

    private static func set(_ key: String, _ value: String, _ announcement: inout Announcement) throws(ValueFault) {
        switch key {
        case "title":
            if let complaint = TextRule.complaint(value, upTo: AnnouncementRoutes.longestTitle) {
                throw ValueFault(reason: "title: \(complaint)")
            }
            announcement.words.title = value
        case "urgent": announcement.isUrgent = try yes(value, key)
        case "required": announcement.isRequired = try yes(value, key)
        case "audience":
            guard let audience = Announcement.Audience(rawValue: value) else {
                throw ValueFault(reason: "audience: expected crew or everyone")
            }
            announcement.audience = audience
        case "language":
            guard AnnouncementRoutes.isLanguage(value) else {
                throw ValueFault(reason: "language: expected one such as en")
            }
            announcement.language = value
        case "start": announcement.startDate = try date(value, key, isEnd: false)
        case "published": announcement.pubDate = try date(value, key, isEnd: false)
        // A day is meant whole.
        case "end": announcement.endDate = try date(value, key, isEnd: true)
        default: throw ValueFault(reason: "\(key.prefix(40)) is not known; known are \(keys.joined(separator: ", "))")
        }
    }

    private static func yes(_ value: String, _ key: String) throws(ValueFault) -> Bool {
        switch value.lowercased() {
        case "yes", "true", "1": true
        case "no", "false", "0": false
        default: throw ValueFault(reason: "\(key): expected yes or no")
        }
    }

    /// An RFC 3339 date-time, or a date of the station's time zone.
    private static func date(_ value: String, _ key: String, isEnd: Bool) throws(ValueFault) -> UTCInstant {
        if let instant = UTCInstant(rfc3339: value) { return instant }
        guard value.utf8.count == 10, let midnight = UTCInstant(rfc3339: "\(value)T00:00:00Z") else {
            throw ValueFault(
                reason: "\(key): expected a date such as 2026-05-30 or a time such as 2026-05-30T14:00:00Z")
        }
        let day = isEnd ? midnight.advanced(bySeconds: 86_400) : midnight
        let guess = day.advanced(bySeconds: -Double(LocalTime.offsetSeconds(at: day)))
        return day.advanced(bySeconds: -Double(LocalTime.offsetSeconds(at: guess)))
    }

    private static func joined(_ lines: ArraySlice<Substring>) -> String {
        var text = lines.joined(separator: "\n")[...]
        while text.first?.isNewline == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
