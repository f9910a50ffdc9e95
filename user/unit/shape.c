// SPDX-License-Identifier: GPL-2.0-only
/* Short numbers for lists of calls: a shape is the calls that units of one group made, and how often. */
#include "unit/shape.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

#define SLOTS_FIRST 256

int scope_shapes_create(struct scope_shapes **ret_shapes)
{
	struct scope_shapes *shapes = calloc(1, sizeof(*shapes));

	if (!shapes)
		return -ENOMEM;
	shapes->slots = SLOTS_FIRST;
	shapes->slot = calloc(SLOTS_FIRST, sizeof(*shapes->slot));
	if (!shapes->slot || scope_grow(&shapes->call, &shapes->call_capacity, 1,
					sizeof(*shapes->call))) {
		scope_shapes_destroy(shapes);
		return -ENOMEM;
	}
	*ret_shapes = shapes;
	return 0;
}

void scope_shapes_destroy(struct scope_shapes *shapes)
{
	if (!shapes)
		return;
	free(shapes->shape);
	free(shapes->call);
	free(shapes->slot);
	free(shapes);
}

static int widen(struct scope_shapes *shapes)
{
	struct scope_shapes wide = *shapes;

	wide.slots *= 2;
	wide.slot = calloc(wide.slots, sizeof(*wide.slot));
	if (!wide.slot)
		return -ENOMEM;
	for (uint32_t i = 0; i < shapes->count; i++) {
		const struct scope_shape *shape = &shapes->shape[i];
		const struct scope_unit_call *call = scope_shape_calls(shapes, shape);
		uint64_t hash = scope_shape_hash(shape->group, call, shape->calls);

		*scope_shapes_slot(&wide, hash, shape->group, call, shape->calls) =
			(struct scope_shape_slot){i + 1, (uint32_t)(hash >> 32)};
	}
	free(shapes->slot);
	*shapes = wide;
	return 0;
}

int scope_shapes_add(struct scope_shapes *shapes, uint64_t hash, const struct scope_unit *unit,
		     const struct scope_unit_call *call, uint32_t *ret_number)
{
	if (shapes->count == SCOPE_SHAPES_MAX ||
	    shapes->calls + unit->calls > SCOPE_SHAPE_CALLS_MAX) {
		*ret_number = SCOPE_SHAPE_NONE;
		return 0;
	}
	if ((shapes->count * 2 >= shapes->slots && widen(shapes)) ||
	    scope_grow(&shapes->shape, &shapes->capacity, shapes->count + 1,
		       sizeof(*shapes->shape)) ||
	    scope_grow(&shapes->call, &shapes->call_capacity, shapes->calls + unit->calls,
		       sizeof(*shapes->call)))
		return -ENOMEM;
	shapes->shape[shapes->count] = (struct scope_shape){
		.group = unit->group, .vector = unit->vector, .first = (uint32_t)shapes->calls,
		.calls = unit->calls,
	};
	memcpy(&shapes->call[shapes->calls], call, unit->calls * sizeof(*call));
	shapes->calls += unit->calls;
	*ret_number = (uint32_t)shapes->count++;
	*scope_shapes_slot(shapes, hash, unit->group, call, unit->calls) =
		(struct scope_shape_slot){*ret_number + 1, (uint32_t)(hash >> 32)};
	return 0;
}
