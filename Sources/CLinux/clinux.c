#define _GNU_SOURCE
#include "clinux.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timex.h>

int konza_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void konza_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int konza_peer_credentials(int socket, int32_t *pid, uint32_t *uid, uint32_t *gid) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
    *pid = credentials.pid;
    *uid = credentials.uid;
    *gid = credentials.gid;
    return 0;
}

void konza_error_text(int code, char *text, unsigned long size) {
    const char *words = strerror_r(code, text, size);
    if (words != text) snprintf(text, size, "%s", words);
}

int konza_clock_is_synchronized(void) {
    struct timex request = {0};
    int state = adjtimex(&request);
    if (state < 0) return -1;
    return state != TIME_ERROR && !(request.status & STA_UNSYNC);
}

void konza_keep_heap_small(void) {
    mallopt(M_ARENA_MAX, 2);
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    mallopt(M_TRIM_THRESHOLD, 256 * 1024);
}

void konza_trim_heap(void) { malloc_trim(0); }

size_t konza_heap_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

int konza_set_undumpable(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

static _Thread_local int may_block = 0;

void konza_set_may_block(void) { may_block = 1; }

int konza_may_block(void) { return may_block; }
