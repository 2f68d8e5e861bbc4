package import Cryptography
internal import FleetMessaging
internal import FoundationEssentials
package import KonzaAPI
package import KonzaModel

/// What an operator has one box do, once. The message is
///
///     {"schema":"konza.command/1","id":"01j…","box":"knz07","verb":"postcard","arguments":{"message":"Hello"},
///      "notAfter":"2026-11-23T06:30:00Z","key":"0123456789abcdef","signature":"…"}
///
/// `id` is a ULID whose time is when the command was made. `key` is the id of the operator's public key, the first 16
/// hexadecimal digits of its SHA-256. `signature` is the Base64 of the Ed25519 signature (RFC 8032) over the fields
///
///     konza.command/1, id, box, verb, arguments, notAfter
///
/// in this order, each as a netstring (`15:konza.command/1,26:01j…,5:knz07,8:postcard,19:{"message":"Hello"},` and so on),
/// where `arguments` is the canonical text of RFC 8785, `{}` without any, and the others are as in the message. A box's name is
/// unique among all boxes of a broker, so that the site need not be signed.
package struct FleetCommand: Sendable, Equatable {
    /// The largest message, bytes.
    package static let mostBytes = 8 << 10
    /// The most arguments, and the longest text of one, bytes.
    static let mostArguments = 16
    static let longestArgument = 2048

    package let id: RecordID<FleetCommand>
    package let box: String
    package let verb: String
    package let arguments: [String: JSONValue]
    package let notAfter: UTCInstant
    /// As it was written, which is what is signed.
    private let notAfterText: String
    package let key: String
    private let signature: [UInt8]

    /// When it was made, by the operator's clock.
    package var issuedAt: UTCInstant { UTCInstant(nanoseconds: Int64(clamping: id.milliseconds) * 1_000_000) }

    /// Whether the holder of the key made it.
    package func isSigned(by key: VerifyingKey) -> Bool {
        guard let message = Self.signedBytes(id.description, box, verb, arguments, notAfterText) else { return false }
        return key.verifies(signature, of: message)
    }

    private static func signedBytes(
        _ id: String, _ box: String, _ verb: String, _ arguments: [String: JSONValue], _ notAfter: String
    ) -> [UInt8]? {
        CanonicalJSON.text(.object(arguments)).map { arguments in
            SignedText.bytes([FleetKind.command.schema, id, box, verb, arguments, notAfter])
        }
    }

    /// Makes a command.
    ///
    /// - Parameters:
    ///   - id: new, of the operator's time.
    ///   - box: that it is for.
    ///   - verb: what to do.
    ///   - arguments: what the verb needs.
    ///   - notAfter: when it is too late.
    ///   - key: the operator's.
    /// - Returns: the message.
    /// - Throws: ``FleetCommandError`` for arguments that cannot be signed, and names that no box has.
    package static func signed(
        id: RecordID<FleetCommand>, box: String, verb: String, arguments: [String: JSONValue], notAfter: UTCInstant,
        by key: borrowing SigningKey
    ) throws(FleetCommandError) -> [UInt8] {
        try check(arguments)
        guard FleetTopic.isName(box) else {
            throw FleetCommandError("\(box) is no name of a box: 3 to 20 of a-z0-9, but hub")
        }
        let id = id.description
        let time = notAfter.rfc3339
        guard let message = signedBytes(id, box, verb, arguments, time) else {
            throw FleetCommandError("an argument is no text, whole number, true or false")
        }
        let value = JSONValue.object([
            "schema": .string(FleetKind.command.schema), "id": .string(id), "box": .string(box),
            "verb": .string(verb), "arguments": .object(arguments), "notAfter": .string(time),
            "key": .string(key.verifyingKey.id),
            "signature": .string(Data(key.signature(of: message)).base64EncodedString()),
        ])
        guard let text = CanonicalJSON.text(value) else { throw FleetCommandError("it cannot be written") }
        return Array(text.utf8)
    }

    /// Reads a message. Nothing in it is believed before ``isSigned(by:)``.
    ///
    /// - Parameter payload: of the message.
    /// - Throws: ``FleetCommandError`` with what does not fit.
    package init(_ payload: [UInt8]) throws(FleetCommandError) {
        var members = try SignedMembers(payload, most: Self.mostBytes, schema: FleetKind.command.schema)
        guard let id = RecordID<FleetCommand>(try members.text("id")) else {
            throw FleetCommandError("its id is no ULID in lower case")
        }
        self.id = id
        box = try members.text("box")
        verb = try members.text("verb")
        notAfterText = try members.text("notAfter")
        guard notAfterText.hasSuffix("Z"), let notAfter = UTCInstant(rfc3339: notAfterText) else {
            throw FleetCommandError("its notAfter is no RFC 3339 time in UTC")
        }
        self.notAfter = notAfter
        arguments = try members.object("arguments")
        try Self.check(arguments)
        key = try members.text("key")
        signature = try members.signature()
        try members.finish()
    }

    private static func check(_ arguments: [String: JSONValue]) throws(FleetCommandError) {
        guard arguments.count <= mostArguments else {
            throw FleetCommandError("it has more than \(mostArguments) arguments")
        }
        for (name, value) in arguments {
            switch value {
            case .bool: continue
            case .string(let text) where text.utf8.count <= longestArgument: continue
            case .number, .decimal: if CanonicalJSON.text(value) != nil { continue }
            default: break
            }
            throw FleetCommandError(
                "its argument \(name.prefix(40)) is no text of at most \(longestArgument) bytes, whole number, true or false"
            )
        }
    }
}

/// Why a signed message is not one.
package struct FleetCommandError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// The members of a signed message. One that nobody asked for is refused: it would not be signed.
struct SignedMembers {
    private var members: [String: JSONValue]

    init(_ payload: [UInt8], most: Int, schema: String) throws(FleetCommandError) {
        guard payload.count <= most else { throw FleetCommandError("it has more than \(most) bytes") }
        do throws(Problem) {
            guard case .object(let members) = try JSONReader.value(of: payload) else {
                throw Problem(.invalidRequest, "it is no JSON object")
            }
            self.members = members
        } catch {
            throw FleetCommandError(error.detail)
        }
        guard try text("schema") == schema else { throw FleetCommandError("its schema is not \(schema)") }
    }

    mutating func text(_ name: String) throws(FleetCommandError) -> String {
        guard case .string(let text)? = members.removeValue(forKey: name), (1...64).contains(text.utf8.count) else {
            throw FleetCommandError("its member \(name) is missing, or is no text of at most 64 bytes")
        }
        return text
    }

    /// Empty where it is left out.
    mutating func object(_ name: String) throws(FleetCommandError) -> [String: JSONValue] {
        switch members.removeValue(forKey: name) {
        case nil: return [:]
        case .object(let object)?: return object
        default: throw FleetCommandError("its member \(name) is no object")
        }
    }

    mutating func count(_ name: String) throws(FleetCommandError) -> Int64 {
        guard let number = members.removeValue(forKey: name)?.double, let count = Int64(exactly: number),
            (1...1 << 53).contains(count)
        else { throw FleetCommandError("its member \(name) is no whole number from 1") }
        return count
    }

    mutating func signature() throws(FleetCommandError) -> [UInt8] {
        guard case .string(let text)? = members.removeValue(forKey: "signature"), text.utf8.count == 88,
            let data = Data(base64Encoded: text), data.count == 64
        else { throw FleetCommandError("its signature is no Base64 of 64 bytes") }
        return Array(data)
    }

    func finish() throws(FleetCommandError) {
        guard let name = members.keys.min() else { return }
        throw FleetCommandError("it has the member \(name.prefix(40)), which nobody knows")
    }
}
