// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the frames of threads of HotSpot, the JVM of OpenJDK, on x86-64.
 *
 *   list of threads ─► thread ─► anchor: where Java code was left ─► frame ─► frame …
 *                                                                      │ of the interpreter: its method
 *                                                                      │ compiled: code cache ─► blob ─► method
 *
 * Offsets of members are in tables that libjvm.so exports for debuggers (hotspot_tables.c), so no version has to be known. A
 * thread that calls into the JVM or the kernel, to wait for a lock or to read, leaves its stack pointer in its anchor; one that runs
 * Java code has none. Frames are those of frame_x86.hpp: one of the interpreter has its method three words below its
 * frame pointer, and one that was compiled has a size.
 */
#include "interpreter/hotspot.h"

#include <string.h>

#include "interpreter/hotspot_tables.h"

#define THREADS_MAX 100000u    /* no rule: a longer list lies */
#define HEAPS_MAX 8	       /* parts of the code cache */
#define HOPS_MAX 4096	       /* steps back in the map of the code cache */
#define FREE 0xff	       /* in it: nothing begins before */
#define FRAME_WORDS_MAX 100000 /* no rule: of compiled code */
#define METHOD_BELOW 24	       /* bytes below the frame pointer of a frame of the interpreter … */
#define SENDER_BELOW 8	       /* … and where the stack pointer of its caller is */
#define WORD 8
#define CODES 4096	/* no rule: a power of two */
#define READ_AGAIN 1000 /* stacks */

enum scope_interpreter_found scope_interpreter_hotspot_find(struct scope_memory *memory,
							    const struct scope_dynamic *dynamic,
							    struct scope_interpreter *interpreter)
{
	static uint64_t jvms; /* that were found */
	struct scope_hotspot_offsets *offsets = &interpreter->hotspot;
	uint64_t list;

#ifndef __x86_64__
	return SCOPE_INTERPRETER_UNKNOWN;
#endif
	if (!scope_interpreter_hotspot_tables(memory, dynamic, offsets))
		return SCOPE_INTERPRETER_UNKNOWN;
	offsets->number = ++jvms;
	interpreter->root = offsets->list;
	/* It begins without threads. */
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

struct frame {
	uint64_t sp, fp, pc;
};

static bool in_interpreter(struct scope_memory *memory, const struct scope_hotspot_offsets *offsets, uint64_t pc)
{
	uint64_t queue, buffer;
	uint32_t limit;

	return scope_interpreter_memory_word(memory, offsets->code, &queue) && queue &&
	       scope_interpreter_memory_word(memory, queue + offsets->queue_buffer, &buffer) &&
	       scope_interpreter_memory_get(memory, queue + offsets->queue_limit, &limit, sizeof(limit)) &&
	       pc >= buffer && pc - buffer < limit;
}

/* The block of a part of the code cache that has the address: by a map of bytes, each of which leads back to its begin. */
static uint64_t find_block(struct scope_memory *memory, const struct scope_hotspot_offsets *offsets, uint64_t heap,
			   uint64_t pc)
{
	uint64_t low, high, map, segment;
	uint32_t shift;
	uint8_t back;

	if (!scope_interpreter_memory_word(memory, heap + offsets->heap_memory + offsets->space_low, &low) ||
	    !scope_interpreter_memory_word(memory, heap + offsets->heap_memory + offsets->space_high, &high) ||
	    pc < low || pc >= high ||
	    !scope_interpreter_memory_word(memory, heap + offsets->heap_map + offsets->space_low, &map) ||
	    !scope_interpreter_memory_get(memory, heap + offsets->heap_shift, &shift, sizeof(shift)) || shift > 30)
		return 0;
	segment = (pc - low) >> shift;
	for (unsigned hops = 0; hops < HOPS_MAX; hops++) {
		if (!scope_interpreter_memory_get(memory, map + segment, &back, 1) || back == FREE || back > segment)
			return 0;
		if (!back)
			return low + (segment << shift);
		segment -= back;
	}
	return 0;
}

/* What the code cache has there; 0: nothing. */
static uint64_t find_blob(struct scope_memory *memory, const struct scope_hotspot_offsets *offsets, uint64_t pc)
{
	uint64_t array, data, heap;
	uint32_t length;

	if (!scope_interpreter_memory_word(memory, offsets->heaps, &array) || !array ||
	    !scope_interpreter_memory_get(memory, array + offsets->array_length, &length, sizeof(length)) ||
	    !scope_interpreter_memory_word(memory, array + offsets->array_data, &data))
		return 0;
	for (uint32_t i = 0; i < length && i < HEAPS_MAX; i++) {
		const uint64_t block = scope_interpreter_memory_word(memory, data + (uint64_t)i * WORD, &heap)
					       ? find_block(memory, offsets, heap, pc)
					       : 0;

		if (block)
			return block + offsets->block_size;
	}
	return 0;
}

/* What code is at an address. Looking it up takes longer than all else, and frames are mostly at the same few hundred addresses. */
struct code {
	uint64_t jvm, pc, read; /* jvm: its number; read: how many stacks had been walked then */
	uint64_t method;	/* COMPILED: 0 of a stub */
	uint32_t words;		/* COMPILED: of its frame */
	enum { OTHER, INTERPRETED, COMPILED } kind;
};

static struct code codes[CODES];
static uint64_t walked; /* stacks */

static void read_code(struct scope_memory *memory, const struct scope_hotspot_offsets *offsets, struct code *code)
{
	char name[SCOPE_HOTSPOT_TEXT];
	uint64_t blob, text;
	int32_t words;

	if (in_interpreter(memory, offsets, code->pc)) {
		code->kind = INTERPRETED;
		return;
	}
	/* The outermost Java code is called by a stub without a frame of its own. */
	blob = find_blob(memory, offsets, code->pc);
	if (!blob || !scope_interpreter_memory_word(memory, blob + offsets->blob_name, &text) ||
	    !scope_interpreter_memory_get(memory, blob + offsets->blob_frame, &words, sizeof(words)) || words < 2 ||
	    words > FRAME_WORDS_MAX)
		return;
	scope_interpreter_hotspot_text(memory, text, name);
	if ((!strcmp(name, "nmethod") || !strcmp(name, "native nmethod")) &&
	    !scope_interpreter_memory_word(memory, blob + offsets->blob_method, &code->method))
		return;
	code->words = (uint32_t)words;
	code->kind = COMPILED;
}

/* Other code may come to its place, so what was read long ago is read again. */
static const struct code *code_at(struct scope_memory *memory, const struct scope_hotspot_offsets *offsets, uint64_t pc)
{
	struct code *code = &codes[(pc * 0x9e3779b97f4a7c15ull >> 32) % CODES]; /* no rule */

	if (code->jvm == offsets->number && code->pc == pc && walked - code->read < READ_AGAIN)
		return code;
	*code = (struct code){ .jvm = offsets->number, .pc = pc, .read = walked };
	read_code(memory, offsets, code);
	return code;
}

/* Goes to the caller of a frame of the interpreter. */
static bool leave_interpreted(struct scope_memory *memory, struct frame *frame, uint64_t *ret_method)
{
	struct frame caller;

	if (!scope_interpreter_memory_word(memory, frame->fp - METHOD_BELOW, ret_method) ||
	    !scope_interpreter_memory_word(memory, frame->fp - SENDER_BELOW, &caller.sp) ||
	    !scope_interpreter_memory_word(memory, frame->fp, &caller.fp) ||
	    !scope_interpreter_memory_word(memory, frame->fp + WORD, &caller.pc) || caller.sp <= frame->fp)
		return false;
	*frame = caller;
	return true;
}

static bool leave_compiled(struct scope_memory *memory, const struct code *code, struct frame *frame,
			   uint64_t *ret_method)
{
	struct frame caller = { .sp = frame->sp + (uint64_t)code->words * WORD };

	*ret_method = code->method;
	if (!scope_interpreter_memory_word(memory, caller.sp - WORD, &caller.pc) ||
	    !scope_interpreter_memory_word(memory, caller.sp - 2 * WORD, &caller.fp))
		return false;
	*frame = caller;
	return true;
}

/* Where the thread left Java code. false: it cannot be read; sp 0: it runs it. */
static bool read_anchor(struct scope_memory *memory, const struct scope_hotspot_offsets *offsets, uint64_t thread,
			struct frame *ret_frame)
{
	const uint64_t anchor = thread + offsets->thread_anchor;

	return scope_interpreter_memory_now(memory, anchor + offsets->anchor_sp, &ret_frame->sp, WORD) &&
	       scope_interpreter_memory_now(memory, anchor + offsets->anchor_fp, &ret_frame->fp, WORD) &&
	       scope_interpreter_memory_now(memory, anchor + offsets->anchor_pc, &ret_frame->pc, WORD);
}

static void walk(struct scope_memory *memory, const struct scope_hotspot_offsets *offsets, struct frame frame,
		 struct scope_interpreted_frames *frames)
{
	for (unsigned steps = 0; steps < 2 * SCOPE_INTERPRETED_FRAMES; steps++) {
		const struct code *code = code_at(memory, offsets, frame.pc);
		uint64_t method;

		if (frames->count == SCOPE_INTERPRETED_FRAMES) {
			frames->cut = true;
			return;
		}
		if (code->kind == OTHER || !(code->kind == INTERPRETED ? leave_interpreted(memory, &frame, &method)
								       : leave_compiled(memory, code, &frame, &method)))
			return;
		if (method)
			frames->function[frames->count++] = method;
	}
	frames->cut = true;
}

enum scope_interpreter_read scope_interpreter_hotspot_frames(struct scope_memory *memory,
							     const struct scope_interpreter *interpreter,
							     uint64_t state,
							     struct scope_interpreted_frames *ret_frames)
{
	const struct scope_hotspot_offsets *offsets = &interpreter->hotspot;
	struct frame frame, again;

	ret_frames->count = 0;
	ret_frames->cut = false;
	if (!read_anchor(memory, offsets, state, &frame))
		return SCOPE_INTERPRETER_UNREADABLE;
	if (!frame.sp)
		return SCOPE_INTERPRETER_EMPTY;
	again = frame;
	walked++;
	/* After a call the return address is below. */
	if (!frame.pc && !scope_interpreter_memory_word(memory, frame.sp - WORD, &frame.pc))
		return SCOPE_INTERPRETER_UNREADABLE;
	walk(memory, offsets, frame, ret_frames);
	if (!read_anchor(memory, offsets, state, &frame))
		return SCOPE_INTERPRETER_UNREADABLE;
	if (memcmp(&frame, &again, sizeof(frame)))
		return SCOPE_INTERPRETER_TORN;
	return ret_frames->count ? SCOPE_INTERPRETER_READ : SCOPE_INTERPRETER_EMPTY;
}
