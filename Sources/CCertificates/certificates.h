#pragma once
#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509-ext.h>
#include <gnutls/x509.h>
#include <string.h>
#include <time.h>

/// A name of a server: a DNS name, or an address of 4 or 16 bytes.
typedef struct {
    const unsigned char *bytes;
    unsigned int size;
    int is_address;
} konza_tls_name;

/// Texts in PEM, to be freed by konza_tls_free.
typedef struct {
    gnutls_datum_t certificate;
    gnutls_datum_t key;
} konza_tls_pair;

static inline void konza_tls_free(konza_tls_pair *pair) {
    if (pair->key.data) gnutls_memset(pair->key.data, 0, pair->key.size);
    gnutls_free(pair->certificate.data);
    gnutls_free(pair->key.data);
    memset(pair, 0, sizeof *pair);
}

/// A new key of P-256 (FIPS 186-4, D.1.2.3).
static inline int konza_tls_new_key(gnutls_x509_privkey_t *key) {
    int code = gnutls_x509_privkey_init(key);
    if (code != GNUTLS_E_SUCCESS) return code;
    code = gnutls_x509_privkey_generate(
        *key, GNUTLS_PK_ECDSA, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
    if (code != GNUTLS_E_SUCCESS) gnutls_x509_privkey_deinit(*key);
    return code;
}

/// What both certificates have: version 3, a random serial number, their time, a name and a key.
static inline int konza_tls_begin(
    gnutls_x509_crt_t crt, gnutls_x509_privkey_t key, const char *common_name, time_t from, time_t until) {
    unsigned char serial[16], id[20];
    size_t id_size = sizeof id;
    int code = gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof serial);
    serial[0] = (serial[0] & 0x7F) | 0x40; // Positive, and of one length (RFC 5280 section 4.1.2.2).
    if (code == 0) code = gnutls_x509_crt_set_version(crt, 3);
    if (code == 0) code = gnutls_x509_crt_set_serial(crt, serial, sizeof serial);
    if (code == 0) code = gnutls_x509_crt_set_activation_time(crt, from);
    if (code == 0) code = gnutls_x509_crt_set_expiration_time(crt, until);
    if (code == 0)
        code = gnutls_x509_crt_set_dn_by_oid(
            crt, GNUTLS_OID_X520_COMMON_NAME, 0, common_name, (unsigned int)strlen(common_name));
    if (code == 0) code = gnutls_x509_crt_set_key(crt, key);
    if (code == 0) code = gnutls_x509_crt_get_key_id(crt, 0, id, &id_size);
    if (code == 0) code = gnutls_x509_crt_set_subject_key_id(crt, id, id_size);
    return code;
}

/// Allows names below one, or addresses with their mask (RFC 5280 section 4.2.1.10).
static inline int konza_tls_permit(
    gnutls_x509_name_constraints_t constraints, unsigned int type, const void *bytes, unsigned int size) {
    // GnuTLS copies it.
    gnutls_datum_t name = {(unsigned char *)bytes, size};
    return gnutls_x509_name_constraints_add_permitted(constraints, (gnutls_x509_subject_alt_name_t)type, &name);
}

/// An authority of its own that can sign for `domains` and for private addresses alone, and for no further authority. Each
/// domain stands for all names below it; without any it can sign for everybody. Returns a GnuTLS error code.
static inline int konza_tls_make_authority(
    const char *common_name, const konza_tls_name *domains, unsigned int count, time_t from, time_t until,
    konza_tls_pair *made) {
    // An address and its mask: those that no router of the internet knows (RFC 1918, 3927, 4193, 4291), and loopback.
    static const unsigned char v4[][8] = {
        {10, 0, 0, 0, 255, 0, 0, 0}, {172, 16, 0, 0, 255, 240, 0, 0}, {192, 168, 0, 0, 255, 255, 0, 0},
        {169, 254, 0, 0, 255, 255, 0, 0}, {127, 0, 0, 0, 255, 0, 0, 0},
    };
    static const unsigned char v6[][32] = {
        {[0] = 0xFC, [16] = 0xFE},
        {[0] = 0xFE, [1] = 0x80, [16] = 0xFF, [17] = 0xC0},
        {[15] = 1, [16] = 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255},
    };
    memset(made, 0, sizeof *made);
    gnutls_x509_privkey_t key;
    int code = konza_tls_new_key(&key);
    if (code != GNUTLS_E_SUCCESS) return code;
    gnutls_x509_crt_t crt = NULL;
    gnutls_x509_name_constraints_t constraints = NULL;
    code = gnutls_x509_crt_init(&crt);
    if (code == 0) code = konza_tls_begin(crt, key, common_name, from, until);
    if (code == 0) code = gnutls_x509_crt_set_basic_constraints(crt, 1, 0);
    if (code == 0) code = gnutls_x509_crt_set_key_usage(crt, GNUTLS_KEY_KEY_CERT_SIGN | GNUTLS_KEY_CRL_SIGN);
    // For servers, and for nothing else: browsers hold what it signs to that (CA/Browser Forum, Baseline Requirements 7.1.2.2).
    if (code == 0 && count > 0) code = gnutls_x509_crt_set_key_purpose_oid(crt, GNUTLS_KP_TLS_WWW_SERVER, 0);
    if (code == 0 && count > 0) code = gnutls_x509_name_constraints_init(&constraints);
    for (unsigned int i = 0; code == 0 && i < count; i++)
        code = konza_tls_permit(constraints, GNUTLS_SAN_DNSNAME, domains[i].bytes, domains[i].size);
    for (unsigned int i = 0; code == 0 && count > 0 && i < sizeof v4 / sizeof *v4; i++)
        code = konza_tls_permit(constraints, GNUTLS_SAN_IPADDRESS, v4[i], sizeof *v4);
    for (unsigned int i = 0; code == 0 && count > 0 && i < sizeof v6 / sizeof *v6; i++)
        code = konza_tls_permit(constraints, GNUTLS_SAN_IPADDRESS, v6[i], sizeof *v6);
    if (code == 0 && count > 0) code = gnutls_x509_crt_set_name_constraints(crt, constraints, 1);
    if (code == 0) code = gnutls_x509_crt_sign2(crt, crt, key, GNUTLS_DIG_SHA256, 0);
    if (code == 0) code = gnutls_x509_crt_export2(crt, GNUTLS_X509_FMT_PEM, &made->certificate);
    if (code == 0) code = gnutls_x509_privkey_export2_pkcs8(key, GNUTLS_X509_FMT_PEM, NULL, GNUTLS_PKCS_PLAIN, &made->key);
    if (constraints) gnutls_x509_name_constraints_deinit(constraints);
    if (crt) gnutls_x509_crt_deinit(crt);
    gnutls_x509_privkey_deinit(key);
    if (code != 0) konza_tls_free(made);
    return code;
}

/// A server's certificate for some names, signed by an authority that is given in PEM. Returns a GnuTLS error code.
static inline int konza_tls_make_server(
    const unsigned char *authority, unsigned int authority_size, const unsigned char *authority_key,
    unsigned int authority_key_size, const char *common_name, const konza_tls_name *names, unsigned int count,
    time_t from, time_t until, konza_tls_pair *made) {
    memset(made, 0, sizeof *made);
    gnutls_datum_t ca_text = {(unsigned char *)authority, authority_size};
    gnutls_datum_t ca_key_text = {(unsigned char *)authority_key, authority_key_size};
    gnutls_x509_crt_t ca = NULL, crt = NULL;
    gnutls_x509_privkey_t ca_key = NULL, key = NULL;
    unsigned char id[64];
    size_t id_size = sizeof id;
    int code = gnutls_x509_crt_init(&ca);
    if (code == 0) code = gnutls_x509_crt_import(ca, &ca_text, GNUTLS_X509_FMT_PEM);
    if (code == 0) code = gnutls_x509_privkey_init(&ca_key);
    if (code == 0) code = gnutls_x509_privkey_import2(ca_key, &ca_key_text, GNUTLS_X509_FMT_PEM, NULL, 0);
    if (code == 0) code = konza_tls_new_key(&key);
    if (code == 0) code = gnutls_x509_crt_init(&crt);
    if (code == 0) code = konza_tls_begin(crt, key, common_name, from, until);
    for (unsigned int i = 0; code == 0 && i < count; i++)
        code = gnutls_x509_crt_set_subject_alt_name(
            crt, names[i].is_address ? GNUTLS_SAN_IPADDRESS : GNUTLS_SAN_DNSNAME, names[i].bytes, names[i].size,
            i == 0 ? GNUTLS_FSAN_SET : GNUTLS_FSAN_APPEND);
    if (code == 0) code = gnutls_x509_crt_set_basic_constraints(crt, 0, -1);
    if (code == 0) code = gnutls_x509_crt_set_key_usage(crt, GNUTLS_KEY_DIGITAL_SIGNATURE);
    if (code == 0) code = gnutls_x509_crt_set_key_purpose_oid(crt, GNUTLS_KP_TLS_WWW_SERVER, 0);
    if (code == 0) code = gnutls_x509_crt_get_subject_key_id(ca, id, &id_size, NULL);
    if (code == 0) code = gnutls_x509_crt_set_authority_key_id(crt, id, id_size);
    if (code == 0) code = gnutls_x509_crt_sign2(crt, ca, ca_key, GNUTLS_DIG_SHA256, 0);
    if (code == 0) code = gnutls_x509_crt_export2(crt, GNUTLS_X509_FMT_PEM, &made->certificate);
    if (code == 0) code = gnutls_x509_privkey_export2_pkcs8(key, GNUTLS_X509_FMT_PEM, NULL, GNUTLS_PKCS_PLAIN, &made->key);
    if (crt) gnutls_x509_crt_deinit(crt);
    if (key) gnutls_x509_privkey_deinit(key);
    if (ca_key) gnutls_x509_privkey_deinit(ca_key);
    if (ca) gnutls_x509_crt_deinit(ca);
    if (code != 0) konza_tls_free(made);
    return code;
}

/// Whether an authority in PEM may sign for a name: 1 or 0, or a negative GnuTLS error code.
static inline int konza_tls_permits(const unsigned char *authority, unsigned int size, konza_tls_name name) {
    gnutls_datum_t pem = {(unsigned char *)authority, size};
    gnutls_datum_t bytes = {(unsigned char *)name.bytes, name.size};
    gnutls_x509_crt_t crt = NULL;
    gnutls_x509_name_constraints_t constraints = NULL;
    int code = gnutls_x509_crt_init(&crt);
    if (code == 0) code = gnutls_x509_crt_import(crt, &pem, GNUTLS_X509_FMT_PEM);
    if (code == 0) code = gnutls_x509_name_constraints_init(&constraints);
    if (code == 0) {
        code = gnutls_x509_crt_get_name_constraints(crt, constraints, 0, NULL);
        if (code == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE)
            code = 1;
        else if (code == 0)
            code = gnutls_x509_name_constraints_check(
                       constraints, name.is_address ? GNUTLS_SAN_IPADDRESS : GNUTLS_SAN_DNSNAME, &bytes)
                ? 1 : 0;
    }
    if (constraints) gnutls_x509_name_constraints_deinit(constraints);
    if (crt) gnutls_x509_crt_deinit(crt);
    return code;
}

/// Verifies a server's certificate against the one authority, both in PEM, but for their times. Returns 0 if it holds, else the
/// bits of gnutls_certificate_status_t, or a negative GnuTLS error code.
static inline int konza_tls_verify(
    const unsigned char *server, unsigned int server_size, const unsigned char *authority, unsigned int authority_size) {
    gnutls_datum_t server_pem = {(unsigned char *)server, server_size};
    gnutls_datum_t authority_pem = {(unsigned char *)authority, authority_size};
    gnutls_x509_crt_t crt = NULL, ca = NULL;
    gnutls_x509_trust_list_t list = NULL;
    unsigned int status = 0;
    int code = gnutls_x509_crt_init(&crt);
    if (code == 0) code = gnutls_x509_crt_import(crt, &server_pem, GNUTLS_X509_FMT_PEM);
    if (code == 0) code = gnutls_x509_crt_init(&ca);
    if (code == 0) code = gnutls_x509_crt_import(ca, &authority_pem, GNUTLS_X509_FMT_PEM);
    if (code == 0) code = gnutls_x509_trust_list_init(&list, 0);
    if (code == 0 && gnutls_x509_trust_list_add_cas(list, &ca, 1, 0) != 1) code = GNUTLS_E_INTERNAL_ERROR;
    if (code == 0)
        code = gnutls_x509_trust_list_verify_crt(
            list, &crt, 1, GNUTLS_VERIFY_DISABLE_TIME_CHECKS | GNUTLS_VERIFY_DISABLE_TRUSTED_TIME_CHECKS, &status, NULL);
    if (list) gnutls_x509_trust_list_deinit(list, 0);
    if (ca) gnutls_x509_crt_deinit(ca);
    if (crt) gnutls_x509_crt_deinit(crt);
    return code < 0 ? code : (int)status;
}

/// When a certificate in PEM begins and ends. Returns a GnuTLS error code.
static inline int konza_tls_times(const unsigned char *text, unsigned int size, time_t *from, time_t *until) {
    gnutls_datum_t pem = {(unsigned char *)text, size};
    gnutls_x509_crt_t crt;
    int code = gnutls_x509_crt_init(&crt);
    if (code != 0) return code;
    code = gnutls_x509_crt_import(crt, &pem, GNUTLS_X509_FMT_PEM);
    if (code == 0) {
        *from = gnutls_x509_crt_get_activation_time(crt);
        *until = gnutls_x509_crt_get_expiration_time(crt);
    }
    gnutls_x509_crt_deinit(crt);
    return code;
}

/// The SHA-256 of a certificate in PEM as it is signed (DER). Returns a GnuTLS error code.
static inline int konza_tls_fingerprint(const unsigned char *text, unsigned int size, unsigned char *digest) {
    gnutls_datum_t pem = {(unsigned char *)text, size};
    gnutls_x509_crt_t crt;
    size_t count = 32;
    int code = gnutls_x509_crt_init(&crt);
    if (code != 0) return code;
    code = gnutls_x509_crt_import(crt, &pem, GNUTLS_X509_FMT_PEM);
    if (code == 0) code = gnutls_x509_crt_get_fingerprint(crt, GNUTLS_DIG_SHA256, digest, &count);
    gnutls_x509_crt_deinit(crt);
    return code;
}
