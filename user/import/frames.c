// SPDX-License-Identifier: GPL-2.0-only
/* Addresses for functions that are known only by name. */
#include "import/frames.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/library.h"

#define FIRST_ADDRESS 0x10000
#define FUNCTION_BYTES 0x100

struct function {
	char *name, *module;
	uint64_t start;
};

struct scope_frames {
	struct scope_writer *writer;
	void *tree; /* of struct function, by name and module */
	uint64_t next;
};

int scope_import_frames_create(struct scope_writer *writer, struct scope_frames **ret_frames)
{
	struct scope_frames *frames = calloc(1, sizeof(*frames));

	if (!frames)
		return -ENOMEM;
	frames->writer = writer;
	frames->next = FIRST_ADDRESS;
	*ret_frames = frames;
	return 0;
}

static void destroy_function(void *data)
{
	struct function *function = data;

	if (!function)
		return;
	free(function->name);
	free(function->module);
	free(function);
}

void scope_import_frames_destroy(struct scope_frames *frames)
{
	if (!frames)
		return;
	tdestroy(frames->tree, destroy_function);
	free(frames);
}

static int compare(const void *left, const void *right)
{
	const struct function *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : strcmp(a->module, b->module);
}

/* True for names such as "[kernel.kallsyms]", which belong to no program. */
static bool is_library(const char *module)
{
	return module[0] == '[' || scope_symbol_library_match(NULL, module);
}

static int add(struct scope_frames *frames, const char *name, const char *module, uint64_t *ret_address)
{
	struct function *function = calloc(1, sizeof(*function));
	const char *base = strrchr(module, '/');
	int err;

	if (!function)
		return -ENOMEM;
	function->name = strdup(name);
	function->module = strdup(module);
	function->start = frames->next;
	if (!function->name || !function->module || !tsearch(function, &frames->tree, compare)) {
		destroy_function(function);
		return -ENOMEM;
	}
	frames->next += FUNCTION_BYTES;
	err = scope_trace_writer_symbol(frames->writer, &(struct scope_trace_symbol){
								.start = function->start,
								.size = FUNCTION_BYTES,
								.name = name,
								.module = base ? base + 1 : module,
								.library = is_library(module),
							});
	*ret_address = function->start + FUNCTION_BYTES / 2;
	return err;
}

int scope_import_frames_address(struct scope_frames *frames, const char *name, const char *module,
				uint64_t *ret_address)
{
	const struct function key = { (char *)name, (char *)module, 0 };
	struct function **found = tfind(&key, &frames->tree, compare);

	if (!found)
		return add(frames, name, module, ret_address);
	*ret_address = (*found)->start + FUNCTION_BYTES / 2;
	return 0;
}
