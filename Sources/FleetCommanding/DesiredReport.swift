package import KonzaAPI

/// What a box says of the settings that are wanted: the body of the kind `reported`.
package struct DesiredReport: Sendable, Equatable {
    /// JSON.
    package let body: [UInt8]

    /// - Parameters:
    ///   - reply: what konzad made of them.
    ///   - packages: versions by the programs' names.
    package init(_ reply: FleetDesiredReply, packages: [String: String]) {
        var applied: [String: [String: String]] = [:]
        for entry in reply.settings { applied[entry.section, default: [:]][entry.key] = entry.value }
        let value = JSONValue.object([
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
        ])
        body = Array((CanonicalJSON.text(value) ?? "{}").utf8)
    }
}
