public import KonzaModel
public import Storage

// The outbox of pictures: what an object store is to have, and what is to go from it. It points at what is kept.

extension ForwardingArchive {
    /// The most steps in one answer.
    public static let mostSteps = 100
    private static let portion = 500

    /// Begins, or goes on with, what is stored; or ends it.
    ///
    /// - Parameters:
    ///   - isOn: whether there is a store.
    ///   - address: of the store: in another one everything is stored anew.
    /// - Throws: ``StorageError``.
    public func turnPictures(_ isOn: Bool, address: String) throws(StorageError) {
        try changing { connection throws(DatabaseError) in
            try PictureTable.turn(isOn, address: address, in: &connection)
        }
    }

    /// Adds a portion of the pictures from before there was a store.
    ///
    /// - Returns: whether there are more.
    /// - Throws: ``StorageError``.
    public func addOlderPictures() throws(StorageError) -> Bool {
        try changing { connection throws(DatabaseError) in
            try PictureTable.addOlder(Self.portion, in: &connection)
        }
    }

    /// What the store is behind: removals first, then small pictures, originals last.
    ///
    /// - Parameters:
    ///   - limit: the most steps, at most ``mostSteps``.
    ///   - allOriginals: whether originals that nobody asked for are to go.
    ///   - now: by the system's clock.
    ///   - naming: gives an object's name from the picture's id, its part and its media type; nil for one that is left out.
    /// - Returns: the steps; asked again before a receipt came, the same ones.
    /// - Throws: ``StorageError``.
    public func pictures(
        limit: Int, allOriginals: Bool, at now: UTCInstant,
        naming: @Sendable (String, PicturePart, String) -> String?
    ) throws(StorageError) -> [PictureEntry] {
        let limit = min(max(limit, 1), Self.mostSteps)
        try settleMarks()
        let figures = try pictureFigures()
        guard
            figures.thumbnails + figures.wanted + figures.publics + figures.removals
                + (allOriginals ? figures.originals : 0) > 0
        else {
            return []
        }
        return try changing { connection throws(DatabaseError) in
            try PictureTable.steps(limit, allOriginals: allOriginals, at: now, naming: naming, in: &connection)
        }
    }

    /// What came of steps.
    ///
    /// - Parameters:
    ///   - receipts: of the steps.
    ///   - now: by the system's clock.
    ///   - tellsThumbnails: whether small pictures, too, are reported to the fleet's database.
    /// - Returns: how many of the receipts were news.
    /// - Throws: ``StorageError``.
    public func confirmPictures(
        _ receipts: [PictureReceipt], at now: UTCInstant, tellsThumbnails: Bool
    ) throws(StorageError) -> Int {
        try changing { connection throws(DatabaseError) in
            var count = 0
            for receipt in receipts
            where try PictureTable.confirm(receipt, at: now, tellsThumbnails: tellsThumbnails, in: &connection) {
                count += 1
            }
            return count
        }
    }

    /// Asks for the original of a postcard or of a photograph, whatever the policy.
    ///
    /// - Parameter id: the picture's.
    /// - Returns: whether it is stored already; nil if there is no such picture.
    /// - Throws: ``StorageError``.
    public func wantOriginal(_ id: String) throws(StorageError) -> Bool? {
        try settleMarks()
        return try changing { connection throws(DatabaseError) in try PictureTable.want(id, in: &connection) }
    }

    /// Whether an original is in the store; nil if there is no such picture.
    ///
    /// - Throws: ``StorageError``.
    public func isOriginalStored(_ id: String) throws(StorageError) -> Bool? {
        try store.read { connection throws(DatabaseError) in try PictureTable.isStored(id, in: &connection) }
    }

    /// Has a postcard stored for whoever has its link, until an end.
    ///
    /// - Parameters:
    ///   - id: the postcard's.
    ///   - name: unguessable; an earlier link of the postcard keeps its own.
    ///   - end: when the objects go.
    /// - Returns: the link; nil if there is no such postcard, or there are too many links.
    /// - Throws: ``StorageError``.
    public func publish(_ id: String, name: String, until end: UTCInstant) throws(StorageError) -> PublicLinkState? {
        try changing { connection throws(DatabaseError) in
            guard try PictureTable.publish(id, name: name, until: end, in: &connection) else { return nil }
            return try PictureTable.link(of: id, in: &connection)
        }
    }

    /// Has what is public of a postcard removed.
    ///
    /// - Returns: whether there was anything.
    /// - Throws: ``StorageError``.
    public func unpublish(_ id: String) throws(StorageError) -> Bool {
        try changing { connection throws(DatabaseError) in try PictureTable.unpublish(id, in: &connection) }
    }

    /// Has the public objects removed whose time is over.
    ///
    /// - Returns: whether there were any.
    /// - Throws: ``StorageError``.
    public func endPublic(at now: UTCInstant) throws(StorageError) -> Bool {
        let isDue = try store.read { connection throws(DatabaseError) in
            try PictureTable.hasEnded(at: now, in: &connection)
        }
        guard isDue else { return false }
        return try changing { connection throws(DatabaseError) in try PictureTable.endPublic(at: now, in: &connection) }
    }

    /// The public link of a postcard; nil without one.
    ///
    /// - Throws: ``StorageError``.
    public func publicLink(of id: String) throws(StorageError) -> PublicLinkState? {
        try store.read { connection throws(DatabaseError) in try PictureTable.link(of: id, in: &connection) }
    }

    /// How far the store is with the pictures of records.
    ///
    /// - Parameter records: their ids.
    /// - Returns: the pictures of each that has any.
    /// - Throws: ``StorageError``.
    public func pictureStates(of records: [String]) throws(StorageError) -> [String: [PictureState]] {
        try settleMarks()
        return try store.read { connection throws(DatabaseError) in
            var found: [String: [PictureState]] = [:]
            for record in records {
                let states = try PictureTable.states(of: record, in: &connection)
                if !states.isEmpty { found[record] = states }
            }
            return found
        }
    }

    /// The newest postcard whose small picture is in the store; nil without one.
    ///
    /// - Throws: ``StorageError``.
    public func latestPicture() throws(StorageError) -> LatestPicture? {
        try store.read { connection throws(DatabaseError) in try PictureTable.latest(in: &connection) }
    }

    /// - Throws: ``StorageError``.
    public func pictureFigures() throws(StorageError) -> PictureFigures {
        try settleMarks()
        return try store.read { connection throws(DatabaseError) in try PictureTable.figures(in: &connection) }
    }

    /// Looks at what changed of specimens, so that everything else need not.
    private func settleMarks() throws(StorageError) {
        while try store.read({ connection throws(DatabaseError) in try PictureTable.hasMarks(in: &connection) }) {
            try changing { connection throws(DatabaseError) in
                try PictureTable.settleMarks(Self.portion, in: &connection)
            }
        }
    }

    private func changing<Value: Sendable>(
        _ body: (inout Connection) throws(DatabaseError) -> Value
    ) throws(StorageError) -> Value {
        try store.changing { database throws(StorageError) in try store.commit(database, body) }
    }
}
