internal import Certificates
internal import FleetMessaging
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import PostgresAccess
internal import Storage

/// Codes, certificates and their revocation, in the database.
struct Enrolment: Sendable {
    /// How long a code holds, seconds.
    static let codeSeconds = 86_400.0
    /// How often a code may be tried, rightly or not.
    static let mostTries = 10

    let database: PostgresPool
    let keeper: FleetAuthorityKeeper
    /// Where boxes reach it.
    let address: String
    /// Empty for none.
    let revocationList: String
    let clock = SystemClock()

    // MARK: - For operators

    /// Makes a code for a box; the one before holds no more.
    func makeCode(for box: String) throws(PostgresError) -> (code: EnrolmentCode, expiresAt: UTCInstant) {
        let secret = Secret.hexadecimal(bytes: 16)
        let end = clock.utc().advanced(bySeconds: Self.codeSeconds)
        try run(
            """
            INSERT INTO enrolments (box, code_hash, expires_at) VALUES ($1, $2, $3)
            ON CONFLICT (box) DO UPDATE SET code_hash = excluded.code_hash, expires_at = excluded.expires_at,
                tries = 0, used_at = NULL, request = NULL, created_at = now()
            """, [.text(box), .text(Secret.hash(secret)), .text(end.rfc3339)])
        return (EnrolmentCode(secret: secret, fingerprint: keeper.fingerprint), end)
    }

    /// Takes all certificates of a box back, and its code.
    ///
    /// - Returns: how many were not revoked before; nil where it never had a certificate or a code from here.
    func revoke(_ box: String) throws -> Int? {
        let codes = try run("DELETE FROM enrolments WHERE box = $1", [.text(box)]).affected
        let known = try run("SELECT 1 FROM certificates WHERE box = $1 LIMIT 1", [.text(box)])
        guard codes + known.count > 0 else { return nil }
        let rows = try run(
            "UPDATE certificates SET revoked_at = now() WHERE box = $1 AND revoked_at IS NULL RETURNING serial",
            [.text(box)])
        try writeList()
        return rows.count
    }

    /// Writes the list of revoked certificates, for the broker. It ends after 30 days: it is to be written every day.
    func writeList() throws {
        guard !revocationList.isEmpty else { return }
        let rows = try run(
            """
            SELECT serial, to_char(revoked_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') FROM certificates
            WHERE revoked_at IS NOT NULL AND not_after > now() - interval '1 day' ORDER BY serial
            """, [])
        let revoked = (0..<rows.count).compactMap { row -> (serial: String, at: UTCInstant)? in
            guard let serial = rows[row, 0], let at = rows[row, 1].flatMap({ UTCInstant(rfc3339: $0) }) else {
                return nil
            }
            return (serial, at)
        }
        let list = try FleetAuthority.revocations(revoked, by: keeper.authority, at: clock.utc())
        let place = folderAndName(of: revocationList)
        // Not secret: the broker reads it, whoever it runs as.
        let file = try DeliveredFile(place.name, in: place.folder, replacing: true, mode: 0o644)
        try file.write(list)
        try file.finish()
    }

    // MARK: - For boxes

    /// Whether a box may have a certificate for a request by its code. The same request may come again: its answer may have
    /// been lost.
    func accepts(_ box: String, secret: String, request: [UInt8]) throws(PostgresError) -> Bool {
        var hash = SHA256()
        hash.update(request)
        let rows = try run(
            """
            UPDATE enrolments SET tries = tries + 1,
                used_at = CASE WHEN code_hash = $2 THEN coalesce(used_at, now()) ELSE used_at END,
                request = CASE WHEN code_hash = $2 THEN coalesce(request, $3) ELSE request END
            WHERE box = $1 AND tries < \(Self.mostTries) AND expires_at > now()
            RETURNING code_hash = $2 AND request = $3
            """, [.text(box), .text(Secret.hash(secret)), .text(hash.hexadecimal())])
        return rows.texts.first == "t"
    }

    /// Whether a certificate that holds otherwise was taken back, or is none of ours.
    func isRevoked(_ serial: String) throws(PostgresError) -> Bool {
        let rows = try run("SELECT revoked_at IS NOT NULL FROM certificates WHERE serial = $1", [.text(serial)])
        return rows.texts.first != "f"
    }

    /// Signs, and notes it.
    ///
    /// - Returns: the certificate in PEM.
    func issue(_ box: String, _ request: [UInt8]) throws -> [UInt8] {
        let certificate = try FleetAuthority.sign(request, by: keeper.authority, at: clock.utc())
        let facts = try CertificateFacts(certificate)
        guard let end = CertificatePair(certificate: certificate, key: []).validity?.until, facts.name == box else {
            throw HubError("cannot sign the certificate: it is not what was asked for")
        }
        try run(
            "INSERT INTO certificates (serial, box, not_after) VALUES ($1, $2, $3)",
            [.text(facts.serial), .text(box), .text(end.rfc3339)])
        return certificate
    }

    @discardableResult
    private func run(_ sql: String, _ parameters: [PostgresValue]) throws(PostgresError) -> PostgresRows {
        try database.lend { connection throws(PostgresError) in try connection.run(sql, parameters) }
    }
}
