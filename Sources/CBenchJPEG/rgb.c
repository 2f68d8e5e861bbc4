#include "internal.h"

/// Rows that are decoded before they are encoded: the rows of two MCUs' height.
enum { STRIP = 32 };

typedef struct {
    const bench_patch *patches;
    size_t count;
    int32_t quality;
} rgb_task;

static void blend(uint8_t *row, uint32_t y, const rgb_task *task) {
    for (size_t index = 0; index < task->count; index++) {
        const bench_patch *patch = &task->patches[index];
        if (y < patch->y || y >= patch->y + patch->height) continue;
        const uint8_t *ink = patch->pixels + (size_t)(y - patch->y) * patch->width * 4;
        uint8_t *to = row + (size_t)patch->x * 3;
        for (uint32_t x = 0; x < patch->width; x++, ink += 4, to += 3) {
            uint32_t rest = 255u - ink[3];
            if (rest == 255) continue;
            for (int channel = 0; channel < 3; channel++) {
                uint32_t value = ink[channel] + bench_by_255(to[channel] * rest);
                to[channel] = (uint8_t)(value > 255 ? 255 : value);
            }
        }
    }
}

static void start(bench_work *work, int32_t quality) {
    work->source.out_color_space = JCS_RGB;
    jpeg_start_decompress(&work->source);
    work->target.image_width = work->source.output_width;
    work->target.image_height = work->source.output_height;
    work->target.input_components = 3;
    work->target.in_color_space = JCS_RGB;
    jpeg_set_defaults(&work->target);
    jpeg_set_quality(&work->target, quality, TRUE);
    work->target.comp_info[0].h_samp_factor = work->source.comp_info[0].h_samp_factor;
    work->target.comp_info[0].v_samp_factor = work->source.comp_info[0].v_samp_factor;
    jpeg_start_compress(&work->target, TRUE);
}

static void stamp(bench_work *work, const void *context) {
    const rgb_task *task = context;
    start(work, task->quality);
    JSAMPARRAY strip = (*work->source.mem->alloc_sarray)(
        (j_common_ptr)&work->source, JPOOL_IMAGE, work->source.output_width * 3, STRIP);
    while (work->source.output_scanline < work->source.output_height) {
        uint32_t first = work->source.output_scanline;
        uint32_t rows = 0;
        while (rows < STRIP && work->source.output_scanline < work->source.output_height)
            rows += jpeg_read_scanlines(&work->source, strip + rows, STRIP - rows);
        for (uint32_t row = 0; row < rows; row++) blend(strip[row], first + row, task);
        jpeg_write_scanlines(&work->target, strip, rows);
    }
}

bench_picture bench_stamp_rgb(
    const uint8_t *jpeg, size_t length, const bench_patch *patches, size_t count, int32_t quality) {
    rgb_task task = {patches, count, quality};
    return bench_run(jpeg, length, stamp, &task);
}
