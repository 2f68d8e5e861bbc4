#include "internal.h"

static void fail(j_common_ptr common) {
    konza_errors *errors = (konza_errors *)common->err;
    switch (common->err->msg_code) {
    case JERR_NO_BACKING_STORE: errors->report->code = KONZA_JPEG_MEMORY_LIMIT; break;
    case JERR_OUT_OF_MEMORY: errors->report->code = KONZA_JPEG_MEMORY; break;
    case JERR_MISMATCHED_QUANT_TABLE: errors->report->code = KONZA_JPEG_TABLES_CHANGED; break;
    default: errors->report->code = KONZA_JPEG_REFUSED;
    }
    char text[JMSG_LENGTH_MAX];
    common->err->format_message(common, text);
    snprintf(errors->report->text, sizeof errors->report->text, "%s", text);
    longjmp(errors->way_back, 1);
}

/// Some cameras leave a few bytes before the last marker: libjpeg skips them, and no pixel is lost by it. Nor does any hang on
/// JFIF's revision.
static int is_harmless(const struct jpeg_error_mgr *errors) {
    if (errors->msg_code == JWRN_JFIF_MAJOR) return 1;
    return errors->msg_code == JWRN_EXTRANEOUS_DATA && errors->msg_parm.i[0] <= 16;
}

static void message(j_common_ptr common, int level) {
    if (level >= 0) return;
    konza_errors *errors = (konza_errors *)common->err;
    if (!is_harmless(common->err)) errors->report->damages++;
    if (errors->report->warnings++ != 0) return;
    char text[JMSG_LENGTH_MAX];
    common->err->format_message(common, text);
    snprintf(errors->report->warning, sizeof errors->report->warning, "%s", text);
}

static void say_nothing(j_common_ptr common) { (void)common; }

struct jpeg_error_mgr *konza_errors_init(konza_errors *errors, konza_jpeg_report *report) {
    jpeg_std_error(&errors->base);
    errors->base.error_exit = fail;
    errors->base.emit_message = message;
    errors->base.output_message = say_nothing;
    errors->report = report;
    memset(report, 0, sizeof *report);
    return &errors->base;
}

void konza_fail(j_common_ptr common, int32_t code, const char *words) {
    konza_errors *errors = (konza_errors *)common->err;
    errors->report->code = code;
    snprintf(errors->report->text, sizeof errors->report->text, "%s", words);
    longjmp(errors->way_back, 1);
}

static void output_start(j_compress_ptr compress) {
    konza_output *output = (konza_output *)compress->dest;
    output->capacity = output->limit < 65536 ? output->limit : 65536;
    output->bytes = malloc(output->capacity);
    if (output->bytes == NULL) konza_fail((j_common_ptr)compress, KONZA_JPEG_MEMORY, "no memory for the output");
    output->base.next_output_byte = output->bytes;
    output->base.free_in_buffer = output->capacity;
}

static boolean output_grow(j_compress_ptr compress) {
    konza_output *output = (konza_output *)compress->dest;
    // libjpeg counts the whole buffer as full here, whatever next_output_byte says.
    size_t used = output->capacity;
    if (used >= output->limit)
        konza_fail((j_common_ptr)compress, KONZA_JPEG_OUTPUT_LIMIT, "the output exceeds its limit");
    size_t capacity = used > output->limit / 2 ? output->limit : used * 2;
    uint8_t *bytes = realloc(output->bytes, capacity);
    if (bytes == NULL) konza_fail((j_common_ptr)compress, KONZA_JPEG_MEMORY, "no memory for the output");
    output->bytes = bytes;
    output->capacity = capacity;
    output->base.next_output_byte = bytes + used;
    output->base.free_in_buffer = capacity - used;
    return TRUE;
}

static void output_end(j_compress_ptr compress) { (void)compress; }

void konza_output_init(konza_output *output, size_t limit) {
    output->base.init_destination = output_start;
    output->base.empty_output_buffer = output_grow;
    output->base.term_destination = output_end;
    output->bytes = NULL;
    output->capacity = 0;
    output->limit = limit == 0 ? 1 : limit;
}

size_t konza_output_length(const konza_output *output) { return output->capacity - output->base.free_in_buffer; }

void konza_output_append(j_compress_ptr compress, const uint8_t *bytes, size_t length) {
    konza_output *output = (konza_output *)compress->dest;
    while (length > 0) {
        if (output->base.free_in_buffer == 0) output_grow(compress);
        size_t part = length < output->base.free_in_buffer ? length : output->base.free_in_buffer;
        memcpy(output->base.next_output_byte, bytes, part);
        output->base.next_output_byte += part;
        output->base.free_in_buffer -= part;
        bytes += part;
        length -= part;
    }
}

static void watch_scans(j_common_ptr common) {
    konza_progress *progress = (konza_progress *)common->progress;
    if (((j_decompress_ptr)common)->input_scan_number > progress->scans)
        konza_fail(common, KONZA_JPEG_SCAN_LIMIT, "more scans than allowed");
}

void konza_progress_init(konza_progress *progress, int32_t scans) {
    memset(progress, 0, sizeof *progress);
    progress->base.progress_monitor = watch_scans;
    progress->scans = scans;
}

void konza_check_pixels(j_decompress_ptr decompress, const konza_jpeg_limits *limits) {
    if ((uint64_t)decompress->image_width * decompress->image_height > limits->pixels)
        konza_fail((j_common_ptr)decompress, KONZA_JPEG_PIXEL_LIMIT, "more pixels than allowed");
}

void konza_jpeg_free(void *memory) { free(memory); }
