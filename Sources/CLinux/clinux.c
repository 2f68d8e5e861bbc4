#define _GNU_SOURCE
#include "clinux.h"

#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <unistd.h>

void konza_begin_writing_out(int file) { sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE); }

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

static int release_constant_segments(struct dl_phdr_info *object, size_t size, void *page_size) {
    (void)size;
    uintptr_t page = *(uintptr_t *)page_size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
        uintptr_t start = object->dlpi_addr + segment->p_vaddr, end = start + segment->p_filesz;
        start &= ~(page - 1);
        madvise((void *)start, ((end + page - 1) & ~(page - 1)) - start, MADV_DONTNEED);
    }
    return 0;
}

void konza_release_program(void) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    dl_iterate_phdr(release_constant_segments, &page);
}

int konza_set_undumpable(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

static _Thread_local int may_block = 0;

void konza_set_may_block(void) { may_block = 1; }

int konza_may_block(void) { return may_block; }
