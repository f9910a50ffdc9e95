// SPDX-License-Identifier: GPL-2.0-only
/* Finds properties that the hosts with a function have in common, and other hosts do not have. */
#include "fleet/property.h"

#include <string.h>

#include "fleet/exact_test.h"

#define NEARLY 0.9   /* share of the hosts with the function have the property */
#define MOSTLY 0.8   /* share of the hosts with the property have the function */
#define KEYS_MAX 256 /* no rule: of labels that are looked at */

/* A property of a member: its build, its kernel, or a label. */
struct key {
	const char *name;
	uint32_t label; /* the text of its key; 0: none */
};

static uint32_t value_of(const struct scope_fleet_member *member, const struct key *key)
{
	if (!key->label)
		return !strcmp(key->name, "build") ? member->build_id : member->kernel;
	for (size_t i = 0; i < member->labels; i++)
		if (member->label[i].key == key->label)
			return member->label[i].value;
	return 0;
}

/* All keys of labels, in the order in which members have them. */
static size_t keys_of(const struct scope_fleet_facts *facts, const bool *compared, struct key *key)
{
	size_t count = 0;

	key[count++] = (struct key){ .name = "build" };
	key[count++] = (struct key){ .name = "kernel" };
	for (size_t i = 0; i < facts->members; i++)
		for (size_t k = 0; compared[i] && k < facts->member[i].labels; k++) {
			const uint32_t label = facts->member[i].label[k].key;
			size_t known = 2;

			while (known < count && key[known].label != label)
				known++;
			if (known == count && count < KEYS_MAX)
				key[count++] = (struct key){ scope_fleet_facts_text(facts, label), label };
		}
	return count;
}

/*
 * The value that most of its hosts have, and their number. A few hosts decide: only the first 64 values are examined.
 */
static uint32_t commonest(const struct scope_fleet_facts *facts, const struct scope_fleet_rank *rank,
			  const struct key *key, size_t *ret_count)
{
	uint32_t best = 0;

	*ret_count = 0;
	for (size_t i = 0; i < rank->hosts && i < 64; i++) {
		const uint32_t value = value_of(&facts->member[rank->host[i]], key);
		size_t count = 0;

		if (!value || value == best)
			continue;
		for (size_t k = 0; k < rank->hosts; k++)
			count += value_of(&facts->member[rank->host[k]], key) == value;
		if (count > *ret_count) {
			best = value;
			*ret_count = count;
		}
	}
	return best;
}

bool scope_fleet_property_find(const struct scope_fleet_facts *facts, struct scope_fleet_rank *rank,
			       const bool *compared)
{
	struct key key[KEYS_MAX];
	const size_t keys = keys_of(facts, compared, key);
	double best = 2;

	for (size_t i = 0; i < keys; i++) {
		size_t with, have = 0;
		const uint32_t value = commonest(facts, rank, &key[i], &with);
		double chance;

		for (size_t k = 0; value && k < facts->members; k++)
			have += compared[k] && value_of(&facts->member[k], &key[i]) == value;
		if (!value || have == rank->compared || (double)with < NEARLY * (double)rank->hosts ||
		    (double)with < MOSTLY * (double)have)
			continue;
		chance = scope_fleet_exact_test(rank->compared, have, rank->hosts, with);
		if (chance >= best)
			continue;
		best = chance;
		rank->property = key[i].name;
		rank->value = scope_fleet_facts_text(facts, value);
		rank->have = have;
	}
	return best * (double)keys < SCOPE_FLEET_CHANCE;
}
