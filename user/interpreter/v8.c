// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the functions of JavaScript frames of V8, on x86-64.
 *
 *   frame pointer ─► its function ─► SharedFunctionInfo ─► ScopeInfo ─► name
 *                                          │ Script ─► name of its file
 *
 * All of V8's code keeps frame pointers: interpreted code, compiled code and V8's own. One word below the frame pointer
 * a frame has its context, or its kind if it is no frame of JavaScript; two words below it has its function. Offsets
 * are numbers that V8 exports for debuggers (tools/gen-postmortem-metadata.py), so the version need not be known.
 * Pointers to objects have a 1 added.
 */
#include "interpreter/v8.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "interpreter/name_text.h"

#define WORD 8
#define TAG 1u	       /* bit of a pointer to an object */
#define REGEXP 1u      /* bit of a function's number: code of a regular expression; other numbers are even */
#define NAME_BYTES 160 /* of the name of a function */
#define FILE_BYTES 256
#define NESTED_MAX 4	  /* depth of strings that are made of others */
#define LOCALS_MAX 10000u /* no rule: more are invalid */
#define LOCALS_INLINE 75u /* V8's kScopeInfoMaxInlinedLocalNamesSize: more are in a table */
#define SLOTS 8u	  /* slots of a ScopeInfo after its variables that are read */
#define SMALL_SHIFT 32	  /* place of a small number in its word */
#define SOURCE_MAX                                                                                                     \
	(4 << 20) /* characters of a script before a function without a name, whose line is found by counting */
#define CHUNK 16384u
#define AROUND_MAX 6 /* scopes around a function without a name */

/* Names with which V8 exports a number; the second and third are those of later versions. */
static const struct {
	const char *name[3];
	size_t to;
	bool wanted; /* without it nothing can be read */
} numbers[] = {
#define NUMBER(to, ...)                                                                                                \
	{                                                                                                              \
		{ __VA_ARGS__ }, offsetof(struct scope_v8_offsets, to), true                                           \
	}
#define PERHAPS(to, ...)                                                                                               \
	{                                                                                                              \
		{ __VA_ARGS__ }, offsetof(struct scope_v8_offsets, to), false                                          \
	}
	NUMBER(frame_kind, "v8dbg_off_fp_context_or_frame_type", "v8dbg_off_fp_context"),
	NUMBER(frame_function, "v8dbg_off_fp_function"),
	PERHAPS(frame_regexp, "v8dbg_frametype_IrregexpFrame"),
	NUMBER(object_map, "v8dbg_class_HeapObject__map__Map"),
	NUMBER(map_type, "v8dbg_class_Map__instance_type__uint16_t"),
	NUMBER(function_shared, "v8dbg_class_JSFunction__shared__SharedFunctionInfo",
	       "v8dbg_class_JSFunction__shared__Tagged_SharedFunctionInfo_"),
	NUMBER(shared_name, "v8dbg_class_SharedFunctionInfo__name_or_scope_info__Object",
	       "v8dbg_class_SharedFunctionInfo__name_or_scope_info__Tagged_Object_"),
	NUMBER(shared_script, "v8dbg_class_SharedFunctionInfo__script_or_debug_info__HeapObject",
	       "v8dbg_class_SharedFunctionInfo__script_or_debug_info__Object",
	       "v8dbg_class_SharedFunctionInfo__script_or_debug_info__Tagged_HeapObject_"),
	NUMBER(script_name, "v8dbg_class_Script__name__Object", "v8dbg_class_Script__name__Tagged_Object_"),
	PERHAPS(script_source, "v8dbg_class_Script__source__Object", "v8dbg_class_Script__source__Tagged_Object_"),
	NUMBER(scope_count, "v8dbg_scopeinfo_idx_ncontextlocals"),
	NUMBER(scope_first, "v8dbg_scopeinfo_idx_first_vars"),
	NUMBER(string_length, "v8dbg_class_String__length__int32_t"),
	NUMBER(string_one_byte, "v8dbg_class_SeqOneByteString__chars__char"),
	NUMBER(string_two_byte, "v8dbg_class_SeqTwoByteString__chars__char"),
	PERHAPS(string_first, "v8dbg_class_ConsString__first__String", "v8dbg_class_ConsString__first__Tagged_String_"),
	PERHAPS(string_second, "v8dbg_class_ConsString__second__String",
		"v8dbg_class_ConsString__second__Tagged_String_"),
	PERHAPS(string_actual, "v8dbg_class_ThinString__actual__String",
		"v8dbg_class_ThinString__actual__Tagged_String_"),
	NUMBER(type_shared, "v8dbg_type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE"),
	NUMBER(type_scope, "v8dbg_type_ScopeInfo__SCOPE_INFO_TYPE"),
	NUMBER(type_script, "v8dbg_type_Script__SCRIPT_TYPE"),
	NUMBER(not_string, "v8dbg_IsNotStringMask"),
	NUMBER(representation, "v8dbg_StringRepresentationMask"),
	NUMBER(encoding, "v8dbg_StringEncodingMask"),
	NUMBER(one_byte, "v8dbg_OneByteStringTag"),
	NUMBER(sequential, "v8dbg_SeqStringTag"),
	PERHAPS(cons, "v8dbg_ConsStringTag"),
	PERHAPS(thin, "v8dbg_ThinStringTag"),
#undef NUMBER
#undef PERHAPS
};

#define UNKNOWN INT32_MIN /* no rule: no such number */

static bool read_number(struct scope_memory *memory, const struct scope_dynamic *dynamic, const char *const name[3],
			int32_t *ret_number)
{
	uint64_t address;

	for (size_t i = 0; i < 3 && name[i]; i++)
		if (scope_interpreter_dynamic_find(memory, dynamic, name[i], &address))
			return scope_interpreter_memory_get(memory, address, ret_number, sizeof(*ret_number));
	return false;
}

enum scope_interpreter_found scope_interpreter_v8_find(struct scope_memory *memory, const struct scope_dynamic *dynamic,
						       struct scope_interpreter *interpreter)
{
	uint64_t address;

#ifndef __x86_64__
	return SCOPE_INTERPRETER_UNKNOWN;
#endif
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		int32_t number = UNKNOWN;

		if (!read_number(memory, dynamic, numbers[i].name, &number) && numbers[i].wanted)
			return SCOPE_INTERPRETER_UNKNOWN;
		memcpy((char *)&interpreter->v8 + numbers[i].to, &number, sizeof(number));
	}
	/* In older versions it was an array, which has its length before its elements. */
	interpreter->v8.scope_slots =
		scope_interpreter_dynamic_find(memory, dynamic, "v8dbg_parent_ScopeInfo__HeapObject", &address)
			? WORD
			: 2 * WORD;
	return SCOPE_INTERPRETER_FOUND;
}

/* ---- objects ---- */

static bool get(struct scope_memory *memory, uint64_t object, int64_t offset, uint64_t *ret_word)
{
	return object & TAG && scope_interpreter_memory_word(memory, object - TAG + (uint64_t)offset, ret_word);
}

/* Returns the type of an object; -1: it is no object. */
static int type_of(struct scope_memory *memory, const struct scope_v8_offsets *offsets, uint64_t object)
{
	uint64_t map;
	uint16_t type;

	return get(memory, object, offsets->object_map, &map) && map & TAG &&
			       scope_interpreter_memory_get(memory, map - TAG + (uint64_t)offsets->map_type, &type,
							    sizeof(type))
		       ? type
		       : -1;
}

/* The place of an object that was moved: the garbage collector leaves the new address in place of the object's map. */
static uint64_t moved(struct scope_memory *memory, const struct scope_v8_offsets *offsets, uint64_t object)
{
	uint64_t map;

	return get(memory, object, offsets->object_map, &map) && map && !(map & TAG) ? map | TAG : object;
}

/* ---- frames ---- */

/* The number of the function of a frame: the address of its SharedFunctionInfo. 0: none. */
static uint64_t function_of(struct scope_memory *memory, const struct scope_v8_offsets *offsets,
			    const struct scope_stack_words *stack, uint64_t fp)
{
	uint64_t kind, function, shared;

	if (!stack->word(stack->context, fp + (uint64_t)(int64_t)offsets->frame_kind, &kind))
		return 0;
	if (!(kind & TAG))
		return offsets->frame_regexp > 0 && kind == (uint64_t)offsets->frame_regexp << 1 ? REGEXP : 0;
	if (!stack->word(stack->context, fp + (uint64_t)(int64_t)offsets->frame_function, &function) ||
	    !(function & TAG))
		return 0;
	function = moved(memory, offsets, function);
	if (!get(memory, function, offsets->function_shared, &shared))
		return 0;
	shared = moved(memory, offsets, shared);
	return type_of(memory, offsets, shared) == offsets->type_shared ? shared - TAG : 0;
}

enum scope_interpreter_left scope_interpreter_v8_leave(struct scope_memory *memory,
						       const struct scope_interpreter *interpreter,
						       const struct scope_stack_words *stack,
						       struct scope_native_frame *frame,
						       struct scope_left_functions *ret_functions)
{
	struct scope_native_frame caller = { .sp = frame->fp + 2 * WORD };

	if (frame->fp < frame->sp || frame->fp % WORD || !stack->word(stack->context, frame->fp, &caller.fp) ||
	    !stack->word(stack->context, frame->fp + WORD, &caller.pc))
		return SCOPE_INTERPRETER_NOT_LEFT;
	ret_functions->function[0] = function_of(memory, &interpreter->v8, stack, frame->fp);
	ret_functions->count = ret_functions->function[0] != 0;
	*frame = caller;
	return SCOPE_INTERPRETER_LEFT;
}

/* ---- names ---- */

/* Writes the characters of a string as UTF-8. */
static bool put_characters(struct scope_memory *memory, uint64_t at, bool one_byte, uint32_t length,
			   struct scope_interpreted_name *name)
{
	uint8_t bytes[2 * FILE_BYTES];

	if (length > FILE_BYTES)
		length = FILE_BYTES;
	if (!scope_interpreter_memory_get(memory, at, bytes, (size_t)length * (one_byte ? 1 : 2)))
		return false;
	for (uint32_t i = 0; i < length; i++)
		scope_interpreter_name_character(name, one_byte ? bytes[i] : bytes[2 * i] | bytes[2 * i + 1] << 8);
	return true;
}

/* depth: how deep strings may be nested. Returns false if it is no string of these kinds, or an empty one. */
static bool put_string(struct scope_memory *memory, const struct scope_v8_offsets *offsets, uint64_t string, int depth,
		       struct scope_interpreted_name *name)
{
	const int type = type_of(memory, offsets, string);
	const int kind = type & offsets->representation;
	const bool one_byte = (type & offsets->encoding) == offsets->one_byte;
	uint64_t first, second;
	uint32_t length;

	if (!(string & TAG) || type < 0 || type & offsets->not_string || !depth ||
	    !scope_interpreter_memory_get(memory, string - TAG + (uint64_t)offsets->string_length, &length,
					  sizeof(length)) ||
	    !length)
		return false;
	if (kind == offsets->sequential)
		return put_characters(
			memory,
			string - TAG + (uint64_t)(one_byte ? offsets->string_one_byte : offsets->string_two_byte),
			one_byte, length, name);
	if (kind == offsets->thin)
		return get(memory, string, offsets->string_actual, &first) &&
		       put_string(memory, offsets, first, depth - 1, name);
	if (kind != offsets->cons || !get(memory, string, offsets->string_first, &first) ||
	    !get(memory, string, offsets->string_second, &second) ||
	    !put_string(memory, offsets, first, depth - 1, name))
		return false;
	/* V8 may later join both parts into the first; the second is then empty. */
	put_string(memory, offsets, second, depth - 1, name);
	return true;
}

/* Finds line and column of a function without a name in its script. Returns false if they are not known. */
static bool find_line(struct scope_memory *memory, const struct scope_v8_offsets *offsets, uint64_t script,
		      uint64_t position, unsigned *ret_line, unsigned *ret_column)
{
	static uint8_t bytes[CHUNK];
	uint64_t source, at;
	size_t size, step, part;
	int type;

	*ret_line = *ret_column = 1;
	if (offsets->script_source == UNKNOWN || position > SOURCE_MAX ||
	    !get(memory, script, offsets->script_source, &source))
		return false;
	type = type_of(memory, offsets, source);
	if (type < 0 || type & offsets->not_string || (type & offsets->representation) != offsets->sequential)
		return false;
	step = (type & offsets->encoding) == offsets->one_byte ? 1 : 2;
	at = source - TAG + (uint64_t)(step == 1 ? offsets->string_one_byte : offsets->string_two_byte);
	for (size = position * step; size; size -= part, at += part) {
		part = size < CHUNK ? size : CHUNK;
		if (!scope_interpreter_memory_now(memory, at, bytes, part))
			return false;
		for (size_t i = 0; i < part; i += step) {
			++*ret_column;
			if (bytes[i] == '\n' && (step == 1 || !bytes[i + 1])) {
				++*ret_line;
				*ret_column = 1;
			}
		}
	}
	return true;
}

/* The slots of a ScopeInfo after its variables that are needed. */
struct scope {
	uint64_t name, assigned; /* strings, or no strings; 0: not known */
	uint64_t begin;		 /* offset in the script */
	uint64_t around;	 /* another ScopeInfo; 0: none */
	bool function;		 /* it is the scope of a function: the first three members are known */
};

static bool slot_of(struct scope_memory *memory, const struct scope_v8_offsets *offsets, uint64_t scope,
		    uint64_t number, uint64_t *ret_slot)
{
	return get(memory, scope, offsets->scope_slots + (int64_t)number * WORD, ret_slot);
}

/* Returns the ScopeInfo, or 0 if the object is none. */
static uint64_t scope_at(struct scope_memory *memory, const struct scope_v8_offsets *offsets, uint64_t slot)
{
	return type_of(memory, offsets, slot) == offsets->type_scope ? slot : 0;
}

/*
 * A function has these slots: its name and a small number, if it may have a name; the name to which it is assigned; its
 * begin and end as small numbers; the ScopeInfo around it. A block has only the last. A slot that fits neither is not
 * used as a name, because it may belong to another object.
 */
static bool read_scope(struct scope_memory *memory, const struct scope_v8_offsets *offsets, uint64_t scope,
		       struct scope *ret_scope)
{
	uint64_t slot[SLOTS] = { 0 }, count, first;

	*ret_scope = (struct scope){ 0 };
	if (!slot_of(memory, offsets, scope, (uint64_t)offsets->scope_count, &count) || count & TAG ||
	    count >> SMALL_SHIFT > LOCALS_MAX)
		return false;
	count >>= SMALL_SHIFT;
	first = (uint64_t)offsets->scope_first + count + (count < LOCALS_INLINE ? count : 1);
	for (uint64_t i = 0; i < SLOTS && slot_of(memory, offsets, scope, first + i, &slot[i]); i++) {
		if (i < 2 || !(slot[i - 2] & TAG) || slot[i - 1] & TAG || slot[i] & TAG || slot[i - 1] > slot[i])
			continue;
		ret_scope->function = true;
		ret_scope->name = i >= 4 && !(slot[i - 3] & TAG) ? slot[i - 4] : 0;
		ret_scope->assigned = slot[i - 2];
		ret_scope->begin = slot[i - 1] >> SMALL_SHIFT;
		if (slot_of(memory, offsets, scope, first + i + 1, &slot[0]))
			ret_scope->around = scope_at(memory, offsets, slot[0]);
		return true;
	}
	ret_scope->around = scope_at(memory, offsets, slot[0]);
	return true;
}

static bool put_own(struct scope_memory *memory, const struct scope_v8_offsets *offsets, const struct scope *scope,
		    struct scope_interpreted_name *name)
{
	return put_string(memory, offsets, scope->name, NESTED_MAX, name) ||
	       put_string(memory, offsets, scope->assigned, NESTED_MAX, name);
}

/* Writes the name of the nearest function around that has a name, and a dot. */
static void put_around(struct scope_memory *memory, const struct scope_v8_offsets *offsets, uint64_t around,
		       struct scope_interpreted_name *name)
{
	struct scope scope;

	for (int depth = 0; depth < AROUND_MAX && around && read_scope(memory, offsets, around, &scope); depth++) {
		if (put_own(memory, offsets, &scope, name)) {
			scope_interpreter_name_put(name, ".");
			return;
		}
		around = scope.around;
	}
}

static bool put_scope(struct scope_memory *memory, const struct scope_v8_offsets *offsets, uint64_t at, uint64_t script,
		      struct scope_interpreted_name *name)
{
	unsigned line, column;
	struct scope scope;
	char text[40];

	if (!read_scope(memory, offsets, at, &scope) || !scope.function)
		return false;
	if (put_own(memory, offsets, &scope, name))
		return true;
	if (!find_line(memory, offsets, script, scope.begin, &line, &column))
		return false;
	put_around(memory, offsets, scope.around, name);
	snprintf(text, sizeof(text), "(anonymous at %u:%u)", line, column);
	scope_interpreter_name_put(name, text);
	return true;
}

/* Writes a file's name; for Node's own files "<node events>". */
static bool put_file(struct scope_memory *memory, const struct scope_v8_offsets *offsets, uint64_t string,
		     struct scope_interpreted_name *name)
{
	char text[SCOPE_INTERPRETED_NAME];
	struct scope_interpreted_name file;

	scope_interpreter_name_begin(&file, text, sizeof(text));
	if (!put_string(memory, offsets, string, NESTED_MAX, &file))
		return false;
	if (!strncmp(text, "node:", strlen("node:"))) {
		text[strlen("node")] = ' ';
		scope_interpreter_name_put(name, "<");
		scope_interpreter_name_put(name, text);
		scope_interpreter_name_put(name, ">");
		return true;
	}
	scope_interpreter_name_put(name,
				   !strncmp(text, "file://", strlen("file://")) ? text + strlen("file://") : text);
	return true;
}

bool scope_interpreter_v8_name(struct scope_memory *memory, const struct scope_interpreter *interpreter,
			       uint64_t function, char ret_name[SCOPE_INTERPRETED_NAME])
{
	const struct scope_v8_offsets *offsets = &interpreter->v8;
	const uint64_t shared = function + TAG;
	struct scope_interpreted_name name;
	uint64_t own, script, file;
	bool named;

	if (function == REGEXP) {
		strcpy(ret_name, "RegExp:[compiled]");
		return true;
	}
	/* V8's own functions have no script; their names are in the program's file. */
	if (type_of(memory, offsets, shared) != offsets->type_shared ||
	    !get(memory, shared, offsets->shared_name, &own) || !get(memory, shared, offsets->shared_script, &script) ||
	    type_of(memory, offsets, script) != offsets->type_script ||
	    !get(memory, script, offsets->script_name, &file))
		return false;
	scope_interpreter_name_begin(&name, ret_name, SCOPE_INTERPRETED_NAME);
	scope_interpreter_name_put(&name, "js::");
	named = type_of(memory, offsets, own) == offsets->type_scope
			? put_scope(memory, offsets, own, script, &name)
			: put_string(memory, offsets, own, NESTED_MAX, &name);
	if (!named)
		scope_interpreter_name_put(&name, "(anonymous)");
	scope_interpreter_name_put(&name, ":");
	return put_file(memory, offsets, file, &name);
}
