#pragma once
#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

/// What Swift cannot call: libmicrohttpd's variadic functions.

/// What a server with TLS needs beside the rest; it must outlive the server.
struct konza_https {
    /// What is spoken, in GnuTLS's form.
    const char *priorities;
    /// Takes a line of libmicrohttpd's log, without its end.
    void (*log)(void *context, const char *line);
    void *context;
};

static inline void konza_https_log(void *tls, const char *format, va_list arguments) {
    const struct konza_https *https = tls;
    char line[256];
    int size = vsnprintf(line, sizeof line, format, arguments);
    if (size < 0) return;
    line[strcspn(line, "\n")] = 0;
    https->log(https->context, line);
}

/// libmicrohttpd asks for a certificate of its own before it starts with TLS.
static inline int konza_https_no_certificate(void) { return -1; }

/// Starts a server with one polling thread (epoll) on a listening socket that stays the caller's after
/// MHD_quiesce_daemon. NULL if it cannot.
static inline struct MHD_Daemon *konza_http_start(
    MHD_socket listening, void *context, MHD_AccessHandlerCallback handle,
    void *(*target)(void *, const char *, struct MHD_Connection *),
    size_t (*unescape)(void *, struct MHD_Connection *, char *), MHD_RequestCompletedCallback completed,
    MHD_NotifyConnectionCallback notify, unsigned int connections, unsigned int idle_seconds, size_t memory,
    const struct konza_https *tls) {
    struct MHD_OptionItem encryption[] = {
        {MHD_OPTION_HTTPS_PRIORITIES, 0, tls ? (void *)tls->priorities : NULL},
        // The session has credentials of its own before its handshake: these are never asked.
        {MHD_OPTION_HTTPS_CERT_CALLBACK2, 0, (void *)konza_https_no_certificate},
        {MHD_OPTION_TLS_NO_ALPN, 1, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem logger[] = {
        {MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)konza_https_log, (void *)tls},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    // With epoll, 0.9.75 does not note that a handshake has read all there is: it would ask a client in the midst of one
    // for more without a pause, with all of a processor.
    unsigned int flags =
        tls ? MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_TLS | MHD_USE_ERROR_LOG : MHD_USE_EPOLL_INTERNAL_THREAD;
    return MHD_start_daemon(
        flags | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC, 0, NULL, NULL, handle, context,
        MHD_OPTION_ARRAY, tls ? logger : none,
        MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_URI_LOG_CALLBACK, target, context,
        MHD_OPTION_UNESCAPE_CALLBACK, unescape, context, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_NOTIFY_CONNECTION, notify, context, MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_ARRAY, tls ? encryption : none, MHD_OPTION_END);
}

/// The TLS session of a connection (gnutls_session_t), or NULL.
static inline void *konza_http_tls_session(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info ? info->tls_session : NULL;
}

/// The socket of a connection, or -1.
static inline int konza_http_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/// Bytes of the request's head, from the method to the empty line.
static inline size_t konza_http_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

/// What the notify callback keeps with a connection, or NULL.
static inline void *konza_http_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/// epoll(7), whose packed structure stays here. `identity` comes back from the wait.
static inline int konza_watch_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static inline int konza_watch_add(int epoll, int socket, uint32_t events, uint64_t identity) {
    struct epoll_event event = {.events = events, .data = {.u64 = identity}};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event);
}

static inline int konza_watch_remove(int epoll, int socket) { return epoll_ctl(epoll, EPOLL_CTL_DEL, socket, NULL); }

/// Writes at most 64 identities. Returns how many, or -1.
static inline int konza_watch_wait(int epoll, uint64_t *identities, int milliseconds) {
    struct epoll_event events[64];
    int count = epoll_wait(epoll, events, 64, milliseconds);
    for (int i = 0; i < count; i++) identities[i] = events[i].data.u64;
    return count;
}

enum { KONZA_WATCH_READABLE = EPOLLIN, KONZA_WATCH_HANGUP_ONCE = EPOLLONESHOT, KONZA_WATCH_HALF_CLOSE = EPOLLRDHUP };
