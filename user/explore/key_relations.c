// SPDX-License-Identifier: GPL-2.0-only
/* Correlates keys of requests with their latency, and with the number of requests in progress. */
#include "explore/key_relations.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool scope_explore_key_holds(const struct scope_key_relation *relation)
{
	const double r = fmax(fabs(relation->latency.r), fabs(relation->latency.rho));

	return !relation->none && relation->latency.p <= SCOPE_RELATE_CHANCE && r >= SCOPE_RELATE_STRENGTH;
}

struct pair {
	double value, own_ns;
};

static int by_value(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;

	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return (a->own_ns > b->own_ns) - (a->own_ns < b->own_ns);
}

/* The mean and the sum of squared differences from it. */
static double scatter(const struct pair *pair, size_t count, double *ret_mean)
{
	double mean = 0, squares = 0;

	for (size_t i = 0; i < count; i++) {
		const double before = pair[i].own_ns - mean;

		mean += before / (double)(i + 1);
		squares += before * (pair[i].own_ns - mean);
	}
	*ret_mean = mean;
	return squares;
}

/* Makes bins with about equal numbers of requests; equal values are in one bin. */
static void make_bins(struct pair *pair, size_t count, unsigned wanted, struct scope_key_relation *relation)
{
	double mean, all, within = 0;
	size_t begin = 0;

	qsort(pair, count, sizeof(*pair), by_value);
	all = scatter(pair, count, &mean);
	for (unsigned bin = 0; bin < wanted && begin < count; bin++) {
		size_t end = (bin + 1) * count / wanted;
		struct scope_key_bin *one = &relation->bin[relation->bins];
		double squares;

		if (end <= begin)
			continue;
		while (end < count && pair[end].value == pair[end - 1].value)
			end++;
		squares = scatter(pair + begin, end - begin, &one->mean_ns);
		one->from = pair[begin].value;
		one->to = pair[end - 1].value;
		one->requests = end - begin;
		one->cv = one->mean_ns > 0 ? sqrt(squares / (double)(end - begin)) / one->mean_ns : 0;
		within += squares;
		relation->bins++;
		begin = end;
	}
	relation->explained = all > 0 ? 1 - within / all : 0;
}

static int bin_requests(const struct scope_round_kind *kind, unsigned number, unsigned bins,
			struct scope_key_relation *relation)
{
	struct pair *pair = malloc((kind->requests + 1) * sizeof(*pair));
	size_t count = 0;

	if (!pair)
		return -ENOMEM;
	for (size_t i = 0; i < kind->requests; i++)
		if (!isnan(kind->request[i].key[number]))
			pair[count++] = (struct pair){ kind->request[i].key[number], kind->request[i].own_ns };
	if (count)
		make_bins(pair, count, bins, relation);
	free(pair);
	return 0;
}

/* Correlates the values of two keys of requests; UINT_MAX: with their latency. */
static int relate(const struct scope_round_kind *kind, unsigned number, bool queue, double *room,
		  struct scope_relation *ret_relation)
{
	const size_t step = 1 + kind->requests / SCOPE_KEY_REQUESTS;
	double *value = room, *other = room + SCOPE_KEY_REQUESTS + 1;
	size_t count = 0;

	for (size_t i = 0; i < kind->requests && count < SCOPE_KEY_REQUESTS; i += step) {
		value[count] = kind->request[i].key[number];
		other[count++] = queue ? kind->request[i].key[SCOPE_ROUND_QUEUE] : kind->request[i].own_ns;
	}
	return scope_metrics_relate(value, other, count, ret_relation);
}

static int add_key(const struct scope_round_kind *kind, unsigned number, const struct scope_explore_key *key,
		   double *room, struct scope_key_relations *relations)
{
	static const char *const names[SCOPE_ROUND_KEYS] = {
		[SCOPE_ROUND_BYTES] = "bytes read and written",
		[SCOPE_ROUND_CALLS] = "the number of calls",
		[SCOPE_ROUND_PAUSE] = "the time since the thread's last request",
		[SCOPE_ROUND_QUEUE] = "the number of requests in work",
	};
	struct scope_key_relation *one = &relations->key[relations->keys];
	int err;

	*one = (struct scope_key_relation){ .asked = key, .none = true, .queue_none = true };
	snprintf(one->name, sizeof(one->name), "%s", key ? key->name : names[number]);
	err = relate(kind, number, false, room, &one->latency);
	if (err == -ENOMEM)
		return err;
	one->none = err != 0;
	if (!one->none && number != SCOPE_ROUND_QUEUE) {
		err = relate(kind, number, true, room, &one->queue);
		if (err == -ENOMEM)
			return err;
		one->queue_none = err != 0;
	}
	relations->keys++;
	return 0;
}

/* Corrects p for all keys together, including the relations with the queue. */
static int correct(struct scope_key_relations *relations)
{
	struct scope_relation *tried = calloc(2 * SCOPE_KEYS_MAX, sizeof(*tried));
	size_t count = 0, at = 0;
	int err;

	if (!tried)
		return -ENOMEM;
	for (unsigned i = 0; i < relations->keys; i++) {
		if (!relations->key[i].none)
			tried[count++] = relations->key[i].latency;
		if (!relations->key[i].queue_none)
			tried[count++] = relations->key[i].queue;
	}
	err = scope_metrics_relate_correct(tried, count);
	for (unsigned i = 0; i < relations->keys && !err; i++) {
		if (!relations->key[i].none)
			relations->key[i].latency = tried[at++];
		if (!relations->key[i].queue_none)
			relations->key[i].queue = tried[at++];
	}
	free(tried);
	return err;
}

int scope_explore_keys(const struct scope_round_kind *kind, const struct scope_explore_key *key, size_t keys,
		       struct scope_key_relations *ret_relations)
{
	double *room = malloc(2 * (SCOPE_KEY_REQUESTS + 1) * sizeof(*room));
	int err = room ? 0 : -ENOMEM;

	ret_relations->keys = 0;
	for (unsigned i = 0; i < SCOPE_ROUND_KEYS && !err; i++)
		err = add_key(kind, i, NULL, room, ret_relations);
	for (unsigned i = 0; i < keys && !err; i++)
		err = add_key(kind, SCOPE_ROUND_KEYS + i, &key[i], room, ret_relations);
	free(room);
	if (!err)
		err = correct(ret_relations);
	for (unsigned i = 0; i < ret_relations->keys && !err; i++) {
		struct scope_key_relation *one = &ret_relations->key[i];
		const struct scope_explore_key *asked = i < SCOPE_ROUND_KEYS ? NULL : &key[i - SCOPE_ROUND_KEYS];

		if (scope_explore_key_holds(one))
			err = bin_requests(kind, i, asked && asked->bins ? asked->bins : SCOPE_KEY_BINS, one);
	}
	return err;
}
