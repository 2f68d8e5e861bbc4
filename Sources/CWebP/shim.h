#pragma once
#include <webp/encode.h>
#include <webp/mux.h>

/// An encoder of animations that repeat for ever; NULL without memory.
static inline WebPAnimEncoder *konza_animation_new(int width, int height) {
    WebPAnimEncoderOptions options;
    if (!WebPAnimEncoderOptionsInit(&options)) return NULL;
    options.anim_params.loop_count = 0;
    options.kmin = 3;
    options.kmax = 8;
    return WebPAnimEncoderNew(width, height, &options);
}

/// Adds a picture of R, G, B that is shown from so many milliseconds on; 0 if it could not be.
static inline int konza_animation_add(
    WebPAnimEncoder *encoder, const uint8_t *rgb, int width, int height, int milliseconds, float quality) {
    WebPConfig config;
    WebPPicture picture;
    if (!WebPConfigPreset(&config, WEBP_PRESET_PHOTO, quality) || !WebPPictureInit(&picture)) return 0;
    config.method = 2;
    picture.use_argb = 1;
    picture.width = width;
    picture.height = height;
    int done = WebPPictureImportRGB(&picture, rgb, width * 3) &&
               WebPAnimEncoderAdd(encoder, &picture, milliseconds, &config);
    WebPPictureFree(&picture);
    return done;
}

/// Ends the last picture, and gives the file, to be freed by WebPDataClear; 0 if it could not be made.
static inline int konza_animation_finish(WebPAnimEncoder *encoder, int milliseconds, WebPData *file) {
    WebPDataInit(file);
    return WebPAnimEncoderAdd(encoder, NULL, milliseconds, NULL) && WebPAnimEncoderAssemble(encoder, file);
}

static inline void konza_animation_clear(WebPData *file) { WebPDataClear(file); }
