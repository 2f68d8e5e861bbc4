#pragma once
#include <fontconfig/fontconfig.h>
#include <hb-ot.h>
#include <malloc.h>
#include <pango/pangocairo.h>

/* GObject's cast macros do not reach Swift. */
static inline void konza_unref(void *object) { g_object_unref(object); }
static inline void konza_free(void *memory) { g_free(memory); }

/* A font map of its own, bound to FreeType and fontconfig whatever PANGOCAIRO_BACKEND says. */
static inline PangoFontMap *konza_font_map_new(void) {
    return pango_cairo_font_map_new_for_font_type(CAIRO_FONT_TYPE_FT);
}

/* Whether the font paints its glyphs in colours of its own (bitmaps or layers), so that they have no outline. */
static inline int konza_font_has_colour(PangoFont *font) {
    hb_face_t *face = hb_font_get_face(pango_font_get_hb_font(font));
    return hb_ot_color_has_png(face) || hb_ot_color_has_layers(face) || hb_ot_color_has_svg(face);
}

/* The glyph stands for a character that no font has; the character is left in `*scalar`. */
static inline int konza_glyph_is_unknown(PangoGlyph glyph, uint32_t *scalar) {
    if (glyph == PANGO_GLYPH_EMPTY || !(glyph & PANGO_GLYPH_UNKNOWN_FLAG)) return 0;
    *scalar = glyph & ~(PangoGlyph)PANGO_GLYPH_UNKNOWN_FLAG;
    return 1;
}

/* Whether fontconfig knows a family by any of its names; Pango lists the first one only. */
static inline int konza_family_is_installed(const char *name) {
    FcPattern *pattern = FcPatternBuild(NULL, FC_FAMILY, FcTypeString, name, NULL);
    FcObjectSet *objects = FcObjectSetBuild(FC_FAMILY, NULL);
    FcFontSet *found = pattern && objects ? FcFontList(NULL, pattern, objects) : NULL;
    int is_installed = found && found->nfont > 0;
    if (found) FcFontSetDestroy(found);
    if (objects) FcObjectSetDestroy(objects);
    if (pattern) FcPatternDestroy(pattern);
    return is_installed;
}

/* Gives freed memory back to the system; Glibc's module leaves malloc.h out. */
static inline void konza_trim_memory(void) { malloc_trim(0); }
