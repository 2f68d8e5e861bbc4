#include "internal.h"

static size_t rounded_up(size_t value, size_t step) { return (value + step - 1) / step * step; }

/// The virtual arrays of coefficients (jdcoefct.c, jinit_d_coef_controller): two bytes a coefficient, padded to whole MCUs.
static uint64_t coefficients(j_decompress_ptr decompress) {
    uint64_t bytes = 0;
    for (int index = 0; index < decompress->num_components; index++) {
        const jpeg_component_info *info = &decompress->comp_info[index];
        uint64_t columns = rounded_up(info->width_in_blocks, info->h_samp_factor);
        uint64_t rows = rounded_up(info->height_in_blocks, info->v_samp_factor);
        bytes += columns * rows * sizeof(JBLOCK);
    }
    return bytes;
}

/// Rows of samples between the steps (jdmainct.c, jdsample.c): at most ten row groups of each component, and one of the
/// output's width; with 256 KiB for tables and the pools' slack.
static uint64_t rows(j_decompress_ptr decompress) {
    uint64_t bytes = 256 << 10;
    for (int index = 0; index < decompress->num_components; index++) {
        const jpeg_component_info *info = &decompress->comp_info[index];
        uint64_t width = (uint64_t)rounded_up(info->width_in_blocks, info->h_samp_factor) * DCTSIZE;
        bytes += width * 10 * info->v_samp_factor;
        bytes += rounded_up(decompress->image_width, decompress->max_h_samp_factor) * decompress->max_v_samp_factor;
    }
    return bytes;
}

void konza_check_memory(j_decompress_ptr decompress, const konza_jpeg_limits *limits, int whole) {
    uint64_t bytes = rows(decompress);
    uint64_t arrays = whole || jpeg_has_multiple_scans(decompress) ? coefficients(decompress) : 0;
    if (!whole) {
        jpeg_calc_output_dimensions(decompress);
        // Once here, and once more where the caller copies it to.
        bytes += (uint64_t)decompress->output_width * decompress->output_height * 3 * 2;
    }
    if (bytes + arrays > limits->memory) {
        char words[120];
        snprintf(
            words, sizeof words, "it needs %llu MB of memory to decode, %llu MB are the most for one picture",
            (unsigned long long)((bytes + arrays + 999999) / 1000000), (unsigned long long)(limits->memory / 1000000));
        konza_fail((j_common_ptr)decompress, KONZA_JPEG_MEMORY_LIMIT, words);
    }
    if (limits->grant != NULL && !limits->grant(limits->context, (size_t)(bytes + arrays)))
        konza_fail((j_common_ptr)decompress, KONZA_JPEG_MEMORY_BUSY, "too many pictures are being worked on");
    // A second line of defence: libjpeg-turbo has no temporary files (jmemnobs.c) and refuses arrays beyond this.
    decompress->mem->max_memory_to_use = (long)(bytes + arrays);
}
