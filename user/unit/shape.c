// SPDX-License-Identifier: GPL-2.0-only
/* Short numbers for lists of calls: a shape is the calls that units of one group made, and how often. */
#include "unit/shape.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

#define SLOTS_FIRST 256	   /* no rule */
#define NO_STEP UINT64_MAX /* no key */

int scope_unit_shapes_create(struct scope_shapes **ret_shapes)
{
	struct scope_shapes *shapes = calloc(1, sizeof(*shapes));

	if (!shapes)
		return -ENOMEM;
	for (size_t i = 0; i < 1u << SCOPE_SHAPE_STEPS_BITS; i++)
		shapes->step[i].key = NO_STEP;
	shapes->slots = SLOTS_FIRST;
	shapes->slot = calloc(SLOTS_FIRST, sizeof(*shapes->slot));
	if (!shapes->slot || scope_grow(&shapes->call, &shapes->call_capacity, 1, sizeof(*shapes->call))) {
		scope_unit_shapes_destroy(shapes);
		return -ENOMEM;
	}
	*ret_shapes = shapes;
	return 0;
}

void scope_unit_shapes_destroy(struct scope_shapes *shapes)
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
	struct scope_shape_slot *slot = shapes->slot;

	shapes->slot = calloc(2 * shapes->slots, sizeof(*slot));
	if (!shapes->slot) {
		shapes->slot = slot;
		return -ENOMEM;
	}
	shapes->slots *= 2;
	for (uint32_t i = 0; i < shapes->count; i++) {
		const struct scope_shape *shape = &shapes->shape[i];
		const struct scope_unit_call *call = scope_unit_shape_calls(shapes, shape);
		uint64_t hash = scope_unit_shape_hash(shape->group, call, shape->calls);

		*scope_unit_shapes_slot(shapes, hash, shape->group, call, shape->calls) =
			(struct scope_shape_slot){ i + 1, (uint32_t)(hash >> 32) };
	}
	free(slot);
	return 0;
}

int scope_unit_shapes_add(struct scope_shapes *shapes, uint64_t hash, const struct scope_unit *unit,
			  const struct scope_unit_call *call, uint32_t *ret_number)
{
	if (shapes->count == SCOPE_SHAPES_MAX || shapes->calls + unit->calls > SCOPE_SHAPE_CALLS_MAX) {
		*ret_number = SCOPE_SHAPE_NONE;
		return 0;
	}
	if ((shapes->count * 2 >= shapes->slots && widen(shapes)) ||
	    scope_grow(&shapes->shape, &shapes->capacity, shapes->count + 1, sizeof(*shapes->shape)) ||
	    scope_grow(&shapes->call, &shapes->call_capacity, shapes->calls + unit->calls, sizeof(*shapes->call)))
		return -ENOMEM;
	shapes->shape[shapes->count] = (struct scope_shape){
		.group = unit->group,
		.vector = unit->vector,
		.first = (uint32_t)shapes->calls,
		.calls = unit->calls,
	};
	memcpy(&shapes->call[shapes->calls], call, unit->calls * sizeof(*call));
	shapes->calls += unit->calls;
	*ret_number = (uint32_t)shapes->count++;
	*scope_unit_shapes_slot(shapes, hash, unit->group, call, unit->calls) =
		(struct scope_shape_slot){ *ret_number + 1, (uint32_t)(hash >> 32) };
	return 0;
}

/* The number of that list, which gets one where it has none; ret_number as of scope_unit_shapes_add(). */
static int get(struct scope_shapes *shapes, uint32_t group, const struct scope_unit_call *call, uint16_t calls,
	       uint32_t *ret_number)
{
	const struct scope_unit unit = {
		.group = group,
		.vector = SCOPE_SHAPE_NO_VECTOR,
		.calls = calls,
	};
	const uint64_t hash = scope_unit_shape_hash(group, call, calls);

	*ret_number = scope_unit_shapes_find(shapes, hash, group, call, calls);
	if (*ret_number != SCOPE_SHAPE_NONE || shapes->count >= SCOPE_SHAPES_MAX / 2 ||
	    shapes->calls >= SCOPE_SHAPE_CALLS_MAX / 2)
		return 0;
	return scope_unit_shapes_add(shapes, hash, &unit, call, ret_number);
}

int scope_unit_shapes_root(struct scope_shapes *shapes, uint32_t group, uint32_t *ret_number)
{
	const struct scope_unit_call none = { 0 };

	return get(shapes, group, &none, 0, ret_number);
}

int scope_unit_shapes_step(struct scope_shapes *shapes, uint32_t from, uint16_t nr, uint32_t *ret_to)
{
	const uint64_t key = scope_unit_shape_step_key(from, nr);
	const struct scope_shape *shape = &shapes->shape[from];
	struct scope_unit_call call[SCOPE_UNIT_CALLS];
	uint16_t calls = shape->calls, i;
	int err;

	*ret_to = SCOPE_SHAPE_NONE;
	memcpy(call, scope_unit_shape_calls(shapes, shape), calls * sizeof(*call));
	for (i = 0; i < calls && call[i].nr != nr; i++)
		;
	if (i == SCOPE_UNIT_CALLS || (i < calls && call[i].count >= SCOPE_SHAPE_COUNT_MAX))
		return 0;
	if (i == calls)
		call[calls++] = (struct scope_unit_call){ nr, 0 };
	call[i].count++;
	err = get(shapes, shape->group, call, calls, ret_to);
	if (!err && *ret_to != SCOPE_SHAPE_NONE)
		*scope_unit_shapes_step_at(shapes, key) = (struct scope_shape_step){ key, *ret_to };
	return err;
}
