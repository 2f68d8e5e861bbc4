#include "cblocks.h"

#include <string.h>

// Vectors are passed between functions that are inlined, never by the ABI.
#pragma clang diagnostic ignored "-Wpsabi"
// A product and a sum are rounded one after the other everywhere.
#pragma STDC FP_CONTRACT OFF

typedef float row __attribute__((ext_vector_type(8)));
typedef int16_t words __attribute__((ext_vector_type(8)));
typedef int32_t longs __attribute__((ext_vector_type(8)));
typedef _Bool flags __attribute__((ext_vector_type(8)));

#define INLINE static inline __attribute__((always_inline))

/// 1.5 * 2^23: integers up to 2^22 added to it are its lowest bits.
#define MAGIC 12582912.0f
#define MAGIC_BITS 0x4B400000

// Factors of the coefficients that Arai, Agui and Nakajima take out of the transform (as in libjpeg's jfdctflt.c):
// 1, and sqrt(2) * cos(k pi / 16) for k from 1 on.
static const float scales[8] = {1, 1.387039845f, 1.306562965f, 1.175875602f, 1, 0.785694958f, 0.541196100f,
                                0.275899379f};

// What quantised coefficients are multiplied by before the inverse transform, what the result of the forward transform is
// multiplied by to be quantised, and what light is: 64 factors each.
enum { IN = 0, OUT = 64, LIGHT = 128 };

void konza_blend_factors(float factors[KONZA_BLEND_FACTORS], const uint16_t quantisation[64]) {
    for (int place = 0; place < 64; place += 1) {
        float step = quantisation[place];
        float scale = scales[place / 8] * scales[place % 8];
        factors[IN + place] = step * scale / 8;
        // Dimming has multiplied by the scale of alpha.
        factors[OUT + place] = 1 / (step * scale * 8 * KONZA_ALPHA_SCALE);
        factors[LIGHT + place] = 1 / (step * KONZA_LIGHT_SCALE);
    }
}

INLINE row load(const float *values) {
    row result;
    memcpy(&result, values, sizeof result);
    return result;
}

INLINE row integers(const int16_t *values) {
    words result;
    memcpy(&result, values, sizeof result);
    return __builtin_convertvector(result, row);
}

INLINE void transpose(row r[8]) {
    row a[8], b[8];
    for (int i = 0; i < 4; i += 1) {
        a[2 * i] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        a[2 * i + 1] = __builtin_shufflevector(r[2 * i], r[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i += 4) {
        b[i] = __builtin_shufflevector(a[i], a[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        b[i + 1] = __builtin_shufflevector(a[i], a[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        b[i + 2] = __builtin_shufflevector(a[i + 1], a[i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
        b[i + 3] = __builtin_shufflevector(a[i + 1], a[i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int i = 0; i < 4; i += 1) {
        r[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        r[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

/// The inverse transform of eight columns, scaled (jidctflt.c).
INLINE void inverse(row r[8]) {
    row t10 = r[0] + r[4], t11 = r[0] - r[4];
    row t13 = r[2] + r[6], t12 = (r[2] - r[6]) * 1.414213562f - t13;
    row e0 = t10 + t13, e3 = t10 - t13, e1 = t11 + t12, e2 = t11 - t12;
    row z13 = r[5] + r[3], z10 = r[5] - r[3], z11 = r[1] + r[7], z12 = r[1] - r[7];
    row o7 = z11 + z13;
    row o11 = (z11 - z13) * 1.414213562f;
    row z5 = (z10 + z12) * 1.847759065f;
    row o10 = z5 - z12 * 1.082392200f, o12 = z5 - z10 * 2.613125930f;
    row o6 = o12 - o7, o5 = o11 - o6, o4 = o10 - o5;
    r[0] = e0 + o7, r[7] = e0 - o7, r[1] = e1 + o6, r[6] = e1 - o6;
    r[2] = e2 + o5, r[5] = e2 - o5, r[3] = e3 + o4, r[4] = e3 - o4;
}

/// The forward transform of eight columns, scaled (jfdctflt.c).
INLINE void forward(row r[8]) {
    row t0 = r[0] + r[7], t7 = r[0] - r[7], t1 = r[1] + r[6], t6 = r[1] - r[6];
    row t2 = r[2] + r[5], t5 = r[2] - r[5], t3 = r[3] + r[4], t4 = r[3] - r[4];
    row t10 = t0 + t3, t13 = t0 - t3, t11 = t1 + t2, t12 = t1 - t2;
    row z1 = (t12 + t13) * 0.707106781f;
    r[0] = t10 + t11, r[4] = t10 - t11, r[2] = t13 + z1, r[6] = t13 - z1;
    t10 = t4 + t5, t11 = t5 + t6, t12 = t6 + t7;
    row z5 = (t10 - t12) * 0.382683433f;
    row z2 = t10 * 0.541196100f + z5, z4 = t12 * 1.306562965f + z5, z3 = t11 * 0.707106781f;
    row z11 = t7 + z3, z13 = t7 - z3;
    r[5] = z13 + z2, r[3] = z13 - z2, r[1] = z11 + z4, r[7] = z11 - z4;
}

/// Rounds a row of coefficients to the nearest integers, ties to even, and stores it.
INLINE uint64_t store(row value, int16_t coefficients[64], int i) {
    // 8-bit Huffman coding has at most ten bits for a coefficient (T.81 F.1.2.2, table F.2); DC alone may be -1024:
    // black everywhere at a step of 1.
    row lowest = -1023;
    if (i == 0) lowest[0] = -1024;
    value = value < lowest ? lowest : value;
    value = value > 1023 ? (row)1023 : value;
    value += MAGIC;
    longs bits;
    memcpy(&bits, &value, sizeof bits);
    words rounded = __builtin_convertvector(bits - MAGIC_BITS, words);
    memcpy(coefficients + 8 * i, &rounded, sizeof rounded);
    flags set = __builtin_convertvector(rounded != 0, flags);
    uint8_t byte;
    memcpy(&byte, &set, 1);
    return (uint64_t)byte << (8 * i);
}

INLINE uint64_t blend(
    int16_t coefficients[64], const int16_t alpha[64], const int16_t light[64], const float *factors) {
    row r[8];
    for (int i = 0; i < 8; i += 1) r[i] = integers(coefficients + 8 * i) * load(factors + IN + 8 * i);
    inverse(r);
    transpose(r);
    inverse(r);
    // The samples now lie column by column, as alpha does.
    for (int i = 0; i < 8; i += 1) r[i] *= KONZA_ALPHA_SCALE - integers(alpha + 8 * i);
    forward(r);
    transpose(r);
    forward(r);
    uint64_t mask = 0;
    for (int i = 0; i < 8; i += 1) {
        row ink = integers(light + 8 * i) * load(factors + LIGHT + 8 * i);
        mask |= store(r[i] * load(factors + OUT + 8 * i) + ink, coefficients, i);
    }
    return mask;
}

INLINE uint64_t blend_flat(int16_t coefficients[64], int16_t alpha, const int16_t light[64], const float *factors) {
    row rest = 1 - (float)alpha / KONZA_ALPHA_SCALE;
    uint64_t mask = 0;
    for (int i = 0; i < 8; i += 1) {
        row ink = integers(light + 8 * i) * load(factors + LIGHT + 8 * i);
        mask |= store(integers(coefficients + 8 * i) * rest + ink, coefficients, i);
    }
    return mask;
}

INLINE row sums(const uint32_t *values, int shift) {
    longs result;
    memcpy(&result, values, sizeof result);
    return __builtin_convertvector((result >> shift) & 0xFFFF, row);
}

INLINE void ink_light(
    int16_t light[64], const uint32_t red_blue[64], const uint32_t green_alpha[64], const float counts[16],
    const float factors[4]) {
    row r[8];
    for (int i = 0; i < 8; i += 1) {
        const uint32_t *low = red_blue + 8 * i, *high = green_alpha + 8 * i;
        row colour = sums(low, 0) * factors[0] + sums(high, 0) * factors[1] + sums(low, 16) * factors[2];
        r[i] = (colour + sums(high, 16) * factors[3]) / (load(counts) * counts[8 + i]);
    }
    transpose(r);
    forward(r);
    transpose(r);
    forward(r);
    for (int i = 0; i < 8; i += 1) {
        row value = r[i] * (KONZA_LIGHT_SCALE / 8.0f / scales[i]) / load(scales) + MAGIC;
        longs bits;
        memcpy(&bits, &value, sizeof bits);
        words rounded = __builtin_convertvector(bits - MAGIC_BITS, words);
        memcpy(light + 8 * i, &rounded, sizeof rounded);
    }
}

INLINE int32_t ink_alpha(int16_t alpha[64], const uint32_t green_alpha[64], const float counts[16]) {
    row r[8];
    for (int i = 0; i < 8; i += 1) {
        // Rounded down: only what hides all has the whole scale.
        r[i] = sums(green_alpha + 8 * i, 16) / (load(counts) * counts[8 + i] * 255) * KONZA_ALPHA_SCALE;
    }
    transpose(r);
    words differences = 0, first = 0;
    for (int i = 0; i < 8; i += 1) {
        words values = __builtin_convertvector(__builtin_convertvector(r[i], longs), words);
        memcpy(alpha + 8 * i, &values, sizeof values);
        if (i == 0) first = values[0];
        differences |= values ^ first;
    }
    uint64_t halves[2];
    memcpy(halves, &differences, sizeof halves);
    return (halves[0] | halves[1]) == 0 ? alpha[0] : -1;
}

#if defined(__x86_64__)
#define WIDE __attribute__((target("avx2")))
#define HAS_WIDE __builtin_cpu_supports("avx2")
#else
#define WIDE
#define HAS_WIDE 0
#endif

WIDE static void ink_light_wide(
    int16_t light[64], const uint32_t red_blue[64], const uint32_t green_alpha[64], const float counts[16],
    const float factors[4]) {
    ink_light(light, red_blue, green_alpha, counts, factors);
}

WIDE static int32_t ink_alpha_wide(int16_t alpha[64], const uint32_t green_alpha[64], const float counts[16]) {
    return ink_alpha(alpha, green_alpha, counts);
}

void konza_ink_light(
    int16_t light[64], const uint32_t red_blue[64], const uint32_t green_alpha[64], const float counts[16],
    const float factors[4]) {
    if (HAS_WIDE) return ink_light_wide(light, red_blue, green_alpha, counts, factors);
    ink_light(light, red_blue, green_alpha, counts, factors);
}

int32_t konza_ink_alpha(int16_t alpha[64], const uint32_t green_alpha[64], const float counts[16]) {
    if (HAS_WIDE) return ink_alpha_wide(alpha, green_alpha, counts);
    return ink_alpha(alpha, green_alpha, counts);
}

WIDE static uint64_t blend_wide(
    int16_t coefficients[64], const int16_t alpha[64], const int16_t light[64], const float *factors) {
    return blend(coefficients, alpha, light, factors);
}

WIDE static uint64_t blend_flat_wide(
    int16_t coefficients[64], int16_t alpha, const int16_t light[64], const float *factors) {
    return blend_flat(coefficients, alpha, light, factors);
}

uint64_t konza_blend_narrow(
    int16_t coefficients[64], const int16_t alpha[64], const int16_t light[64],
    const float factors[KONZA_BLEND_FACTORS]) {
    return blend(coefficients, alpha, light, factors);
}

uint64_t konza_blend(
    int16_t coefficients[64], const int16_t alpha[64], const int16_t light[64],
    const float factors[KONZA_BLEND_FACTORS]) {
    if (HAS_WIDE) return blend_wide(coefficients, alpha, light, factors);
    return konza_blend_narrow(coefficients, alpha, light, factors);
}

uint64_t konza_blend_flat(
    int16_t coefficients[64], int16_t alpha, const int16_t light[64], const float factors[KONZA_BLEND_FACTORS]) {
    if (HAS_WIDE) return blend_flat_wide(coefficients, alpha, light, factors);
    return blend_flat(coefficients, alpha, light, factors);
}
