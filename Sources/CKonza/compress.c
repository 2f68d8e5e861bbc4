#include "internal.h"

typedef struct {
    struct jpeg_compress_struct compress;
    konza_errors errors;
    konza_output output;
    const konza_picture *picture;
    uint8_t luma[256];
    uint8_t chroma[256];
} compression;

/// Samples of one component as they lie in the source, and how the new picture's rows and columns go over them.
typedef struct {
    const uint8_t *first;
    ptrdiff_t along;
    ptrdiff_t down;
    uint32_t columns;
    uint32_t rows;
    const uint8_t *table;
} plane;

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

/// A component of a picture of `columns` times `rows` samples whose next sample is `across` bytes on, and the next row's
/// `below`; the first is the source's top left one.
static plane turned_plane(
    const compression *work, const uint8_t *first, size_t across, size_t below, uint32_t columns, uint32_t rows,
    const uint8_t *table) {
    const konza_picture *picture = work->picture;
    plane turned = {
        .first = first,
        .along = (ptrdiff_t)(picture->transposes ? below : across),
        .down = (ptrdiff_t)(picture->transposes ? across : below),
        .columns = columns,
        .rows = rows,
        .table = table};
    if (picture->flips_columns) {
        turned.first += turned.along * (ptrdiff_t)(columns - 1);
        turned.along = -turned.along;
    }
    if (picture->flips_rows) {
        turned.first += turned.down * (ptrdiff_t)(rows - 1);
        turned.down = -turned.down;
    }
    return turned;
}

/// The luma plane for 0, Cb for 1, Cr for 2.
static plane find_plane(const compression *work, int index) {
    const konza_picture *picture = work->picture;
    const struct jpeg_compress_struct *compress = &work->compress;
    uint32_t width = compress->image_width, height = compress->image_height;
    const uint8_t *bytes = picture->bytes;
    size_t stride = picture->stride;
    if (index == 0) {
        int packed = picture->layout == KONZA_YUYV || picture->layout == KONZA_UYVY;
        return turned_plane(
            work, bytes + (picture->layout == KONZA_UYVY ? 1 : 0), packed ? 2 : 1, stride, width, height, work->luma);
    }
    uint32_t horizontal = (uint32_t)compress->comp_info[0].h_samp_factor;
    uint32_t vertical = (uint32_t)compress->comp_info[0].v_samp_factor;
    uint32_t columns = (width + horizontal - 1) / horizontal, rows = (height + vertical - 1) / vertical;
    const uint8_t *after = bytes + stride * picture->height;
    size_t half = stride / 2, half_rows = ((size_t)picture->height + 1) / 2;
    int second = index - 1;
    switch (picture->layout) {
    case KONZA_YUYV: return turned_plane(work, bytes + 1 + 2 * second, 4, stride, columns, rows, work->chroma);
    case KONZA_UYVY: return turned_plane(work, bytes + 2 * second, 4, stride, columns, rows, work->chroma);
    case KONZA_NV12: return turned_plane(work, after + second, 2, stride, columns, rows, work->chroma);
    default: return turned_plane(work, after + half * half_rows * second, 1, half, columns, rows, work->chroma);
    }
}

/// Gathers rows of samples, and repeats the last column and the last row into the padding.
///
/// Column by column where the source's rows have become columns: the bytes of one source row are read together.
static void gather(const plane *from, uint32_t first, JSAMPARRAY rows, uint32_t count, uint32_t padded) {
    uint32_t columns = from->columns < padded ? from->columns : padded;
    uint32_t real = first < from->rows ? from->rows - first : 0;
    if (real > count) real = count;
    const uint8_t *start = from->first + from->down * (ptrdiff_t)first;
    if (from->down == 1 || from->down == -1 || from->down == 2 || from->down == -2 || from->down == 4 || from->down == -4) {
        for (uint32_t x = 0; x < columns; x++) {
            const uint8_t *column = start + from->along * (ptrdiff_t)x;
            for (uint32_t y = 0; y < real; y++) rows[y][x] = from->table[column[from->down * (ptrdiff_t)y]];
        }
    } else {
        for (uint32_t y = 0; y < real; y++) {
            const uint8_t *line = start + from->down * (ptrdiff_t)y;
            for (uint32_t x = 0; x < columns; x++) rows[y][x] = from->table[line[from->along * (ptrdiff_t)x]];
        }
    }
    for (uint32_t y = 0; y < real; y++) memset(rows[y] + columns, rows[y][columns - 1], padded - columns);
    if (real == 0) {
        // Rows of blocks below the last sample: as the row above.
        plane last = *from;
        gather(&last, from->rows - 1, rows, 1, padded);
        real = 1;
    }
    for (uint32_t y = real; y < count; y++) memcpy(rows[y], rows[real - 1], padded);
}

static void write_planes(compression *work) {
    j_compress_ptr compress = &work->compress;
    int vertical = compress->comp_info[0].v_samp_factor;
    int rows = 8 * vertical;
    JSAMPARRAY samples[3];
    JDIMENSION padded[3];
    plane planes[3];
    for (int index = 0; index < 3; index++) {
        padded[index] = compress->comp_info[index].width_in_blocks * 8;
        planes[index] = find_plane(work, index);
        samples[index] = (*compress->mem->alloc_sarray)(
            (j_common_ptr)compress, JPOOL_IMAGE, padded[index], index == 0 ? (JDIMENSION)rows : 8);
    }
    while (compress->next_scanline < compress->image_height) {
        uint32_t first = compress->next_scanline;
        gather(&planes[0], first, samples[0], (uint32_t)rows, padded[0]);
        for (int index = 1; index < 3; index++)
            gather(&planes[index], first / (uint32_t)vertical, samples[index], 8, padded[index]);
        jpeg_write_raw_data(compress, samples, (JDIMENSION)rows);
    }
}

static void write_lines(compression *work) {
    while (work->compress.next_scanline < work->compress.image_height) {
        JSAMPROW row = (JSAMPROW)(work->picture->bytes + work->picture->stride * work->compress.next_scanline);
        jpeg_write_scanlines(&work->compress, &row, 1);
    }
}

/// The new picture's size. Along a direction that is flipped and that has a chroma sample for two pixels, a last pixel that
/// has one for itself goes: all samples would lie between two pixels otherwise.
static void size_turned(compression *work) {
    const konza_picture *picture = work->picture;
    uint32_t across = picture->width, down = picture->height;
    int halves_down = picture->layout == KONZA_NV12 || picture->layout == KONZA_I420;
    int flips_across = picture->transposes ? picture->flips_rows : picture->flips_columns;
    int flips_down = picture->transposes ? picture->flips_columns : picture->flips_rows;
    if (flips_across && across > 1) across -= across % 2;
    if (flips_down && halves_down && down > 1) down -= down % 2;
    work->compress.image_width = picture->transposes ? down : across;
    work->compress.image_height = picture->transposes ? across : down;
}

static void set_up(compression *work, const konza_jpeg_style *style) {
    j_compress_ptr compress = &work->compress;
    int32_t layout = work->picture->layout;
    size_turned(work);
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
        int turned = layout != KONZA_RGB && work->picture->transposes;
        compress->comp_info[0].h_samp_factor = turned ? vertical : horizontal;
        compress->comp_info[0].v_samp_factor = turned ? horizontal : vertical;
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
