#pragma once
#include <stdint.h>

/// Counts what a program has allocated. Whatever links this has its malloc(3) and kin pass through here to glibc's own;
/// not under a sanitizer, which needs them itself.

/// Whether allocations can be counted.
int32_t bench_memory_is_counted(void);

/// Begins to count from 0, over all threads.
void bench_memory_begin(void);

/// Ends counting.
///
/// Returns the most bytes that were allocated at one time beyond those at the beginning.
int64_t bench_memory_end(void);
