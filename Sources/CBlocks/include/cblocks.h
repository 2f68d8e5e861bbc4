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
