internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel

/// `GET /health`, for monitors: whether the portal can do its work, which needs konzad.
struct HealthRoutes: Sendable {
    private struct Health: Encodable {
        let status: String
        let portal: String
        let konzad: String
        /// What is wrong with what the portal keeps; absent if nothing is.
        let state: String?
        let version: String
        let kiosk: KioskPresence.Report
    }

    /// How long konzad may take to answer: a monitor does not wait for one that hangs.
    private static let patienceSeconds = 3.0

    let station: StationLink
    /// About what the portal keeps.
    let complaint: String?
    let kiosk: KioskPresence

    var routes: [Route] {
        [
            Route(
                .get, "/health", access: .everyone, operation: "getHealth", summary: "Whether a visitor can be served",
                replies: [Reply(200, "konzad answers."), Reply(503, "It does not.")],
                handler: .asynchronous { _ in try answer() })
        ]
    }

    private func answer() throws(Problem) -> Response {
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
