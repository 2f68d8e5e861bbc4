internal import CGnuTLS

/// Owns GnuTLS's form of a certificate and its key. Each connection keeps the one that it began with.
@safe final class TLSCredentials: @unchecked Sendable {
    // Sendable: nothing is changed after init, and GnuTLS reads credentials from any number of threads (its manual,
    // "Thread safety").
    private let pointer: gnutls_certificate_credentials_t
    /// Seconds since 1970.
    let expiration: Int64

    /// - Parameters:
    ///   - certificate: in PEM, with its chain.
    ///   - key: in PEM.
    /// - Throws: ``TLSIdentityError`` if GnuTLS does not take them.
    init(certificate: [UInt8], key: [UInt8]) throws(TLSIdentityError) {
        var made: gnutls_certificate_credentials_t?
        guard unsafe gnutls_certificate_allocate_credentials(&made) == GNUTLS_E_SUCCESS, let made = unsafe made else {
            throw TLSIdentityError(.noMemory, "cannot read the certificate: no memory is left")
        }
        var expiration: Int64 = -1
        do throws(TLSIdentityError) {
            try unsafe Self.load(certificate, key, into: made)
            expiration = Int64(unsafe konza_tls_expiration(made))
            if expiration < 0 {
                throw TLSIdentityError(.unreadable, "cannot read the certificate: it does not say when it ends")
            }
        } catch {
            unsafe gnutls_certificate_free_credentials(made)
            throw error
        }
        unsafe pointer = unsafe made
        self.expiration = expiration
    }

    deinit { unsafe gnutls_certificate_free_credentials(pointer) }

    private static func load(
        _ certificate: [UInt8], _ key: [UInt8], into credentials: gnutls_certificate_credentials_t
    ) throws(TLSIdentityError) {
        // GnuTLS only reads them, though its structure has no const.
        var certificate = certificate
        var key = key
        let code = unsafe certificate.withUnsafeMutableBufferPointer { certificate in
            unsafe key.withUnsafeMutableBufferPointer { key in
                var chain = unsafe gnutls_datum_t(
                    data: certificate.baseAddress, size: UInt32(clamping: certificate.count))
                var secret = unsafe gnutls_datum_t(data: key.baseAddress, size: UInt32(clamping: key.count))
                return unsafe gnutls_certificate_set_x509_key_mem2(
                    credentials, &chain, &secret, GNUTLS_X509_FMT_PEM, nil, 0)
            }
        }
        guard code < 0 else { return }
        if code == GNUTLS_E_CERTIFICATE_KEY_MISMATCH {
            throw TLSIdentityError(
                .keyMismatch,
                "cannot serve the certificate: the key is that of another; give the key that it was made with")
        }
        throw TLSIdentityError(
            .unreadable,
            "cannot read the certificate or its key: \(unsafe String(cString: gnutls_strerror(code))); make them anew")
    }

    /// Readies a session of libmicrohttpd's, before its handshake.
    ///
    /// - Parameters:
    ///   - session: the session, which this must outlive.
    ///   - ticketKey: of ``TicketKeys``.
    ///   - asks: whether to ask for the client's certificate.
    ///   - connection: notified at the end of the handshake.
    /// - Returns: what is wrong, if anything is.
    func prepare(
        _ session: OpaquePointer, ticketKey: [UInt8], asking asks: Bool, for connection: Connection
    ) -> String? {
        let code = unsafe konza_tls_prepare(
            session, pointer, ticketKey, UInt32(ticketKey.count), asks ? 1 : 0,
            Unmanaged.passUnretained(connection).toOpaque(), noteFinished)
        return code == GNUTLS_E_SUCCESS ? nil : unsafe String(cString: gnutls_strerror(code))
    }

    /// Sends a last message, if the socket takes it at once, and the end of the encrypted stream.
    static func send(_ message: [UInt8], on session: OpaquePointer) {
        guard unsafe gnutls_record_send(session, message, message.count) == message.count else { return }
        _ = unsafe gnutls_bye(session, GNUTLS_SHUT_WR)
    }

    /// A new key that tickets are encrypted with; nil if there is no randomness.
    static func makeTicketKey() -> [UInt8]? {
        var key = [UInt8](repeating: 0, count: 128)
        let count = Int(unsafe konza_tls_make_ticket_key(&key, UInt32(key.count)))
        return count > 0 ? Array(key.prefix(count)) : nil
    }
}

/// GnuTLS calls this on libmicrohttpd's thread for the message Finished of each side, the last ones of a handshake.
private func noteFinished(
    _ session: gnutls_session_t?, _ type: UInt32, _ when: UInt32, _ isIncoming: UInt32,
    _ message: UnsafePointer<gnutls_datum_t>?
) -> Int32 {
    guard let context = unsafe gnutls_session_get_ptr(session) else { return 0 }
    // libmicrohttpd ends the session before it says that the connection is closed, which lets go of the Connection.
    let connection = unsafe Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
    var count: UInt32 = 0
    var certificate: [UInt8]?
    if let list = unsafe gnutls_certificate_get_peers(session, &count), count > 0 {
        certificate = unsafe [UInt8](UnsafeBufferPointer(start: list[0].data, count: Int(list[0].size)))
    }
    connection.tls?.note(certificate: certificate)
    connection.tls?.noteFinished(isResumed: unsafe gnutls_session_is_resumed(session) != 0, on: connection)
    return 0
}
