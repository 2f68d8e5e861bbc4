internal import QRCoding

/// A text, and the QR code that says it.
struct TakeHomeCode: Encodable {
    let text: String
    /// A text of 0 and 1 for each row (ISO/IEC 18004).
    let qr: [String]

    init(_ text: String) {
        self.text = text
        qr = (try? QRCode(text))?.rows ?? []
    }
}

/// The Wi-Fi that a telephone joins before it follows a link.
struct TakeHomeNetwork: Encodable {
    let name: String
    let password: String?
    let code: TakeHomeCode

    /// - Returns: nil where telephones are in the network anyway.
    init?(_ place: TakeHomePlace) {
        guard let text = place.networkText else { return nil }
        name = place.networkName ?? ""
        password = place.networkPassword
        code = TakeHomeCode(text)
    }
}
