// SPDX-License-Identifier: GPL-2.0-only
/* Writes signatures as JSON. */
#include "signature/json_exchange.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

struct exporter {
	struct scope_store *store;
	struct scope_error *error;
	const char *word;		   /* which builds, see scope_signature_store_build_matches() */
	json_t *builds, *functions, *rows; /* being filled */
	int64_t *id;			   /* rows of functions, in the order of output: from 1 on */
	size_t ids, capacity;
};

static int append(json_t *array, json_t *value)
{
	return value && !json_array_append_new(array, value) ? 0 : -ENOMEM;
}

static json_t *calls_of(const uint16_t *nr, size_t length)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < length; i++) {
		const char *name = scope_signature_episode_call_name(nr[i]);

		if (append(array, name ? json_string(name) : json_integer(nr[i]))) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

/* Depends only on the content, not on the way it came into the database. */
static json_int_t number_of(const struct exporter *exporter, int64_t id)
{
	size_t i;

	for (i = 0; i < exporter->ids && exporter->id[i] != id; i++)
		;
	return (json_int_t)(i + 1);
}

static int take_caller(void *user, const struct scope_store_caller *caller)
{
	struct exporter *exporter = user;
	json_int_t number = number_of(exporter, caller->function);

	/* Of a build that is not exported. */
	if ((size_t)number > exporter->ids)
		return 0;
	return append(exporter->rows, json_pack("{s:I, s:I}", "id", number, "calls", (json_int_t)caller->calls));
}

static int take_string(void *user, const struct scope_string *string)
{
	struct exporter *exporter = user;

	return append(exporter->rows, json_pack("{s:o, s:I}", "calls", calls_of(string->nr, string->length), "count",
						(json_int_t)string->count));
}

static int take_episode(void *user, const struct scope_episode *episode)
{
	struct exporter *exporter = user;

	return append(exporter->rows,
		      json_pack("{s:o, s:b, s:I}", "calls", calls_of(episode->nr, episode->length), "contiguous",
				episode->contiguous, "support", (json_int_t)episode->support));
}

/* A member that is an array, which the next rows go into. */
static int open_rows(struct exporter *exporter, json_t *object, const char *key)
{
	exporter->rows = json_array();
	return exporter->rows && !json_object_set_new(object, key, exporter->rows) ? 0 : -ENOMEM;
}

static int take_function(void *user, const struct scope_store_function *function)
{
	struct exporter *exporter = user;
	char start[32];
	json_t *object;
	int err;

	snprintf(start, sizeof(start), "0x%" PRIx64, function->start);
	object = json_pack("{s:I, s:s, s:s, s:I, s:I}", "id", number_of(exporter, function->id), "name", function->name,
			   "start", start, "calls", (json_int_t)function->calls, "left_out",
			   (json_int_t)function->left_out);
	err = append(exporter->functions, object);
	if (!err)
		err = open_rows(exporter, object, "callers");
	if (!err)
		err = scope_signature_store_each_caller(exporter->store, function->id, exporter->error, take_caller,
							exporter);
	if (!err)
		err = open_rows(exporter, object, "strings");
	if (!err)
		err = scope_signature_store_each_string(exporter->store, function->id, exporter->error, take_string,
							exporter);
	if (!err)
		err = open_rows(exporter, object, "episodes");
	if (!err)
		err = scope_signature_store_each_episode(exporter->store, function->id, exporter->error, take_episode,
							 exporter);
	return err;
}

static int count_function(void *user, const struct scope_store_function *function)
{
	struct exporter *exporter = user;

	if (scope_grow(&exporter->id, &exporter->capacity, exporter->ids + 1, sizeof(*exporter->id)))
		return -ENOMEM;
	exporter->id[exporter->ids++] = function->id;
	return 0;
}

static bool is_wanted(const struct exporter *exporter, const struct scope_store_build *build)
{
	return scope_signature_store_build_matches(build, exporter->word);
}

static int count_build(void *user, const struct scope_store_build *build)
{
	struct exporter *exporter = user;

	return is_wanted(exporter, build)
		       ? scope_signature_store_each_function(exporter->store, build->id, exporter->error,
							     count_function, exporter)
		       : 0;
}

static int take_build(void *user, const struct scope_store_build *build)
{
	struct exporter *exporter = user;
	json_t *object;
	int err;

	if (!is_wanted(exporter, build))
		return 0;
	exporter->functions = json_array();
	object = json_pack("{s:s, s:s, s:s, s:I, s:o}", "build_id", build->build_id, "module", build->module, "arch",
			   build->arch, "runs", (json_int_t)build->runs, "functions", exporter->functions);
	err = append(exporter->builds, object);
	return err ? err
		   : scope_signature_store_each_function(exporter->store, build->id, exporter->error, take_function,
							 exporter);
}

int scope_signature_export(struct scope_store *store, const char *word, FILE *to, struct scope_error *error)
{
	struct exporter exporter = {
		.store = store,
		.error = error,
		.word = word,
		.builds = json_array(),
	};
	json_t *root =
		json_pack("{s:i, s:o}", "scope_signatures", SCOPE_SIGNATURE_JSON_VERSION, "builds", exporter.builds);
	int err = root ? scope_signature_store_each_build(store, error, count_build, &exporter) : -ENOMEM;

	if (!err)
		err = scope_signature_store_each_build(store, error, take_build, &exporter);
	if (!err && word && !json_array_size(exporter.builds))
		err = scope_error_set(error, -ENOENT,
				      "nothing was learned of %.100s: `scope "
				      "signatures list` shows what was",
				      word);
	if (!err && (json_dumpf(root, to, JSON_INDENT(1)) || fputc('\n', to) == EOF))
		err = scope_error_set(error, -EIO, "the signatures cannot be written: is the disk full?");
	if (err == -ENOMEM)
		scope_error_set(error, err, "no memory left to export the signatures");
	json_decref(root);
	free(exporter.id);
	return err;
}
