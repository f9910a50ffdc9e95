// SPDX-License-Identifier: GPL-2.0-only
/* Objects of CPython 3.8 to 3.13: dictionaries, strings, coroutines. */
#include "interpreter/python_objects.h"

#include <string.h>

#define KEY_MAX 64	  /* bytes of a key that is searched */
#define ENTRIES_MAX 65536 /* entries of a dictionary that are searched */
#define DICT_KEYS 32	  /* offset in all versions */
#define VERSION_SHORT                                                                                                  \
	0x30b /* from this version on a dictionary has the size of its rows, and coroutines contain their frames */
#define KEYS_LOG_BYTES 9 /* from that version on: size of the index */
#define KEYS_KIND 10
#define KEYS_COUNT 24
#define KEYS_INDEX 32
#define KIND_GENERAL 0
#define KIND_TEXT 1
#define OLD_KEYS_SIZE 8 /* before that version */
#define OLD_KEYS_COUNT 32
#define OLD_KEYS_INDEX 40
#define ENTRY_GENERAL 24 /* bytes bytes of a row: hash, key, value */
#define ENTRY_TEXT 16	 /* bytes of a row: key, value */
#define STACK_MAX 4096	 /* words of a frame: its variables and its stack */
#define WRAPPED 16	 /* the coroutine in an object that continues it, such as await of an asynchronous generator */

/*
 * Offsets in a coroutine and its frame, from Include/internal/pycore_frame.h, Include/cpython/genobject.h and
 * frameobject.h. Before 3.11 a coroutine has a pointer to a separate frame.
 */
struct layout {
	uint32_t first, last;
	uint32_t frame; /* in the coroutine: the frame, or a pointer to it */
	uint32_t state; /* in the coroutine: of 1 byte */
	bool state_of_frame;
	int8_t waits, waits_last;   /* values of the state of a coroutine that waits */
	uint32_t code, instruction; /* in the frame; instruction: 4 bytes before 3.11 */
	uint32_t depth; /* in the frame: 4 bytes, the number of words from `words` on; 0: `top` points to the end of the stack */
	uint32_t words, top;
	bool words_apart; /* `words` is a pointer to them */
};

static const struct layout layouts[] = {
	{ 0x308, 0x309, .frame = 16, .state = 24, .code = 32, .instruction = 104, .top = 64 + 8 },
	{ 0x30a, 0x30a, .frame = 16, .state = 108, .state_of_frame = true, .waits = -1, .waits_last = -1, .code = 32,
	  .instruction = 96, .depth = 80, .words = 64, .words_apart = true },
	{ 0x30b, 0x30b, .frame = 80, .state = 75, .waits = -1, .waits_last = -1, .code = 32, .instruction = 56,
	  .depth = 64, .words = 72 },
	{ 0x30c, 0x30c, .frame = 72, .state = 67, .waits = -1, .waits_last = -1, .code = 0, .instruction = 56,
	  .depth = 64, .words = 72 },
	{ 0x30d, 0x30d, .frame = 72, .state = 67, .waits = -2, .waits_last = -1, .code = 0, .instruction = 56,
	  .depth = 64, .words = 72 },
};

static const struct layout *layout_of(uint32_t version)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (version >= layouts[i].first && version <= layouts[i].last)
			return &layouts[i];
	return NULL;
}

bool scope_interpreter_python_knows_tasks(uint32_t version)
{
	return layout_of(version);
}

bool scope_interpreter_python_is(struct scope_memory *memory, uint64_t object, uint64_t type)
{
	uint64_t found;

	return type && object && !(object % sizeof(object)) &&
	       scope_interpreter_memory_word(memory, object + sizeof(object), &found) && found == type;
}

/* ---- dictionaries ---- */

static bool is_text(struct scope_memory *memory, const struct scope_interpreter *interpreter, uint64_t object,
		    const char *text, size_t bytes)
{
	const struct scope_python_offsets *offsets = &interpreter->python;
	char found[KEY_MAX];
	uint64_t length;

	return scope_interpreter_memory_word(memory, object + offsets->text_length, &length) && length == bytes &&
	       scope_interpreter_python_is(memory, object, interpreter->text_type) &&
	       scope_interpreter_memory_get(memory, object + offsets->text_ascii, found, bytes) &&
	       !memcmp(found, text, bytes);
}

/* Finds the rows of a dictionary, each of which ends with key and value. Returns false if it has no such rows. */
static bool entries_of(struct scope_memory *memory, uint32_t version, uint64_t keys, uint64_t *ret_first,
		       uint64_t *ret_count, uint32_t *ret_bytes)
{
	uint64_t size;

	*ret_bytes = ENTRY_GENERAL;
	if (version < VERSION_SHORT) {
		if (!scope_interpreter_memory_word(memory, keys + OLD_KEYS_SIZE, &size) ||
		    !scope_interpreter_memory_word(memory, keys + OLD_KEYS_COUNT, ret_count))
			return false;
		*ret_first = keys + OLD_KEYS_INDEX + size * (size <= 0xff ? 1 : size <= 0xffff ? 2 : 4);
	} else {
		uint8_t log_bytes, kind;

		if (!scope_interpreter_memory_get(memory, keys + KEYS_LOG_BYTES, &log_bytes, 1) ||
		    !scope_interpreter_memory_get(memory, keys + KEYS_KIND, &kind, 1) ||
		    !scope_interpreter_memory_word(memory, keys + KEYS_COUNT, ret_count) || log_bytes > 30 ||
		    (kind != KIND_GENERAL && kind != KIND_TEXT))
			return false;
		*ret_first = keys + KEYS_INDEX + (1ull << log_bytes);
		if (kind == KIND_TEXT)
			*ret_bytes = ENTRY_TEXT;
	}
	return *ret_count <= ENTRIES_MAX;
}

bool scope_interpreter_python_dict_get(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				       uint64_t dict, const char *key, uint64_t *ret_value)
{
	const size_t length = strlen(key);
	uint64_t keys, first, count;
	uint32_t bytes;

	if (length >= KEY_MAX || !scope_interpreter_python_is(memory, dict, interpreter->types.dict) ||
	    !scope_interpreter_memory_word(memory, dict + DICT_KEYS, &keys) ||
	    !entries_of(memory, interpreter->version, keys, &first, &count, &bytes))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t pair[2];

		if (!scope_interpreter_memory_get(memory, first + (i + 1) * bytes - sizeof(pair), pair, sizeof(pair)))
			return false;
		if (pair[1] && is_text(memory, interpreter, pair[0], key, length)) {
			*ret_value = pair[1];
			return true;
		}
	}
	return false;
}

/* ---- coroutines ---- */

static bool is_coroutine(struct scope_memory *memory, const struct scope_interpreter *interpreter, uint64_t object)
{
	const struct scope_python_types *types = &interpreter->types;

	return scope_interpreter_python_is(memory, object, types->coroutine) ||
	       scope_interpreter_python_is(memory, object, types->generator) ||
	       scope_interpreter_python_is(memory, object, types->asynchronous_generator);
}

/* Reads the object on the top of the frame's stack. */
static bool top_of(struct scope_memory *memory, const struct layout *layout, uint64_t frame, uint64_t *ret_object)
{
	uint64_t words = frame + layout->words, end;
	uint32_t depth;

	if (!layout->depth)
		return scope_interpreter_memory_word(memory, frame + layout->top, &end) &&
		       scope_interpreter_memory_word(memory, end - sizeof(*ret_object), ret_object);
	if (!scope_interpreter_memory_get(memory, frame + layout->depth, &depth, sizeof(depth)) || !depth ||
	    depth > STACK_MAX ||
	    (layout->words_apart && !scope_interpreter_memory_word(memory, frame + layout->words, &words)))
		return false;
	return scope_interpreter_memory_word(memory, words + (depth - 1) * sizeof(*ret_object), ret_object);
}

bool scope_interpreter_python_coroutine(struct scope_memory *memory, const struct scope_interpreter *interpreter,
					uint64_t object, struct scope_python_coroutine *ret_coroutine)
{
	const struct layout *layout = layout_of(interpreter->version);
	uint64_t frame, instruction = 0;
	int8_t state;

	if (!is_coroutine(memory, interpreter, object) &&
	    (!scope_interpreter_memory_word(memory, object + WRAPPED, &object) ||
	     !is_coroutine(memory, interpreter, object)))
		return false;
	frame = object + layout->frame;
	if (interpreter->version < VERSION_SHORT && (!scope_interpreter_memory_word(memory, frame, &frame) || !frame))
		return false;
	if (!scope_interpreter_memory_get(memory, (layout->state_of_frame ? frame : object) + layout->state, &state,
					  sizeof(state)) ||
	    state < layout->waits || state > layout->waits_last ||
	    !scope_interpreter_memory_word(memory, frame + layout->code, &ret_coroutine->code) ||
	    !scope_interpreter_memory_get(memory, frame + layout->instruction, &instruction,
					  interpreter->version < VERSION_SHORT ? 4 : 8))
		return false;
	/* A coroutine that has not begun awaits nothing. */
	ret_coroutine->instruction = instruction;
	return instruction != UINT32_MAX && top_of(memory, layout, frame, &ret_coroutine->awaits);
}
