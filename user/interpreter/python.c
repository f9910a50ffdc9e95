// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the frames of CPython 3.8 to 3.13.
 *
 *   _PyRuntime ─► interpreter ─► thread state ─► [cframe ─►] frame ─► frame …
 *                    │ next         │ next                     │ code ─► name, file
 */
#include "interpreter/python.h"

#include <string.h>

#include "interpreter/frame_middle.h"
#include "interpreter/name_text.h"
#include "interpreter/python_offsets.h"

#define INTERPRETERS_MAX 16	/* interpreters of one process */
#define OWNED_BY_C 3		/* owner of a frame that represents a call from C, and no function */
#define NAME_CHARACTERS 256	/* characters of a name, and of a path */
#define STATE_KIND 2		/* bits of the state of a string: its kind begins here, … */
#define STATE_KIND_MASK 7	/* … and is this wide: the bytes of a character */
#define STATE_COMPACT (1u << 5) /* the characters follow the head */
#define STATE_ASCII (1u << 6)
#define ASCII_TO_OTHERS 16 /* distance of the characters of other strings from those of ASCII strings, from 3.12 on */
#define ASCII_TO_OTHERS_OLD 24 /* the same before 3.12: there was a length in wchar_t, too */
#define VERSION_TEXT_SHORT 0x30c

enum scope_interpreter_found scope_interpreter_python_find(struct scope_memory *memory,
							   const struct scope_dynamic *dynamic,
							   struct scope_interpreter *interpreter)
{
	uint64_t head, version, at;

	if (!scope_interpreter_dynamic_find(memory, dynamic, "_PyRuntime", &interpreter->root))
		return SCOPE_INTERPRETER_ABSENT;
	/* From 3.11 on. For older versions the name of the file has the version. */
	if (scope_interpreter_dynamic_find(memory, dynamic, "Py_Version", &at) &&
	    scope_interpreter_memory_word(memory, at, &version))
		interpreter->version = (uint32_t)(version >> 16);
	if (!scope_interpreter_python_offsets(memory, interpreter->root, interpreter->version, &interpreter->python))
		return SCOPE_INTERPRETER_UNKNOWN;
	scope_interpreter_dynamic_find(memory, dynamic, "PyCode_Type", &interpreter->code_type);
	scope_interpreter_dynamic_find(memory, dynamic, "PyUnicode_Type", &interpreter->text_type);
	scope_interpreter_dynamic_find(memory, dynamic, "PyDict_Type", &interpreter->types.dict);
	scope_interpreter_dynamic_find(memory, dynamic, "PySet_Type", &interpreter->types.set);
	scope_interpreter_dynamic_find(memory, dynamic, "PyCoro_Type", &interpreter->types.coroutine);
	scope_interpreter_dynamic_find(memory, dynamic, "PyGen_Type", &interpreter->types.generator);
	scope_interpreter_dynamic_find(memory, dynamic, "PyAsyncGen_Type", &interpreter->types.asynchronous_generator);
	return scope_interpreter_memory_word(memory, interpreter->root + interpreter->python.runtime_interpreter,
					     &head) &&
			       head
		       ? SCOPE_INTERPRETER_FOUND
		       : SCOPE_INTERPRETER_ABSENT;
}

static bool read_thread(struct scope_memory *memory, const struct scope_python_offsets *offsets, uint64_t state,
			struct scope_interpreted_thread *ret_thread)
{
	uint64_t number = 0;

	*ret_thread = (struct scope_interpreted_thread){ .state = state };
	if (offsets->thread_number && !scope_interpreter_memory_word(memory, state + offsets->thread_number, &number))
		return false;
	ret_thread->tid = (uint32_t)number;
	return scope_interpreter_memory_word(memory, state + offsets->thread_handle, &ret_thread->handle);
}

size_t scope_interpreter_python_threads(struct scope_memory *memory, const struct scope_interpreter *interpreter,
					struct scope_interpreted_thread *ret_thread, size_t max)
{
	const struct scope_python_offsets *offsets = &interpreter->python;
	uint64_t owner = 0, state;
	size_t count = 0;

	if (!scope_interpreter_memory_word(memory, interpreter->root + offsets->runtime_interpreter, &owner))
		return 0;
	for (unsigned i = 0; owner && i < INTERPRETERS_MAX; i++) {
		if (!scope_interpreter_memory_word(memory, owner + offsets->interpreter_threads, &state))
			return count;
		while (state && count < max && read_thread(memory, offsets, state, &ret_thread[count])) {
			count++;
			if (!scope_interpreter_memory_word(memory, state + offsets->thread_next, &state))
				break;
		}
		if (!scope_interpreter_memory_word(memory, owner + offsets->interpreter_next, &owner))
			return count;
	}
	return count;
}

bool scope_interpreter_python_is_thread(struct scope_memory *memory, const struct scope_interpreter *interpreter,
					const struct scope_interpreted_thread *thread)
{
	struct scope_interpreted_thread now;

	return read_thread(memory, &interpreter->python, thread->state, &now) && now.tid == thread->tid &&
	       now.handle == thread->handle;
}

/* True if the object has this type, or the type is not known. */
static bool is_of(struct scope_memory *memory, const struct scope_python_offsets *offsets, uint64_t object,
		  uint64_t type)
{
	uint64_t found;

	return scope_interpreter_memory_word(memory, object + offsets->type, &found) && (!type || found == type);
}

/* Reads a frame: the code that it runs (0: none), and the frame of the caller. */
static bool read_frame(struct scope_memory *memory, const struct scope_python_offsets *offsets, uint64_t frame,
		       uint64_t *ret_code, uint64_t *ret_back)
{
	uint8_t owner = 0;

	if (!scope_interpreter_memory_word(memory, frame + offsets->frame_code, ret_code) ||
	    !scope_interpreter_memory_word(memory, frame + offsets->frame_back, ret_back) ||
	    (offsets->frame_owner &&
	     !scope_interpreter_memory_get(memory, frame + offsets->frame_owner, &owner, sizeof(owner))))
		return false;
	if (offsets->frame_owner && owner == OWNED_BY_C)
		*ret_code = 0;
	return true;
}

static bool first_frame(struct scope_memory *memory, const struct scope_python_offsets *offsets, uint64_t state,
			uint64_t *ret_frame)
{
	if (!scope_interpreter_memory_word(memory, state + offsets->thread_frame, ret_frame))
		return false;
	return !offsets->cframe || !*ret_frame ||
	       scope_interpreter_memory_word(memory, *ret_frame + offsets->cframe_frame, ret_frame);
}

/*
 * The chain of frames must lead to its end. That frames have valid code is checked when it is named, once for each
 * function.
 */
enum scope_interpreter_read scope_interpreter_python_frames(struct scope_memory *memory,
							    const struct scope_interpreter *interpreter, uint64_t state,
							    struct scope_interpreted_frames *ret_frames)
{
	const struct scope_python_offsets *offsets = &interpreter->python;
	struct scope_frame_middle code_of_middle = { 0 }, back_of_middle = { 0 };
	uint64_t frame;
	uint32_t steps = 0;

	ret_frames->count = 0;
	ret_frames->cut = false;
	if (!first_frame(memory, offsets, state, &frame))
		return SCOPE_INTERPRETER_UNREADABLE;
	if (!frame)
		return SCOPE_INTERPRETER_EMPTY;
	while (frame && steps++ < 2 * SCOPE_INTERPRETED_FRAMES) {
		uint64_t code, back;

		if (ret_frames->count == SCOPE_INTERPRETED_FRAMES) {
			ret_frames->cut = true;
			break;
		}
		if (!read_frame(memory, offsets, frame, &code, &back))
			return ret_frames->count ? SCOPE_INTERPRETER_TORN : SCOPE_INTERPRETER_UNREADABLE;
		if (code) {
			ret_frames->function[ret_frames->count++] = code;
			scope_interpreter_middle_note(&code_of_middle, ret_frames->count, frame + offsets->frame_code,
						      code);
			scope_interpreter_middle_note(&back_of_middle, ret_frames->count, frame + offsets->frame_back,
						      back);
		}
		frame = back;
	}
	if (frame && !ret_frames->cut)
		return SCOPE_INTERPRETER_TORN;
	if (!scope_interpreter_middle_holds(memory, &code_of_middle) ||
	    !scope_interpreter_middle_holds(memory, &back_of_middle))
		return SCOPE_INTERPRETER_TORN;
	return ret_frames->count ? SCOPE_INTERPRETER_READ : SCOPE_INTERPRETER_EMPTY;
}

/* Writes characters of a string, which have 1, 2 or 4 bytes each. */
static bool put_characters(struct scope_memory *memory, uint64_t at, uint64_t count, uint32_t bytes,
			   struct scope_interpreted_name *name)
{
	for (uint64_t i = 0; i < count && i < NAME_CHARACTERS; i++) {
		uint32_t character = 0;

		if (!scope_interpreter_memory_get(memory, at + i * bytes, &character, bytes))
			return false;
		scope_interpreter_name_character(name, character);
	}
	if (count > NAME_CHARACTERS)
		scope_interpreter_name_put(name, "…");
	return true;
}

static bool put_text(struct scope_memory *memory, const struct scope_interpreter *interpreter, uint64_t object,
		     struct scope_interpreted_name *name)
{
	const struct scope_python_offsets *offsets = &interpreter->python;
	const uint32_t others = interpreter->version >= VERSION_TEXT_SHORT ? ASCII_TO_OTHERS : ASCII_TO_OTHERS_OLD;
	uint32_t state, kind;
	uint64_t length;

	if (!is_of(memory, offsets, object, interpreter->text_type) ||
	    !scope_interpreter_memory_get(memory, object + offsets->text_state, &state, sizeof(state)) ||
	    !scope_interpreter_memory_word(memory, object + offsets->text_length, &length))
		return false;
	kind = state >> STATE_KIND & STATE_KIND_MASK;
	if (!(state & STATE_COMPACT) || (kind != 1 && kind != 2 && kind != 4))
		return false;
	return put_characters(memory, object + offsets->text_ascii + (state & STATE_ASCII ? 0 : others), length, kind,
			      name);
}

bool scope_interpreter_python_name(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				   uint64_t function, char ret_name[SCOPE_INTERPRETED_NAME])
{
	const struct scope_python_offsets *offsets = &interpreter->python;
	struct scope_interpreted_name name;
	uint64_t own, file;

	scope_interpreter_name_begin(&name, ret_name, SCOPE_INTERPRETED_NAME);
	scope_interpreter_name_put(&name, "py::");
	if (!is_of(memory, offsets, function, interpreter->code_type) ||
	    !scope_interpreter_memory_word(memory, function + offsets->code_name, &own) ||
	    !scope_interpreter_memory_word(memory, function + offsets->code_file, &file) ||
	    !put_text(memory, interpreter, own, &name))
		return false;
	scope_interpreter_name_put(&name, ":");
	return put_text(memory, interpreter, file, &name);
}
