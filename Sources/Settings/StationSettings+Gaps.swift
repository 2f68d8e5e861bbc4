extension StationSettings.Fleet {
    /// A setting that has no effect for want of others.
    public struct Gap: Sendable, Equatable {
        /// Of `[Fleet]`: what is to be set, or to be changed.
        public let key: String
        /// Why, with what to do about it.
        public let reason: String
    }

    /// What is set in vain.
    public var gaps: [Gap] { [nameGap, publicLinkGap].compactMap { $0 } }

    private var nameGap: Gap? {
        guard broker != nil, box.isEmpty else { return nil }
        return Gap(
            key: "Box",
            reason:
                "the fleet has a broker and the station no name in it: nothing is forwarded; set Box= to a name that no "
                + "other station has")
    }

    /// Why visitors get no public link where they should; nil where nothing is missing.
    public var publicLinkGap: Gap? {
        guard publicLinks else { return nil }
        let missing = [
            ("Broker=", broker == nil), ("Box=", box.isEmpty), ("Store=", store == nil),
            ("PublicStore=", publicStore == nil),
        ].filter(\.1).map(\.0)
        guard !missing.isEmpty else { return nil }
        return Gap(
            key: "PublicLinks",
            reason: "visitors get no public link without \(missing.joined(separator: ", ")): set what is missing, or "
                + "PublicLinks=no")
    }
}
