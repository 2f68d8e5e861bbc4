internal import FoundationEssentials

/// An authority of a fleet and what it has signed, made by openssl: files in one folder, `fleet-ca.pem` and for each `NAME.pem` and
/// `NAME-key.pem`.
public struct FleetCertificates: Sendable {
    public let folder: String

    /// - Parameter folder: takes the files.
    /// - Throws: ``SetUpError`` if openssl fails.
    public init(in folder: String) throws {
        self.folder = folder
        try openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj",
            "/CN=fleet", "-keyout", "\(folder)/ca-key.pem", "-out", "\(folder)/fleet-ca.pem",
        ])
    }

    /// Makes a certificate.
    ///
    /// - Parameters:
    ///   - name: whom it names.
    ///   - file: what its files are called.
    ///   - days: how long it holds; below 0 for one that is over.
    ///   - hosts: for a server, as openssl writes them (x509v3_config(5), subjectAltName).
    /// - Throws: ``SetUpError`` if openssl fails.
    public func make(
        _ name: String, file: String, days: Int = 30, hosts: String = "DNS:localhost,IP:127.0.0.1"
    ) throws {
        try openssl([
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(name)", "-keyout",
            "\(folder)/\(file)-key.pem", "-out", "\(folder)/\(file).csr",
        ])
        let extensions = "\(folder)/\(file).ext"
        try Data("subjectAltName=\(hosts)\n".utf8).write(to: URL(filePath: extensions))
        try openssl([
            "x509", "-req", "-in", "\(folder)/\(file).csr", "-CA", "\(folder)/fleet-ca.pem", "-CAkey",
            "\(folder)/ca-key.pem", "-days", "\(days)", "-extfile", extensions, "-set_serial",
            "\(Int.random(in: 1...Int.max))", "-out", "\(folder)/\(file).pem",
        ])
    }

    private func openssl(_ arguments: [String]) throws {
        let child = try ChildProcess("/usr/bin/openssl", arguments)
        guard child.waitForEnd() == 0 else {
            throw SetUpError(message: "openssl failed: \(arguments.joined(separator: " "))")
        }
    }
}
