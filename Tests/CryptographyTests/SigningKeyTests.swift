import Foundation
import KonzaTesting
import Testing

@testable import Cryptography

@Suite("Keys for Ed25519")
struct SigningKeyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func openssl(_ arguments: [String]) throws -> ProgramRun { try ProgramRun("/usr/bin/openssl", arguments) }

    @Test("a key is read back from its file, which nobody else may read, and is not replaced")
    func files() throws {
        let path = "\(folder.path)/operator.key"
        let made = try SigningKey.make(file: path)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let key = try SigningKey(file: path)
        #expect(key.verifyingKey == made && made.id.count == 16 && VerifyingKey(base64: made.base64) == made)
        #expect(throws: SigningKeyError.self) { try SigningKey.make(file: path) }
        #expect(try SigningKey(file: path).verifyingKey == made)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(throws: SigningKeyError.self) { _ = try SigningKey(file: path) }
    }

    @Test("OpenSSL verifies what is signed here, and signs what is verified here")
    func foreign() throws {
        let path = "\(folder.path)/operator.key"
        _ = try SigningKey.make(file: path)
        let key = try SigningKey(file: path)
        let message = Array("konza.command/1 and more".utf8)
        try Data(message).write(to: URL(filePath: "\(folder.path)/message"))
        try Data(key.signature(of: message)).write(to: URL(filePath: "\(folder.path)/signature"))
        let files = ["-rawin", "-in", "\(folder.path)/message", "-inkey", path]
        #expect(try openssl(["pkeyutl", "-verify", "-sigfile", "\(folder.path)/signature"] + files).status == 0)
        let theirs = try openssl(["pkeyutl", "-sign"] + files)
        #expect(Array(theirs.output) == key.signature(of: message))
        // A key that OpenSSL made.
        let other = "\(folder.path)/other.key"
        #expect(try openssl(["genpkey", "-algorithm", "ed25519", "-out", other]).status == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: other)
        let read = try SigningKey(file: other)
        let open = try openssl(["pkey", "-in", other, "-pubout", "-outform", "DER"]).output
        #expect(Data(open.suffix(32)).base64EncodedString() == read.verifyingKey.base64)
    }

    @Test("the third example of RFC 8032 section 7.1 is verified, and nothing near it")
    func published() throws {
        func bytes(_ text: String) -> [UInt8] {
            stride(from: 0, to: text.count, by: 2).compactMap { index in
                UInt8(text.dropFirst(index).prefix(2), radix: 16)
            }
        }
        let open = bytes("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025")
        let signature = bytes(
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
                + "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a")
        let key = try #require(VerifyingKey(base64: Data(open).base64EncodedString()))
        #expect(key.verifies(signature, of: [0xAF, 0x82]))
        #expect(!key.verifies(signature, of: [0xAF, 0x83]) && !key.verifies(signature.dropLast(), of: [0xAF, 0x82]))
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(!key.verifies(changed, of: [0xAF, 0x82]))
        }
    }

    @Test("what is no key is refused", arguments: ["", "-----BEGIN PRIVATE KEY-----\n", "x", "MC4CAQA="])
    func noKey(_ text: String) throws {
        let path = "\(folder.path)/none"
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(throws: SigningKeyError.self) { _ = try SigningKey(file: path) }
        #expect(VerifyingKey(base64: text) == nil)
    }
}
