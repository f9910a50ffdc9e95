// SPDX-License-Identifier: GPL-2.0-only
/* Holds learned data: builds, functions, their strings and callers. */
#include "signature/call_strings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define HASH_FIRST 16 /* no rule */

static uint64_t hash_of(const uint16_t *nr, unsigned length)
{
	uint64_t hash = 14695981039346656037ull; /* FNV-1a */

	for (unsigned i = 0; i < length; i++)
		hash = (hash ^ nr[i]) * 1099511628211ull;
	return hash;
}

static bool same_string(const struct scope_signature_learned_string *string, const uint16_t *nr, unsigned length)
{
	return string->length == length && !memcmp(string->nr, nr, length * sizeof(*nr));
}

/* Where the string is in the hash, or would. */
static size_t hash_slot(const struct scope_signature_learned_function *function, const uint16_t *nr, unsigned length)
{
	size_t at = hash_of(nr, length) & (function->hash_size - 1);

	while (function->hash[at] && !same_string(&function->string[function->hash[at] - 1], nr, length))
		at = (at + 1) & (function->hash_size - 1);
	return at;
}

static int hash_enlarge(struct scope_signature_learned_function *function)
{
	size_t size = function->hash_size ? 2 * function->hash_size : HASH_FIRST;
	uint32_t *hash = calloc(size, sizeof(*hash));

	if (!hash)
		return -ENOMEM;
	for (uint32_t i = 0; i < function->strings; i++) {
		const struct scope_signature_learned_string *string = &function->string[i];
		size_t at = hash_of(string->nr, string->length) & (size - 1);

		while (hash[at])
			at = (at + 1) & (size - 1);
		hash[at] = i + 1;
	}
	free(function->hash);
	function->hash = hash;
	function->hash_size = size;
	return 0;
}

int scope_signature_learned_string(struct scope_signature_learned_function *function, const uint16_t *nr,
				   unsigned length, uint64_t count)
{
	struct scope_signature_learned_string *string;
	size_t at;

	if (2 * (function->strings + 1) > function->hash_size && hash_enlarge(function))
		return -ENOMEM;
	at = hash_slot(function, nr, length);
	if (function->hash[at]) {
		function->string[function->hash[at] - 1].count += count;
		return 0;
	}
	if (function->strings == SCOPE_LEARN_STRINGS_MAX) {
		function->left_out += count;
		return 0;
	}
	if (scope_grow(&function->string, &function->string_capacity, function->strings + 1, sizeof(*string)))
		return -ENOMEM;
	string = &function->string[function->strings++];
	*string = (struct scope_signature_learned_string){ .length = (uint8_t)length, .count = count };
	memcpy(string->nr, nr, length * sizeof(*nr));
	function->hash[at] = (uint32_t)function->strings;
	return 0;
}

int scope_signature_learned_caller(struct scope_signature_learned_function *function, uint32_t caller, uint64_t calls)
{
	size_t i;

	for (i = 0; i < function->callers && function->caller[i].function != caller; i++)
		;
	if (i == function->callers) {
		if (scope_grow(&function->caller, &function->caller_capacity, i + 1, sizeof(*function->caller)))
			return -ENOMEM;
		function->caller[function->callers++] = (struct scope_signature_learned_caller){ caller, 0 };
	}
	function->caller[i].calls += calls;
	return 0;
}

int scope_signature_learned_build(struct scope_learned *learned, const struct scope_signature_learned_build *build,
				  uint32_t *ret_index)
{
	size_t i;

	for (i = 0; i < learned->builds; i++)
		if (!strcmp(learned->build[i].build_id, build->build_id))
			break;
	if (i == learned->builds) {
		if (scope_grow(&learned->build, &learned->build_capacity, i + 1, sizeof(*learned->build)))
			return -ENOMEM;
		learned->build[learned->builds++] = *build;
	}
	*ret_index = (uint32_t)i;
	return 0;
}

int scope_signature_learned_function(struct scope_learned *learned,
				     const struct scope_signature_learned_function *function)
{
	if (scope_grow(&learned->function, &learned->capacity, learned->functions + 1, sizeof(*learned->function)))
		return -ENOMEM;
	learned->function[learned->functions++] = *function;
	return 0;
}

void scope_signature_learned_free(struct scope_learned *learned)
{
	for (size_t i = 0; i < learned->functions; i++) {
		free(learned->function[i].string);
		free(learned->function[i].hash);
		free(learned->function[i].caller);
	}
	free(learned->function);
	free(learned->build);
}

void scope_signature_learned_destroy(struct scope_learned *learned)
{
	if (!learned)
		return;
	scope_signature_learned_free(learned);
	free(learned);
}
