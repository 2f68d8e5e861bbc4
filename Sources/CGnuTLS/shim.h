#pragma once
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <time.h>

/// Frees what GnuTLS made; gnutls_free itself is a variable.
static inline void konza_tls_free_bytes(void *bytes) { gnutls_free(bytes); }

/// When the first certificate of the credentials expires, or -1.
static inline time_t konza_tls_expiration(gnutls_certificate_credentials_t credentials) {
    gnutls_x509_crt_t *chain = NULL;
    unsigned int count = 0;
    if (gnutls_certificate_get_x509_crt(credentials, 0, &chain, &count) != GNUTLS_E_SUCCESS || count == 0) return -1;
    time_t expiration = gnutls_x509_crt_get_expiration_time(chain[0]);
    for (unsigned int i = 0; i < count; i++) gnutls_x509_crt_deinit(chain[i]);
    gnutls_free(chain);
    return expiration;
}

/// Readies a session of libmicrohttpd's before its handshake. The credentials must outlive the session; the key is copied.
/// `asks`: for the client's certificate. `context` is what gnutls_session_get_ptr gives to `finished`. Returns a GnuTLS error code.
static inline int konza_tls_prepare(
    gnutls_session_t session, gnutls_certificate_credentials_t credentials, const unsigned char *ticket_key,
    unsigned int ticket_key_size, int asks, void *context, gnutls_handshake_hook_func finished) {
    int code = gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, credentials);
    if (code != GNUTLS_E_SUCCESS) return code;
    unsigned char name[] = "http/1.1";
    gnutls_datum_t protocol = {name, sizeof name - 1};
    // A client that offers other protocols alone is refused (RFC 7301 section 3.2).
    code = gnutls_alpn_set_protocols(session, &protocol, 1, GNUTLS_ALPN_MANDATORY);
    if (code != GNUTLS_E_SUCCESS) return code;
    gnutls_datum_t key = {(unsigned char *)ticket_key, ticket_key_size};
    code = gnutls_session_ticket_enable_server(session, &key);
    if (code != GNUTLS_E_SUCCESS) return code;
    // Who has one shows it, and proves that the key is theirs; whether it counts is judged later.
    if (asks) gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUEST);
    gnutls_session_set_ptr(session, context);
    gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_FINISHED, GNUTLS_HOOK_POST, finished);
    return GNUTLS_E_SUCCESS;
}

/// A new key for session tickets. Returns its size, or 0.
static inline unsigned int konza_tls_make_ticket_key(unsigned char *bytes, unsigned int capacity) {
    gnutls_datum_t key = {NULL, 0};
    if (gnutls_session_ticket_key_generate(&key) != GNUTLS_E_SUCCESS) return 0;
    unsigned int size = key.size <= capacity ? key.size : 0;
    for (unsigned int i = 0; i < size; i++) bytes[i] = key.data[i];
    gnutls_memset(key.data, 0, key.size);
    gnutls_free(key.data);
    return size;
}
