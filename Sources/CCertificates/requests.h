#pragma once
#include "certificates.h"
#include <gnutls/pkcs7.h>

/// Frees what GnuTLS made, to be called once.
static inline void konza_x509_free(gnutls_datum_t *datum) {
    if (datum->data) gnutls_memset(datum->data, 0, datum->size);
    gnutls_free(datum->data);
    memset(datum, 0, sizeof *datum);
}

/// A new key, in PEM, and a request for a certificate of that name (PKCS #10, RFC 2986), in DER. Returns a GnuTLS error code.
static inline int konza_x509_make_request(const char *common_name, gnutls_datum_t *key_text, gnutls_datum_t *request) {
    memset(key_text, 0, sizeof *key_text);
    memset(request, 0, sizeof *request);
    gnutls_x509_privkey_t key;
    int code = konza_tls_new_key(&key);
    if (code != GNUTLS_E_SUCCESS) return code;
    gnutls_x509_crq_t crq = NULL;
    code = gnutls_x509_crq_init(&crq);
    if (code == 0) code = gnutls_x509_crq_set_version(crq, 1);
    if (code == 0)
        code = gnutls_x509_crq_set_dn_by_oid(
            crq, GNUTLS_OID_X520_COMMON_NAME, 0, common_name, (unsigned int)strlen(common_name));
    if (code == 0) code = gnutls_x509_crq_set_key(crq, key);
    if (code == 0) code = gnutls_x509_crq_sign2(crq, key, GNUTLS_DIG_SHA256, 0);
    if (code == 0) code = gnutls_x509_crq_export2(crq, GNUTLS_X509_FMT_DER, request);
    if (code == 0) code = gnutls_x509_privkey_export2_pkcs8(key, GNUTLS_X509_FMT_PEM, NULL, GNUTLS_PKCS_PLAIN, key_text);
    if (crq) gnutls_x509_crq_deinit(crq);
    gnutls_x509_privkey_deinit(key);
    if (code != 0) {
        konza_x509_free(key_text);
        konza_x509_free(request);
    }
    return code;
}

/// Checks a request in DER: signed with its own key, which is of P-256, and with one common name, which is written to
/// `common_name` (65 bytes). Returns a GnuTLS error code.
static inline int konza_x509_open_request(
    const unsigned char *request, unsigned int size, gnutls_x509_crq_t *opened, char *common_name) {
    gnutls_datum_t der = {(unsigned char *)request, size};
    gnutls_ecc_curve_t curve = GNUTLS_ECC_CURVE_INVALID;
    gnutls_datum_t x = {NULL, 0}, y = {NULL, 0};
    size_t length = 65;
    int code = gnutls_x509_crq_init(opened);
    if (code != 0) return code;
    code = gnutls_x509_crq_import(*opened, &der, GNUTLS_X509_FMT_DER);
    if (code == 0) code = gnutls_x509_crq_verify(*opened, 0);
    if (code == 0) {
        gnutls_pubkey_t key = NULL;
        code = gnutls_pubkey_init(&key);
        if (code == 0) code = gnutls_pubkey_import_x509_crq(key, *opened, 0);
        if (code == 0) code = gnutls_pubkey_export_ecc_raw2(key, &curve, &x, &y, 0);
        if (key) gnutls_pubkey_deinit(key);
        gnutls_free(x.data);
        gnutls_free(y.data);
        if (code == 0 && curve != GNUTLS_ECC_CURVE_SECP256R1) code = GNUTLS_E_UNSUPPORTED_SIGNATURE_ALGORITHM;
    }
    if (code == 0) {
        code = gnutls_x509_crq_get_dn_by_oid(*opened, GNUTLS_OID_X520_COMMON_NAME, 0, 0, common_name, &length);
        // A text with a zero in it is no name.
        if (code == 0 && strlen(common_name) != length) code = GNUTLS_E_ASN1_DER_ERROR;
    }
    if (code != 0) {
        gnutls_x509_crq_deinit(*opened);
        *opened = NULL;
    }
    return code;
}

/// An authority and its key, in PEM. Returns a GnuTLS error code; what is not NULL is to be freed.
static inline int konza_x509_open_authority(
    const unsigned char *authority, unsigned int authority_size, const unsigned char *authority_key,
    unsigned int authority_key_size, gnutls_x509_crt_t *ca, gnutls_x509_privkey_t *ca_key) {
    gnutls_datum_t ca_text = {(unsigned char *)authority, authority_size};
    gnutls_datum_t ca_key_text = {(unsigned char *)authority_key, authority_key_size};
    int code = gnutls_x509_crt_init(ca);
    if (code == 0) code = gnutls_x509_crt_import(*ca, &ca_text, GNUTLS_X509_FMT_PEM);
    if (code == 0) code = gnutls_x509_privkey_init(ca_key);
    if (code == 0) code = gnutls_x509_privkey_import2(*ca_key, &ca_key_text, GNUTLS_X509_FMT_PEM, NULL, 0);
    return code;
}

/// A client's certificate for what a request asks: its key and its common name alone. In PEM. Returns a GnuTLS error code.
static inline int konza_x509_issue(
    const unsigned char *authority, unsigned int authority_size, const unsigned char *authority_key,
    unsigned int authority_key_size, const unsigned char *request, unsigned int request_size, time_t from, time_t until,
    gnutls_datum_t *made) {
    memset(made, 0, sizeof *made);
    gnutls_x509_crt_t ca = NULL, crt = NULL;
    gnutls_x509_privkey_t ca_key = NULL;
    gnutls_x509_crq_t crq = NULL;
    char common_name[65];
    unsigned char serial[16], id[64];
    size_t id_size = sizeof id;
    int code = konza_x509_open_authority(authority, authority_size, authority_key, authority_key_size, &ca, &ca_key);
    if (code == 0) code = konza_x509_open_request(request, request_size, &crq, common_name);
    if (code == 0) code = gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof serial);
    serial[0] = (serial[0] & 0x7F) | 0x40; // Positive, and of one length (RFC 5280 section 4.1.2.2).
    if (code == 0) code = gnutls_x509_crt_init(&crt);
    if (code == 0) code = gnutls_x509_crt_set_version(crt, 3);
    if (code == 0) code = gnutls_x509_crt_set_serial(crt, serial, sizeof serial);
    if (code == 0) code = gnutls_x509_crt_set_activation_time(crt, from);
    if (code == 0) code = gnutls_x509_crt_set_expiration_time(crt, until);
    if (code == 0)
        code = gnutls_x509_crt_set_dn_by_oid(
            crt, GNUTLS_OID_X520_COMMON_NAME, 0, common_name, (unsigned int)strlen(common_name));
    if (code == 0) {
        gnutls_pubkey_t key = NULL;
        code = gnutls_pubkey_init(&key);
        if (code == 0) code = gnutls_pubkey_import_x509_crq(key, crq, 0);
        if (code == 0) code = gnutls_x509_crt_set_pubkey(crt, key);
        if (key) gnutls_pubkey_deinit(key);
    }
    if (code == 0) code = gnutls_x509_crt_set_basic_constraints(crt, 0, -1);
    if (code == 0) code = gnutls_x509_crt_set_key_usage(crt, GNUTLS_KEY_DIGITAL_SIGNATURE);
    if (code == 0) code = gnutls_x509_crt_set_key_purpose_oid(crt, GNUTLS_KP_TLS_WWW_CLIENT, 0);
    if (code == 0) code = gnutls_x509_crt_get_key_id(crt, 0, id, &id_size);
    if (code == 0) code = gnutls_x509_crt_set_subject_key_id(crt, id, id_size);
    id_size = sizeof id;
    if (code == 0) code = gnutls_x509_crt_get_subject_key_id(ca, id, &id_size, NULL);
    if (code == 0) code = gnutls_x509_crt_set_authority_key_id(crt, id, id_size);
    if (code == 0) code = gnutls_x509_crt_sign2(crt, ca, ca_key, GNUTLS_DIG_SHA256, 0);
    if (code == 0) code = gnutls_x509_crt_export2(crt, GNUTLS_X509_FMT_PEM, made);
    if (crq) gnutls_x509_crq_deinit(crq);
    if (crt) gnutls_x509_crt_deinit(crt);
    if (ca_key) gnutls_x509_privkey_deinit(ca_key);
    if (ca) gnutls_x509_crt_deinit(ca);
    if (code != 0) konza_x509_free(made);
    return code;
}

/// The common name (65 bytes) and the serial number of a certificate in PEM. Returns a GnuTLS error code.
static inline int konza_x509_facts(
    const unsigned char *text, unsigned int size, char *common_name, unsigned char *serial, size_t *serial_size) {
    gnutls_datum_t pem = {(unsigned char *)text, size};
    gnutls_x509_crt_t crt;
    size_t length = 65;
    int code = gnutls_x509_crt_init(&crt);
    if (code != 0) return code;
    code = gnutls_x509_crt_import(crt, &pem, GNUTLS_X509_FMT_PEM);
    if (code == 0) code = gnutls_x509_crt_get_dn_by_oid(crt, GNUTLS_OID_X520_COMMON_NAME, 0, 0, common_name, &length);
    if (code == 0 && strlen(common_name) != length) code = GNUTLS_E_ASN1_DER_ERROR;
    if (code == 0) code = gnutls_x509_crt_get_serial(crt, serial, serial_size);
    gnutls_x509_crt_deinit(crt);
    return code;
}

/// Certificates alone (RFC 7030 section 4.1.3): PKCS #7 in DER of the one certificate in PEM. Returns a GnuTLS error code.
static inline int konza_x509_certs_only(const unsigned char *text, unsigned int size, gnutls_datum_t *made) {
    memset(made, 0, sizeof *made);
    gnutls_datum_t pem = {(unsigned char *)text, size};
    gnutls_x509_crt_t crt = NULL;
    gnutls_pkcs7_t pkcs7 = NULL;
    int code = gnutls_x509_crt_init(&crt);
    if (code == 0) code = gnutls_x509_crt_import(crt, &pem, GNUTLS_X509_FMT_PEM);
    if (code == 0) code = gnutls_pkcs7_init(&pkcs7);
    if (code == 0) code = gnutls_pkcs7_set_crt(pkcs7, crt);
    if (code == 0) code = gnutls_pkcs7_export2(pkcs7, GNUTLS_X509_FMT_DER, made);
    if (pkcs7) gnutls_pkcs7_deinit(pkcs7);
    if (crt) gnutls_x509_crt_deinit(crt);
    if (code != 0) konza_x509_free(made);
    return code;
}

/// The first certificate of PKCS #7 in DER, in PEM. Returns a GnuTLS error code.
static inline int konza_x509_first(const unsigned char *bytes, unsigned int size, gnutls_datum_t *made) {
    memset(made, 0, sizeof *made);
    gnutls_datum_t der = {(unsigned char *)bytes, size}, raw = {NULL, 0};
    gnutls_x509_crt_t crt = NULL;
    gnutls_pkcs7_t pkcs7 = NULL;
    int code = gnutls_pkcs7_init(&pkcs7);
    if (code == 0) code = gnutls_pkcs7_import(pkcs7, &der, GNUTLS_X509_FMT_DER);
    if (code == 0) code = gnutls_pkcs7_get_crt_raw2(pkcs7, 0, &raw);
    if (code == 0) code = gnutls_x509_crt_init(&crt);
    if (code == 0) code = gnutls_x509_crt_import(crt, &raw, GNUTLS_X509_FMT_DER);
    if (code == 0) code = gnutls_x509_crt_export2(crt, GNUTLS_X509_FMT_PEM, made);
    if (crt) gnutls_x509_crt_deinit(crt);
    gnutls_free(raw.data);
    if (pkcs7) gnutls_pkcs7_deinit(pkcs7);
    if (code != 0) konza_x509_free(made);
    return code;
}

/// Whether the key in PEM is that of the certificate in PEM: 1 or 0, or a negative GnuTLS error code.
static inline int konza_x509_fits(
    const unsigned char *text, unsigned int size, const unsigned char *key_text, unsigned int key_size) {
    gnutls_datum_t pem = {(unsigned char *)text, size}, key_pem = {(unsigned char *)key_text, key_size};
    gnutls_x509_crt_t crt = NULL;
    gnutls_x509_privkey_t key = NULL;
    unsigned char first[64], second[64];
    size_t first_size = sizeof first, second_size = sizeof second;
    int code = gnutls_x509_crt_init(&crt);
    if (code == 0) code = gnutls_x509_crt_import(crt, &pem, GNUTLS_X509_FMT_PEM);
    if (code == 0) code = gnutls_x509_privkey_init(&key);
    if (code == 0) code = gnutls_x509_privkey_import2(key, &key_pem, GNUTLS_X509_FMT_PEM, NULL, 0);
    if (code == 0) code = gnutls_x509_crt_get_key_id(crt, 0, first, &first_size);
    if (code == 0) code = gnutls_x509_privkey_get_key_id(key, 0, second, &second_size);
    if (code == 0) code = first_size == second_size && memcmp(first, second, first_size) == 0 ? 1 : 0;
    if (key) gnutls_x509_privkey_deinit(key);
    if (crt) gnutls_x509_crt_deinit(crt);
    return code;
}

/// The list of revoked certificates (RFC 5280 section 5), in PEM. Serial numbers are of 16 bytes each. Returns a GnuTLS error
/// code.
static inline int konza_x509_revoke(
    const unsigned char *authority, unsigned int authority_size, const unsigned char *authority_key,
    unsigned int authority_key_size, const unsigned char *serials, const time_t *times, unsigned int count,
    time_t from, time_t until, gnutls_datum_t *made) {
    memset(made, 0, sizeof *made);
    gnutls_x509_crt_t ca = NULL;
    gnutls_x509_privkey_t ca_key = NULL;
    gnutls_x509_crl_t crl = NULL;
    unsigned char id[64], number[8];
    size_t id_size = sizeof id;
    // The number grows with the time (section 5.2.3).
    for (int i = 0; i < 8; i++) number[i] = (unsigned char)((unsigned long long)from >> (8 * (7 - i)));
    int code = konza_x509_open_authority(authority, authority_size, authority_key, authority_key_size, &ca, &ca_key);
    if (code == 0) code = gnutls_x509_crl_init(&crl);
    if (code == 0) code = gnutls_x509_crl_set_version(crl, 2);
    if (code == 0) code = gnutls_x509_crl_set_this_update(crl, from);
    if (code == 0) code = gnutls_x509_crl_set_next_update(crl, until);
    for (unsigned int i = 0; code == 0 && i < count; i++)
        code = gnutls_x509_crl_set_crt_serial(crl, serials + 16 * i, 16, times[i]);
    if (code == 0) code = gnutls_x509_crl_set_number(crl, number, sizeof number);
    if (code == 0) code = gnutls_x509_crt_get_subject_key_id(ca, id, &id_size, NULL);
    if (code == 0) code = gnutls_x509_crl_set_authority_key_id(crl, id, id_size);
    if (code == 0) code = gnutls_x509_crl_sign2(crl, ca, ca_key, GNUTLS_DIG_SHA256, 0);
    if (code == 0) code = gnutls_x509_crl_export2(crl, GNUTLS_X509_FMT_PEM, made);
    if (crl) gnutls_x509_crl_deinit(crl);
    if (ca_key) gnutls_x509_privkey_deinit(ca_key);
    if (ca) gnutls_x509_crt_deinit(ca);
    if (code != 0) konza_x509_free(made);
    return code;
}
