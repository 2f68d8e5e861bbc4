#pragma once
#include <stdint.h>

/// Arithmetic on blocks of 8x8 coefficients with lanes side by side, twice as many where the processor has AVX2, which
/// Swift cannot choose while the program runs. The result is the same to the bit on every x86-64 processor.
///
/// Blocks lie in natural order, row by row. Results have at most 1023 either way, DC alone may be -1024.

enum {
    /// Transformed light is held in 16ths; a coefficient is within 1024 either way, as samples are within 128.
    KONZA_LIGHT_SCALE = 16,
    /// Alpha is held in 16384ths.
    KONZA_ALPHA_SCALE = 16384,
    /// How many factors a quantisation table has.
    KONZA_BLEND_FACTORS = 192,
};

/// The light of an overlay's pixels on the samples of a block, transformed.
///
/// - light: the result, in parts of `KONZA_LIGHT_SCALE`.
/// - red_blue, green_alpha: of each sample, the sums over its pixels, 16 bits each, the first named the lower.
/// - counts: how many columns of pixels each column of samples stands for, then the same of rows; none 0.
/// - factors: by what red, green, blue and alpha come into the component.
void konza_ink_light(
    int16_t light[64], const uint32_t red_blue[64], const uint32_t green_alpha[64], const float counts[16],
    const float factors[4]);

/// The alpha of an overlay's pixels on the samples of a block, column by column, in parts of `KONZA_ALPHA_SCALE`.
///
/// - Returns: what all samples have, or -1.
int32_t konza_ink_alpha(int16_t alpha[64], const uint32_t green_alpha[64], const float counts[16]);

/// Makes the factors of a quantisation table, none of which is 0.
void konza_blend_factors(float factors[KONZA_BLEND_FACTORS], const uint16_t quantisation[64]);

/// Lays ink on a block, whose samples it dims each by its own alpha.
///
/// - coefficients: quantised; replaced by the result.
/// - alpha: of each sample, column by column.
/// - light: transformed.
/// - Returns: a bit for each coefficient of the result that is not 0.
uint64_t konza_blend(
    int16_t coefficients[64], const int16_t alpha[64], const int16_t light[64],
    const float factors[KONZA_BLEND_FACTORS]);

/// `konza_blend` as it is without AVX2.
uint64_t konza_blend_narrow(
    int16_t coefficients[64], const int16_t alpha[64], const int16_t light[64],
    const float factors[KONZA_BLEND_FACTORS]);

/// Lays ink on a block, all samples of which have the same alpha: coefficients are dimmed as samples are.
uint64_t konza_blend_flat(
    int16_t coefficients[64], int16_t alpha, const int16_t light[64], const float factors[KONZA_BLEND_FACTORS]);
