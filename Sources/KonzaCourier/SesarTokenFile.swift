internal import FoundationEssentials
internal import KonzaModel
internal import KonzaSystem
internal import MetPetDB

/// Keeps the pair of SESAR's tokens, which changes with every refresh. The keeper gives the first pair as a credential;
/// another credential takes the place of what was kept.
struct SesarTokenFile: SesarTokenStore {
    private struct Kept: Codable {
        /// Of the credential that the pair grew from.
        var origin: String
        var tokens: SesarTokens
    }

    let credentials: CredentialFolder
    /// Where the pair is kept; a folder that nobody else reads.
    let folder: String

    private static let name = "sesar-tokens.json"

    /// Whether there is a pair at all.
    var isThere: Bool { (try? load()) != nil }

    func load() throws(LedgerError) -> SesarTokens {
        let (given, origin) = try given()
        guard let bytes = SecretFile.bytes("\(folder)/\(Self.name)", limit: 16 << 10),
            let kept = try? JSONDecoder().decode(Kept.self, from: Data(bytes)), kept.origin == origin
        else { return given }
        return kept.tokens
    }

    func save(_ tokens: SesarTokens) throws(LedgerError) {
        let kept = Kept(origin: try given().origin, tokens: tokens)
        guard let bytes = try? JSONEncoder().encode(kept) else { throw Self.failure("they cannot be encoded") }
        do throws(DeliveryError) {
            let file = try DeliveredFile(Self.name, in: folder, replacing: true, mode: 0o600)
            try file.write(Array(bytes))
            try file.finish()
        } catch {
            throw Self.failure(error.description)
        }
    }

    private func given() throws(LedgerError) -> (tokens: SesarTokens, origin: String) {
        guard let text = credentials.text("sesar-tokens") else {
            throw LedgerError(.unavailable, "cannot use SESAR: there is no credential sesar-tokens")
        }
        guard let tokens = try? JSONDecoder().decode(SesarTokens.self, from: Data(text.utf8)) else {
            throw LedgerError(
                .unavailable,
                #"cannot use SESAR: the credential sesar-tokens is not {"refresh": "...", "access": "..."}"#)
        }
        var hash = SHA256()
        hash.update(Array(text.utf8))
        return (tokens, hash.hexadecimal())
    }

    private static func failure(_ why: String) -> LedgerError {
        LedgerError(
            .unavailable, "cannot keep SESAR's tokens: \(why); make room or mend the folder, and issue a new pair")
    }
}
