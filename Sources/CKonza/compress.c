#include "internal.h"

typedef struct {
    struct jpeg_compress_struct compress;
    konza_errors errors;
    konza_output output;
    const konza_picture *picture;
    uint8_t luma[256];
    uint8_t chroma[256];
} compression;

/// The tables that stretch limited range to full (ITU-R BT.601-7 section 2.5.3 to JFIF 1.02), or that change nothing.
static void fill_ranges(compression *work) {
    for (int value = 0; value < 256; value++) {
        int luma = value, chroma = value;
        if (work->picture->limited_range) {
            luma = (2 * 255 * (value - 16) + 219) / (2 * 219);
            chroma = (int)(128.5 + (value - 128) * 255.0 / 224.0);
            if (value < 16) luma = 0;
        }
        work->luma[value] = (uint8_t)(luma < 0 ? 0 : luma > 255 ? 255 : luma);
        work->chroma[value] = (uint8_t)(chroma < 0 ? 0 : chroma > 255 ? 255 : chroma);
    }
}

/// Gathers every step-th byte through a range table and repeats the last one to the padded width.
static void gather(uint8_t *row, size_t padded, const uint8_t *bytes, size_t count, size_t step, const uint8_t *table) {
    if (count > padded) count = padded;
    for (size_t x = 0; x < count; x++) row[x] = table[bytes[x * step]];
    for (size_t x = count; x < padded; x++) row[x] = row[count - 1];
}

static void luma_row(const compression *work, uint32_t y, uint8_t *row, size_t padded) {
    const konza_picture *picture = work->picture;
    const uint8_t *line = picture->bytes + picture->stride * y;
    switch (picture->layout) {
    case KONZA_YUYV: gather(row, padded, line, picture->width, 2, work->luma); break;
    case KONZA_UYVY: gather(row, padded, line + 1, picture->width, 2, work->luma); break;
    default: gather(row, padded, line, picture->width, 1, work->luma); break;
    }
}

/// Row `y` of a chroma plane, 0 for Cb and 1 for Cr.
static void chroma_row(const compression *work, int plane, uint32_t y, uint8_t *row, size_t padded) {
    const konza_picture *picture = work->picture;
    size_t count = ((size_t)picture->width + 1) / 2;
    const uint8_t *after = picture->bytes + picture->stride * picture->height;
    size_t half = picture->stride / 2;
    size_t half_rows = ((size_t)picture->height + 1) / 2;
    const uint8_t *line;
    switch (picture->layout) {
    case KONZA_YUYV:
        line = picture->bytes + picture->stride * y + 1 + 2 * plane;
        gather(row, padded, line, count, 4, work->chroma);
        break;
    case KONZA_UYVY:
        line = picture->bytes + picture->stride * y + 2 * plane;
        gather(row, padded, line, count, 4, work->chroma);
        break;
    case KONZA_NV12:
        gather(row, padded, after + picture->stride * y + plane, count, 2, work->chroma);
        break;
    default:
        gather(row, padded, after + half * half_rows * plane + half * y, count, 1, work->chroma);
        break;
    }
}

static void write_planes(compression *work) {
    j_compress_ptr compress = &work->compress;
    int vertical = compress->comp_info[0].v_samp_factor;
    int rows = 8 * vertical;
    JSAMPARRAY planes[3];
    JDIMENSION padded[3];
    for (int plane = 0; plane < 3; plane++) {
        padded[plane] = compress->comp_info[plane].width_in_blocks * 8;
        planes[plane] = (*compress->mem->alloc_sarray)(
            (j_common_ptr)compress, JPOOL_IMAGE, padded[plane], plane == 0 ? (JDIMENSION)rows : 8);
    }
    uint32_t last = work->picture->height - 1;
    uint32_t last_chroma = (work->picture->height + vertical - 1) / vertical - 1;
    while (compress->next_scanline < compress->image_height) {
        uint32_t first = compress->next_scanline;
        for (int row = 0; row < rows; row++)
            luma_row(work, first + row > last ? last : first + row, planes[0][row], padded[0]);
        for (int plane = 1; plane < 3; plane++)
            for (int row = 0; row < 8; row++) {
                uint32_t y = first / vertical + row;
                chroma_row(work, plane - 1, y > last_chroma ? last_chroma : y, planes[plane][row], padded[plane]);
            }
        jpeg_write_raw_data(compress, planes, rows);
    }
}

static void write_lines(compression *work) {
    while (work->compress.next_scanline < work->compress.image_height) {
        JSAMPROW row = (JSAMPROW)(work->picture->bytes + work->picture->stride * work->compress.next_scanline);
        jpeg_write_scanlines(&work->compress, &row, 1);
    }
}

static void set_up(compression *work, const konza_jpeg_style *style) {
    j_compress_ptr compress = &work->compress;
    int32_t layout = work->picture->layout;
    compress->image_width = work->picture->width;
    compress->image_height = work->picture->height;
    compress->input_components = layout == KONZA_GREY ? 1 : 3;
    compress->in_color_space = layout == KONZA_GREY ? JCS_GRAYSCALE : layout == KONZA_RGB ? JCS_RGB : JCS_YCbCr;
    jpeg_set_defaults(compress);
    jpeg_set_quality(compress, style->quality, TRUE);
    if (compress->num_components == 3) {
        int horizontal = 2, vertical = layout == KONZA_NV12 || layout == KONZA_I420 ? 2 : 1;
        if (layout == KONZA_RGB) {
            horizontal = style->horizontal;
            vertical = style->vertical;
        }
        compress->comp_info[0].h_samp_factor = horizontal;
        compress->comp_info[0].v_samp_factor = vertical;
    }
    if (style->progressive) jpeg_simple_progression(compress);
    compress->optimize_coding = style->optimised ? TRUE : FALSE;
    compress->arith_code = style->arithmetic ? TRUE : FALSE;
    compress->restart_in_rows = style->restart_rows;
    if (style->restart_rows == 0) compress->restart_interval = (unsigned)style->restart_interval;
    compress->raw_data_in = layout != KONZA_RGB && layout != KONZA_GREY;
}

int32_t konza_jpeg_compress(
    const konza_picture *picture, const konza_jpeg_style *style, size_t limit, uint8_t **bytes, size_t *length,
    konza_jpeg_report *report) {
    compression *work = calloc(1, sizeof *work);
    if (work == NULL) {
        memset(report, 0, sizeof *report);
        snprintf(report->text, sizeof report->text, "no memory");
        return report->code = KONZA_JPEG_MEMORY;
    }
    work->picture = picture;
    fill_ranges(work);
    konza_output_init(&work->output, limit);
    work->compress.err = konza_errors_init(&work->errors, report);
    if (setjmp(work->errors.way_back) == 0) {
        jpeg_create_compress(&work->compress);
        work->compress.dest = &work->output.base;
        set_up(work, style);
        jpeg_start_compress(&work->compress, TRUE);
        if (work->compress.raw_data_in)
            write_planes(work);
        else
            write_lines(work);
        jpeg_finish_compress(&work->compress);
        *bytes = work->output.bytes;
        *length = konza_output_length(&work->output);
    } else {
        free(work->output.bytes);
    }
    jpeg_destroy_compress(&work->compress);
    free(work);
    return report->code;
}
