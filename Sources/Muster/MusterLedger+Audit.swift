internal import KonzaModel
internal import People
package import Storage

/// The end of the chain: what is written down elsewhere to find later that something was cut off.
package struct MusterHead: Sendable, Equatable {
    package let sequence: Int64
    package let hash: String

    /// `17:0f…`.
    package var text: String { "\(sequence):\(hash)" }

    package init(sequence: Int64, hash: String) {
        self.sequence = sequence
        self.hash = hash
    }

    /// - Returns: nil unless the text is one that ``text`` makes.
    package init?(_ text: String) {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let sequence = Int64(parts[0]), sequence >= 0, parts[1].utf8.count == 64,
            parts[1].allSatisfy({ $0.isASCII && $0.isHexDigit })
        else { return nil }
        self.init(sequence: sequence, hash: parts[1].lowercased())
    }
}

/// The ends of both chains: that of the muster, and that of the accounts.
package struct MusterHeads: Sendable, Equatable {
    package let records: MusterHead
    /// Nil in what was written down before the accounts' was.
    package let accounts: MusterHead?

    /// `17:0f…/5:3c…`.
    package var text: String { accounts.map { "\(records.text)/\($0.text)" } ?? records.text }

    package init(records: MusterHead, accounts: MusterHead?) {
        self.records = records
        self.accounts = accounts
    }

    /// - Returns: nil unless the text is one that ``text`` makes.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let records = parts.first.flatMap({ MusterHead(String($0)) }) else { return nil }
        guard parts.count == 2 else {
            self.init(records: records, accounts: nil)
            return
        }
        guard let accounts = MusterHead(String(parts[1])) else { return nil }
        self.init(records: records, accounts: accounts)
    }
}

/// What looking through both chains found.
package struct MusterVerdict: Sendable, Equatable {
    package var records: Int64
    package var head: MusterHead
    /// The end of the audit of accounts, as far as it is whole.
    package var accounts: MusterHead
    /// The first record that does not follow the one before it; nil if all do.
    package var brokenAt: Int64?
    /// Whether the heads that were written down elsewhere are in the chains; nil where none was given.
    package var hasKnownHead: Bool?

    /// The first entry of the audit of accounts that does not follow the one before it; nil if all do.
    package var accountsBrokenAt: Int64?

    package var isWhole: Bool { brokenAt == nil && hasKnownHead != false && accountsBrokenAt == nil }
}

extension MusterLedger {
    package func head() throws(StorageError) -> MusterHead {
        let last = try records("ORDER BY sequence DESC LIMIT 1").first
        return MusterHead(sequence: last?.sequence ?? 0, hash: last?.hash ?? AuditChain.start)
    }

    /// Looks through the whole chain, a thousand records at a time, and through that of the accounts.
    ///
    /// - Parameter known: the heads that an export printed.
    /// - Returns: what was found.
    /// - Throws: where the ledger cannot be read.
    package func verify(_ known: MusterHeads?) throws(StorageError) -> MusterVerdict {
        let start = MusterHead(sequence: 0, hash: AuditChain.start)
        var verdict = MusterVerdict(records: 0, head: start, accounts: start)
        verdict.hasKnownHead = known.map { $0.records == start }
        var hasAccounts = known?.accounts == nil
        verdict.accountsBrokenAt = try PeopleRegister.firstBrokenEntry(of: database) { number, hash in
            verdict.accounts = MusterHead(sequence: number, hash: hash)
            hasAccounts = hasAccounts || known?.accounts == verdict.accounts
        }
        while true {
            let before = verdict
            verdict = try storing { () throws(DatabaseError) in
                try database.read { connection throws(DatabaseError) in
                    var verdict = before
                    // The bytes as they are: a word that means nothing any more was changed, too.
                    _ = try connection.rows(
                        "SELECT \(Self.columns) FROM muster_records WHERE sequence > ? ORDER BY sequence LIMIT 1000",
                        [.integer(before.head.sequence)]
                    ) { row in
                        let record = MusterHead(sequence: row.integer(0), hash: row.text(Self.hashColumn))
                        let follows =
                            record.sequence == verdict.head.sequence + 1
                            && AuditChain.link(row, fields: Self.hashColumn, after: verdict.head.hash) == record.hash
                        if !follows, verdict.brokenAt == nil { verdict.brokenAt = record.sequence }
                        verdict.records += 1
                        verdict.head = record
                        if let known, known.records == record { verdict.hasKnownHead = true }
                    }
                    return verdict
                }
            }
            if verdict.records - before.records < 1000 { break }
        }
        verdict.hasKnownHead = verdict.hasKnownHead.map { $0 && hasAccounts }
        return verdict
    }
}
