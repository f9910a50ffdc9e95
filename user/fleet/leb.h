/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole numbers in as few bytes as they need: seven bits in each, the lowest first (LEB128). */
#ifndef SCOPE_FLEET_LEB_H
#define SCOPE_FLEET_LEB_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#define SCOPE_FLEET_LEB_BYTES 10 /* no rule: the most that 64 bits take */

/* Returns the length. */
static inline size_t scope_fleet_leb_put(uint8_t *to, uint64_t value)
{
	size_t length = 0;

	for (; value > 0x7f; value >>= 7)
		to[length++] = (uint8_t)(value | 0x80);
	to[length++] = (uint8_t)value;
	return length;
}

/* Moves *from past the number. 0, or -EBADMSG: it ends too early, or is no number of 64 bits. */
static inline int scope_fleet_leb_take(const uint8_t **from, const uint8_t *end, uint64_t *ret_value)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && *from < end; shift += 7) {
		const uint8_t byte = *(*from)++;

		if (shift == 63 && byte > 1)
			return -EBADMSG;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret_value = value;
			return 0;
		}
	}
	return -EBADMSG;
}

#endif
