// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the frames of CRuby 2.7 to 3.4.
 *
 *   VM ─► [ractor ─►] thread ─► context ─► frames, an array: the innermost is first
 *           │ next      │ next                │ code ─► its name, file
 *                                             │ environment ─► … ─► that of the method ─► its entry ─► class
 *
 * A frame without code is a function in C, which is on the native stack of its thread.
 */
#include "interpreter/ruby.h"

#include "interpreter/frame_middle.h"
#include "interpreter/ruby_objects.h"
#include "interpreter/ruby_offsets.h"

#define RACTORS_MAX 64	    /* ractors of one process */
#define BLOCKS_MAX 32	    /* nested blocks, up to the method around them */
#define DATA_MAX (4u << 20) /* bytes of variables in which the VM is searched */

/* Offsets that are equal in all these versions, by offsetof(). */
#define CONTEXT_STACK 0
#define CONTEXT_WORDS 8 /* number of words of the stack, at whose end the frames are */
#define CONTEXT_FRAME 16
#define FRAME_PLACE 0 /* the place in the code */
#define FRAME_CODE 16
#define FRAME_ENVIRONMENT 32
#define ENVIRONMENT_ENTRY 16 /* before an environment: the entry of the method … */
#define ENVIRONMENT_OUTER 8  /* … and for a block the environment around it, with two bits */
#define ENVIRONMENT_KIND 0x7fff0001u
#define ENVIRONMENT_METHOD 0x11110001u
#define ENVIRONMENT_OUTERMOST 2u
#define STACK_MAX (1ull << 32) /* words */

/* Gets the next node of a list of the VM. Nodes are in the listed objects, and the last one points to the list. */
static bool next_of(struct scope_memory *memory, uint64_t node, uint64_t *ret_next)
{
	return scope_interpreter_memory_word(memory, node, ret_next);
}

/* True if the memory has the form of a list that is not empty: its first node points back to it. */
static bool is_list(struct scope_memory *memory, uint64_t list, uint64_t *ret_first)
{
	uint64_t back;

	return next_of(memory, list, ret_first) && *ret_first != list && !(*ret_first & 7) &&
	       scope_interpreter_memory_word(memory, *ret_first + 8, &back) && back == list;
}

/* True for a VM: it has threads that point back to it. */
static bool is_vm(struct scope_memory *memory, const struct scope_ruby_offsets *offsets, uint64_t vm)
{
	uint64_t first, owner, context, thread;

	if (!vm || vm & 7 || !is_list(memory, vm + offsets->vm_list, &first))
		return false;
	if (offsets->ractor_threads && !is_list(memory, first - offsets->ractor_node + offsets->ractor_threads, &first))
		return false;
	return scope_interpreter_memory_word(memory, first + offsets->thread_vm, &owner) && owner == vm &&
	       scope_interpreter_memory_word(memory, first + offsets->thread_context, &context) &&
	       scope_interpreter_memory_word(memory, context + offsets->context_thread, &thread) && thread == first;
}

/*
 * From 3.3 on no exported variable points to the VM, so it is searched in all variables of the file. 0: there is none,
 * or none yet.
 */
static uint64_t look_for_vm(struct scope_memory *memory, const struct scope_dynamic *dynamic,
			    const struct scope_ruby_offsets *offsets)
{
	uint64_t at = (dynamic->data + 7) & ~7ull, last = 0, word;

	for (; at + sizeof(word) <= dynamic->data_end && at < dynamic->data + DATA_MAX; at += sizeof(word)) {
		/* Pages that were never touched can be read, too. */
		if (!scope_interpreter_memory_word(memory, at, &word))
			return 0;
		if (word == last || word - dynamic->data < dynamic->data_end - dynamic->data)
			continue;
		last = word;
		if (is_vm(memory, offsets, word))
			return word;
	}
	return 0;
}

enum scope_interpreter_found scope_interpreter_ruby_find(struct scope_memory *memory,
							 const struct scope_dynamic *dynamic,
							 struct scope_interpreter *interpreter)
{
	const struct scope_ruby_offsets *offsets = &interpreter->ruby;
	uint32_t version[2];
	uint64_t at;

	if (!scope_interpreter_dynamic_find(memory, dynamic, "ruby_api_version", &at) ||
	    !scope_interpreter_memory_get(memory, at, version, sizeof(version)) || version[0] > UINT8_MAX ||
	    version[1] > UINT8_MAX)
		return SCOPE_INTERPRETER_ABSENT;
	interpreter->version = version[0] << 8 | version[1];
	if (!scope_interpreter_ruby_offsets(interpreter->version, &interpreter->ruby))
		return SCOPE_INTERPRETER_UNKNOWN;
	if (!scope_interpreter_dynamic_find(memory, dynamic, "ruby_current_vm_ptr", &at))
		interpreter->root = look_for_vm(memory, dynamic, offsets);
	else if (!scope_interpreter_memory_word(memory, at, &interpreter->root) ||
		 !is_vm(memory, offsets, interpreter->root))
		interpreter->root = 0;
	if (!interpreter->root)
		return SCOPE_INTERPRETER_ABSENT;
	if (scope_interpreter_dynamic_find(memory, dynamic, "rb_cObject", &at) &&
	    scope_interpreter_memory_word(memory, at, &interpreter->object_class))
		scope_interpreter_ruby_learn(memory, interpreter);
	return SCOPE_INTERPRETER_FOUND;
}

static bool read_thread(struct scope_memory *memory, const struct scope_ruby_offsets *offsets, uint64_t state,
			struct scope_interpreted_thread *ret_thread)
{
	uint64_t native = state;

	*ret_thread = (struct scope_interpreted_thread){ .state = state };
	if (offsets->thread_native &&
	    (!scope_interpreter_memory_word(memory, state + offsets->thread_native, &native) || !native))
		return false;
	if (offsets->thread_number && !scope_interpreter_memory_get(memory, native + offsets->thread_number,
								    &ret_thread->tid, sizeof(ret_thread->tid)))
		return false;
	return scope_interpreter_memory_word(memory, native + offsets->thread_handle, &ret_thread->handle);
}

/* Adds the threads of a list. A thread that has no kernel thread now is left out. */
static size_t list_threads(struct scope_memory *memory, const struct scope_ruby_offsets *offsets, uint64_t list,
			   struct scope_interpreted_thread *ret_thread, size_t max)
{
	size_t count = 0, steps = 0;
	uint64_t node;

	if (!next_of(memory, list, &node))
		return 0;
	while (node && node != list && count < max && steps++ < SCOPE_INTERPRETED_THREADS) {
		count += read_thread(memory, offsets, node, &ret_thread[count]);
		if (!next_of(memory, node, &node))
			break;
	}
	return count;
}

size_t scope_interpreter_ruby_threads(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				      struct scope_interpreted_thread *ret_thread, size_t max)
{
	const struct scope_ruby_offsets *offsets = &interpreter->ruby;
	const uint64_t list = interpreter->root + offsets->vm_list;
	uint64_t node;
	size_t count = 0;

	if (!offsets->ractor_threads)
		return list_threads(memory, offsets, list, ret_thread, max);
	if (!next_of(memory, list, &node))
		return 0;
	for (unsigned i = 0; node && node != list && i < RACTORS_MAX; i++) {
		count += list_threads(memory, offsets, node - offsets->ractor_node + offsets->ractor_threads,
				      ret_thread + count, max - count);
		if (!next_of(memory, node, &node))
			break;
	}
	return count;
}

bool scope_interpreter_ruby_is_thread(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				      const struct scope_interpreted_thread *thread)
{
	struct scope_interpreted_thread now;
	uint64_t vm;

	return read_thread(memory, &interpreter->ruby, thread->state, &now) && now.tid == thread->tid &&
	       now.handle == thread->handle &&
	       scope_interpreter_memory_word(memory, thread->state + interpreter->ruby.thread_vm, &vm) &&
	       vm == interpreter->root;
}

/*
 * The object that names a frame: the entry of its method (for a block: of the method around it), or else its code. 0:
 * it cannot be read.
 */
static uint64_t function_of(struct scope_memory *memory, uint64_t code, uint64_t environment)
{
	uint64_t flags, entry;

	for (unsigned i = 0; i < BLOCKS_MAX; i++) {
		if (!scope_interpreter_memory_word(memory, environment, &flags))
			return 0;
		if (flags & ENVIRONMENT_OUTERMOST) {
			if ((flags & ENVIRONMENT_KIND) != ENVIRONMENT_METHOD ||
			    !scope_interpreter_memory_word(memory, environment - ENVIRONMENT_ENTRY, &entry))
				return code;
			return scope_interpreter_ruby_entry(memory, entry, &entry) ? entry : code;
		}
		if (!scope_interpreter_memory_word(memory, environment - ENVIRONMENT_OUTER, &environment))
			return 0;
		environment &= ~3ull;
	}
	return code;
}

/* Reads the place of the innermost frame, and the end of the outermost one. */
static enum scope_interpreter_read read_context(struct scope_memory *memory, const struct scope_ruby_offsets *offsets,
						uint64_t state, uint64_t *ret_frame, uint64_t *ret_end)
{
	uint64_t context, stack, words;

	if (!scope_interpreter_memory_word(memory, state + offsets->thread_context, &context))
		return SCOPE_INTERPRETER_UNREADABLE;
	if (!context)
		return SCOPE_INTERPRETER_EMPTY;
	if (!scope_interpreter_memory_word(memory, context + CONTEXT_STACK, &stack) ||
	    !scope_interpreter_memory_word(memory, context + CONTEXT_WORDS, &words) ||
	    !scope_interpreter_memory_word(memory, context + CONTEXT_FRAME, ret_frame))
		return SCOPE_INTERPRETER_UNREADABLE;
	if (!stack || !*ret_frame)
		return SCOPE_INTERPRETER_EMPTY;
	if (words > STACK_MAX)
		return SCOPE_INTERPRETER_TORN;
	*ret_end = stack + words * sizeof(uint64_t);
	return *ret_frame >= stack && *ret_frame <= *ret_end ? SCOPE_INTERPRETER_READ : SCOPE_INTERPRETER_TORN;
}

/* Reads the function of a frame; 0: no function of Ruby. Returns false if it cannot be read. */
static bool read_frame(struct scope_memory *memory, uint64_t frame, uint64_t *ret_function)
{
	uint64_t place, code, environment;

	*ret_function = 0;
	if (!scope_interpreter_memory_word(memory, frame + FRAME_PLACE, &place) ||
	    !scope_interpreter_memory_word(memory, frame + FRAME_CODE, &code) ||
	    !scope_interpreter_memory_word(memory, frame + FRAME_ENVIRONMENT, &environment))
		return false;
	if (place && code)
		*ret_function = function_of(memory, code, environment);
	return !place || !code || *ret_function;
}

enum scope_interpreter_read scope_interpreter_ruby_frames(struct scope_memory *memory,
							  const struct scope_interpreter *interpreter, uint64_t state,
							  struct scope_interpreted_frames *ret_frames)
{
	const uint32_t bytes = interpreter->ruby.frame_bytes;
	struct scope_frame_middle middle = { 0 };
	uint64_t frame = 0, end = 0, function, code;
	const enum scope_interpreter_read read = read_context(memory, &interpreter->ruby, state, &frame, &end);

	ret_frames->count = 0;
	ret_frames->cut = false;
	if (read != SCOPE_INTERPRETER_READ)
		return read;
	for (unsigned steps = 0; frame + bytes <= end; frame += bytes, steps++) {
		if (ret_frames->count == SCOPE_INTERPRETED_FRAMES || steps == 2 * SCOPE_INTERPRETED_FRAMES) {
			ret_frames->cut = true;
			break;
		}
		if (!read_frame(memory, frame, &function))
			return ret_frames->count ? SCOPE_INTERPRETER_TORN : SCOPE_INTERPRETER_UNREADABLE;
		if (!function)
			continue;
		ret_frames->function[ret_frames->count++] = function;
		if (scope_interpreter_memory_word(memory, frame + FRAME_CODE, &code))
			scope_interpreter_middle_note(&middle, ret_frames->count, frame + FRAME_CODE, code);
	}
	if (!scope_interpreter_middle_holds(memory, &middle))
		return SCOPE_INTERPRETER_TORN;
	return ret_frames->count ? SCOPE_INTERPRETER_READ : SCOPE_INTERPRETER_EMPTY;
}
