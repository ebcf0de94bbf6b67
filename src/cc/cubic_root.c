/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cc/cubic_root.h"

/* Cube roots of 0 ... 63, x 64, less 10 where they start a Newton step: Linux's
 * table. Not rounded values of a formula, so they are its interface. */
static const uint8_t cubic_roots[64] = {
	0,   54,  54,  54,  118, 118, 118, 118, 123, 129, 134, 138, 143,
	147, 151, 156, 157, 161, 164, 168, 170, 173, 176, 179, 181, 185,
	187, 190, 192, 194, 197, 199, 200, 202, 204, 206, 209, 211, 213,
	215, 217, 219, 221, 222, 224, 225, 227, 229, 231, 232, 234, 236,
	237, 239, 240, 242, 244, 245, 246, 248, 250, 251, 252, 254,
};

/* Length of a number in bits; 0 has none. */
static uint32_t root_bits(uint64_t value)
{
	uint32_t bits = 0;

	for (uint32_t half = 32; half != 0; half /= 2) {
		if (value >> half == 0)
			continue;
		value >>= half;
		bits += half;
	}
	return bits + (uint32_t)value;
}

/* The highest bits by table, which is at most 5 % off; then one Newton step,
 * x = (2 x + a / x^2) / 3, which squares that: 0.25 %. For a third it takes
 * 341/1024, which is 0.1 % less. */
uint32_t cc__cubic_root(uint64_t cube)
{
	uint32_t bits = root_bits(cube);
	uint32_t third, root;

	if (bits < 7)
		return (cubic_roots[cube & 63] + 35u) >> 6;
	third = (bits * 84 >> 8) - 1; /* bits / 3, rounded down, less one */
	root = (cubic_roots[cube >> (third * 3) & 63] + 10u) << third >> 6;
	root = 2 * root + (uint32_t)(cube / ((uint64_t)root * (root - 1)));
	return (uint32_t)((uint64_t)root * 341 >> 10);
}
