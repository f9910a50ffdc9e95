// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the frames of threads of HotSpot, the JVM of OpenJDK, on x86-64.
 *
 *   list of threads ─► thread ─► anchor: where Java code was left ─► frame ─► frame …
 *                                                                      │ of the interpreter: its method
 *                                                                      │ compiled: code cache ─► blob ─► method
 *
 * Offsets of members are in tables that libjvm.so exports for debuggers (hotspot_tables.c), so the version need not be
 * known. A thread that calls into the JVM or the kernel, to wait for a lock or to read, leaves its stack pointer in its
 * anchor. A thread that runs Java code has no stack pointer there. hotspot_code.c steps from frame to frame.
 */
#include "interpreter/hotspot.h"

#include <string.h>

#include "interpreter/hotspot_tables.h"

#define THREADS_MAX 100000u /* no rule: a longer list is invalid */
#define WORD 8

enum scope_interpreter_found scope_interpreter_hotspot_find(struct scope_memory *memory,
							    const struct scope_dynamic *dynamic,
							    struct scope_interpreter *interpreter)
{
	static uint64_t jvms; /* number of JVMs found so far */
	struct scope_hotspot_offsets *offsets = &interpreter->hotspot;
	uint64_t list;

#ifndef __x86_64__
	return SCOPE_INTERPRETER_UNKNOWN;
#endif
	if (!scope_interpreter_hotspot_tables(memory, dynamic, offsets))
		return SCOPE_INTERPRETER_UNKNOWN;
	offsets->number = ++jvms;
	interpreter->root = offsets->list;
	/* At its start the JVM has no threads. */
	return scope_interpreter_memory_word(memory, offsets->list, &list) && list ? SCOPE_INTERPRETER_FOUND
										   : SCOPE_INTERPRETER_ABSENT;
}

/* ---- threads ---- */

static bool number_of(struct scope_memory *memory, const struct scope_hotspot_offsets *offsets, uint64_t thread,
		      uint32_t *ret_number)
{
	uint64_t system;

	return scope_interpreter_memory_word(memory, thread + offsets->thread_system, &system) && system &&
	       scope_interpreter_memory_get(memory, system + offsets->system_number, ret_number, sizeof(*ret_number));
}

size_t scope_interpreter_hotspot_threads(struct scope_memory *memory, const struct scope_interpreter *interpreter,
					 struct scope_interpreted_thread *ret_thread, size_t max)
{
	const struct scope_hotspot_offsets *offsets = &interpreter->hotspot;
	uint64_t list, threads, thread;
	uint32_t length;
	size_t count = 0;

	if (!scope_interpreter_memory_word(memory, offsets->list, &list) || !list ||
	    !scope_interpreter_memory_get(memory, list + offsets->list_length, &length, sizeof(length)) ||
	    length > THREADS_MAX || !scope_interpreter_memory_word(memory, list + offsets->list_threads, &threads))
		return 0;
	for (uint32_t i = 0; i < length && count < max; i++) {
		struct scope_interpreted_thread *one = &ret_thread[count];

		*one = (struct scope_interpreted_thread){ 0 };
		if (!scope_interpreter_memory_word(memory, threads + (uint64_t)i * WORD, &thread))
			break;
		one->state = thread;
		count += thread && number_of(memory, offsets, thread, &one->tid) && one->tid;
	}
	return count;
}

bool scope_interpreter_hotspot_is_thread(struct scope_memory *memory, const struct scope_interpreter *interpreter,
					 const struct scope_interpreted_thread *thread)
{
	uint32_t number;

	return number_of(memory, &interpreter->hotspot, thread->state, &number) && number == thread->tid;
}

/* ---- frames ---- */

/* Reads where the thread left Java code; sp is 0 if it runs Java code. Returns false if this cannot be read. */
static bool read_anchor(struct scope_memory *memory, const struct scope_hotspot_offsets *offsets, uint64_t thread,
			struct scope_native_frame *ret_frame)
{
	const uint64_t anchor = thread + offsets->thread_anchor;

	return scope_interpreter_memory_now(memory, anchor + offsets->anchor_sp, &ret_frame->sp, WORD) &&
	       scope_interpreter_memory_now(memory, anchor + offsets->anchor_fp, &ret_frame->fp, WORD) &&
	       scope_interpreter_memory_now(memory, anchor + offsets->anchor_pc, &ret_frame->pc, WORD);
}

static bool word_of_memory(void *context, uint64_t address, uint64_t *ret_word)
{
	return scope_interpreter_memory_word(context, address, ret_word);
}

static void walk(struct scope_memory *memory, const struct scope_interpreter *interpreter,
		 struct scope_native_frame frame, struct scope_interpreted_frames *frames)
{
	const struct scope_stack_words stack = { word_of_memory, memory };

	for (unsigned steps = 0; steps < 2 * SCOPE_INTERPRETED_FRAMES; steps++) {
		struct scope_left_functions functions;
		enum scope_interpreter_left left;

		/* The outermost Java code is called by a stub without a frame of its own. */
		left = scope_interpreter_hotspot_leave(memory, interpreter, &stack, &frame, &functions);
		if (left != SCOPE_INTERPRETER_LEFT)
			return;
		for (uint32_t i = 0; i < functions.count; i++) {
			if (functions.function[i] & SCOPE_HOTSPOT_STUB)
				continue;
			if (frames->count == SCOPE_INTERPRETED_FRAMES) {
				frames->cut = true;
				return;
			}
			frames->function[frames->count++] = functions.function[i];
		}
	}
	frames->cut = true;
}

enum scope_interpreter_read scope_interpreter_hotspot_frames(struct scope_memory *memory,
							     const struct scope_interpreter *interpreter,
							     uint64_t state,
							     struct scope_interpreted_frames *ret_frames)
{
	const struct scope_hotspot_offsets *offsets = &interpreter->hotspot;
	struct scope_native_frame frame = { 0 }, again;

	ret_frames->count = 0;
	ret_frames->cut = false;
	if (!read_anchor(memory, offsets, state, &frame))
		return SCOPE_INTERPRETER_UNREADABLE;
	if (!frame.sp)
		return SCOPE_INTERPRETER_EMPTY;
	again = frame;
	/* After a call the return address is below the stack pointer. */
	if (!frame.pc && !scope_interpreter_memory_word(memory, frame.sp - WORD, &frame.pc))
		return SCOPE_INTERPRETER_UNREADABLE;
	walk(memory, interpreter, frame, ret_frames);
	if (!read_anchor(memory, offsets, state, &frame))
		return SCOPE_INTERPRETER_UNREADABLE;
	if (memcmp(&frame, &again, sizeof(frame)))
		return SCOPE_INTERPRETER_TORN;
	return ret_frames->count ? SCOPE_INTERPRETER_READ : SCOPE_INTERPRETER_EMPTY;
}
