internal import KonzaSystem
internal import MetPetDB

extension CredentialFolder {
    /// The account at MetPetDB: a token if there is one, else the password of the address.
    ///
    /// - Returns: nil if neither is there, or it holds what no account can.
    func metPetDB(email: String) -> Credentials? {
        if let token = text("metpetdb-token") { return Credentials.token(token) }
        guard !email.isEmpty, let password = text("metpetdb-password") else { return nil }
        return Credentials.password(email: email, password: password)
    }
}
