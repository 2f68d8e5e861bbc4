internal import Drawing
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Settings
internal import Storage
internal import Synchronization

/// Takes settings from afar: judges them anew, whoever brings them, writes them down, and then has the station take them.
final class RemoteSettingsKeeper: Sendable {
    private let parts: StationParts
    private let file: RemoteSettingsFile
    /// One change at a time; held while the disk is waited for.
    private let content: Mutex<RemoteSettingsFile.Content>

    /// - Parameters:
    ///   - parts: of the station.
    ///   - content: of the file, as the settings in force have it already.
    init(parts: StationParts, content: RemoteSettingsFile.Content) {
        self.parts = parts
        file = RemoteSettingsFile(folder: parts.settings.current.general.state)
        self.content = Mutex(content)
    }

    /// Says what is wrong with the file.
    func start() {
        if let words = complaint { parts.log(.warning, "\(words), ignoring") }
    }

    /// Why what was set from afar is not in force; nil if it is, or nothing was.
    var complaint: String? {
        guard case .damaged(let reason) = content.withLock({ $0 }) else { return nil }
        return "cannot use what was set from afar, \(file.path): \(reason)"
    }

    func reply() async -> FleetDesiredReply {
        await onBlockingThread { [self] in content.withLock { reply($0) } }
    }

    /// Takes a version, if it is above the one that is there.
    func take(_ request: FleetDesiredRequest) async throws(Problem) -> FleetDesiredReply {
        guard RemoteSettings.isWanted(by: parts.settings.current) else {
            throw Problem(
                .targetDisabled,
                "cannot take settings from afar: the station belongs to no fleet, or has [Fleet] RemoteSettings=no")
        }
        return try await change { [parts] content throws(Problem) in
            guard request.version > content.kept?.version ?? 0 else { return nil }
            var kept = RemoteSettingsFile.Kept(
                version: request.version, takenAt: parts.clock.utc(), isDropped: false, settings: request.settings,
                refused: request.refused)
            let layer = kept.layer { Self.objection(to: $0, parts.library) }
            kept.settings = layer.applied.map { .init(section: $0.section, key: $0.key, value: $0.value) }
            kept.refused = layer.refused.map { .init(section: $0.section, key: $0.key, reason: $0.reason) }
            return kept
        }
    }

    /// Drops what is set from afar; the version stays, so that it does not come again by itself.
    func drop() async throws(Problem) -> FleetDesiredReply {
        try await change { content throws(Problem) in
            guard var kept = content.kept else {
                // A damaged file is dropped for good.
                guard case .damaged = content else { return nil }
                return .init(
                    version: 0, takenAt: .init(nanoseconds: 0), isDropped: true, settings: [], refused: [])
            }
            guard !kept.isDropped else { return nil }
            kept.isDropped = true
            (kept.settings, kept.refused) = ([], [])
            return kept
        }
    }

    // MARK: -

    /// Writes what the body makes of it, nil for no change, and has the station take it.
    private func change(
        _ body: @escaping @Sendable (RemoteSettingsFile.Content) throws(Problem) -> RemoteSettingsFile.Kept?
    ) async throws(Problem) -> FleetDesiredReply {
        try await onBlockingThread { [self] () throws(Problem) in
            try content.withLock { content throws(Problem) in
                if let kept = try body(content) {
                    do {
                        try file.write(kept)
                    } catch let error as FileError {
                        throw Problem(.file(error))
                    } catch {
                        throw Problem(.internalError, "cannot keep the settings: \(error)")
                    }
                    content = .kept(kept)
                    let changes = parts.settings.replace(layer: kept.layer())
                    parts.log(
                        .notice,
                        "settings from afar, version \(kept.version): \(kept.isDropped ? "dropped" : "taken"), "
                            + "\(changes.count) changed, \(kept.refused.count) refused")
                }
                return reply(content)
            }
        }
    }

    /// What fits, and this station lacks.
    private static func objection(to entry: RemoteSettings.Entry, _ library: TemplateLibrary) -> String? {
        guard entry.section == "Postcards", entry.key == "Template", !entry.value.isEmpty else { return nil }
        let names = library.templates.map(\.name)
        guard !names.contains(entry.value) else { return nil }
        return String("the station has no such template; it has \(names.joined(separator: ", "))".prefix(400))
    }

    private func reply(_ content: RemoteSettingsFile.Content) -> FleetDesiredReply {
        let own = parts.settings.own
        let isWanted = RemoteSettings.isWanted(by: own)
        let kept = content.kept
        let layer = isWanted ? kept?.layer() : nil
        var state: FleetDesiredReply.State
        var reason: String?
        switch content {
        case .none: state = .none
        case .kept(let kept): state = kept.isDropped ? .dropped : .applied
        case .damaged(let words): (state, reason) = (.damaged, String(words.prefix(400)))
        }
        if !isWanted { state = .off }
        return FleetDesiredReply(
            state: state, version: kept?.version ?? 0, takenAt: (kept?.version ?? 0) > 0 ? kept?.takenAt : nil,
            settings: (layer?.applied ?? []).map { entry in
                .init(
                    section: entry.section, key: entry.key, value: entry.value,
                    own: RemoteSettings.text(of: entry.key, in: entry.section, own) ?? "",
                    needsRestart: RemoteSettings.needsRestart(entry))
            },
            refused: (layer?.refused ?? []).map { .init(section: $0.section, key: $0.key, reason: $0.reason) },
            reason: reason)
    }
}
