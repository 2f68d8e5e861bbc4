#include "cbenchmemory.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

static atomic_int counts;
static atomic_llong current;
static atomic_llong peak;

void bench_memory_begin(void) {
    atomic_store(&current, 0);
    atomic_store(&peak, 0);
    atomic_store(&counts, 1);
}

int64_t bench_memory_end(void) {
    atomic_store(&counts, 0);
    return atomic_load(&peak);
}

#ifdef SANITIZED

int32_t bench_memory_is_counted(void) { return 0; }

#else

int32_t bench_memory_is_counted(void) { return 1; }

// glibc's own, under the names that it keeps for those who put theirs before (glibc manual, "Replacing malloc").
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static int is_counting(void) { return atomic_load_explicit(&counts, memory_order_relaxed); }

static void count(long long bytes) {
    long long now = atomic_fetch_add(&current, bytes) + bytes;
    long long most = atomic_load(&peak);
    while (now > most && !atomic_compare_exchange_weak(&peak, &most, now)) {}
}

static void *counted(void *memory) {
    if (is_counting() && memory != NULL) count((long long)malloc_usable_size(memory));
    return memory;
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }
void *calloc(size_t number, size_t size) { return counted(__libc_calloc(number, size)); }
void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
    void *found = counted(__libc_memalign(alignment, size));
    if (found == NULL) return ENOMEM;
    *memory = found;
    return 0;
}

void *realloc(void *memory, size_t size) {
    if (!is_counting()) return __libc_realloc(memory, size);
    long long before = memory == NULL ? 0 : (long long)malloc_usable_size(memory);
    void *moved = __libc_realloc(memory, size);
    if (moved != NULL) {
        count((long long)malloc_usable_size(moved) - before);
    } else if (size == 0) {
        count(-before);
    }
    return moved;
}

void free(void *memory) {
    if (is_counting() && memory != NULL) count(-(long long)malloc_usable_size(memory));
    __libc_free(memory);
}

#endif
