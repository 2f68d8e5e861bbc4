#pragma once
#include <zlib.h>

/// deflateInit2 is a macro: raw deflate (RFC 1951) without zlib's own header, as zip wants it.
static inline int konza_zlib_start(z_stream *stream) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
}

/// inflateInit is a macro: a zlib stream (RFC 1950), as PNG has it.
static inline int konza_zlib_start_inflating(z_stream *stream) { return inflateInit(stream); }
