#pragma once
#include <stddef.h>
#include <stdint.h>

/// libjpeg behind setjmp: its errors never return and must not jump across Swift frames, so every call that can
/// fail is made here, and comes back as a code with libjpeg's own words.

enum {
    KONZA_JPEG_OK = 0,
    /// libjpeg refused; the text is its own.
    KONZA_JPEG_REFUSED = 1,
    /// No memory.
    KONZA_JPEG_MEMORY = 2,
    /// The output would exceed its limit.
    KONZA_JPEG_OUTPUT_LIMIT = 3,
    /// The picture has more pixels than allowed.
    KONZA_JPEG_PIXEL_LIMIT = 4,
    /// More scans than allowed.
    KONZA_JPEG_SCAN_LIMIT = 5,
    /// No conversion of this colour space.
    KONZA_JPEG_COLOUR = 6,
    /// The quantisation table of a component was replaced between scans.
    KONZA_JPEG_TABLES_CHANGED = 7,
    /// The picture needs more memory than any may take.
    KONZA_JPEG_MEMORY_LIMIT = 8,
    /// The memory that the picture needs was not granted.
    KONZA_JPEG_MEMORY_BUSY = 9,
};

typedef struct {
    int32_t code;
    /// The number of warnings, and the first one's text.
    int64_t warnings;
    /// The number of those that mean lost or invented pixels.
    int64_t damages;
    char text[200];
    char warning[200];
} konza_jpeg_report;

typedef struct {
    uint64_t pixels;
    int32_t scans;
    size_t output;
    /// Bytes that decoding may take, the result included.
    size_t memory;
    /// Asked before that memory is taken, once, with what will be needed at most; 0: not granted. May be NULL.
    int32_t (*grant)(void *context, size_t bytes);
    void *context;
} konza_jpeg_limits;

enum { KONZA_RGB = 0, KONZA_YUYV = 1, KONZA_UYVY = 2, KONZA_NV12 = 3, KONZA_I420 = 4, KONZA_GREY = 5 };

typedef struct {
    const uint8_t *bytes;
    uint32_t width;
    uint32_t height;
    /// Bytes from one row to the next of the first plane.
    size_t stride;
    int32_t layout;
    /// 1: luma 16 to 235 and chroma 16 to 240 are stretched to JFIF's full range.
    int32_t limited_range;
    /// As in konza_turn; not for RGB and grey.
    int32_t transposes;
    int32_t flips_columns;
    int32_t flips_rows;
} konza_picture;

typedef struct {
    int32_t quality;
    /// Luma sampling factors; chroma has 1x1. Used for RGB only.
    int32_t horizontal;
    int32_t vertical;
    int32_t restart_rows;
    /// In MCUs; used if restart_rows is 0.
    int32_t restart_interval;
    int32_t progressive;
    int32_t optimised;
    int32_t arithmetic;
} konza_jpeg_style;

/// Compresses a picture whose buffer was checked by the caller. `*bytes` is to be freed with konza_jpeg_free.
int32_t konza_jpeg_compress(
    const konza_picture *picture, const konza_jpeg_style *style, size_t limit, uint8_t **bytes, size_t *length,
    konza_jpeg_report *report);

/// Decodes to RGB at 1/denominator of the size (1, 2, 4, 8). `*pixels` is to be freed with konza_jpeg_free.
int32_t konza_jpeg_decode(
    const uint8_t *data, size_t length, const konza_jpeg_limits *limits, int32_t denominator, uint8_t **pixels,
    uint32_t *width, uint32_t *height, konza_jpeg_report *report);

void konza_jpeg_free(void *memory);

/// The quantised DCT coefficients of a whole picture.
typedef struct konza_coefficients konza_coefficients;

typedef struct {
    int32_t horizontal;
    int32_t vertical;
    /// In blocks, without the padding to whole MCUs.
    uint32_t columns;
    uint32_t rows;
    /// In natural (not zigzag) order.
    uint16_t quantisation[64];
} konza_component;

/// Reads the coefficients of a picture of any process that libjpeg knows.
int32_t konza_coefficients_read(
    const uint8_t *data, size_t length, const konza_jpeg_limits *limits, konza_coefficients **coefficients,
    konza_jpeg_report *report);

int32_t konza_coefficients_count(const konza_coefficients *coefficients);

/// Describes a component; the index must be below the count.
void konza_coefficients_describe(const konza_coefficients *coefficients, int32_t index, konza_component *component);

/// Finds a row of blocks, `columns` times 64 values in natural order; valid until the next call.
int32_t konza_coefficients_row(
    konza_coefficients *coefficients, int32_t component, uint32_t row, int16_t **blocks, konza_jpeg_report *report);

/// Writes a sequential picture with the same quantisation tables, sampling and restart interval; `markers` follow
/// SOI as they are. `*bytes` is to be freed with konza_jpeg_free.
int32_t konza_coefficients_write(
    konza_coefficients *coefficients, const uint8_t *markers, size_t marker_length, size_t limit, uint8_t **bytes,
    size_t *length, konza_jpeg_report *report);

/// What becomes of a picture: rows become columns, then left and right change places, then top and bottom.
typedef struct {
    int32_t transposes;
    int32_t flips_columns;
    int32_t flips_rows;
    /// Of the new picture, in pixels: along a flipped direction, whole MCUs of the old one.
    uint32_t width;
    uint32_t height;
} konza_turn;

/// Writes the picture turned: sequential, with the standard Huffman tables and a restart marker after each row of MCUs.
/// Every coefficient keeps its magnitude. Memory is taken for one row of MCUs beside the coefficients.
int32_t konza_coefficients_write_turned(
    konza_coefficients *coefficients, const konza_turn *turn, const uint8_t *markers, size_t marker_length, size_t limit,
    uint8_t **bytes, size_t *length, konza_jpeg_report *report);

void konza_coefficients_free(konza_coefficients *coefficients);
