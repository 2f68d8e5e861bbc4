internal import FoundationEssentials
internal import HTTPServing
internal import HTTPTransfer
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
        /// The same one by one, with what to do; absent for visitors.
        let faults: [PortalFault]?
        let version: String
        let kiosk: KioskPresence.Report
    }

    /// How long konzad may take to answer: a monitor does not wait for one that hangs.
    private static let patienceSeconds = 3.0

    private let station: StationLink
    private let kiosk: KioskPresence
    private let log: @Sendable (String) -> Void
    /// What is wrong with what the portal keeps and whom it serves, by its place.
    private let complaints: Mutex<[String: [PortalFault]]>
    /// What else is wrong, for whoever asks.
    private let others = Mutex<@Sendable () -> [PortalFault]>({ [] })

    /// - Parameters:
    ///   - station: konzad.
    ///   - complaint: what is wrong with what the portal keeps, if anything is.
    ///   - kiosk: how the kiosk's page is.
    ///   - log: takes what is newly wrong.
    init(
        station: StationLink, complaint: String?, kiosk: KioskPresence, log: @escaping @Sendable (String) -> Void
    ) {
        self.station = station
        self.kiosk = kiosk
        self.log = log
        complaints = Mutex(
            complaint.map {
                [
                    "": [
                        PortalFault(
                            code: .store, what: $0, remedy: "free or mend the disk, then systemctl restart konza-portal"
                        )
                    ]
                ]
            } ?? [:])
    }

    /// Notes what is wrong at a place, or that nothing is any more.
    func set(_ place: String, _ faults: [PortalFault]) {
        let isNew = complaints.withLock { complaints in
            defer { complaints[place] = faults.isEmpty ? nil : faults }
            return !faults.isEmpty && complaints[place] != faults
        }
        if isNew { log(faults.map(\.what).joined(separator: "; ")) }
    }

    /// Has somebody asked for what else is wrong, whenever somebody asks here. It may block.
    func look(at others: @escaping @Sendable () -> [PortalFault]) { self.others.withLock { $0 = others } }

    var routes: [Route] {
        [
            Route(
                .get, "/health", access: .everyone, operation: "getHealth", summary: "Whether a visitor can be served",
                replies: [
                    Reply(200, "konzad answers.", schema: "PortalHealth"),
                    Reply(503, "It does not.", schema: "PortalHealth"),
                ],
                handler: .asynchronous { request in try self.answer(isTold: Self.isTold(request.principal)) })
        ]
    }

    /// Whether somebody is told what is wrong in full, with names of files and addresses: people of the station, and who is on this
    /// machine.
    private static func isTold(_ principal: Principal) -> Bool {
        if case .unixSocket = principal.channel { return true }
        return Rights.role(of: principal) != .visitor
    }

    private func answer(isTold: Bool) throws(Problem) -> Response {
        let others = others.withLock { $0 }
        var faults = complaints.withLock { $0.sorted { $0.key < $1.key }.flatMap(\.value) } + others()
        var silence: String?
        do throws(Problem) {
            let answer = try station.answer(
                StationRequest("GET", "/v1/status"), withinSeconds: Self.patienceSeconds)
            if let status = try? JSONDecoder().decode(StatusReply.self, from: Data(answer.body)) {
                faults = PortalFault.parts(of: status) + faults
            }
        } catch {
            silence = isTold ? "\(error.detail) (its socket is \(station.socketPath))" : "it does not answer"
        }
        let complaint = complaint(faults, isTold: isTold)
        return try .json(
            Health(
                status: silence != nil ? "failed" : complaint != nil ? "degraded" : "ok", portal: "ok",
                konzad: silence ?? "ok", state: complaint, faults: isTold ? faults : nil,
                version: ProgramVersion.number, kiosk: kiosk.report),
            status: silence == nil ? 200 : 503)
    }

    private func complaint(_ faults: [PortalFault], isTold: Bool) -> String? {
        if faults.isEmpty { return nil }
        return isTold
            ? faults.map(\.what).joined(separator: "; ")
            : "something is wrong: konza portal says what, on the station itself"
    }
}
