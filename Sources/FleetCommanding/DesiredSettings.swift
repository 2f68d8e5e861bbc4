package import Cryptography
internal import FleetMessaging
internal import FoundationEssentials
package import KonzaAPI
internal import KonzaModel
internal import Settings

/// Settings that an operator wants one box to have. The message is kept by the broker and holds all of them:
///
///     {"schema":"konza.desired/1","box":"knz07","version":3,
///      "settings":{"Postcards":{"Template":"vintage"},"Camera":{"Mirror":"yes"}},"key":"…","signature":"…"}
///
/// The signature is as of a ``FleetCommand``, over the fields `konza.desired/1`, box, version in digits, and the canonical text of
/// settings. Values are as in konzad.conf; an empty one is the default. A version that is not above the one that is applied
/// is passed over.
package struct DesiredSettings: Sendable, Equatable {
    /// The largest message, bytes.
    package static let mostBytes = 64 << 10

    /// All that can be set from afar: what a mistake, or a stolen key, cannot do harm with. Nothing of the network, of files,
    /// people, users and sockets, and nothing that lets records go.
    package static let allowed: [String: Set<String>] = [
        "General": ["Place"],
        "Camera": ["Mirror", "PowerLineFrequency", "ExposureDynamicFramerate", "Quality"],
        "Postcards": ["Template", "MessageLimit", "MaxCountdown"],
    ]

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
        guard FleetTopic.isName(box) else { throw FleetCommandError("\(box) is no name of a box: 3 to 20 of a-z0-9") }
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
            for (name, value) in keys {
                guard case .string(let text) = value else {
                    throw FleetCommandError("the value of \(section.prefix(40)).\(name.prefix(40)) is no text")
                }
                settings[section]?[name] = text
            }
        }
        self.settings = settings
        key = try members.text("key")
        signature = try members.signature()
        try members.finish()
    }

    /// What a box makes of a message on the topic of desired settings.
    package enum Decision: Sendable, Equatable {
        case apply(DesiredOutcome)
        /// It is applied already, or older than what is.
        case known
        case rejected(String)
    }

    /// Judges a message.
    ///
    /// - Parameters:
    ///   - payload: of the message.
    ///   - box: this one's name.
    ///   - operators: whom it listens to.
    ///   - version: that is applied; 0 before any.
    /// - Returns: what is to become of it. When the outcome's drop-in is written, `CommandLedger.noteDesired` is to be told.
    package static func judge(
        _ payload: [UInt8], box: String, operators: OperatorKeys, applied version: Int64
    ) -> Decision {
        do throws(FleetCommandError) {
            let desired = try DesiredSettings(payload)
            guard desired.box == box else { return .rejected("it is for the box \(desired.box)") }
            guard let maker = operators.operators[desired.key] else {
                return .rejected("its key \(desired.key) is none of an operator")
            }
            guard desired.isSigned(by: maker.key) else { return .rejected("its signature does not hold") }
            guard maker.rights.contains(.desired) else {
                return .rejected("the operator \(maker.name.isEmpty ? desired.key : maker.name) may not set anything")
            }
            guard desired.version > version else { return .known }
            return .apply(desired.outcome)
        } catch {
            return .rejected(error.description)
        }
    }

    /// What of the settings is taken over.
    package var outcome: DesiredOutcome {
        var outcome = DesiredOutcome(version: version)
        for (section, keys) in settings.sorted(by: { $0.key < $1.key }) {
            for (key, value) in keys.sorted(by: { $0.key < $1.key }) {
                if let reason = Self.objection(section, key, value) {
                    outcome.refused.append(.init(section: section, key: key, reason: reason))
                } else {
                    outcome.applied[section, default: [:]][key] = value
                }
            }
        }
        return outcome
    }

    /// Why a value is not taken; nil if it is.
    private static func objection(_ section: String, _ key: String, _ value: String) -> String? {
        guard allowed[section]?.contains(key) == true else { return "it cannot be set from afar" }
        // One line of the file is one assignment.
        let isLine =
            value.utf8.count <= 1024 && !value.hasSuffix("\\")
            && value.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
            && !value.hasPrefix(" ") && !value.hasSuffix(" ")
        guard isLine else { return "its value is no line of text that a configuration can hold" }
        do throws(SettingsErrors) {
            _ = try StationSettings.parse(Array("[\(section)]\n\(key)=\(value)\n".utf8), file: "desired")
            return nil
        } catch {
            return error.problems.first?.reason ?? "its value does not fit"
        }
    }
}

/// What a box made of desired settings.
package struct DesiredOutcome: Sendable, Equatable {
    package struct Refused: Sendable, Equatable {
        package let section: String
        package let key: String
        package let reason: String
    }

    package let version: Int64
    /// By section and key.
    package internal(set) var applied: [String: [String: String]] = [:]
    package internal(set) var refused: [Refused] = []

    init(version: Int64) { self.version = version }

    /// The text of a drop-in for konzad.conf.d, whole: a file before it is replaced.
    package var dropIn: String {
        var text = "# Version \(version) of what the fleet's operators want. It is replaced with the next one.\n"
        for section in SettingsTable.sections {
            guard let keys = applied[section], !keys.isEmpty else { continue }
            text += "\n[\(section)]\n"
            for (key, value) in keys.sorted(by: { $0.key < $1.key }) { text += "\(key)=\(value)\n" }
        }
        return text
    }

    /// What the box reports: the version, and what was refused and why.
    package var report: JSONValue {
        .object([
            "version": .number(Double(version)),
            "applied": .object(applied.mapValues { keys in .object(keys.mapValues(JSONValue.string)) }),
            "refused": .array(
                refused.map { refused in
                    .object([
                        "section": .string(refused.section), "key": .string(refused.key),
                        "reason": .string(refused.reason),
                    ])
                }),
        ])
    }
}
