#include "internal.h"

static void fail(j_common_ptr common) {
    // The error manager is the first member of the work.
    longjmp(((bench_work *)common->err)->way_back, 1);
}

static void say_nothing(j_common_ptr common) { (void)common; }

bench_picture bench_run(
    const uint8_t *jpeg, size_t length, void (*body)(bench_work *work, const void *context), const void *context) {
    bench_picture picture = {0};
    bench_work *work = calloc(1, sizeof *work);
    // Room for what is usual, so that the output is not copied as it grows.
    size_t room = length + length / 4 + 65536;
    uint8_t *first = malloc(room);
    if (work == NULL || first == NULL) {
        free(work);
        free(first);
        picture.failed = 1;
        snprintf(picture.text, sizeof picture.text, "no memory");
        return picture;
    }
    work->source.err = work->target.err = jpeg_std_error(&work->errors);
    work->errors.error_exit = fail;
    work->errors.output_message = say_nothing;
    work->first = first;
    work->bytes = first;
    work->count = room;
    if (setjmp(work->way_back) == 0) {
        jpeg_create_decompress(&work->source);
        jpeg_create_compress(&work->target);
        jpeg_mem_src(&work->source, jpeg, length);
        jpeg_mem_dest(&work->target, &work->bytes, &work->count);
        jpeg_read_header(&work->source, TRUE);
        body(work, context);
        jpeg_finish_compress(&work->target);
        jpeg_finish_decompress(&work->source);
        picture.bytes = work->bytes;
        picture.count = work->count;
    } else {
        picture.failed = 1;
        char text[JMSG_LENGTH_MAX];
        work->errors.format_message((j_common_ptr)&work->source, text);
        snprintf(picture.text, sizeof picture.text, "%s", text);
    }
    jpeg_destroy_compress(&work->target);
    jpeg_destroy_decompress(&work->source);
    if (picture.bytes != work->first) free(work->first);
    free(work);
    return picture;
}

void bench_free(void *memory) { free(memory); }
