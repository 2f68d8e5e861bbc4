package import Cryptography
internal import FleetMessaging
internal import FoundationEssentials
internal import KonzaAPI
internal import KonzaModel
package import Settings

/// Settings that an operator wants one box to have. The message is kept by the broker and holds all of them:
///
///     {"schema":"konza.desired/1","box":"knz07","version":3,
///      "settings":{"Postcards":{"Template":"vintage"},"Camera":{"Mirror":"yes"}},"key":"…","signature":"…"}
///
/// The signature is as of a ``FleetCommand``, over the fields `konza.desired/1`, box, version in digits, and the canonical text of
/// settings. Values are as in konzad.conf; an empty one is the default. A version that is below the one that is applied
/// is passed over.
package struct DesiredSettings: Sendable, Equatable {
    /// The largest message, bytes.
    package static let mostBytes = 64 << 10

    package let box: String
    package let version: Int64
    /// By section and key.
    package let settings: [String: [String: String]]
    package let key: String
    private let signature: [UInt8]

    /// Whether the holder of the key made it.
    package func isSigned(by key: VerifyingKey) -> Bool {
        guard let message = Self.signedBytes(box, version, settings) else { return false }
        return key.verifies(signature, of: message)
    }

    private static func value(_ settings: [String: [String: String]]) -> JSONValue {
        .object(settings.mapValues { keys in .object(keys.mapValues(JSONValue.string)) })
    }

    private static func signedBytes(
        _ box: String, _ version: Int64, _ settings: [String: [String: String]]
    ) -> [UInt8]? {
        CanonicalJSON.text(value(settings)).map { settings in
            SignedText.bytes([FleetKind.desired.schema, box, String(version), settings])
        }
    }

    /// Makes a message.
    ///
    /// - Parameters:
    ///   - box: that it is for.
    ///   - version: above that of every message before.
    ///   - settings: all that are wanted, by section and key.
    ///   - key: the operator's.
    /// - Returns: the message.
    /// - Throws: ``FleetCommandError`` for names that no box has.
    package static func signed(
        box: String, version: Int64, settings: [String: [String: String]], by key: borrowing SigningKey
    ) throws(FleetCommandError) -> [UInt8] {
        guard FleetTopic.isName(box) else {
            throw FleetCommandError("\(box) is no name of a box: 3 to 20 of a-z0-9, but hub")
        }
        guard (1...1 << 53).contains(version), let message = signedBytes(box, version, settings) else {
            throw FleetCommandError("\(version) is no version: a whole number from 1")
        }
        let whole = JSONValue.object([
            "schema": .string(FleetKind.desired.schema), "box": .string(box), "version": .number(Double(version)),
            "settings": value(settings), "key": .string(key.verifyingKey.id),
            "signature": .string(Data(key.signature(of: message)).base64EncodedString()),
        ])
        let text = Array((CanonicalJSON.text(whole) ?? "").utf8)
        guard text.count <= mostBytes else { throw FleetCommandError("it has more than \(mostBytes) bytes") }
        return text
    }

    /// Reads a message. Nothing in it is believed before ``isSigned(by:)``.
    ///
    /// - Parameter payload: of the message.
    /// - Throws: ``FleetCommandError`` with what does not fit.
    package init(_ payload: [UInt8]) throws(FleetCommandError) {
        var members = try SignedMembers(payload, most: Self.mostBytes, schema: FleetKind.desired.schema)
        box = try members.text("box")
        version = try members.count("version")
        var settings: [String: [String: String]] = [:]
        for (section, keys) in try members.object("settings") {
            guard case .object(let keys) = keys else {
                throw FleetCommandError("the section \(section.prefix(40)) is no object")
            }
            settings[section] = [:]
            guard RemoteSettings.isName(section), keys.keys.allSatisfy(RemoteSettings.isName) else {
                throw FleetCommandError(
                    "a section or a key is no name of at most \(RemoteSettings.longestName) letters")
            }
            for (name, value) in keys {
                guard case .string(let text) = value else {
                    throw FleetCommandError("the value of \(section.prefix(40)).\(name.prefix(40)) is no text")
                }
                settings[section]?[name] = text
            }
        }
        guard settings.values.reduce(0, { $0 + $1.count }) <= RemoteSettings.mostSettings else {
            throw FleetCommandError("it has more than \(RemoteSettings.mostSettings) settings")
        }
        self.settings = settings
        key = try members.text("key")
        signature = try members.signature()
        try members.finish()
    }

    /// What a box makes of a message on the topic of desired settings.
    package enum Decision: Sendable, Equatable {
        /// It is to be taken over, if it is not yet.
        case apply(RemoteSettings)
        /// It is older than what was applied.
        case known
        /// Nothing of it is taken; its version is 0 where it cannot be read.
        case rejected(version: Int64, reason: String)
    }

    /// Judges a message.
    ///
    /// - Parameters:
    ///   - payload: of the message.
    ///   - box: this one's name.
    ///   - operators: whom it listens to.
    ///   - version: the highest that was ever applied; 0 before any. The same is judged again, so that a station that has lost it
    ///     gets it back.
    /// - Returns: what is to become of it. When it is applied, `CommandLedger.noteDesired` is to be told.
    package static func judge(
        _ payload: [UInt8], box: String, operators: OperatorKeys, applied version: Int64
    ) -> Decision {
        let desired: DesiredSettings
        do throws(FleetCommandError) {
            desired = try DesiredSettings(payload)
        } catch {
            return .rejected(version: 0, reason: error.description)
        }
        func rejected(_ reason: String) -> Decision { .rejected(version: desired.version, reason: reason) }
        guard desired.box == box else { return rejected("it is for the box \(desired.box)") }
        guard let maker = operators.operators[desired.key] else {
            return rejected("its key \(desired.key) is none of an operator")
        }
        guard desired.isSigned(by: maker.key) else { return rejected("its signature does not hold") }
        guard maker.rights.contains(.desired) else {
            return rejected("the operator \(maker.name.isEmpty ? desired.key : maker.name) may not set anything")
        }
        return desired.version < version ? .known : .apply(desired.outcome)
    }

    /// What every station refuses of it, for the operator.
    package var objections: [String] {
        outcome.refused.map { "\($0.section).\($0.key) will be refused: \($0.reason)" }
    }

    /// What of the settings a station takes over, in the order of their names.
    package var outcome: RemoteSettings {
        RemoteSettings(
            version: version,
            wanted: settings.sorted { $0.key < $1.key }.flatMap { section, keys in
                keys.sorted { $0.key < $1.key }.map { .init(section: section, key: $0.key, value: $0.value) }
            })
    }
}
