internal import KonzaSystem

/// The secrets that systemd hands to the hub.
struct HubCredentials: Sendable {
    private let folder: CredentialFolder

    /// - Parameter path: of the folder; nil for none.
    init(path: String?) { folder = CredentialFolder(path: path, loadedAs: "konza-hub") }

    var brokerUser: String? { folder.text("broker-user") }
    var brokerPassword: String? { folder.text("broker-password") }
    var databasePassword: String? { folder.text("database-password") }
}
