internal import Settings
internal import Synchronization

/// The settings in force: what the station's configuration says, and over it what was set from afar. A reload replaces the
/// former, a message of the fleet the latter; one at a time, each with all that follows from it.
final class SettingsBox: Sendable {
    private struct State {
        var own: StationSettings
        var layer: RemoteSettings?
        var current: StationSettings
    }

    private let box: Mutex<State>
    /// Held while what follows is done.
    private let follow = Mutex<@Sendable (_ old: StationSettings, _ new: StationSettings) -> Void>({ _, _ in })

    init(_ settings: StationSettings, layer: RemoteSettings? = nil) {
        box = Mutex(State(own: settings, layer: layer, current: layer?.over(settings) ?? settings))
    }

    var current: StationSettings { box.withLock { $0.current } }
    /// What the station's configuration says.
    var own: StationSettings { box.withLock { $0.own } }

    /// Has a body do what follows from each change.
    func onChange(_ body: @escaping @Sendable (_ old: StationSettings, _ new: StationSettings) -> Void) {
        follow.withLock { $0 = body }
    }

    /// Takes the station's own configuration.
    ///
    /// - Returns: what is another than before.
    @discardableResult
    func replace(with own: StationSettings) -> [SettingChange] { replace { $0.own = own } }

    /// Takes what is set from afar.
    ///
    /// - Returns: what is another than before.
    @discardableResult
    func replace(layer: RemoteSettings) -> [SettingChange] { replace { $0.layer = layer } }

    private func replace(_ change: (inout State) -> Void) -> [SettingChange] {
        follow.withLock { follow in
            let (old, new) = box.withLock { state in
                let old = state.current
                change(&state)
                state.current = state.layer?.over(state.own) ?? state.own
                return (old, state.current)
            }
            follow(old, new)
            return StationSettings.difference(from: old, to: new)
        }
    }
}
