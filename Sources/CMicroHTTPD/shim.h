#pragma once
#include <microhttpd.h>
#include <sys/epoll.h>

/// What Swift cannot call: libmicrohttpd's variadic functions.

/// Starts a server with one polling thread (epoll) on a listening socket that stays the caller's after
/// MHD_quiesce_daemon. NULL if it cannot.
static inline struct MHD_Daemon *konza_http_start(
    MHD_socket listening, void *context, MHD_AccessHandlerCallback handle,
    void *(*target)(void *, const char *, struct MHD_Connection *),
    size_t (*unescape)(void *, struct MHD_Connection *, char *), MHD_RequestCompletedCallback completed,
    MHD_NotifyConnectionCallback notify, unsigned int connections, unsigned int idle_seconds, size_t memory) {
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC, 0, NULL, NULL, handle, context,
        MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_URI_LOG_CALLBACK, target, context,
        MHD_OPTION_UNESCAPE_CALLBACK, unescape, context, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_NOTIFY_CONNECTION, notify, context, MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
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

enum { KONZA_WATCH_READABLE = EPOLLIN, KONZA_WATCH_HANGUP_ONCE = EPOLLONESHOT };
