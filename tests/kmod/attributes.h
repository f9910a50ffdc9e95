/* SPDX-License-Identifier: GPL-2.0-only */
/* Netlink attributes built byte by byte, valid or invalid. */
#ifndef SCOPE_TESTS_KMOD_ATTRIBUTES_H
#define SCOPE_TESTS_KMOD_ATTRIBUTES_H

#include <stdint.h>

struct attributes {
	uint32_t bytes;
	_Alignas(8) uint8_t data[16384];
};

/* name may have NLA_F_NESTED set. */
void attributes_add(struct attributes *a, int name, const void *data, uint32_t bytes);
void attributes_u32(struct attributes *a, int name, uint32_t value);
void attributes_nest(struct attributes *a, int name, const struct attributes *inner);
void attributes_targets(struct attributes *a, uint32_t pid, int count); /* the same one count times */

#endif
