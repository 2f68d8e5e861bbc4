#pragma once
#include "ckonza.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

/// libjpeg's error manager with the way back and the report to fill in.
typedef struct {
    struct jpeg_error_mgr base;
    jmp_buf way_back;
    konza_jpeg_report *report;
} konza_errors;

/// A growing output with a limit.
typedef struct {
    struct jpeg_destination_mgr base;
    uint8_t *bytes;
    size_t capacity;
    size_t limit;
} konza_output;

struct jpeg_error_mgr *konza_errors_init(konza_errors *errors, konza_jpeg_report *report);

/// Reports a code of our own with its words and goes back.
void konza_fail(j_common_ptr common, int32_t code, const char *words) __attribute__((noreturn));

void konza_output_init(konza_output *output, size_t limit);

/// The bytes written so far.
size_t konza_output_length(const konza_output *output);

/// Appends bytes between libjpeg's own.
void konza_output_append(j_compress_ptr compress, const uint8_t *bytes, size_t length);

typedef struct {
    struct jpeg_progress_mgr base;
    int32_t scans;
} konza_progress;

/// Stops a picture with too many scans.
void konza_progress_init(konza_progress *progress, int32_t scans);

/// Refuses a picture with more pixels than the limit, once its header is read.
void konza_check_pixels(j_decompress_ptr decompress, const konza_jpeg_limits *limits);

/// Works out what decoding will take before it begins, asks for it, and has libjpeg take no more for coefficients.
///
/// Called once the header is read and the output's scale is set. `whole`: all coefficients are kept, whatever the
/// picture; else they are only where the picture has several scans.
void konza_check_memory(j_decompress_ptr decompress, const konza_jpeg_limits *limits, int whole);

struct konza_coefficients {
    struct jpeg_decompress_struct decompress;
    konza_errors errors;
    konza_progress progress;
    jvirt_barray_ptr *arrays;
};

/// Asks for a scan per component where one MCU of all would be larger than the standard allows (T.81 B.2.3). `scans` has
/// room for MAX_COMPS_IN_SCAN, and stays until the picture is written.
void konza_separate_scans(j_compress_ptr compress, jpeg_scan_info *scans);
