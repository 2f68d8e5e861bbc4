internal import FoundationEssentials
internal import HTTPServing
internal import HTTPTransfer
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Settings
internal import Synchronization

/// The station's settings as konzad has them: with what operators far away set over the configuration, asked for now and then, so that
/// a page asks for no longer message than konzad takes.
final class RemoteSettingsLook: Sendable {
    /// Seconds between two looks.
    private static let period = 30.0

    private let own: StationSettings
    private let station: StationLink
    private let clock = SystemClock()
    private let seen: Mutex<StationSettings>

    /// - Parameters:
    ///   - own: what the station's configuration says.
    ///   - station: konzad.
    init(_ own: StationSettings, station: StationLink) {
        self.own = own
        self.station = station
        seen = Mutex(own)
    }

    var settings: StationSettings { seen.withLock { $0 } }

    /// Looks for as long as the portal runs; never for a station of no fleet.
    func tend() async {
        guard RemoteSettings.isWanted(by: own) else { return }
        while !Task.isCancelled {
            await onBlockingThread { [self] in look() }
            try? await clock.sleepToMultiple(of: Self.period)
        }
    }

    /// What konzad does not say stays as it was.
    private func look() {
        guard let answer = try? station.answer(StationRequest("GET", "/v1/fleet/desired"), withinSeconds: 5),
            answer.status == 200,
            let reply = try? JSONDecoder().decode(FleetDesiredReply.self, from: Data(answer.body))
        else { return }
        let layer = RemoteSettings(
            version: reply.version,
            wanted: reply.settings.map { .init(section: $0.section, key: $0.key, value: $0.value) })
        seen.withLock { $0 = layer.over(own) }
    }
}
