internal import Cryptography
internal import FleetCommanding
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

// fleet: what operators sign. Nothing here asks a station.

extension CommandContext {
    func makeFleetKey() async throws(CommandFailure) -> ExitCode {
        let name = invocation.text("name") ?? ""
        let isWord = name.utf8.count <= 64 && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isWord else {
            throw CommandFailure(
                "cannot make a key: the name \"\(name)\" is not one word of letters and digits", .usage)
        }
        let rights = (invocation.list("rights") ?? []).compactMap { OperatorRight(rawValue: $0) }
        let key: VerifyingKey
        do throws(SigningKeyError) {
            key = try SigningKey.make(file: invocation.operands[1])
        } catch {
            throw CommandFailure(error.description, .cannotCreate)
        }
        try console.write(OperatorKeys.line(key, rights: rights, name: name) + "\n")
        return .ok
    }

    func signFleetCommand() async throws(CommandFailure) -> ExitCode {
        let words = invocation.operands
        let message = try signedCommand(words.first ?? "", words.dropFirst(), box: try requiredOption("box"))
        try console.write(message.bytes + [UInt8(ascii: "\n")])
        return .ok
    }

    func signFleetSettings() async throws(CommandFailure) -> ExitCode {
        let message = try signedSettings(invocation.operands[...], box: try requiredOption("box"))
        try console.write(message + [UInt8(ascii: "\n")])
        return .ok
    }

    /// A command, signed with the key that is named.
    func signedCommand(
        _ verb: String, _ words: ArraySlice<String>, box: String
    ) throws(CommandFailure) -> (id: String, bytes: [UInt8]) {
        let now = clock.utc()
        var arguments: [String: JSONValue] = [:]
        for word in words {
            let (name, value) = try assignment(word)
            guard arguments.updateValue(.string(value), forKey: name) == nil else { throw twice(name) }
        }
        let id = RecordID<FleetCommand>.random(at: now)
        let notAfter = now.advanced(bySeconds: Double(invocation.number("minutes") ?? 10) * 60)
        let bytes = try sign("command") { (key: borrowing SigningKey) throws(FleetCommandError) in
            let message = try FleetCommand.signed(
                id: id, box: box, verb: verb, arguments: arguments, notAfter: notAfter, by: key)
            try FleetCommand.check(message)
            return message
        }
        return (id.description, bytes)
    }

    /// Settings, signed with the key that is named. Says which of them every station refuses.
    ///
    /// - Parameters:
    ///   - words: the settings.
    ///   - box: whom they are for.
    ///   - known: the version that the fleet has; theirs is higher, where none is named.
    /// - Returns: the message.
    /// - Throws: why they cannot be signed.
    func signedSettings(
        _ words: ArraySlice<String>, box: String, above known: Int64 = 0
    ) throws(CommandFailure) -> [UInt8] {
        var settings: [String: [String: String]] = [:]
        for word in words {
            let (name, value) = try assignment(word)
            let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
                throw CommandFailure(
                    "cannot sign \"\(word)\": expected SECTION.KEY=VALUE, such as Camera.Mirror=no", .usage)
            }
            guard settings[parts[0], default: [:]].updateValue(value, forKey: parts[1]) == nil else {
                throw twice(name)
            }
        }
        let version =
            invocation.number("revision").map(Int64.init) ?? max(clock.utc().nanoseconds / 1_000_000_000, known + 1)
        var objections: [String] = []
        let bytes = try sign("settings") { (key: borrowing SigningKey) throws(FleetCommandError) in
            let message = try DesiredSettings.signed(box: box, version: version, settings: settings, by: key)
            objections = try DesiredSettings(message).objections
            return message
        }
        for words in objections { tell(words) }
        return bytes
    }

    private func sign(
        _ what: String, _ make: (borrowing SigningKey) throws(FleetCommandError) -> [UInt8]
    ) throws(CommandFailure) -> [UInt8] {
        let path = try requiredOption("key")
        do {
            return try make(try SigningKey(file: path))
        } catch let error as SigningKeyError {
            throw CommandFailure(error.description, .noInput)
        } catch {
            throw CommandFailure("cannot sign the \(what): \(error)", .usage)
        }
    }

    private func requiredOption(_ name: String) throws(CommandFailure) -> String {
        guard let value = invocation.text(name) else {
            throw CommandFailure("cannot sign: --\(name) is missing; see konza help fleet", .usage)
        }
        return value
    }

    private func assignment(_ word: String) throws(CommandFailure) -> (name: String, value: String) {
        guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
            throw CommandFailure("cannot sign \"\(word)\": expected NAME=VALUE", .usage)
        }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }

    private func twice(_ name: String) -> CommandFailure {
        CommandFailure("cannot sign: \(name) is there twice", .usage)
    }
}
