package import KonzaAPI

/// What a box says of the settings that are wanted: the body of the kind `reported`.
package struct DesiredReport: Sendable, Equatable {
    /// Why the message that came last was not taken at all.
    package struct Rejection: Sendable, Equatable {
        /// The longest reason, characters.
        private static let longest = 400

        /// As the message has it; 0 where it cannot be read.
        package let version: Int64
        package let reason: String

        package init(version: Int64, reason: String) {
            self.version = version
            self.reason = String(reason.prefix(Self.longest))
        }
    }

    /// JSON.
    package let body: [UInt8]

    /// - Parameters:
    ///   - reply: what konzad made of them.
    ///   - rejection: of the last message, where that was not taken.
    ///   - packages: versions by the programs' names.
    package init(_ reply: FleetDesiredReply, rejection: Rejection?, packages: [String: String]) {
        var applied: [String: [String: String]] = [:]
        for entry in reply.settings { applied[entry.section, default: [:]][entry.key] = entry.value }
        var members: [String: JSONValue] = [
            "version": .number(Double(reply.version)), "state": .string(reply.state.rawValue),
            "applied": .object(applied.mapValues { .object($0.mapValues(JSONValue.string)) }),
            "refused": .array(
                reply.refused.map { refusal in
                    .object([
                        "section": .string(refusal.section), "key": .string(refusal.key),
                        "reason": .string(refusal.reason),
                    ])
                }),
            "restart": .array(
                reply.settings.filter(\.needsRestart).map { .string("\($0.section).\($0.key)") }),
            "packages": .object(packages.mapValues(JSONValue.string)),
        ]
        if let rejection {
            members["rejected"] = .object([
                "version": .number(Double(rejection.version)), "reason": .string(rejection.reason),
            ])
        }
        body = Array((CanonicalJSON.text(.object(members)) ?? "{}").utf8)
    }
}
