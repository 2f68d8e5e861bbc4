package import Cryptography
internal import Storage

/// The operators that a box listens to: a file of lines, each
///
///     ed25519 PUBLICKEY RIGHTS [NAME]
///
/// with the Base64 of the public key's 32 bytes, and the rights divided by commas, or `-` for none. Empty lines and those that
/// begin with `#` are passed over. A file with a line that is not understood is not used at all, so that none is allowed more
/// than was meant; without a file nobody may do anything.
package struct OperatorKeys: Sendable, Equatable {
    package struct Operator: Sendable, Equatable {
        package let key: VerifyingKey
        package let rights: Set<OperatorRight>
        /// For people; empty where there is none.
        package let name: String
    }

    package static let mostBytes = 64 << 10
    package static let mostKeys = 64

    /// Nobody.
    package static let none = OperatorKeys(operators: [:])

    /// By the ids of their keys.
    package let operators: [String: Operator]

    private init(operators: [String: Operator]) { self.operators = operators }

    /// Reads the file's text.
    ///
    /// - Parameter text: of the file.
    /// - Throws: ``FleetCommandError`` with the first line that is not understood.
    package init(_ text: String) throws(FleetCommandError) {
        var operators: [String: Operator] = [:]
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            func refuse(_ reason: String) -> FleetCommandError {
                FleetCommandError("line \(index + 1): \(reason); expected: ed25519 PUBLICKEY RIGHTS [NAME]")
            }
            guard (3...4).contains(words.count), first == "ed25519" else { throw refuse("it is no operator's key") }
            guard let key = VerifyingKey(base64: words[1]) else { throw refuse("the key is no Base64 of 32 bytes") }
            var rights: Set<OperatorRight> = []
            for word in words[2] == "-" ? [] : words[2].split(separator: ",", omittingEmptySubsequences: false) {
                guard let right = OperatorRight(rawValue: String(word)) else {
                    throw refuse("\(word.prefix(40)) is no right")
                }
                rights.insert(right)
            }
            let entry = Operator(key: key, rights: rights, name: words.count == 4 ? words[3] : "")
            guard operators.updateValue(entry, forKey: key.id) == nil else { throw refuse("the key is there twice") }
            guard operators.count <= Self.mostKeys else { throw refuse("there are more than \(Self.mostKeys) keys") }
        }
        self.operators = operators
    }

    /// Reads the file.
    ///
    /// - Parameter path: of the file; none that is there stands for nobody.
    /// - Returns: the operators.
    /// - Throws: ``FleetCommandError`` if it cannot be read, or a line of it is not understood.
    package static func load(_ path: String) throws(FleetCommandError) -> OperatorKeys {
        let bytes: [UInt8]?
        do throws(FileError) {
            bytes = try Folder.contents(path, limit: mostBytes)
        } catch {
            if error.isAbsent { return .none }
            throw FleetCommandError("cannot read the operators' keys \(path): \(error)")
        }
        guard let bytes, let text = String(validating: bytes, as: UTF8.self) else {
            throw FleetCommandError("cannot read the operators' keys \(path): it is larger than 64 KiB, or no UTF-8")
        }
        do throws(FleetCommandError) {
            return try OperatorKeys(text)
        } catch {
            throw FleetCommandError("cannot use the operators' keys \(path), nobody may do anything: \(error)")
        }
    }

    /// The line of a new operator.
    package static func line(_ key: VerifyingKey, rights: [OperatorRight], name: String) -> String {
        let words = rights.isEmpty ? "-" : rights.sorted().map(\.rawValue).joined(separator: ",")
        return "ed25519 \(key.base64) \(words)" + (name.isEmpty ? "" : " \(name)")
    }
}
