// SPDX-License-Identifier: GPL-2.0-only
/* Objects by number. */
#include "metrics/objects.h"

#include <stdbool.h>

static bool is_same(const struct scope_metric_object *a, const struct scope_metric_object *b)
{
	return a->id == b->id && a->tgid == b->tgid && a->type == b->type && a->kind == b->kind;
}

size_t scope_metrics_object(struct scope_metric_objects *objects, const struct scope_metric_object *object)
{
	const size_t mask = 2 * SCOPE_OBJECTS_MAX - 1;
	const uint64_t key = object->id ^ (uint64_t)object->tgid << 32 ^ (uint64_t)object->type << 60 ^
			     (uint64_t)object->kind << 56;
	size_t at = (size_t)(key * 0x9e3779b97f4a7c15ull >> 40) & mask;

	for (; objects->slot[at]; at = (at + 1) & mask)
		if (is_same(&objects->object[objects->slot[at] - 1], object))
			return objects->slot[at] - 1u;
	if (objects->count >= SCOPE_OBJECTS_MAX) {
		objects->object[SCOPE_OBJECTS_MAX] = (struct scope_metric_object){ .type = SCOPE_OBJECT_REST };
		objects->count = SCOPE_OBJECTS_MAX + 1;
		return SCOPE_OBJECTS_MAX;
	}
	objects->object[objects->count] = *object;
	objects->slot[at] = (uint16_t)++objects->count;
	return objects->count - 1;
}
