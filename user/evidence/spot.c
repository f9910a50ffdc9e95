// SPDX-License-Identifier: GPL-2.0-only
/* Lays one stack into the tree of program functions, and keeps its addresses. */
#include "evidence/spot.h"

#include <errno.h>
#include <string.h>

#include "base/grow.h"
#include "symbol/goname.h"

/* Keeps a stack for a later look at the source. */
static int keep_trail(struct scope_evidence *evidence, uint32_t tgid, unsigned flags, const uint64_t *address,
		      unsigned count, uint32_t *ret_trail)
{
	size_t at = evidence->trails ? evidence->trails : 1; /* 0 is none */

	*ret_trail = 0;
	if (!count || at + 2 + count > UINT32_MAX)
		return 0;
	if (scope_grow(&evidence->trail, &evidence->trail_capacity, at + 2 + count, sizeof(*evidence->trail)))
		return -ENOMEM;
	evidence->trail[at] = tgid | (uint64_t)flags << 32;
	evidence->trail[at + 1] = count;
	memcpy(&evidence->trail[at + 2], address, count * sizeof(*address));
	evidence->trails = at + 2 + count;
	*ret_trail = (uint32_t)at;
	return 0;
}

/* A function that was met at a place, innermost first, is met again behind the others. */
static void note_circle(struct scope_spot *spot, const struct scope_function *const *path, unsigned at, unsigned length)
{
	struct scope_circle circle = { .function = path[at], .count = length - at - 1 };
	unsigned number = 0;

	for (unsigned i = 0; i < circle.count && i < SCOPE_CIRCLE_MAX; i++)
		circle.by[i] = path[length - 1 - i];
	/* The outermost is told: a function that goes round twice says the same twice. */
	while (number < spot->circles && spot->circle[number].function != circle.function)
		number++;
	if (number == SCOPE_SPOT_CIRCLES)
		return;
	if (number == spot->circles)
		spot->circles++;
	spot->circle[number] = circle;
}

int scope_evidence_spot_chain(const struct scope_spotter *spotter, uint32_t tgid, const uint64_t *ips, unsigned count,
			      unsigned flags, struct scope_spot *ret_spot)
{
	const struct scope_function *path[SCOPE_PATH_MAX], *below = NULL, *last_library = NULL;
	uint64_t address[SCOPE_PATH_MAX];
	unsigned length = 0;
	bool language = false;
	int err;

	ret_spot->trail = 0;
	ret_spot->below = NULL;
	ret_spot->circles = 0;
	ret_spot->idle = false;
	for (unsigned i = 0; i < count; i++) {
		const struct scope_function *function;
		unsigned at = 0;

		err = scope_symbols_lookup(spotter->symbols, tgid, ips[i], i > 0, &function);
		if (err)
			return err;
		if (spotter->namesakes)
			function = scope_symbol_namesakes_find(spotter->namesakes, function);
		if (function->library || function->path[0] == '\0') {
			last_library = function;
			language |= function->language;
			ret_spot->idle |= function->language && scope_symbol_go_name_is_idle(function->name);
			continue;
		}
		if (!length)
			below = last_library;
		/* As in the tree: one that calls itself stands once, at its outermost place. */
		while (at < length && path[at] != function)
			at++;
		if (at < length) {
			note_circle(ret_spot, path, at, length);
			length = at + 1;
			continue;
		}
		if (length == SCOPE_PATH_MAX) {
			flags |= SCOPE_UNWIND_CUT;
			break;
		}
		address[length] = ips[i] - (i > 0);
		path[length++] = function;
	}
	for (unsigned i = 0; i < length / 2; i++) {
		const struct scope_function *swap = path[i];

		path[i] = path[length - 1 - i];
		path[length - 1 - i] = swap;
	}
	ret_spot->idle &= !length;
	spotter->evidence->nameless += !length;
	spotter->evidence->language += !length && language;
	ret_spot->below = below;
	err = scope_evidence_tree_insert(&spotter->evidence->tree, path, length, &ret_spot->node);
	if (err || spotter->namesakes)
		return err;
	return keep_trail(spotter->evidence, tgid, flags, address, length, &ret_spot->trail);
}

int scope_evidence_spot_frames(const struct scope_spotter *spotter, uint32_t tgid, const uint64_t *ips, unsigned count,
			       uint8_t ended, struct scope_spot *ret_spot)
{
	struct scope_evidence *evidence = spotter->evidence;

	if (!count) {
		*ret_spot = (struct scope_spot){ .node = SCOPE_TREE_ROOT };
		evidence->broken++;
		return 0;
	}
	evidence->stacks++;
	evidence->complete += !!(ended & SCOPE_FRAMES_COMPLETE);
	evidence->cut += !!(ended & SCOPE_FRAMES_CUT);
	evidence->broken += !!(ended & SCOPE_FRAMES_BROKEN);
	return scope_evidence_spot_chain(spotter, tgid, ips, count, ended, ret_spot);
}

int scope_evidence_spot_stack(const struct scope_spotter *spotter, uint32_t tgid, const uint64_t *reg, unsigned regs,
			      const uint8_t *data, size_t bytes, struct scope_spot *ret_spot)
{
	uint64_t ips[SCOPE_FRAMES_MAX];
	unsigned count = 0, flags = SCOPE_UNWIND_BROKEN;
	int err = scope_symbols_unwind(spotter->symbols, tgid, reg, regs, data, bytes, ips, SCOPE_FRAMES_MAX, &count,
				       &flags);

	if (err && err != -EINVAL)
		return err;
	return scope_evidence_spot_frames(spotter, tgid, ips, count, (uint8_t)(flags & ~SCOPE_UNWIND_UNMAPPED),
					  ret_spot);
}
