#include "internal.h"

/// A rectangle of one component: premultiplied values, and 255 less alpha.
typedef struct {
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint32_t height;
    uint8_t *values;
    uint8_t *rests;
} plane;

struct bench_ink {
    size_t count;
    uint32_t horizontal;
    uint32_t vertical;
    /// Three for each patch.
    plane planes[];
};

/// JFIF 1.02: 2^16 times the weights of R, G, B and of 128.
static const int32_t weights[3][4] = {
    {19595, 38470, 7471, 0}, {-11058, -21710, 32768, 128 << 16}, {32768, -27439, -5329, 128 << 16}};

/// The mean over the pixels of a patch that lie in one sample of a component; outside of the patch is nothing.
static void sample(
    const bench_patch *patch, uint32_t component, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
    uint8_t *value, uint8_t *rest) {
    int64_t sum = 0;
    uint32_t alpha = 0;
    for (uint32_t row = y; row < y + height; row++) {
        if (row < patch->y || row >= patch->y + patch->height) continue;
        for (uint32_t column = x; column < x + width; column++) {
            if (column < patch->x || column >= patch->x + patch->width) continue;
            const uint8_t *ink = patch->pixels + ((size_t)(row - patch->y) * patch->width + column - patch->x) * 4;
            const int32_t *weight = weights[component];
            sum += (int64_t)weight[0] * ink[0] + weight[1] * ink[1] + weight[2] * ink[2]
                + (int64_t)weight[3] * ink[3] / 255;
            alpha += ink[3];
        }
    }
    int64_t area = (int64_t)width * height;
    int64_t mean = (sum + area * 32768) / (area * 65536);
    *value = (uint8_t)(mean < 0 ? 0 : mean > 255 ? 255 : mean);
    *rest = (uint8_t)(255 - (alpha + area / 2) / area);
}

static int fill(plane *plane, const bench_patch *patch, uint32_t component, uint32_t horizontal, uint32_t vertical) {
    plane->x = patch->x / horizontal;
    plane->y = patch->y / vertical;
    plane->width = (patch->x + patch->width + horizontal - 1) / horizontal - plane->x;
    plane->height = (patch->y + patch->height + vertical - 1) / vertical - plane->y;
    size_t count = (size_t)plane->width * plane->height;
    plane->values = malloc(count);
    plane->rests = malloc(count);
    if (plane->values == NULL || plane->rests == NULL) return 0;
    for (uint32_t row = 0; row < plane->height; row++)
        for (uint32_t column = 0; column < plane->width; column++) {
            size_t at = (size_t)row * plane->width + column;
            sample(
                patch, component, (plane->x + column) * horizontal, (plane->y + row) * vertical, horizontal, vertical,
                plane->values + at, plane->rests + at);
        }
    return 1;
}

bench_ink *bench_ink_create(const bench_patch *patches, size_t count, uint32_t horizontal, uint32_t vertical) {
    bench_ink *ink = calloc(1, sizeof *ink + count * 3 * sizeof(plane));
    if (ink == NULL) return NULL;
    ink->count = count;
    ink->horizontal = horizontal;
    ink->vertical = vertical;
    for (size_t index = 0; index < count; index++)
        for (uint32_t component = 0; component < 3; component++) {
            uint32_t across = component == 0 ? 1 : horizontal, down = component == 0 ? 1 : vertical;
            if (!fill(&ink->planes[index * 3 + component], &patches[index], component, across, down)) {
                bench_ink_free(ink);
                return NULL;
            }
        }
    return ink;
}

void bench_ink_free(bench_ink *ink) {
    if (ink == NULL) return;
    for (size_t index = 0; index < ink->count * 3; index++) {
        free(ink->planes[index].values);
        free(ink->planes[index].rests);
    }
    free(ink);
}

/// Blends the rows of one component from `first` on.
static void blend(JSAMPARRAY rows, uint32_t first, uint32_t count, const bench_ink *ink, uint32_t component) {
    for (size_t index = 0; index < ink->count; index++) {
        const plane *plane = &ink->planes[index * 3 + component];
        uint32_t top = plane->y > first ? plane->y : first;
        uint32_t end = plane->y + plane->height < first + count ? plane->y + plane->height : first + count;
        for (uint32_t y = top; y < end; y++) {
            size_t at = (size_t)(y - plane->y) * plane->width;
            const uint8_t *values = plane->values + at, *rests = plane->rests + at;
            uint8_t *row = rows[y - first] + plane->x;
            for (uint32_t x = 0; x < plane->width; x++) {
                uint32_t value = values[x] + bench_by_255((uint32_t)row[x] * rests[x]);
                row[x] = (uint8_t)(value > 255 ? 255 : value);
            }
        }
    }
}

static void start(bench_work *work) {
    work->source.raw_data_out = TRUE;
    work->source.out_color_space = JCS_YCbCr;
    jpeg_start_decompress(&work->source);
    jpeg_copy_critical_parameters(&work->source, &work->target);
    work->target.in_color_space = JCS_YCbCr;
    work->target.raw_data_in = TRUE;
    work->target.restart_interval = work->source.restart_interval;
    jpeg_start_compress(&work->target, TRUE);
}

static void stamp(bench_work *work, const void *context) {
    const bench_ink *ink = context;
    start(work);
    uint32_t rows = (uint32_t)work->source.max_v_samp_factor * 8;
    JSAMPARRAY planes[3];
    for (int component = 0; component < 3; component++) {
        const jpeg_component_info *info = &work->source.comp_info[component];
        // Whole MCUs, as the encoder reads them.
        JDIMENSION width = (info->width_in_blocks + 3) * 8;
        planes[component] =
            (*work->source.mem->alloc_sarray)((j_common_ptr)&work->source, JPOOL_IMAGE, width, rows);
    }
    while (work->source.output_scanline < work->source.output_height) {
        uint32_t first = work->source.output_scanline;
        jpeg_read_raw_data(&work->source, planes, rows);
        for (uint32_t component = 0; component < 3; component++) {
            uint32_t down = component == 0 ? 1 : ink->vertical;
            blend(planes[component], first / down, rows / down, ink, component);
        }
        jpeg_write_raw_data(&work->target, planes, rows);
    }
}

bench_picture bench_stamp_raw(const uint8_t *jpeg, size_t length, const bench_ink *ink) {
    return bench_run(jpeg, length, stamp, ink);
}
