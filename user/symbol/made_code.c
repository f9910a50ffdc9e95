// SPDX-License-Identifier: GPL-2.0-only
/* Reads a runtime's memory through the reader, and keeps the functions that it found for some time. */
#include "symbol/made_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "proc/reader.h"
#include "symbol/frame.h"

#define NS_PER_MS 1000000ull
#define FIND_READS 8192u	     /* reads to find the runtime: symbols and tables are looked up in its memory */
#define READS 4096u		     /* reads while pages are kept */
#define READS_LEAST 256u	     /* reads for a frame and its name */
#define KEEP_NS (10 * NS_PER_MS)     /* for how long pages of the process are kept */
#define FORGET_NS (2000 * NS_PER_MS) /* a function is read again, because another one may be at its address */
#define RETRY_NS (50 * NS_PER_MS)    /* wait after the first failed attempt; it doubles after each further one */
#define RETRY_DOUBLINGS 8	     /* at most */
#define FUNCTIONS 4096u		     /* functions that are kept. No rule: a power of two; others are read again */

/* A function by its number in the runtime, and its number in the trace. */
struct function {
	uint64_t function;
	uint32_t id;
};

struct scope_made_code {
	uint32_t tgid;
	struct scope_proc_reader *reader;
	struct scope_name_table *names;
	bool found;
	unsigned int attempts;
	uint64_t next_try_ns, kept_ns, forget_ns;
	struct scope_interpreter interpreter;
	struct scope_memory memory;
	struct function functions[FUNCTIONS];
};

static bool read_memory(void *context, uint64_t address, void *data, size_t bytes)
{
	const struct scope_made_code *made = context;

	return scope_proc_reader_supplied(made->reader, made->tgid, address, data, bytes) == (ssize_t)bytes;
}

struct scope_made_code *scope_symbol_made_code_create(uint32_t tgid, struct scope_proc_reader *reader,
						      struct scope_name_table *names)
{
	struct scope_made_code *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	made->tgid = tgid;
	made->reader = reader;
	made->names = names;
	made->memory.read = read_memory;
	made->memory.context = made;
	return made;
}

void scope_symbol_made_code_destroy(struct scope_made_code *made)
{
	free(made);
}

/* Looks for the runtime, less often each time. */
static void find(struct scope_made_code *made, uint64_t now_ns)
{
	enum scope_interpreter_language language;
	uint64_t start = 0;
	uint32_t version = 0;
	size_t bytes;
	char *maps;

	made->next_try_ns = now_ns + (RETRY_NS << made->attempts);
	made->attempts += made->attempts < RETRY_DOUBLINGS;
	if (scope_proc_reader_text(made->reader, SCOPE_PROC_MAPS, made->tgid, made->tgid, &maps, &bytes))
		return;
	language = scope_interpreter_of_maps(maps, &start, &version);
	free(maps);
	scope_interpreter_memory_begin(&made->memory, FIND_READS);
	made->found = language && scope_interpreter_find(&made->memory, language, start, version, &made->interpreter) ==
					  SCOPE_INTERPRETER_FOUND;
	made->kept_ns = 0;
}

static bool is_ready(struct scope_made_code *made, uint64_t now_ns)
{
	if (!made->found && now_ns >= made->next_try_ns)
		find(made, now_ns);
	if (made->found && (now_ns >= made->kept_ns + KEEP_NS || made->memory.left < READS_LEAST)) {
		scope_interpreter_memory_begin(&made->memory, READS);
		made->kept_ns = now_ns;
	}
	if (now_ns >= made->forget_ns + FORGET_NS) {
		memset(made->functions, 0, sizeof(made->functions));
		made->forget_ns = now_ns;
	}
	return made->found;
}

/* 0: it cannot be read. */
static uint64_t address_of(struct scope_made_code *made, uint64_t number)
{
	struct function *function = &made->functions[(number >> 3) * 0x9e3779b1u % FUNCTIONS]; /* no rule */
	char name[SCOPE_INTERPRETED_NAME];
	uint32_t id;

	if (function->function != number) {
		if (!scope_interpreter_name(&made->memory, &made->interpreter, number, name))
			return 0;
		id = scope_interpreter_name_table_get(made->names, name);
		if (id == SCOPE_NAME_TABLE_NONE)
			return 0;
		*function = (struct function){ number, id };
	}
	return SCOPE_INTERPRETED_ON_STACKS + (uint64_t)function->id * SCOPE_INTERPRETED_SIZE;
}

struct stack {
	const struct scope_slice *slice;
	bool cut;
};

static bool word_of_slice(void *context, uint64_t address, uint64_t *ret_word)
{
	struct stack *stack = context;
	const int err = scope_symbol_slice_read(stack->slice, address, ret_word);

	stack->cut |= err == -ENODATA;
	return !err;
}

enum scope_interpreter_left scope_symbol_made_code_leave(struct scope_made_code *made, const struct scope_slice *slice,
							 struct scope_native_frame *frame,
							 struct scope_left_functions *ret_functions, bool *ret_cut)
{
	struct stack stack = { .slice = slice };
	const struct scope_stack_words words = { word_of_slice, &stack };
	enum scope_interpreter_left left;
	struct scope_left_functions found;

	ret_functions->count = 0;
	*ret_cut = false;
	if (!is_ready(made, scope_now_ns()))
		return SCOPE_INTERPRETER_NOT_LEFT;
	left = scope_interpreter_leave(&made->memory, &made->interpreter, &words, frame, &found);
	*ret_cut = stack.cut;
	if (left == SCOPE_INTERPRETER_NOT_LEFT)
		return left;
	for (uint32_t i = 0; i < found.count; i++) {
		const uint64_t address = address_of(made, found.function[i]);

		if (address)
			ret_functions->function[ret_functions->count++] = address;
	}
	return left;
}
