#include "internal.h"

typedef struct {
    struct jpeg_decompress_struct decompress;
    konza_errors errors;
    konza_progress progress;
    uint8_t *pixels;
} decoding;

/// CMYK to RGB in place, shortening four bytes to three. Adobe stores inks inverted (Technical Note 5116, section 18).
static void cmyk_to_rgb(const uint8_t *inks, uint8_t *row, size_t width, int inverted) {
    for (size_t x = 0; x < width; x++, inks += 4, row += 3) {
        int black = inverted ? inks[3] : 255 - inks[3];
        for (int channel = 0; channel < 3; channel++) {
            int light = inverted ? inks[channel] : 255 - inks[channel];
            row[channel] = (uint8_t)((light * black + 127) / 255);
        }
    }
}

static void choose_colour(j_decompress_ptr decompress) {
    switch (decompress->jpeg_color_space) {
    case JCS_GRAYSCALE:
    case JCS_YCbCr:
    case JCS_RGB: decompress->out_color_space = JCS_RGB; break;
    case JCS_CMYK:
    case JCS_YCCK: decompress->out_color_space = JCS_CMYK; break;
    default: konza_fail((j_common_ptr)decompress, KONZA_JPEG_COLOUR, "no conversion of its colour space to RGB");
    }
}

static void read_lines(decoding *work) {
    j_decompress_ptr decompress = &work->decompress;
    size_t width = decompress->output_width;
    work->pixels = malloc(width * 3 * decompress->output_height);
    if (work->pixels == NULL)
        konza_fail((j_common_ptr)decompress, KONZA_JPEG_MEMORY, "no memory for the pixels");
    JSAMPARRAY inks = NULL;
    if (decompress->out_color_space == JCS_CMYK)
        inks = (*decompress->mem->alloc_sarray)((j_common_ptr)decompress, JPOOL_IMAGE, (JDIMENSION)width * 4, 1);
    while (decompress->output_scanline < decompress->output_height) {
        JSAMPROW row = work->pixels + width * 3 * decompress->output_scanline;
        if (inks == NULL) {
            jpeg_read_scanlines(decompress, &row, 1);
        } else {
            jpeg_read_scanlines(decompress, inks, 1);
            cmyk_to_rgb(inks[0], row, width, decompress->saw_Adobe_marker);
        }
    }
}

int32_t konza_jpeg_decode(
    const uint8_t *data, size_t length, const konza_jpeg_limits *limits, int32_t denominator, uint8_t **pixels,
    uint32_t *width, uint32_t *height, konza_jpeg_report *report) {
    decoding *work = calloc(1, sizeof *work);
    if (work == NULL) {
        memset(report, 0, sizeof *report);
        snprintf(report->text, sizeof report->text, "no memory");
        return report->code = KONZA_JPEG_MEMORY;
    }
    konza_progress_init(&work->progress, limits->scans);
    work->decompress.err = konza_errors_init(&work->errors, report);
    if (setjmp(work->errors.way_back) == 0) {
        j_decompress_ptr decompress = &work->decompress;
        jpeg_create_decompress(decompress);
        decompress->progress = &work->progress.base;
        jpeg_mem_src(decompress, data, length);
        jpeg_read_header(decompress, TRUE);
        konza_check_pixels(decompress, limits);
        choose_colour(decompress);
        decompress->scale_num = 1;
        decompress->scale_denom = (unsigned)denominator;
        konza_check_memory(decompress, limits, 0);
        jpeg_start_decompress(decompress);
        read_lines(work);
        jpeg_finish_decompress(decompress);
        *pixels = work->pixels;
        *width = decompress->output_width;
        *height = decompress->output_height;
    } else {
        free(work->pixels);
    }
    jpeg_destroy_decompress(&work->decompress);
    free(work);
    return report->code;
}
