internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import Synchronization

/// `GET /health`, for monitors: whether the portal can do its work, which needs konzad.
final class HealthRoutes: Sendable {
    private struct Health: Encodable {
        let status: String
        let portal: String
        let konzad: String
        /// What is wrong with what the portal keeps and whom it serves; absent if nothing is.
        let state: String?
        let version: String
        let kiosk: KioskPresence.Report
    }

    /// How long konzad may take to answer: a monitor does not wait for one that hangs.
    private static let patienceSeconds = 3.0

    private let station: StationLink
    private let kiosk: KioskPresence
    /// What is wrong with what the portal keeps and whom it serves.
    private let complaints: Mutex<[String]>

    init(station: StationLink, complaint: String?, kiosk: KioskPresence) {
        self.station = station
        self.kiosk = kiosk
        complaints = Mutex(complaint.map { [$0] } ?? [])
    }

    /// Adds what is wrong.
    func note(_ faults: [String]) {
        complaints.withLock { $0 += faults }
    }

    var routes: [Route] {
        [
            Route(
                .get, "/health", access: .everyone, operation: "getHealth", summary: "Whether a visitor can be served",
                replies: [Reply(200, "konzad answers."), Reply(503, "It does not.")],
                handler: .asynchronous { _ in try self.answer() })
        ]
    }

    private func answer() throws(Problem) -> Response {
        let complaints = complaints.withLock { $0 }
        let complaint = complaints.isEmpty ? nil : complaints.joined(separator: "; ")
        do throws(Problem) {
            _ = try station.answer(StationRequest("GET", "/v1"), withinSeconds: Self.patienceSeconds)
            return try .json(
                Health(
                    status: complaint == nil ? "ok" : "degraded", portal: "ok", konzad: "ok", state: complaint,
                    version: ProgramVersion.number, kiosk: kiosk.report))
        } catch {
            return try .json(
                Health(
                    status: "failed", portal: "ok", konzad: error.detail, state: complaint,
                    version: ProgramVersion.number, kiosk: kiosk.report),
                status: 503)
        }
    }
}
