#pragma once
#include <cups/cups.h>
#include <cups/pwg.h>

static inline int konza_cups_give_up(http_t *http, void *data) {
    (void)http, (void)data;
    return 0;
}

static inline const char *konza_cups_no_password(
    const char *prompt, http_t *http, const char *method, const char *resource, void *data) {
    (void)prompt, (void)http, (void)method, (void)resource, (void)data;
    return NULL;
}

/// Opens a connection whose every wait ends after `milliseconds`. Nobody is asked for a password: by default libcups asks at
/// the terminal. Without a host, to the CUPS of this machine.
static inline http_t *konza_cups_connect(const char *host, int port, int encrypts, int milliseconds) {
    cupsSetPasswordCB2(konza_cups_no_password, NULL);
    http_encryption_t encryption = encrypts ? HTTP_ENCRYPTION_ALWAYS : HTTP_ENCRYPTION_IF_REQUESTED;
    http_t *http = httpConnect2(
        host ? host : cupsServer(), host ? port : ippPort(), NULL, AF_UNSPEC, host ? encryption : cupsEncryption(), 1,
        milliseconds, NULL);
    if (http) httpSetTimeout(http, milliseconds / 1000.0, konza_cups_give_up, NULL);
    return http;
}
