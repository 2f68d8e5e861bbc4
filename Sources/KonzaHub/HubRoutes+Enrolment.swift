internal import FleetMessaging
internal import Glibc
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import PostgresAccess

/// Who is let into the fleet. Whoever may ask the hub's socket may read; this is for root and the hub's own user.
extension HubRoutes {
    var enrolments: [Route] { [enrol, revoke] }

    private var enrol: Route {
        Route(
            .post, "/v1/boxes/{box}/enrolment", access: .everyone, operation: "enrolBox",
            summary: "Make a code that lets a box have its certificate, once",
            handler: .asynchronous { [self] request in
                struct Reply: Encodable {
                    let box: String
                    let code: String
                    let expiresAt: UTCInstant
                    let address: String
                }
                let (enrolment, box) = try admitted(request)
                let made = try await onDatabase { try enrolment.makeCode(for: box) }
                return try .json(
                    Reply(
                        box: box, code: made.code.description, expiresAt: made.expiresAt, address: enrolment.address),
                    status: 201)
            })
    }

    private var revoke: Route {
        Route(
            .post, "/v1/boxes/{box}/revocation", access: .everyone, operation: "revokeBox",
            summary: "Take a box's certificates back",
            handler: .asynchronous { [self] request in
                struct Reply: Encodable {
                    let box: String
                    let revoked: Int
                    let list: String
                }
                let (enrolment, box) = try admitted(request)
                guard let count = try await onDatabase({ try enrolment.revoke(box) }) else {
                    throw Problem(
                        .notFound,
                        "cannot revoke anything of \(box): konza-hub has given it neither a certificate nor a code; konza hub "
                            + "boxes lists the names, and a certificate by hand is revoked by whoever signed it")
                }
                return try .json(Reply(box: box, revoked: count, list: enrolment.revocationList))
            })
    }

    private func admitted(_ request: Request) throws(Problem) -> (Enrolment, String) {
        let user = request.principal.peer.userID
        guard user == 0 || user == geteuid() else {
            throw Problem(
                .forbidden,
                "cannot let user \(user) admit or revoke boxes: only root and konza-hub's own user may; try sudo")
        }
        guard let enrolment else {
            throw Problem(
                .targetDisabled,
                "cannot admit or revoke boxes: konza-hub gives no certificates; set [Hub] Enrolment=, or use your own "
                    + "authority")
        }
        let box = request.parameter("box")
        guard FleetTopic.isName(box) else {
            throw Problem(
                .invalidRequest, "cannot take \(box.prefix(40)): a box's name is 3 to 20 of a-z and 0-9, but hub")
        }
        return (enrolment, box)
    }

    private func onDatabase<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws(Problem) -> Value {
        do {
            return try await onBlockingThread { try body() }
        } catch {
            throw Problem(.unavailable, "\(error)")
        }
    }
}
