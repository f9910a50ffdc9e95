// SPDX-License-Identifier: GPL-2.0-only
/* Reads signatures from JSON. */
#include "signature/json_exchange.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/plain.h"

#define COUNT_MAX (INT64_C(1) << 53) /* the largest count: sums of larger ones would not fit */

struct scope_imported {
	json_t *root; /* holds the names */
	struct scope_learned learned;
};

struct importer {
	struct scope_imported *imported;
	const char *name;
	struct scope_error *error;
	int64_t *id; /* of the file, by index of the function */
	size_t ids, capacity;
};

static int refuse(const struct importer *importer, const char *what)
{
	return scope_error_set(importer->error, -EBADMSG,
			       "%.200s holds no signatures: %s; export them "
			       "again with `scope signatures export`",
			       importer->name, what);
}

static int get_count(const struct importer *importer, const json_t *object, const char *key, uint64_t *ret_count)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > COUNT_MAX)
		return refuse(importer, "a count is no number of 0 or more");
	*ret_count = (uint64_t)json_integer_value(value);
	return 0;
}

static int get_text(const struct importer *importer, const json_t *object, const char *key, const char **ret_text)
{
	*ret_text = json_string_value(json_object_get(object, key));
	if (*ret_text && !scope_plain_is(*ret_text, SCOPE_PLAIN_SENTENCE))
		return refuse(importer, "a name holds characters that are not for terminals");
	return *ret_text ? 0 : refuse(importer, "a name is no text");
}

static int get_nr(const struct importer *importer, const json_t *value, uint16_t *ret_nr)
{
	if (json_is_string(value)) {
		if (!scope_signature_episode_call_number(json_string_value(value), ret_nr))
			return 0;
		return refuse(importer, "there is no system call of that name here; signatures of another "
					"kind of machine are for that");
	}
	if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) >= SCOPE_NR_NONE)
		return refuse(importer, "a call is neither a name nor a number");
	*ret_nr = (uint16_t)json_integer_value(value);
	return 0;
}

static int take_string(const struct importer *importer, const json_t *object,
		       struct scope_signature_learned_function *function)
{
	const json_t *calls = json_object_get(object, "calls");
	size_t length = json_array_size(calls);
	uint16_t nr[SCOPE_LEARN_STRING_MAX];
	uint64_t count;
	int err = get_count(importer, object, "count", &count);

	if (err)
		return err;
	if (!length || length > SCOPE_LEARN_STRING_MAX)
		return refuse(importer, "a string has no calls, or too many");
	for (size_t i = 0; !err && i < length; i++)
		err = get_nr(importer, json_array_get(calls, i), &nr[i]);
	return err ? err : scope_signature_learned_string(function, nr, (unsigned)length, count);
}

static int take_function(struct importer *importer, const json_t *object, uint32_t build)
{
	struct scope_learned *learned = &importer->imported->learned;
	struct scope_signature_learned_function function = { .build = build };
	const json_t *id = json_object_get(object, "id"), *string;
	const json_t *strings = json_object_get(object, "strings");
	const char *start;
	size_t i;
	char *end;
	int err = get_text(importer, object, "name", &function.name);

	if (!err)
		err = get_text(importer, object, "start", &start);
	if (!err)
		err = get_count(importer, object, "calls", &function.calls);
	if (!err)
		err = get_count(importer, object, "left_out", &function.left_out);
	if (err)
		return err;
	errno = 0;
	function.start = strtoull(start, &end, 16);
	if (errno || *end || end == start || function.start > INT64_MAX)
		return refuse(importer, "a start is no address");
	if (!json_is_integer(id) || !json_is_array(strings))
		return refuse(importer, "a function has no id, or no strings");
	if (scope_grow(&importer->id, &importer->capacity, importer->ids + 1, sizeof(*importer->id)))
		return -ENOMEM;
	importer->id[importer->ids++] = json_integer_value(id);
	err = scope_signature_learned_function(learned, &function);
	json_array_foreach(strings, i, string)
		err = err ? err : take_string(importer, string, &learned->function[learned->functions - 1]);
	return err;
}

static int take_build(struct importer *importer, const json_t *object)
{
	const json_t *functions = json_object_get(object, "functions"), *function;
	struct scope_signature_learned_build build;
	uint32_t index = 0;
	size_t i;
	int err = get_text(importer, object, "build_id", &build.build_id);

	if (!err)
		err = get_text(importer, object, "module", &build.module);
	if (!err)
		err = get_text(importer, object, "arch", &build.arch);
	if (!err)
		err = get_count(importer, object, "runs", &build.runs);
	if (!err && !build.build_id[0])
		err = refuse(importer, "a build-id is empty");
	if (!err && !json_is_array(functions))
		err = refuse(importer, "a build has no functions");
	if (!err)
		err = scope_signature_learned_build(&importer->imported->learned, &build, &index);
	json_array_foreach(functions, i, function)
		err = err ? err : take_function(importer, function, index);
	return err;
}

static int compare_ids(const void *left, const void *right)
{
	int64_t a = **(const int64_t *const *)left, b = **(const int64_t *const *)right;

	return (a > b) - (a < b);
}

static int find_id(const struct importer *importer, int64_t *const *sorted, int64_t id, uint32_t *ret_index)
{
	const int64_t *key = &id;
	int64_t *const *found = bsearch(&key, sorted, importer->ids, sizeof(*sorted), compare_ids);

	if (!found)
		return refuse(importer, "a caller is none of its functions");
	*ret_index = (uint32_t)(*found - importer->id);
	return 0;
}

static int take_callers(struct importer *importer, const json_t *object, uint32_t function, int64_t *const *sorted)
{
	struct scope_learned *learned = &importer->imported->learned;
	const json_t *callers = json_object_get(object, "callers"), *caller;
	size_t i;
	int err = 0;

	json_array_foreach(callers, i, caller) {
		const json_t *id = json_object_get(caller, "id");
		uint64_t calls;
		uint32_t index = 0;

		err = get_count(importer, caller, "calls", &calls);
		if (!err && !json_is_integer(id))
			err = refuse(importer, "a caller has no id");
		if (!err)
			err = find_id(importer, sorted, json_integer_value(id), &index);
		if (!err)
			err = scope_signature_learned_caller(&learned->function[function], index, calls);
		if (err)
			return err;
	}
	return err;
}

/* Takes callers after all functions are known, because they may come in any order. */
static int take_all_callers(struct importer *importer, const json_t *builds)
{
	int64_t **sorted = calloc(importer->ids + 1, sizeof(*sorted));
	const json_t *build, *function;
	uint32_t index = 0;
	size_t i, j;
	int err = sorted ? 0 : -ENOMEM;

	for (i = 0; !err && i < importer->ids; i++)
		sorted[i] = &importer->id[i];
	if (!err && importer->ids)
		qsort(sorted, importer->ids, sizeof(*sorted), compare_ids);
	for (i = 1; !err && i < importer->ids; i++)
		if (*sorted[i - 1] == *sorted[i])
			err = refuse(importer, "two functions have one id");
	json_array_foreach(builds, i, build)
		json_array_foreach(json_object_get(build, "functions"), j, function)
			err = err ? err : take_callers(importer, function, index++, sorted);
	free(sorted);
	return err;
}

static int take_root(struct importer *importer)
{
	const json_t *root = importer->imported->root;
	const json_t *version = json_object_get(root, "scope_signatures");
	const json_t *builds = json_object_get(root, "builds"), *build;
	size_t i;
	int err = 0;

	if (!json_is_integer(version) || !json_is_array(builds))
		return refuse(importer, "it has no \"scope_signatures\" and \"builds\"");
	if (json_integer_value(version) < 1 || json_integer_value(version) > SCOPE_SIGNATURE_JSON_VERSION)
		return scope_error_set(importer->error, -EPROTO,
				       "%.200s is of version %lld, this program "
				       "knows versions up to %d: use a newer scope",
				       importer->name, (long long)json_integer_value(version),
				       SCOPE_SIGNATURE_JSON_VERSION);
	json_array_foreach(builds, i, build)
		err = err ? err : take_build(importer, build);
	return err ? err : take_all_callers(importer, builds);
}

int scope_signature_import(FILE *from, const char *name, struct scope_error *error,
			   struct scope_imported **ret_imported)
{
	struct importer importer = {
		.imported = calloc(1, sizeof(*importer.imported)),
		.name = name,
		.error = error,
	};
	json_error_t said;
	int err;

	if (!importer.imported)
		return scope_error_set(error, -ENOMEM, "no memory left to import %.200s", name);
	importer.imported->root = json_loadf(from, JSON_REJECT_DUPLICATES, &said);
	err = importer.imported->root ? take_root(&importer)
				      : scope_error_set(error, -EBADMSG,
							"%.200s is no JSON (line %d: %.150s); export the "
							"signatures again with `scope signatures export`",
							name, said.line, said.text);
	if (err == -ENOMEM)
		scope_error_set(error, err, "no memory left to import %.200s", name);
	free(importer.id);
	if (err) {
		scope_signature_imported_destroy(importer.imported);
		return err;
	}
	*ret_imported = importer.imported;
	return 0;
}

const struct scope_learned *scope_signature_imported_learned(const struct scope_imported *imported)
{
	return &imported->learned;
}

void scope_signature_imported_destroy(struct scope_imported *imported)
{
	if (!imported)
		return;
	scope_signature_learned_free(&imported->learned);
	json_decref(imported->root);
	free(imported);
}
