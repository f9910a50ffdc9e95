// SPDX-License-Identifier: GPL-2.0-only
/* Decides which texts in the arguments of calls are the names of the calling functions. */
#include "symbol/message_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "symbol/message_uses.h"

#define COMPARED_LEAST 5u /* functions with a symbol that are needed for a comparison */
#define AGREE_LEAST 0.6	  /* part of them whose symbol must be the text; the others contain an inlined function */
#define NAMES_LEAST 0.9	  /* part of an argument's texts that must have the form of a name */
#define OWN_LEAST 0.8	  /* part of an argument's names that only one function may pass */
#define HINTED_LEAST 3u	  /* functions whose calls must have a hint, if no symbol can be compared */

/* One name that one function passes. Several calls with it are one claim. */
struct claim {
	uint32_t function;
	const char *name;
	uint32_t bytes;
	bool shared; /* another function passes it as well */
};

struct claims {
	struct claim *claim;
	size_t count, capacity;
};

/* The uses of one argument of one callee. */
struct position {
	const struct scope_message_use *use; /* sorted by function, then by name; uses without a name first */
	size_t count;
};

static int compare_names(const char *a, uint32_t a_bytes, const char *b, uint32_t b_bytes)
{
	const int order = memcmp(a, b, a_bytes < b_bytes ? a_bytes : b_bytes);

	return order ? order : a_bytes < b_bytes ? -1 : a_bytes > b_bytes;
}

static int by_position(const void *left, const void *right)
{
	const struct scope_message_use *a = left, *b = right;

	if (a->callee != b->callee)
		return a->callee < b->callee ? -1 : 1;
	if (a->argument != b->argument)
		return a->argument < b->argument ? -1 : 1;
	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return !a->name || !b->name ? !!a->name - !!b->name
				    : compare_names(a->name, a->name_bytes, b->name, b->name_bytes);
}

static int by_name(const void *left, const void *right)
{
	const struct claim *a = left, *b = right;
	const int order = compare_names(a->name, a->bytes, b->name, b->bytes);

	return order ? order : a->function < b->function ? -1 : a->function > b->function;
}

static int by_function(const void *left, const void *right)
{
	const struct claim *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return by_name(left, right);
}

static int claim_add(struct claims *claims, const struct scope_message_use *use)
{
	if (scope_grow(&claims->claim, &claims->capacity, claims->count + 1, sizeof(*claims->claim)))
		return -ENOMEM;
	claims->claim[claims->count++] = (struct claim){ use->function, use->name, use->name_bytes, false };
	return 0;
}

/* Keeps one claim for each function and name, sorted by name, and notes which names several functions pass. */
static void claims_settle(struct claims *claims)
{
	size_t kept = 0;

	if (claims->count)
		qsort(claims->claim, claims->count, sizeof(*claims->claim), by_name);
	for (size_t i = 0; i < claims->count; i++)
		if (!kept || by_name(&claims->claim[kept - 1], &claims->claim[i]))
			claims->claim[kept++] = claims->claim[i];
	claims->count = kept;
	for (size_t i = 1; i < kept; i++) {
		struct claim *a = &claims->claim[i - 1], *b = &claims->claim[i];

		if (!compare_names(a->name, a->bytes, b->name, b->bytes))
			a->shared = b->shared = true;
	}
}

/* Counts of the calls of one position. */
struct sums {
	size_t names;	 /* uses with a name */
	size_t hinted;	 /* functions with a use that has a hint */
	size_t compared; /* functions with a symbol that pass exactly one name */
	size_t agree;	 /* number of them whose symbol is that name */
	double own;	 /* part of the different names that only one function passes */
};

static bool is_own_symbol(const struct scope_file_function *function, const struct scope_message_use *use)
{
	return function->name_bytes == use->name_bytes && !memcmp(function->name, use->name, use->name_bytes);
}

/* Adds up the uses of one function in a position. */
static void sum_function(const struct scope_file_functions *functions, const struct scope_message_use *use,
			 size_t count, struct sums *sums)
{
	const struct scope_file_function *function = &functions->function[use->function];
	const struct scope_message_use *first = NULL;
	bool hinted = false, several = false;

	for (size_t i = 0; i < count; i++) {
		hinted |= use[i].hint;
		if (!use[i].name)
			continue;
		sums->names++;
		several |= first && compare_names(first->name, first->name_bytes, use[i].name, use[i].name_bytes);
		first = first ? first : &use[i];
	}
	sums->hinted += hinted;
	if (first && !several && function->name) {
		sums->compared++;
		sums->agree += is_own_symbol(function, first);
	}
}

static int sum_position(const struct scope_file_functions *functions, const struct position *position,
			struct sums *ret_sums)
{
	struct sums sums = { 0 };
	struct claims claims = { 0 };
	size_t different = 0, own = 0;
	int err = 0;

	for (size_t i = 0, end; i < position->count; i = end) {
		for (end = i + 1; end < position->count; end++)
			if (position->use[end].function != position->use[i].function)
				break;
		sum_function(functions, &position->use[i], end - i, &sums);
	}
	for (size_t i = 0; !err && i < position->count; i++)
		if (position->use[i].name)
			err = claim_add(&claims, &position->use[i]);
	claims_settle(&claims);
	for (size_t i = 0; i < claims.count; i++) {
		const struct claim *claim = &claims.claim[i];

		different += !i || compare_names(claim[-1].name, claim[-1].bytes, claim->name, claim->bytes);
		own += !claim->shared;
	}
	sums.own = different ? (double)own / (double)different : 0;
	free(claims.claim);
	*ret_sums = sums;
	return err;
}

/*
 * Decides if a position has names of callers: each is passed by one function. Functions with a symbol prove it; if
 * these are too few, hints beside the names in calls of several functions do.
 */
static int judge_position(const struct scope_file_functions *functions, const struct position *position,
			  struct claims *claims)
{
	struct sums sums;
	int err = sum_position(functions, position, &sums);
	const bool contradicted = !err && (double)sums.agree < AGREE_LEAST * (double)sums.compared;
	const bool own = !err && !contradicted && sums.own >= OWN_LEAST;
	const bool proved = own && sums.compared >= COMPARED_LEAST &&
			    (double)sums.names >= NAMES_LEAST * (double)position->count;
	const bool hinted = own && sums.hinted >= HINTED_LEAST;

	for (size_t i = 0; !err && i < position->count; i++) {
		const struct scope_message_use *use = &position->use[i];

		if (use->name && (use->contract || proved || (hinted && use->hint)))
			err = claim_add(claims, use);
	}
	return err;
}

static int compare_symbol(const void *left, const void *right)
{
	const struct scope_file_function *a = *(struct scope_file_function *const *)left;
	const struct scope_file_function *b = *(struct scope_file_function *const *)right;

	return compare_names(a->name, (uint32_t)a->name_bytes, b->name, (uint32_t)b->name_bytes);
}

/* All functions with a symbol, by name. NULL: no memory. */
static const struct scope_file_function **symbols_of(const struct scope_file_functions *functions, size_t *ret_count)
{
	const struct scope_file_function **symbol = malloc((functions->count + 1) * sizeof(*symbol));
	size_t count = 0;

	for (size_t i = 0; symbol && i < functions->count; i++)
		if (functions->function[i].name)
			symbol[count++] = &functions->function[i];
	if (count)
		qsort(symbol, count, sizeof(*symbol), compare_symbol);
	*ret_count = count;
	return symbol;
}

static int name_add(struct scope_message_names *names, const struct scope_message_name *added)
{
	if (scope_grow(&names->name, &names->capacity, names->count + 1, sizeof(*names->name)))
		return -ENOMEM;
	names->name[names->count++] = *added;
	return 0;
}

/*
 * Chooses the name of one function: the only name that it passes, or the only one that no other function passes. A name
 * that is another function's symbol, or that others pass as well, came with inlined code. NULL: it cannot be decided.
 */
static const struct claim *choose(const struct claim *claim, size_t count, const struct scope_file_function **symbol,
				  size_t symbols)
{
	const struct claim *chosen = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct scope_file_function key = { .name = claim[i].name, .name_bytes = claim[i].bytes };
		const struct scope_file_function *sought = &key;

		if (claim[i].shared || bsearch(&sought, symbol, symbols, sizeof(*symbol), compare_symbol))
			continue;
		if (chosen)
			return NULL;
		chosen = &claim[i];
	}
	return chosen;
}

static int choose_all(const struct scope_file_functions *functions, struct claims *claims,
		      struct scope_message_names *names)
{
	size_t symbols;
	const struct scope_file_function **symbol = symbols_of(functions, &symbols);
	int err = symbol ? 0 : -ENOMEM;

	claims_settle(claims);
	if (claims->count)
		qsort(claims->claim, claims->count, sizeof(*claims->claim), by_function);
	for (size_t i = 0, end; !err && i < claims->count; i = end) {
		const uint32_t function = claims->claim[i].function;
		const struct claim *chosen;

		for (end = i + 1; end < claims->count && claims->claim[end].function == function; end++)
			;
		if (functions->function[function].name)
			continue;
		chosen = choose(&claims->claim[i], end - i, symbol, symbols);
		if (chosen)
			err = name_add(names,
				       &(struct scope_message_name){ function, function, chosen->bytes, chosen->name });
	}
	free(symbol);
	return err;
}

static int compare_function(const void *left, const void *right)
{
	const struct scope_message_name *a = left, *b = right;

	return a->function < b->function ? -1 : a->function > b->function;
}

/* Parts have the name of their function. */
static int add_parts(const struct scope_file_functions *functions, const struct scope_message_uses *uses,
		     struct scope_message_names *names)
{
	const size_t wholes = names->count;
	int err = 0;

	for (uint32_t i = 0; !err && i < functions->count; i++) {
		struct scope_message_name part = { .function = i, .whole = uses->whole[i] };
		const struct scope_message_name *found;

		if (part.whole == i)
			continue;
		found = scope_symbol_message_names_find(&(struct scope_message_names){ names->name, wholes, 0 },
							part.whole);
		if (found) {
			part.bytes = found->bytes;
			part.name = found->name;
		}
		err = name_add(names, &part);
	}
	if (names->count)
		qsort(names->name, names->count, sizeof(*names->name), compare_function);
	return err;
}

static int judge(const struct scope_file_functions *functions, struct scope_message_uses *uses,
		 struct scope_message_names *names)
{
	struct claims claims = { 0 };
	int err = 0;

	for (size_t i = 0; i < uses->count; i++)
		uses->use[i].function = uses->whole[uses->use[i].function];
	if (uses->count)
		qsort(uses->use, uses->count, sizeof(*uses->use), by_position);
	for (size_t i = 0, end; !err && i < uses->count; i = end) {
		const struct scope_message_use *first = &uses->use[i];

		for (end = i + 1; end < uses->count && uses->use[end].callee == first->callee &&
				  uses->use[end].argument == first->argument;
		     end++)
			;
		err = judge_position(functions, &(struct position){ first, end - i }, &claims);
	}
	if (!err)
		err = choose_all(functions, &claims, names);
	if (!err)
		err = add_parts(functions, uses, names);
	free(claims.claim);
	return err;
}

int scope_symbol_message_names_read(Elf *elf, const struct scope_file_functions *functions,
				    struct scope_message_names *ret_names)
{
	struct scope_message_names names = { 0 };
	struct scope_message_uses uses;
	int err = scope_symbol_message_uses_read(elf, functions, &uses);

	if (err)
		return err == -ENOTSUP ? 0 : err;
	err = judge(functions, &uses, &names);
	scope_symbol_message_uses_free(&uses);
	if (err) {
		scope_symbol_message_names_free(&names);
		return err;
	}
	*ret_names = names;
	return 0;
}

void scope_symbol_message_names_free(struct scope_message_names *names)
{
	free(names->name);
	*names = (struct scope_message_names){ 0 };
}

const struct scope_message_name *scope_symbol_message_names_find(const struct scope_message_names *names,
								 uint32_t function)
{
	const struct scope_message_name key = { .function = function };

	return names->count ? bsearch(&key, names->name, names->count, sizeof(key), compare_function) : NULL;
}
