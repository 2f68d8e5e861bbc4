#include "internal.h"

typedef struct {
    struct jpeg_compress_struct compress;
    konza_output output;
    jpeg_scan_info scans[MAX_COMPS_IN_SCAN];
} writing;

int32_t konza_coefficients_read(
    const uint8_t *data, size_t length, const konza_jpeg_limits *limits, konza_coefficients **coefficients,
    konza_jpeg_report *report) {
    konza_coefficients *work = calloc(1, sizeof *work);
    if (work == NULL) {
        memset(report, 0, sizeof *report);
        snprintf(report->text, sizeof report->text, "no memory");
        return report->code = KONZA_JPEG_MEMORY;
    }
    konza_progress_init(&work->progress, limits->scans);
    work->decompress.err = konza_errors_init(&work->errors, report);
    if (setjmp(work->errors.way_back) == 0) {
        jpeg_create_decompress(&work->decompress);
        work->decompress.progress = &work->progress.base;
        jpeg_mem_src(&work->decompress, data, length);
        jpeg_read_header(&work->decompress, TRUE);
        konza_check_pixels(&work->decompress, limits);
        konza_check_memory(&work->decompress, limits, 1);
        work->arrays = jpeg_read_coefficients(&work->decompress);
        *coefficients = work;
    } else {
        konza_coefficients_free(work);
    }
    return report->code;
}

int32_t konza_coefficients_count(const konza_coefficients *coefficients) {
    return coefficients->decompress.num_components;
}

void konza_coefficients_describe(const konza_coefficients *coefficients, int32_t index, konza_component *component) {
    const jpeg_component_info *info = &coefficients->decompress.comp_info[index];
    component->horizontal = info->h_samp_factor;
    component->vertical = info->v_samp_factor;
    component->columns = info->width_in_blocks;
    component->rows = info->height_in_blocks;
    // A component that no scan names has no table; its blocks are all 0 and any table will do.
    for (int at = 0; at < 64; at++)
        component->quantisation[at] = info->quant_table == NULL ? 1 : info->quant_table->quantval[at];
}

int32_t konza_coefficients_row(
    konza_coefficients *coefficients, int32_t component, uint32_t row, int16_t **blocks, konza_jpeg_report *report) {
    j_decompress_ptr decompress = &coefficients->decompress;
    decompress->err = konza_errors_init(&coefficients->errors, report);
    if (setjmp(coefficients->errors.way_back) == 0) {
        JBLOCKARRAY rows = (*decompress->mem->access_virt_barray)(
            (j_common_ptr)decompress, coefficients->arrays[component], row, 1, TRUE);
        *blocks = &rows[0][0][0];
    }
    return report->code;
}

static int same_table(const JHUFF_TBL *left, const JHUFF_TBL *right) {
    return left != NULL && right != NULL && memcmp(left->bits, right->bits, sizeof left->bits) == 0 &&
           memcmp(left->huffval, right->huffval, sizeof left->huffval) == 0;
}

/// Whether the source has the standard tables, so that its successor may have them too.
static int has_standard_tables(const struct jpeg_decompress_struct *source, const struct jpeg_compress_struct *standard) {
    if (source->progressive_mode || source->arith_code) return 0;
    for (int table = 0; table < (source->num_components > 1 ? 2 : 1); table++) {
        if (!same_table(source->dc_huff_tbl_ptrs[table], standard->dc_huff_tbl_ptrs[table])) return 0;
        if (!same_table(source->ac_huff_tbl_ptrs[table], standard->ac_huff_tbl_ptrs[table])) return 0;
    }
    return 1;
}

void konza_separate_scans(j_compress_ptr compress, jpeg_scan_info *scans) {
    int blocks = 0;
    for (int component = 0; component < compress->num_components; component++) {
        blocks += compress->comp_info[component].h_samp_factor * compress->comp_info[component].v_samp_factor;
        scans[component] =
            (jpeg_scan_info){.comps_in_scan = 1, .component_index = {component}, .Ss = 0, .Se = 63, .Ah = 0, .Al = 0};
    }
    if (blocks <= C_MAX_BLOCKS_IN_MCU || compress->num_components == 1) return;
    compress->scan_info = scans;
    compress->num_scans = compress->num_components;
}

int32_t konza_coefficients_write(
    konza_coefficients *coefficients, const uint8_t *markers, size_t marker_length, size_t limit, uint8_t **bytes,
    size_t *length, konza_jpeg_report *report) {
    writing *work = calloc(1, sizeof *work);
    if (work == NULL) {
        memset(report, 0, sizeof *report);
        snprintf(report->text, sizeof report->text, "no memory");
        return report->code = KONZA_JPEG_MEMORY;
    }
    konza_output_init(&work->output, limit);
    // Both objects report to one place: reading a row of coefficients can fail too.
    coefficients->decompress.err = konza_errors_init(&coefficients->errors, report);
    work->compress.err = coefficients->decompress.err;
    if (setjmp(coefficients->errors.way_back) == 0) {
        j_compress_ptr compress = &work->compress;
        jpeg_create_compress(compress);
        compress->dest = &work->output.base;
        jpeg_copy_critical_parameters(&coefficients->decompress, compress);
        compress->restart_interval = coefficients->decompress.restart_interval;
        compress->optimize_coding = has_standard_tables(&coefficients->decompress, compress) ? FALSE : TRUE;
        compress->write_JFIF_header = FALSE;
        compress->write_Adobe_marker = FALSE;
        konza_separate_scans(compress, work->scans);
        jpeg_write_coefficients(compress, coefficients->arrays);
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

void konza_coefficients_free(konza_coefficients *coefficients) {
    if (coefficients == NULL) return;
    jpeg_destroy_decompress(&coefficients->decompress);
    free(coefficients);
}
