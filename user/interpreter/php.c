// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the frames of PHP 8.0 to 8.4, of builds without threads (NTS), whose state is one variable of the process.
 *
 *   executor_globals ─► execute_data ─► execute_data …
 *                          │ func ─► function_name, scope ─► name, filename
 */
#include "interpreter/php.h"

#include <string.h>

#include "interpreter/frame_middle.h"
#include "interpreter/name_text.h"

/*
 * Offsets that are equal in all these versions; the others are in rows[]. Those of 8.2 are from Zend/zend_compile.h,
 * zend_globals.h, zend.h and zend_types.h, those of the other versions from the structures of phpspy.
 */
#define DATA_FUNCTION 24
#define DATA_PREVIOUS 48
#define FUNCTION_TYPE 0
#define FUNCTION_NAME 8
#define FUNCTION_SCOPE 16
#define CLASS_NAME 8
#define STRING_LENGTH 16
#define STRING_VALUE 24
#define HASH_ELEMENTS 16 /* the buckets of a table, each of which begins with a value */
#define MODULE_SIZE 0
#define MODULE_API 4

#define MODULE_BYTES 168 /* size of a module's entry, which is also stored in it */
#define INTERNAL 1	 /* type of a function in C */
#define NAME_BYTES 160	 /* bytes of the name of a function, and of the name of its class */
#define FILE_BYTES 256

static const struct {
	uint32_t api, version;
	struct scope_php_offsets offsets;
} rows[] = {
	{ 20200930, 0x800, { .current = 488, .op_array_file = 144 } },
	{ 20210902, 0x801, { .current = 488, .op_array_file = 144 } },
	{ 20220829, 0x802, { .current = 488, .op_array_file = 152 } },
	{ 20230831, 0x803, { .current = 488, .op_array_file = 144 } },
	{ 20240924, 0x804, { .current = 488, .op_array_file = 168 } },
};

/*
 * The number of the interface for which modules are built. Every module has it; the first module of the table is one of
 * PHP's own. 0: there is no module yet.
 */
static uint32_t api_of(struct scope_memory *memory, uint64_t registry)
{
	uint64_t buckets, module;
	uint16_t bytes;
	uint32_t api;

	if (!scope_interpreter_memory_word(memory, registry + HASH_ELEMENTS, &buckets) || !buckets ||
	    !scope_interpreter_memory_word(memory, buckets, &module) ||
	    !scope_interpreter_memory_get(memory, module + MODULE_SIZE, &bytes, sizeof(bytes)) ||
	    bytes != MODULE_BYTES || !scope_interpreter_memory_get(memory, module + MODULE_API, &api, sizeof(api)))
		return 0;
	return api;
}

enum scope_interpreter_found scope_interpreter_php_find(struct scope_memory *memory,
							const struct scope_dynamic *dynamic,
							struct scope_interpreter *interpreter)
{
	uint64_t registry;
	uint32_t api;

	if (!scope_interpreter_dynamic_find(memory, dynamic, "module_registry", &registry))
		return SCOPE_INTERPRETER_ABSENT;
	api = api_of(memory, registry);
	if (!api)
		return SCOPE_INTERPRETER_ABSENT;
	/* A build with threads has a state for each thread, and exports no such variable. */
	if (!scope_interpreter_dynamic_find(memory, dynamic, "executor_globals", &interpreter->root))
		return SCOPE_INTERPRETER_UNKNOWN;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].api == api) {
			interpreter->version = rows[i].version;
			interpreter->php = rows[i].offsets;
			return SCOPE_INTERPRETER_FOUND;
		}
	return SCOPE_INTERPRETER_UNKNOWN;
}

enum scope_interpreter_read scope_interpreter_php_frames(struct scope_memory *memory,
							 const struct scope_interpreter *interpreter, uint64_t state,
							 struct scope_interpreted_frames *ret_frames)
{
	struct scope_frame_middle middle = { 0 };
	uint64_t data, function;
	uint32_t steps = 0;

	ret_frames->count = 0;
	ret_frames->cut = false;
	if (!scope_interpreter_memory_word(memory, state + interpreter->php.current, &data))
		return SCOPE_INTERPRETER_UNREADABLE;
	while (data && steps++ < 2 * SCOPE_INTERPRETED_FRAMES) {
		if (ret_frames->count == SCOPE_INTERPRETED_FRAMES) {
			ret_frames->cut = true;
			break;
		}
		if (!scope_interpreter_memory_word(memory, data + DATA_FUNCTION, &function))
			return ret_frames->count ? SCOPE_INTERPRETER_TORN : SCOPE_INTERPRETER_UNREADABLE;
		/* A frame without a function is a call that is being prepared. */
		if (function) {
			ret_frames->function[ret_frames->count++] = function;
			scope_interpreter_middle_note(&middle, ret_frames->count, data + DATA_FUNCTION, function);
		}
		if (!scope_interpreter_memory_word(memory, data + DATA_PREVIOUS, &data))
			return SCOPE_INTERPRETER_TORN;
	}
	if (data && !ret_frames->cut)
		return SCOPE_INTERPRETER_TORN;
	if (!scope_interpreter_middle_holds(memory, &middle))
		return SCOPE_INTERPRETER_TORN;
	return ret_frames->count ? SCOPE_INTERPRETER_READ : SCOPE_INTERPRETER_EMPTY;
}

/* Writes a zend_string, whose bytes are usually UTF-8. */
static bool put_string(struct scope_memory *memory, uint64_t string, size_t most, struct scope_interpreted_name *name)
{
	char bytes[FILE_BYTES + 1];
	uint64_t length;

	if (!scope_interpreter_memory_word(memory, string + STRING_LENGTH, &length))
		return false;
	if (length > most)
		length = most;
	if (!scope_interpreter_memory_get(memory, string + STRING_VALUE, bytes, length))
		return false;
	bytes[length] = '\0';
	/*
	 * The generated name of a class without a name has a zero byte and the place of the class, which is left out:
	 * the file's name follows anyway.
	 */
	scope_interpreter_name_clean(bytes);
	scope_interpreter_name_put(name, bytes);
	return true;
}

static bool put_class(struct scope_memory *memory, uint64_t function, struct scope_interpreted_name *name)
{
	uint64_t class, own;

	if (!scope_interpreter_memory_word(memory, function + FUNCTION_SCOPE, &class))
		return false;
	if (!class)
		return true;
	if (!scope_interpreter_memory_word(memory, class + CLASS_NAME, &own) ||
	    !put_string(memory, own, NAME_BYTES, name))
		return false;
	scope_interpreter_name_put(name, "::");
	return true;
}

bool scope_interpreter_php_name(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				uint64_t function, char ret_name[SCOPE_INTERPRETED_NAME])
{
	struct scope_interpreted_name name;
	uint64_t own, file;
	uint8_t type;

	scope_interpreter_name_begin(&name, ret_name, SCOPE_INTERPRETED_NAME);
	scope_interpreter_name_put(&name, "php::");
	if (!scope_interpreter_memory_get(memory, function + FUNCTION_TYPE, &type, sizeof(type)) ||
	    !scope_interpreter_memory_word(memory, function + FUNCTION_NAME, &own) ||
	    !put_class(memory, function, &name))
		return false;
	/* Code of a file outside of all functions has no name. */
	if (!own)
		scope_interpreter_name_put(&name, "<main>");
	else if (!put_string(memory, own, NAME_BYTES, &name))
		return false;
	if (type == INTERNAL) {
		scope_interpreter_name_put(&name, ":<internal>");
		return own;
	}
	scope_interpreter_name_put(&name, ":");
	return scope_interpreter_memory_word(memory, function + interpreter->php.op_array_file, &file) &&
	       put_string(memory, file, FILE_BYTES, &name);
}
