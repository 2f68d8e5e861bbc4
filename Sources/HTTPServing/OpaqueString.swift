internal import CGnuTLS

/// Passphrases in the form in which they are compared (RFC 8265 section 4.2, the OpaqueString profile): NFC, with every space
/// as U+0020. The same keys typed on two systems then make the same bytes.
public enum OpaqueString {
    /// - Parameter text: as it was typed.
    /// - Returns: UTF-8; nil where the text is empty or has characters that no passphrase may have, such as controls.
    public static func normalized(_ text: String) -> [UInt8]? {
        var made = unsafe gnutls_datum_t()
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty,
            unsafe gnutls_utf8_password_normalize(bytes, UInt32(clamping: bytes.count), &made, 0) == GNUTLS_E_SUCCESS,
            let data = unsafe made.data
        else { return nil }
        defer {
            unsafe gnutls_memset(data, 0, Int(made.size))
            unsafe konza_tls_free_bytes(data)
        }
        return unsafe [UInt8](UnsafeBufferPointer(start: data, count: Int(made.size)))
    }
}
