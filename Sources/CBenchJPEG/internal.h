#pragma once
#include "cbenchjpeg.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

/// A decompressor and a compressor that work in step, with the one way back for the errors of both.
typedef struct {
    struct jpeg_error_mgr errors;
    jmp_buf way_back;
    struct jpeg_decompress_struct source;
    struct jpeg_compress_struct target;
    /// What the output was begun in, as libjpeg does not free it when it takes more.
    uint8_t *first;
    unsigned char *bytes;
    unsigned long count;
} bench_work;

/// Runs a body between two libjpeg objects that are set up and taken down here.
bench_picture bench_run(
    const uint8_t *jpeg, size_t length, void (*body)(bench_work *work, const void *context), const void *context);

/// x / 255, rounded, for x up to 255 * 255.
static inline uint32_t bench_by_255(uint32_t x) {
    x += 128;
    return (x + (x >> 8)) >> 8;
}
