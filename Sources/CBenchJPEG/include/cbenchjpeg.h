#pragma once
#include <stddef.h>
#include <stdint.h>

/// What one would write with libjpeg-turbo alone to lay an overlay on a JPEG, as good as it gets: row by row, in place,
/// nothing held but one strip. The bench measures all else by it.

/// A rectangle of premultiplied R, G, B, A.
typedef struct {
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint32_t height;
    const uint8_t *pixels;
} bench_patch;

/// Patches as planes of Y, Cb and Cr with alpha, each at its component's size.
typedef struct bench_ink bench_ink;

/// Prepares patches for chroma of 1/horizontal of the width and 1/vertical of the height. NULL without memory.
bench_ink *bench_ink_create(const bench_patch *patches, size_t count, uint32_t horizontal, uint32_t vertical);
void bench_ink_free(bench_ink *ink);

/// The result of a stamp; `bytes` is to be freed with bench_free.
typedef struct {
    uint8_t *bytes;
    size_t count;
    /// 0, or libjpeg refused for the reason in `text`.
    int32_t failed;
    char text[200];
} bench_picture;

/// Decodes to the YCbCr planes as they are, blends, and encodes with the same tables, sampling and restart interval:
/// no conversion of colour, no change of chroma's size.
bench_picture bench_stamp_raw(const uint8_t *jpeg, size_t length, const bench_ink *ink);

/// Decodes to RGB, blends, and encodes at a quality with the same sampling.
bench_picture bench_stamp_rgb(
    const uint8_t *jpeg, size_t length, const bench_patch *patches, size_t count, int32_t quality);

void bench_free(void *memory);
