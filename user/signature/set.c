// SPDX-License-Identifier: GPL-2.0-only
/* Reads the signatures of the programs in a trace from the database. */
#include "signature/set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "signature/ownership.h"
#include "symbol/library.h"
#include "trace/trace.h"

struct loader {
	struct scope_store *store;
	const struct scope_trace_map *map;
	size_t maps;
	const char *arch;
	struct scope_error *error;
	struct scope_signatures *signatures;
	const char *module; /* of the build that is being read: a copy for each function */
	int64_t *id;	    /* of the rows, by function, ascending within a build */
	size_t ids, id_capacity;
	struct scope_owned *owned; /* episodes, each with a function */
	size_t owneds, owned_capacity;
	uint32_t function; /* whose rows come now */
	struct {
		uint32_t function;
		int64_t caller; /* id */
	} * edge;
	size_t edges, edge_capacity;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* True if a function of a file without symbols was learned with its address as name (symbol/symbol.c). */
static bool is_address(const char *name, const char *module, uint64_t start)
{
	const size_t length = strlen(module);
	char *end;

	return !strncmp(name, module, length) && !strncmp(name + length, "+0x", 3) &&
	       strtoull(name + length + 3, &end, 16) == start && !*end;
}

static int take_function(void *user, const struct scope_store_function *row)
{
	struct loader *loader = user;
	struct scope_signatures *signatures = loader->signatures;
	struct scope_signature_function *added;

	if (scope_grow(&signatures->function, &signatures->capacity, signatures->functions + 1, sizeof(*added)) ||
	    scope_grow(&loader->id, &loader->id_capacity, loader->ids + 1, sizeof(*loader->id)))
		return -ENOMEM;
	added = &signatures->function[signatures->functions];
	*added = (struct scope_signature_function){
		.function = {
			.name = strdup(row->name),
			.module = strdup(loader->module),
			.start = row->start,
			.known = !is_address(row->name, loader->module, row->start),
			.id = (uint32_t)signatures->functions,
		},
	};
	signatures->functions++;
	added->function.symbol = added->function.name;
	added->function.path = added->function.module;
	loader->id[loader->ids++] = row->id;
	return added->function.name && added->function.module ? 0 : -ENOMEM;
}

static bool is_mapped(const struct loader *loader, const char *build_id)
{
	for (size_t i = 0; i < loader->maps; i++)
		if (!strcmp(loader->map[i].build_id, build_id))
			return true;
	return false;
}

/* The build-id under which the trace has a file of that name; NULL: it has none. */
static const char *other_build(const struct loader *loader, const char *module)
{
	for (size_t i = 0; i < loader->maps; i++) {
		const struct scope_trace_map *map = &loader->map[i];

		if (map->executable && map->build_id[0] && !scope_symbol_library_match(NULL, map->path) &&
		    !strcmp(base_name(map->path), module))
			return map->build_id;
	}
	return NULL;
}

static int add_problem(struct loader *loader, const struct scope_store_build *build, const char *present)
{
	struct scope_signatures *signatures = loader->signatures;
	char **grown = reallocarray(signatures->problem, signatures->problems + 1, sizeof(*grown));
	char *text;

	if (!grown)
		return -ENOMEM;
	signatures->problem = grown;
	if (asprintf(&text,
		     "Signatures of %.60s were learned from another build (build-id %.16s…, this "
		     "is %.16s…) and not used: learn again with `scope learn`.",
		     build->module, build->build_id, present) < 0)
		return -ENOMEM;
	grown[signatures->problems++] = text;
	return 0;
}

static int take_build(void *user, const struct scope_store_build *build)
{
	struct loader *loader = user;

	if (!is_mapped(loader, build->build_id))
		return 0;
	/* On another architecture the numbers mean other calls. */
	if (loader->arch && build->arch[0] && strcmp(loader->arch, build->arch))
		return 0;
	loader->module = build->module;
	return scope_signature_store_each_function(loader->store, build->id, loader->error, take_function, loader);
}

/* Notes programs of the trace that were learned only in another build. */
static int take_other_build(void *user, const struct scope_store_build *build)
{
	struct loader *loader = user;
	const char *present = other_build(loader, build->module);

	for (size_t i = 0; present && i < loader->signatures->functions; i++)
		if (!strcmp(loader->signatures->function[i].function.module, build->module))
			present = NULL;
	return present && !is_mapped(loader, build->build_id) ? add_problem(loader, build, present) : 0;
}

static int take_caller(void *user, const struct scope_store_caller *caller)
{
	struct loader *loader = user;

	if (scope_grow(&loader->edge, &loader->edge_capacity, loader->edges + 1, sizeof(*loader->edge)))
		return -ENOMEM;
	loader->edge[loader->edges].function = loader->function;
	loader->edge[loader->edges++].caller = caller->function;
	return 0;
}

static int take_episode(void *user, const struct scope_episode *episode)
{
	struct loader *loader = user;

	if (scope_grow(&loader->owned, &loader->owned_capacity, loader->owneds + 1, sizeof(*loader->owned)))
		return -ENOMEM;
	loader->owned[loader->owneds++] = (struct scope_owned){ *episode, loader->function };
	return 0;
}

static uint32_t function_of(const struct loader *loader, int64_t id)
{
	for (size_t i = 0; i < loader->ids; i++)
		if (loader->id[i] == id)
			return (uint32_t)i;
	return SCOPE_SIGNATURE_NONE;
}

/* Callers of builds that are not in the trace are left out. */
static int add_callers(struct loader *loader)
{
	for (size_t i = 0, end; i < loader->edges; i = end) {
		struct scope_signature_function *function = &loader->signatures->function[loader->edge[i].function];

		for (end = i; end < loader->edges && loader->edge[end].function == loader->edge[i].function; end++)
			;
		function->caller = calloc(end - i, sizeof(*function->caller));
		if (!function->caller)
			return -ENOMEM;
		for (size_t j = i; j < end; j++) {
			uint32_t caller = function_of(loader, loader->edge[j].caller);

			if (caller != SCOPE_SIGNATURE_NONE)
				function->caller[function->callers++] = caller;
		}
	}
	return 0;
}

static int load(struct loader *loader, const struct scope_signature_options *options)
{
	struct scope_signatures *signatures = loader->signatures;
	int err = scope_signature_store_each_build(loader->store, loader->error, take_build, loader);

	if (!err)
		err = scope_signature_store_each_build(loader->store, loader->error, take_other_build, loader);
	for (loader->function = 0; !err && loader->function < loader->ids; loader->function++) {
		err = scope_signature_store_each_caller(loader->store, loader->id[loader->function], loader->error,
							take_caller, loader);
		if (!err)
			err = scope_signature_store_each_episode(loader->store, loader->id[loader->function],
								 loader->error, take_episode, loader);
	}
	if (!err)
		err = add_callers(loader);
	if (!err)
		err = scope_signatures_own(signatures, loader->owned, loader->owneds, options);
	if (!err)
		err = scope_signature_matcher_create(signatures->episode, signatures->episodes, &signatures->matcher);
	if (err == -ENOMEM)
		scope_error_set(loader->error, err, "no memory left to read the signatures");
	else if (err == -E2BIG)
		scope_error_set(loader->error, err,
				"this number of signatures cannot be matched at once: learn "
				"with a higher --min-support");
	return err;
}

int scope_signatures_load(struct scope_store *store, const struct scope_trace *trace,
			  const struct scope_signature_options *options, struct scope_error *error,
			  struct scope_signatures **ret_signatures)
{
	struct loader loader = {
		.store = store,
		.arch = scope_trace_meta(trace, SCOPE_META_ARCH),
		.error = error,
		.signatures = calloc(1, sizeof(*loader.signatures)),
	};
	int err = -ENOMEM;

	loader.map = scope_trace_maps(trace, &loader.maps);
	if (loader.signatures)
		err = load(&loader, options);
	free(loader.id);
	free(loader.owned);
	free(loader.edge);
	if (err || (!loader.signatures->functions && !loader.signatures->problems)) {
		scope_signatures_destroy(loader.signatures);
		loader.signatures = NULL;
	}
	if (!err)
		*ret_signatures = loader.signatures;
	return err;
}

const char *scope_signatures_name(const struct scope_signatures *signatures, const struct scope_function *function)
{
	for (size_t i = 0; signatures && !function->known && i < signatures->functions; i++) {
		const struct scope_function *learned = &signatures->function[i].function;

		if (learned->known && learned->start == function->start && !strcmp(learned->module, function->module))
			return learned->name;
	}
	return function->name;
}

void scope_signatures_destroy(struct scope_signatures *signatures)
{
	if (!signatures)
		return;
	for (size_t i = 0; i < signatures->functions; i++) {
		free((char *)signatures->function[i].function.name);
		free((char *)signatures->function[i].function.module);
		free(signatures->function[i].caller);
	}
	for (size_t i = 0; i < signatures->problems; i++)
		free(signatures->problem[i]);
	free(signatures->problem);
	free(signatures->function);
	free(signatures->episode);
	free(signatures->weight);
	free(signatures->first);
	free(signatures->owner);
	scope_signature_matcher_destroy(signatures->matcher);
	free(signatures);
}
