internal import FoundationEssentials
internal import Glibc
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

    private var path: String { "\(folder)/sesar-tokens.json" }

    /// Whether there is a pair at all.
    var isThere: Bool { (try? load()) != nil }

    func load() throws(LedgerError) -> SesarTokens {
        let (given, origin) = try given()
        guard let bytes = Self.read(path), let kept = try? JSONDecoder().decode(Kept.self, from: Data(bytes)),
            kept.origin == origin
        else { return given }
        return kept.tokens
    }

    func save(_ tokens: SesarTokens) throws(LedgerError) {
        let kept = Kept(origin: try given().origin, tokens: tokens)
        guard let bytes = try? JSONEncoder().encode(kept) else { throw Self.failure("they cannot be encoded") }
        let temporary = path + ".new"
        unsafe unlink(temporary)
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(SystemError("open \(temporary)").description) }
        defer { close(descriptor) }
        let isWritten = unsafe Array(bytes).withUnsafeBytes {
            unsafe write(descriptor, $0.baseAddress, $0.count) == $0.count
        }
        guard isWritten, fsync(descriptor) == 0, unsafe rename(temporary, path) == 0 else {
            throw Self.failure(SystemError("write \(path)").description)
        }
        let parent = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { return }
        fsync(parent)
        close(parent)
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

    private static func read(_ path: String) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }

    private static func failure(_ why: String) -> LedgerError {
        LedgerError(
            .unavailable, "cannot keep SESAR's tokens: \(why); make room or mend the folder, and issue a new pair")
    }
}
