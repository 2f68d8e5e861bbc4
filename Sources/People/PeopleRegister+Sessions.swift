internal import HTTPServing
internal import KonzaModel
internal import KonzaSystem
package import Storage
internal import Synchronization

/// What somebody signs in with.
package enum Proof: Sendable, Equatable {
    case passphrase(name: String, String)
    /// At the kiosk alone.
    case pin(name: String, String)
    /// At the kiosk alone; the badge's code and the PIN are two factors.
    case badge(String, pin: String)
}

/// Where and for what somebody signs in.
package struct SigningIn: Sendable {
    package var proof: Proof
    package var keeps = KeptLogin.nothing
    package var device = ""
    package var isAtKiosk = false
    package var isForReturn = false

    package init(_ proof: Proof) { self.proof = proof }
}

extension PeopleRegister {
    private struct Account: Sendable {
        let person: Int64
        let key: String
        let hash: String?
        let failures: Int
        /// Of a PIN: wrong ones in a row by which somebody wanted to say that they are back.
        let wrongReturns: Int
    }

    /// Signs somebody in. It takes the time of a hash, whether or not there is such a name.
    ///
    /// - Parameter wish: what was typed, and where.
    /// - Returns: the session, and the secret for its cookie.
    /// - Throws: `PeopleError`, `StorageError`.
    package func signIn(_ wish: SigningIn) throws -> (session: PersonSession, secret: String) {
        let (kind, name, secret) = Self.parts(wish.proof)
        let column = kind == "passphrase" ? "passphrase, failures, 0" : "pin, pin_failures, return_failures"
        let account = try read(
            "SELECT number, key, \(column) FROM people WHERE \(Self.column(kind, name)) = ?", [.text(name)]
        ) {
            Account(
                person: $0.integer(0), key: $0.text(1), hash: $0.isNull(2) ? nil : $0.text(2),
                failures: Int($0.integer(3)), wrongReturns: Int($0.integer(4)))
        }
        .first
        let counted = "\(kind == "passphrase" ? kind : "pin") \(account?.key ?? name)"
        let isUrgent = wish.isForReturn && wish.isAtKiosk
        // Whoever has the badge does not wait for those who try the name.
        let returning = (kind == "badge" ? "badge " : "") + (account?.key ?? name)
        let wait = isUrgent ? limit.refusesReturn(returning) : limit.refuses(counted, known: account?.failures ?? 0)
        if let wait { throw PeopleError.tooSoon(seconds: wait) }
        if let account {
            let wrong = account.wrongReturns + (isUrgent ? 0 : account.failures)
            if wrong >= Self.mostFailures { throw PeopleError.exhausted }
        }
        let outcome = try hashing(waits: isUrgent).verify(account?.hash, secret, isUrgent: isUrgent)
        guard let account, outcome.isRight else {
            // A name that nobody has is written down like any other, so that both take as long.
            if !isUrgent || kind != "passphrase" {
                try count(account?.person ?? 0, isUrgent ? "return" : kind, renewed: nil)
            }
            throw PeopleError.refused
        }
        if isUrgent {
            limit.forgetReturn(returning)
            if account.wrongReturns > 0 { try forgetReturns(account.person) }
        } else {
            limit.forget(account.key)
            if account.failures + account.wrongReturns > 0 || outcome.renewed != nil {
                try count(account.person, kind, renewed: outcome.renewed ?? account.hash)
            }
        }
        return try begin(account.person, wish)
    }

    private static func column(_ kind: String, _ name: String) -> String {
        kind == "badge" ? "badge" : Int64(name) != nil ? "CAST(number AS TEXT)" : "key"
    }

    private static func parts(_ proof: Proof) -> (kind: String, name: String, secret: [UInt8]) {
        switch proof {
        case .passphrase(let name, let text): ("passphrase", key(name) ?? "", passphraseBytes(text))
        // At the kiosk's pad the number of the account stands for the name; names have a letter.
        case .pin(let name, let pin): ("pin", key(name) ?? Int64(name).map { "\($0)" } ?? "", Array(pin.utf8))
        case .badge(let code, let pin): ("badge", Secret.hash(code), Array(pin.utf8))
        }
    }

    /// Writes down a wrong try, or with a hash that the tries are over.
    private func count(_ person: Int64, _ kind: String, renewed: String?) throws(StorageError) {
        let hash = kind == "passphrase" ? "passphrase" : "pin"
        let failures = kind == "passphrase" ? "failures" : kind == "return" ? "return_failures" : "pin_failures"
        try database.write { connection throws(DatabaseError) in
            if let renewed {
                try connection.run(
                    """
                    UPDATE people SET \(hash) = ?, \(failures) = 0\(hash == "pin" ? ", return_failures = 0" : "") WHERE number = ?
                    """,
                    [.text(renewed), .integer(person)])
            } else {
                try connection.run(
                    "UPDATE people SET \(failures) = min(\(failures) + 1, 1000) WHERE number = ?", [.integer(person)])
                try connection.run(
                    "INSERT OR REPLACE INTO people_settings (name, value) VALUES ('last refusal', ?)",
                    [.text("\(clock.utc().nanoseconds)")])
            }
        }
    }

    /// A right PIN of somebody who is back ends the count of the wrong ones.
    private func forgetReturns(_ person: Int64) throws(StorageError) {
        try database.write { connection throws(DatabaseError) in
            try connection.run("UPDATE people SET return_failures = 0 WHERE number = ?", [.integer(person)])
        }
    }

    /// Makes a session after a proof.
    private func begin(_ person: Int64, _ wish: SigningIn) throws -> (session: PersonSession, secret: String) {
        let secret = PeopleSecret.make(bytes: 16)
        let now = clock.utc()
        let keeps = wish.isAtKiosk ? .nothing : wish.keeps
        let seconds = keeps == .device ? PersonSession.deviceSeconds : PersonSession.browserSeconds
        var session = PersonSession(
            id: PeopleSecret.sessionID(), person: person, device: String(wish.device.prefix(80)), madeAt: now,
            expiresAt: now.advanced(bySeconds: seconds), keeps: keeps)
        session.isAtKiosk = wish.isAtKiosk
        session.isForReturn = wish.isForReturn
        let steady = clock.monotonic()
        session.freshUntil = steady.advanced(bySeconds: PersonSession.freshSeconds)
        if wish.isAtKiosk { session.idleUntil = steady.advanced(bySeconds: PersonSession.kioskIdleSeconds) }
        let made = session
        if keeps == .device {
            // One that ends with its browser ends with the portal, too.
            try database.write { connection throws(DatabaseError) in
                try connection.run(
                    "INSERT INTO people_sessions (secret, id, person, device, made_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
                    [
                        .text(Secret.hash(secret)), .text(made.id), .integer(person), .text(made.device),
                        .integer(now.nanoseconds), .integer(made.expiresAt.nanoseconds),
                    ])
                try connection.run(
                    """
                    DELETE FROM people_sessions WHERE person = ? AND secret NOT IN (
                        SELECT secret FROM people_sessions WHERE person = ? ORDER BY made_at DESC, rowid DESC LIMIT ?)
                    """,
                    [.integer(person), .integer(person), .integer(Int64(PersonSession.mostOfPerson))])
            }
        }
        endSessions { sessions in
            sessions[Secret.hash(secret)] = made
            var own = sessions.filter { $0.value.person == person }
            while own.count > PersonSession.mostOfPerson,
                let oldest = own.min(by: { $0.value.madeAt < $1.value.madeAt })
            {
                sessions[oldest.key] = nil
                own[oldest.key] = nil
            }
            if sessions.count > PersonSession.most, let oldest = sessions.min(by: { $0.value.madeAt < $1.value.madeAt })
            {
                sessions[oldest.key] = nil
            }
        }
        return (made, secret)
    }

    /// The session that a secret is of, and whether its proof was just given.
    ///
    /// - Returns: nil if it is not known, was revoked or is over.
    package func session(secret: String) -> (session: PersonSession, isFresh: Bool)? {
        guard secret.utf8.count == 32 else { return nil }
        let hash = Secret.hash(secret)
        let now = clock.utc()
        let steady = clock.monotonic()
        return sessions.withLock { sessions in
            guard var session = sessions[hash] else { return nil }
            let isOver = now > .believedFrom && now > session.expiresAt
            guard !isOver, session.idleUntil.map({ steady < $0 }) ?? true else {
                sessions[hash] = nil
                return nil
            }
            if session.isAtKiosk {
                session.idleUntil = steady.advanced(bySeconds: PersonSession.kioskIdleSeconds)
                sessions[hash] = session
            }
            return (session, session.freshUntil.map { steady < $0 } ?? false)
        }
    }

    /// Whether a session is good still, for a person of the role that it was for. To ask does not count as a use of it.
    package func isOpen(_ session: PersonSession) -> Bool {
        let now = clock.utc()
        let steady = clock.monotonic()
        return sessions.withLock { sessions in
            guard let known = sessions.values.first(where: { $0.id == session.id }),
                known.roleChanges == session.roleChanges
            else { return false }
            let isOver = now > .believedFrom && now > known.expiresAt
            return !isOver && (known.idleUntil.map { steady < $0 } ?? true)
        }
    }

    /// The sessions of a person, the newest first.
    package func sessions(of person: Int64) -> [PersonSession] {
        sessions.withLock { $0.values.filter { $0.person == person } }.sorted { $0.madeAt > $1.madeAt }
    }

    /// Ends a session at once.
    ///
    /// - Parameters:
    ///   - id: of the session.
    ///   - person: whose it must be.
    /// - Returns: whether there was one.
    /// - Throws: where it cannot be written down.
    package func endSession(_ id: String, of person: Int64) throws(StorageError) -> Bool {
        let wasThere = endSessions { sessions in
            guard let key = sessions.first(where: { $0.value.id == id && $0.value.person == person })?.key else {
                return false
            }
            sessions[key] = nil
            return true
        }
        try database.write { connection throws(DatabaseError) in
            try connection.run(
                "DELETE FROM people_sessions WHERE id = ? AND person = ?", [.text(id), .integer(person)])
        }
        return wasThere
    }

    /// A person gives themselves another passphrase; all other sessions end.
    ///
    /// - Parameters:
    ///   - number: of the person.
    ///   - current: the passphrase so far.
    ///   - passphrase: the new one.
    ///   - session: the id of the one that stays.
    /// - Throws: `PeopleError`, `StorageError`.
    package func setPassphrase(_ number: Int64, current: String, to passphrase: String, keeping session: String) throws
    {
        guard let person = try person(number) else { throw PeopleError.unknown }
        let bytes = try PassphraseRules.checked(passphrase, name: person.name)
        let kept = try read("SELECT passphrase, failures FROM people WHERE number = ?", [.integer(number)]) {
            ($0.isNull(0) ? nil : $0.text(0), Int($0.integer(1)))
        }.first
        let name = "passphrase \(Self.key(person.name) ?? "")"
        if let wait = limit.refuses(name, known: kept?.1 ?? 0) { throw PeopleError.tooSoon(seconds: wait) }
        guard try hashing().verify(kept?.0, Self.passphraseBytes(current)).isRight else {
            try count(number, "passphrase", renewed: nil)
            throw PeopleError.refused
        }
        limit.forget(Self.key(person.name) ?? "")
        let hash = try hashing().hash(bytes)
        let now = clock.utc()
        try database.write { connection throws(DatabaseError) in
            try connection.run(
                "UPDATE people SET passphrase = ?, failures = 0 WHERE number = ?", [.text(hash), .integer(number)])
            try connection.run(
                "DELETE FROM people_sessions WHERE person = ? AND id <> ?", [.integer(number), .text(session)])
            try Self.note("passphrase", number, "", by: number, at: now, &connection)
        }
        emptyLog()
        endSessions { sessions in
            sessions = sessions.filter { $0.value.person != number || $0.value.id == session }
        }
    }

    private static func passphraseBytes(_ text: String) -> [UInt8] {
        // Outer spaces are trimmed, as in the name: they come with pasted text. One that nobody may have is compared with all
        // the same.
        let trimmed = String(text.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
        return OpaqueString.normalized(trimmed) ?? [0]
    }

    /// Gives somebody a new PIN.
    ///
    /// - Returns: six digits, which only this answer has.
    /// - Throws: `PeopleError`, `StorageError`.
    package func renewPIN(_ number: Int64, by actor: Int64) throws -> String {
        guard let person = try person(number) else { throw PeopleError.unknown }
        let pin = PeopleSecret.pin()
        let hash = try hashing().hash(Array(pin.utf8))
        let now = clock.utc()
        try database.write { connection throws(DatabaseError) in
            try connection.run(
                "UPDATE people SET pin = ?, pin_failures = 0, return_failures = 0 WHERE number = ?",
                [.text(hash), .integer(number)])
            try Self.note("pin", number, "", by: actor, at: now, &connection)
        }
        emptyLog()
        limit.forget(Self.key(person.name) ?? "")
        return pin
    }

    /// Gives somebody a new badge; the one so far opens nothing any more.
    ///
    /// - Returns: what its QR code says, which only this answer has.
    /// - Throws: `PeopleError`, `StorageError`.
    package func renewBadge(_ number: Int64, by actor: Int64) throws -> String {
        guard try person(number) != nil else { throw PeopleError.unknown }
        let badge = Self.newCredentials().badge
        let now = clock.utc()
        try database.write { connection throws(DatabaseError) in
            try connection.run(
                "UPDATE people SET badge = ? WHERE number = ?", [.text(Secret.hash(badge)), .integer(number)])
            try Self.note("badge", number, "", by: actor, at: now, &connection)
        }
        emptyLog()
        return badge
    }
}
