// SPDX-License-Identifier: GPL-2.0-only
/* Finds the functions that own an episode, and its weight. */
#include "signature/ownership.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* An episode that fits a function. */
struct fit {
	uint32_t episode, function;
	uint64_t support; /* of the function's episode that contains it */
};

struct owner {
	struct scope_signatures *signatures;
	struct fit *fit;
	size_t fits, capacity;
	uint32_t *stamp; /* per function: the last search from below that reached it */
	uint32_t stamps;
	uint32_t *stack;
};

static int compare_owned(const void *left, const void *right)
{
	const struct scope_owned *a = left, *b = right;
	int order = scope_signature_episode_compare(&a->episode, &b->episode);

	return order ? order : (a->function > b->function) - (a->function < b->function);
}

static int compare_fits(const void *left, const void *right)
{
	const struct fit *a = left, *b = right;

	if (a->episode != b->episode)
		return a->episode < b->episode ? -1 : 1;
	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return (a->support < b->support) - (a->support > b->support);
}

static int compare_episodes(const void *left, const void *right)
{
	return scope_signature_episode_compare(left, right);
}

static int add_fit(struct owner *owner, const struct scope_episode *episode, const struct scope_owned *owned)
{
	const struct scope_signatures *signatures = owner->signatures;
	const struct scope_episode *found =
		bsearch(episode, signatures->episode, signatures->episodes, sizeof(*found), compare_episodes);

	if (!found)
		return 0;
	if (scope_grow(&owner->fit, &owner->capacity, owner->fits + 1, sizeof(*owner->fit)))
		return -ENOMEM;
	owner->fit[owner->fits++] = (struct fit){
		(uint32_t)(found - signatures->episode),
		owned->function,
		owned->episode.support,
	};
	return 0;
}

/*
 * Every part of an episode of a function fits that function, with gaps or without; but the calls on
 * both sides of a busy stretch may belong to others.
 */
static int add_fits(struct owner *owner, const struct scope_owned *owned)
{
	const struct scope_episode *whole = &owned->episode;
	int err = 0;

	for (unsigned set = 1; !err && set < 1u << whole->length; set++) {
		struct scope_episode part = { .length = 0 };

		for (unsigned i = 0; i < whole->length; i++)
			if (set & 1u << i)
				part.nr[part.length++] = whole->nr[i];
		if (scope_signature_episode_is_busy(whole) && !scope_signature_episode_is_busy(&part))
			continue;
		err = add_fit(owner, &part, owned);
		part.contiguous = true;
		if (!err)
			err = add_fit(owner, &part, owned);
	}
	return err;
}

/* Stamps all functions that call this one, directly or not; itself only if it calls itself. */
static void stamp_callers(struct owner *owner, uint32_t function)
{
	const struct scope_signatures *signatures = owner->signatures;
	size_t depth = 0;

	owner->stamps++;
	owner->stack[depth++] = function;
	while (depth) {
		const struct scope_signature_function *at = &signatures->function[owner->stack[--depth]];

		for (size_t i = 0; i < at->callers; i++)
			if (owner->stamp[at->caller[i]] != owner->stamps) {
				owner->stamp[at->caller[i]] = owner->stamps;
				owner->stack[depth++] = at->caller[i];
			}
	}
}

/* Of the functions that one episode fits, selects those that call no other of them. Returns their number. */
static size_t keep_deepest(struct owner *owner, uint32_t *function, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t deep = function[i];
		size_t kept = 0, place = 0;

		stamp_callers(owner, deep);
		for (size_t j = 0; j < count; j++) {
			if (function[j] != deep && owner->stamp[function[j]] == owner->stamps)
				continue;
			if (function[j] == deep)
				place = kept;
			function[kept++] = function[j];
		}
		count = kept;
		i = place;
	}
	return count;
}

/*
 * The functions that an episode fits, whose fits are adjacent; returns their number. With a busy
 * stretch only those that were in at least half of such stretches, because single samples are no
 * evidence.
 */
static size_t functions_of(const struct fit *fit, size_t fits, bool busy, uint32_t *ret_function)
{
	uint64_t most = 0;
	size_t count = 0;

	for (size_t i = 0; i < fits; i++)
		if (fit[i].support > most)
			most = fit[i].support;
	for (size_t i = 0; i < fits; i++)
		if ((!i || fit[i - 1].function != fit[i].function) && (!busy || fit[i].support >= most - most / 2))
			ret_function[count++] = fit[i].function;
	return count;
}

static int distribute(struct owner *owner, const struct scope_signature_options *options)
{
	struct scope_signatures *signatures = owner->signatures;
	uint32_t *function = calloc(owner->fits + 1, sizeof(*function));
	size_t used = 0, kept = 0;

	if (!function)
		return -ENOMEM;
	signatures->owner = function;
	for (size_t i = 0, end; i < owner->fits; i = end) {
		uint32_t episode = owner->fit[i].episode, *mine = function + used;
		size_t count;

		for (end = i; end < owner->fits && owner->fit[end].episode == episode; end++)
			;
		count = functions_of(&owner->fit[i], end - i,
				     scope_signature_episode_is_busy(&signatures->episode[episode]), mine);
		count = keep_deepest(owner, mine, count);
		if (count > options->owners_max) {
			signatures->shared++;
			continue;
		}
		signatures->episode[kept] = signatures->episode[episode];
		signatures->weight[kept] = (options->flat ? 1.0 : signatures->episode[episode].length) / count;
		signatures->first[kept++] = used;
		for (size_t j = 0; j < count; j++)
			signatures->function[mine[j]].episodes++;
		used += count;
	}
	signatures->first[kept] = used;
	signatures->episodes = kept;
	return 0;
}

static int own(struct owner *owner, const struct scope_owned *owned, size_t count,
	       const struct scope_signature_options *options)
{
	struct scope_signatures *signatures = owner->signatures;
	int err = 0;

	for (size_t i = 0; i < count; i++)
		if (!signatures->episodes ||
		    scope_signature_episode_compare(&signatures->episode[signatures->episodes - 1], &owned[i].episode))
			signatures->episode[signatures->episodes++] = owned[i].episode;
	for (size_t i = 0; !err && i < count; i++)
		err = add_fits(owner, &owned[i]);
	if (err)
		return err;
	if (owner->fits)
		qsort(owner->fit, owner->fits, sizeof(*owner->fit), compare_fits);
	return distribute(owner, options);
}

int scope_signatures_own(struct scope_signatures *signatures, struct scope_owned *owned, size_t count,
			 const struct scope_signature_options *options)
{
	struct owner owner = {
		.signatures = signatures,
		.stamp = calloc(signatures->functions + 1, sizeof(*owner.stamp)),
		.stack = calloc(signatures->functions + 1, sizeof(*owner.stack)),
	};
	int err = -ENOMEM;

	if (count)
		qsort(owned, count, sizeof(*owned), compare_owned);
	signatures->episode = calloc(count + 1, sizeof(*signatures->episode));
	signatures->weight = calloc(count + 1, sizeof(*signatures->weight));
	signatures->first = calloc(count + 1, sizeof(*signatures->first));
	if (owner.stamp && owner.stack && signatures->episode && signatures->weight && signatures->first)
		err = own(&owner, owned, count, options);
	free(owner.fit);
	free(owner.stamp);
	free(owner.stack);
	return err;
}
