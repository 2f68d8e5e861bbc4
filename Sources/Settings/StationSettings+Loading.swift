internal import Glibc
internal import KonzaModel
internal import KonzaSystem

extension StationSettings {
    /// Reads a configuration and the drop-ins beside it: for `konzad.conf` all `konzad.conf.d/*.conf`, in the order of
    /// their names. A later assignment takes the place of an earlier one; an empty one resets the key.
    ///
    /// - Parameter path: the main file; it must be there.
    /// - Returns: the settings, defaults where nothing is assigned.
    /// - Throws: everything that is wrong, not the first thing alone.
    public static func load(path: String) throws(SettingsErrors) -> StationSettings {
        let outcome = read(path)
        guard outcome.problems.isEmpty else { throw SettingsErrors(outcome.problems) }
        return outcome.settings
    }

    /// Everything that is wrong with a configuration, and what is set in vain: a station runs with the latter, and says so in
    /// its health. Empty when it can be used as it stands.
    public static func check(path: String) -> [SettingsProblem] {
        let outcome = read(path)
        let gaps = outcome.settings.fleet.gaps.map { gap in
            SettingsProblem(file: path, section: "Fleet", key: gap.key, reason: gap.reason)
        }
        return outcome.problems + gaps
    }

    /// Reads a configuration from memory; messages name it by `file`. Throws everything that is wrong.
    public static func parse(_ bytes: [UInt8], file: String) throws(SettingsErrors) -> StationSettings {
        let outcome = assemble([ConfigurationText(bytes, file: file)])
        guard outcome.problems.isEmpty else { throw SettingsErrors(outcome.problems) }
        return outcome.settings
    }

    private static func read(_ path: String) -> (settings: StationSettings, problems: [SettingsProblem]) {
        var texts: [ConfigurationText] = []
        var problems: [SettingsProblem] = []
        do throws(SettingsProblem) {
            for file in [path] + (try ConfigurationFiles.dropIns(of: path)) {
                do throws(SettingsProblem) {
                    texts.append(ConfigurationText(try ConfigurationFiles.contents(file), file: file))
                } catch {
                    problems.append(error)
                }
            }
        } catch {
            problems.append(error)
        }
        let outcome = assemble(texts)
        return (outcome.settings, problems + outcome.problems)
    }

    private static func assemble(
        _ texts: [ConfigurationText]
    ) -> (settings: StationSettings, problems: [SettingsProblem]) {
        var settings = StationSettings()
        var problems: [SettingsProblem] = []
        var assigned: Set<String> = []
        for text in texts {
            var found = text.problems
            for assignment in text.assignments {
                if let problem = settings.take(assignment, &assigned) { found.append(problem) }
            }
            problems += found.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
        }
        return (settings, problems)
    }

    private mutating func take(
        _ assignment: ConfigurationText.Assignment, _ assigned: inout Set<String>
    ) -> SettingsProblem? {
        func problem(_ reason: String) -> SettingsProblem {
            SettingsProblem(
                file: assignment.file, line: assignment.line, section: assignment.section,
                key: ConfigurationText.short(assignment.key), reason: reason)
        }
        guard let key = SettingsTable.key(assignment.key, in: assignment.section) else {
            return problem(Self.unknown(assignment))
        }
        let name = "\(key.section).\(key.name)"
        do throws(ValueRefusal) {
            try key.apply(assignment.value, assigned.contains(name), &self)
            if assignment.value.isEmpty { assigned.remove(name) } else { assigned.insert(name) }
            return nil
        } catch {
            let expected = [key.type, key.range].filter { !$0.isEmpty }.joined(separator: ", ")
            return problem(key.isSecret ? "the value cannot be read; expected \(expected)" : error.reason)
        }
    }

    private static func unknown(_ assignment: ConfigurationText.Assignment) -> String {
        let own = SettingsTable.keys.filter { $0.section == assignment.section }.map(\.name)
        let elsewhere = SettingsTable.keys.filter { $0.name == assignment.key }.map { "[\($0.section)]" }
        if !elsewhere.isEmpty { return "unknown key: it belongs in \(elsewhere.joined(separator: " or "))" }
        if let near = Spelling.nearest(to: assignment.key, among: own, always: 2) {
            return "unknown key: did you mean \(near)=?"
        }
        let all = SettingsTable.keys.map(\.name)
        if let near = Spelling.nearest(to: assignment.key, among: all, always: 2),
            let key = SettingsTable.keys.first(where: { $0.name == near })
        {
            return "unknown key: did you mean \(near)= of [\(key.section)]?"
        }
        return "unknown key; [\(assignment.section)] has \(own.joined(separator: ", "))"
    }
}

/// The configuration's files on the disk.
enum ConfigurationFiles {
    /// The drop-ins of a main file, in the order of their names.
    static func dropIns(of path: String) throws(SettingsProblem) -> [String] {
        let folder = "\(path).d"
        let names: [String]
        do throws(SystemError) {
            names = try folderEntries(of: folder).map(\.name).filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return [] }
            throw problem(folder, error.code)
        }
        // By bytes, as systemd orders them, whatever the locale.
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { "\(folder)/\($0)" }
    }

    /// The bytes of a file, up to just over the largest that is accepted.
    static func contents(_ path: String) throws(SettingsProblem) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw problem(path, errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= ConfigurationText.maximumSize {
            let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw problem(path, errno) }
            if count == 0 { break }
            bytes += chunk.prefix(count)
        }
        var facts = stat()
        let isPipe = unsafe fstat(descriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFIFO
        // An empty file means the defaults; a pipe that nobody fills means a mistake.
        guard !isPipe || !bytes.isEmpty else { throw problem(path, EPIPE) }
        return bytes
    }

    private static func problem(_ path: String, _ code: Int32) -> SettingsProblem {
        let words =
            switch code {
            case ENOENT: "it is not there; name another by --config, or put one there"
            case EACCES: "the program's user may not read it; give it the permission"
            case EPIPE: "it is a pipe, and nobody writes into it; name a file"
            case EISDIR: "it is a folder; name the file in it"
            default: SystemError.text(code)
            }
        return SettingsProblem(file: path, reason: "cannot read the configuration: \(words)")
    }
}

extension SettingsProblem: Error {}
