/* SPDX-License-Identifier: GPL-2.0-only */
/* Growable arrays: a pointer, a count and a capacity that the owner keeps. */
#ifndef SCOPE_BASE_GROW_H
#define SCOPE_BASE_GROW_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

/* Makes room for `need` elements by doubling the capacity. On -ENOMEM the array stays as it was. */
static inline int scope_grow(void *array_pointer, size_t *capacity, size_t need, size_t bytes)
{
	void **array = array_pointer;
	size_t size = *capacity ? *capacity : 16;
	void *grown;

	if (need <= *capacity)
		return 0;
	while (size < need)
		size *= 2;
	grown = reallocarray(*array, size, bytes);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*capacity = size;
	return 0;
}

#endif
