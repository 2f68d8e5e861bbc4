#include "internal.h"

// libjpeg's own transformations (transupp.c of jpegtran) are not part of its library.

typedef int16_t row_of_eight __attribute__((vector_size(16)));

/// What the compressor takes for an array of coefficients: blocks are turned when it asks for their row.
typedef struct {
    jvirt_barray_ptr source;
    JDIMENSION columns;
    JDIMENSION rows;
    JBLOCKARRAY buffer;
} turned_component;

typedef struct {
    struct jpeg_compress_struct compress;
    konza_output output;
    jpeg_scan_info scans[MAX_COMPS_IN_SCAN];
    turned_component components[MAX_COMPONENTS];
    jvirt_barray_ptr arrays[MAX_COMPONENTS];
    konza_coefficients *source;
    konza_turn turn;
    /// 1 and -1, for each column and each row of frequencies.
    row_of_eight columns_sign;
    int16_t rows_sign[8];
} turning;

static void transpose(row_of_eight rows[8]) {
    row_of_eight pairs[8], fours[8];
    for (int at = 0; at < 4; at++) {
        pairs[2 * at] = __builtin_shufflevector(rows[at], rows[at + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        pairs[2 * at + 1] = __builtin_shufflevector(rows[at], rows[at + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (int at = 0; at < 4; at++) {
        fours[2 * at] = __builtin_shufflevector(pairs[at], pairs[at + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        fours[2 * at + 1] = __builtin_shufflevector(pairs[at], pairs[at + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (int at = 0; at < 4; at++) {
        rows[2 * at] = __builtin_shufflevector(fours[at], fours[at + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        rows[2 * at + 1] = __builtin_shufflevector(fours[at], fours[at + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
}

/// Whether the coefficients are those of samples of 8 bits, for which there are codes (T.81 F.1.2): DC in -1024 to 1023, so
/// that no difference of two exceeds 11 bits in whatever order the blocks come, and AC of at most 10 bits. libjpeg-turbo
/// looks no further and would write nothing for others.
static int has_codes(const row_of_eight rows[8]) {
    const row_of_eight dc = {-1};
    row_of_eight beyond = (rows[0] == -1024) & ~dc;
    for (int row = 0; row < 8; row++) {
        beyond |= (rows[row] ^ (rows[row] >> 15)) & ~(int16_t)1023;
        if (row > 0) beyond |= rows[row] == -1024;
    }
    uint64_t halves[2];
    memcpy(halves, &beyond, sizeof halves);
    return (halves[0] | halves[1]) == 0;
}

/// A reflection of the samples changes the sign of the frequencies that are odd along it (T.81 A.3.3).
static void turn_block(turning *work, const JCOEF *from, JCOEF *to) {
    row_of_eight rows[8];
    memcpy(rows, from, sizeof rows);
    if (!has_codes(rows))
        konza_fail((j_common_ptr)&work->compress, KONZA_JPEG_REFUSED, "a coefficient is out of range");
    if (work->turn.transposes) transpose(rows);
    for (int row = 0; row < 8; row++) rows[row] *= work->columns_sign * work->rows_sign[row];
    memcpy(to, rows, sizeof rows);
}

/// Takes the place of access_virt_barray in the compressor's memory manager.
static JBLOCKARRAY turned_rows(
    j_common_ptr common, jvirt_barray_ptr array, JDIMENSION first, JDIMENSION count, boolean writable) {
    turning *work = common->client_data;
    const turned_component *component = (const turned_component *)(void *)array;
    j_common_ptr source = (j_common_ptr)&work->source->decompress;
    (void)writable;
    for (JDIMENSION line = 0; line < count && first + line < component->rows; line++) {
        JDIMENSION row = work->turn.flips_rows ? component->rows - 1 - (first + line) : first + line;
        JBLOCKROW blocks = NULL;
        if (!work->turn.transposes)
            blocks = (*source->mem->access_virt_barray)(source, component->source, row, 1, FALSE)[0];
        for (JDIMENSION to = 0; to < component->columns; to++) {
            JDIMENSION column = work->turn.flips_columns ? component->columns - 1 - to : to;
            const JCOEF *from;
            if (work->turn.transposes)
                from = (*source->mem->access_virt_barray)(source, component->source, column, 1, FALSE)[0][row];
            else
                from = blocks[column];
            turn_block(work, from, component->buffer[line][to]);
        }
    }
    return component->buffer;
}

static void turn_tables(j_compress_ptr compress) {
    for (int table = 0; table < NUM_QUANT_TBLS; table++) {
        if (compress->quant_tbl_ptrs[table] == NULL) continue;
        UINT16 *values = compress->quant_tbl_ptrs[table]->quantval;
        for (int row = 0; row < 8; row++)
            for (int column = 0; column < row; column++) {
                UINT16 kept = values[8 * row + column];
                values[8 * row + column] = values[8 * column + row];
                values[8 * column + row] = kept;
            }
    }
}

static JDIMENSION blocks(JDIMENSION pixels, int sampling, int maximum) {
    uint64_t step = 8 * (uint64_t)maximum;
    return (JDIMENSION)(((uint64_t)pixels * (uint64_t)sampling + step - 1) / step);
}

static void set_up(turning *work) {
    j_compress_ptr compress = &work->compress;
    j_decompress_ptr source = &work->source->decompress;
    jpeg_copy_critical_parameters(source, compress);
    compress->image_width = work->turn.width;
    compress->image_height = work->turn.height;
    if (work->turn.transposes) turn_tables(compress);
    int wide = 1, high = 1;
    for (int index = 0; index < compress->num_components; index++) {
        jpeg_component_info *info = &compress->comp_info[index];
        if (work->turn.transposes) {
            int kept = info->h_samp_factor;
            info->h_samp_factor = info->v_samp_factor;
            info->v_samp_factor = kept;
        }
        // The blocks of a single component are in order, whatever its factors (T.81 A.2.2).
        if (compress->num_components == 1) info->h_samp_factor = info->v_samp_factor = 1;
        if (info->h_samp_factor > wide) wide = info->h_samp_factor;
        if (info->v_samp_factor > high) high = info->v_samp_factor;
    }
    for (int index = 0; index < compress->num_components; index++) {
        jpeg_component_info *info = &compress->comp_info[index];
        turned_component *component = &work->components[index];
        component->source = work->source->arrays[index];
        component->columns = blocks(compress->image_width, info->h_samp_factor, wide);
        component->rows = blocks(compress->image_height, info->v_samp_factor, high);
        const jpeg_component_info *old = &source->comp_info[index];
        JDIMENSION columns = work->turn.transposes ? component->rows : component->columns;
        JDIMENSION rows = work->turn.transposes ? component->columns : component->rows;
        if (columns > old->width_in_blocks || rows > old->height_in_blocks)
            konza_fail((j_common_ptr)compress, KONZA_JPEG_REFUSED, "the turned picture has blocks that the picture lacks");
        component->buffer = (*compress->mem->alloc_barray)(
            (j_common_ptr)compress, JPOOL_IMAGE, component->columns, (JDIMENSION)info->v_samp_factor);
        work->arrays[index] = (jvirt_barray_ptr)(void *)component;
    }
    compress->mem->access_virt_barray = turned_rows;
    compress->restart_interval = 0;
    compress->restart_in_rows = 1;
    compress->optimize_coding = FALSE;
    compress->write_JFIF_header = FALSE;
    compress->write_Adobe_marker = FALSE;
    konza_separate_scans(compress, work->scans);
}

int32_t konza_coefficients_write_turned(
    konza_coefficients *coefficients, const konza_turn *turn, const uint8_t *markers, size_t marker_length, size_t limit,
    uint8_t **bytes, size_t *length, konza_jpeg_report *report) {
    turning *work = calloc(1, sizeof *work);
    if (work == NULL) {
        memset(report, 0, sizeof *report);
        snprintf(report->text, sizeof report->text, "no memory");
        return report->code = KONZA_JPEG_MEMORY;
    }
    work->source = coefficients;
    work->turn = *turn;
    for (int at = 0; at < 8; at++) {
        work->columns_sign[at] = turn->flips_columns && at % 2 == 1 ? -1 : 1;
        work->rows_sign[at] = turn->flips_rows && at % 2 == 1 ? -1 : 1;
    }
    konza_output_init(&work->output, limit);
    // Both objects report to one place, as in konza_coefficients_write.
    coefficients->decompress.err = konza_errors_init(&coefficients->errors, report);
    work->compress.err = coefficients->decompress.err;
    if (setjmp(coefficients->errors.way_back) == 0) {
        j_compress_ptr compress = &work->compress;
        jpeg_create_compress(compress);
        compress->client_data = work;
        compress->dest = &work->output.base;
        set_up(work);
        jpeg_write_coefficients(compress, work->arrays);
        konza_output_append(compress, markers, marker_length);
        jpeg_finish_compress(compress);
        *bytes = work->output.bytes;
        *length = konza_output_length(&work->output);
    } else {
        free(work->output.bytes);
    }
    jpeg_destroy_compress(&work->compress);
    free(work);
    return report->code;
}
