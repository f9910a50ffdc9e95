// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds which code of HotSpot is at an address, and steps from its frame to that of its caller.
 *
 *   address ─► code cache ─► blob: of the interpreter; compiled, with the size of its frame and its method; or a stub
 *
 * Frames are those of frame_x86.hpp. A frame of the interpreter has its method three words below its frame pointer.
 * Compiled code has a frame of known size, so frame pointers are not needed.
 */
#include "interpreter/hotspot_code.h"

#include <string.h>

#include "interpreter/hotspot.h"
#include "interpreter/hotspot_tables.h"

#define HEAPS_MAX 8	       /* parts of the code cache */
#define HOPS_MAX 4096	       /* steps back in the map of the code cache */
#define FREE 0xff	       /* value in the map: no block begins before this place */
#define FRAME_WORDS_MAX 100000 /* no rule: words of the largest frame of compiled code */
#define METHOD_BELOW 24	       /* bytes below the frame pointer of a frame of the interpreter … */
#define SENDER_BELOW 8	       /* … and to the stack pointer of its caller */
#define WORD 8
#define CODES 4096	  /* no rule: a power of two */
#define SHARED_BYTES 64	  /* a piece of this size is of one blob: CodeCacheSegmentSize is not smaller */
#define READ_AGAIN 100000 /* frames */

/* ---- code ---- */

/*
 * The code at an address. It is kept because looking it up takes longest of all, and most frames are at the same few
 * hundred places.
 */
struct code {
	uint64_t jvm, place,
		read;	 /* jvm: its number; place: see SHARED_BYTES; read: number of look-ups when it was read */
	uint64_t blob;	 /* 0: no code is there */
	uint64_t method; /* COMPILED: the method; 0: a stub */
	uint32_t words;	 /* COMPILED: size of its frame */
	enum { OTHER, INTERPRETED, COMPILED } kind;
};

static struct code codes[CODES];
static uint64_t lookups;

static bool in_interpreter(struct scope_memory *memory, const struct scope_hotspot_offsets *offsets, uint64_t pc)
{
	uint64_t queue, buffer;
	uint32_t limit;

	return scope_interpreter_memory_word(memory, offsets->code, &queue) && queue &&
	       scope_interpreter_memory_word(memory, queue + offsets->queue_buffer, &buffer) &&
	       scope_interpreter_memory_get(memory, queue + offsets->queue_limit, &limit, sizeof(limit)) &&
	       pc >= buffer && pc - buffer < limit;
}

/*
 * Finds the block of a part of the code cache that contains the address. A map has a byte for each segment, which leads
 * back towards the block's begin.
 */
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

/* The blob of the code cache at an address; 0: none. */
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

static void read_code(struct scope_memory *memory, const struct scope_hotspot_offsets *offsets, uint64_t pc,
		      struct code *code)
{
	char name[SCOPE_HOTSPOT_TEXT];
	uint64_t text;
	int32_t words;

	code->blob = find_blob(memory, offsets, pc);
	if (in_interpreter(memory, offsets, pc)) {
		code->kind = INTERPRETED;
		return;
	}
	if (!code->blob || !scope_interpreter_memory_word(memory, code->blob + offsets->blob_name, &text) ||
	    !scope_interpreter_memory_get(memory, code->blob + offsets->blob_frame, &words, sizeof(words)) ||
	    words < 2 || words > FRAME_WORDS_MAX)
		return;
	scope_interpreter_hotspot_text(memory, text, name);
	if ((!strcmp(name, "nmethod") || !strcmp(name, "native nmethod")) &&
	    !scope_interpreter_memory_word(memory, code->blob + offsets->blob_method, &code->method))
		return;
	code->words = (uint32_t)words;
	code->kind = COMPILED;
}

/* Other code may replace it, so code that was read long ago is read again. */
static const struct code *code_at(struct scope_memory *memory, const struct scope_hotspot_offsets *offsets, uint64_t pc)
{
	const uint64_t place = pc / SHARED_BYTES;
	struct code *code = &codes[(place * 0x9e3779b97f4a7c15ull >> 32) % CODES]; /* no rule */

	lookups++;
	if (code->jvm == offsets->number && code->place == place && lookups - code->read < READ_AGAIN)
		return code;
	*code = (struct code){ .jvm = offsets->number, .place = place, .read = lookups };
	read_code(memory, offsets, pc, code);
	return code;
}

/* The methods at an address. */
struct inlined {
	uint64_t jvm, pc, read;
	struct scope_left_functions functions;
};

static struct inlined inlineds[CODES];

static const struct scope_left_functions *inlined_at(struct scope_memory *memory,
						     const struct scope_hotspot_offsets *offsets,
						     const struct code *code, uint64_t pc)
{
	struct inlined *inlined = &inlineds[(pc * 0x9e3779b97f4a7c15ull >> 32) % CODES]; /* no rule */

	if (inlined->jvm != offsets->number || inlined->pc != pc || lookups - inlined->read >= READ_AGAIN) {
		inlined->jvm = offsets->number;
		inlined->pc = pc;
		inlined->read = lookups;
		scope_interpreter_hotspot_inlined(memory, offsets, code->blob, pc, code->method, &inlined->functions);
	}
	return &inlined->functions;
}

/* ---- frames ---- */

/* Steps to the caller of a frame of the interpreter. */
static bool leave_interpreted(const struct scope_stack_words *stack, struct scope_native_frame *frame,
			      uint64_t *ret_method)
{
	struct scope_native_frame caller = { 0 };
	uint64_t method;

	if (!stack->word(stack->context, frame->fp - METHOD_BELOW, &method) ||
	    !stack->word(stack->context, frame->fp - SENDER_BELOW, &caller.sp) ||
	    !stack->word(stack->context, frame->fp, &caller.fp) ||
	    !stack->word(stack->context, frame->fp + WORD, &caller.pc) || caller.sp <= frame->fp)
		return false;
	*ret_method = method;
	*frame = caller;
	return true;
}

static bool is_code(struct scope_memory *memory, const struct scope_hotspot_offsets *offsets, uint64_t pc)
{
	const struct code *code = code_at(memory, offsets, pc);

	return code->kind == INTERPRETED || code->blob;
}

/*
 * Steps to the caller by the return address at `at`. fp_at: where the caller's frame pointer is; 0: still in its
 * register.
 */
static bool take_caller(const struct scope_stack_words *stack, uint64_t at, uint64_t fp_at,
			const struct scope_native_frame *frame, struct scope_native_frame *ret_caller)
{
	*ret_caller = (struct scope_native_frame){ .sp = at + WORD, .fp = frame->fp };
	return stack->word(stack->context, at, &ret_caller->pc) &&
	       (!fp_at || stack->word(stack->context, fp_at, &ret_caller->fp));
}

/*
 * Compiled code makes calls only while it has a frame. A sample may hit it at its beginning or end, without a frame.
 * Then the return address is at the stack pointer, or one word above it.
 */
static bool leave_compiled(struct scope_memory *memory, const struct scope_hotspot_offsets *offsets,
			   const struct scope_stack_words *stack, uint32_t words, struct scope_native_frame *frame)
{
	const uint64_t sp = frame->sp, end = sp + (uint64_t)words * WORD;
	struct scope_native_frame caller;

	if (!take_caller(stack, end - WORD, end - 2 * WORD, frame, &caller))
		return false;
	if (frame->exact && !is_code(memory, offsets, caller.pc) &&
	    (!take_caller(stack, sp, 0, frame, &caller) || !is_code(memory, offsets, caller.pc)) &&
	    (!take_caller(stack, sp + WORD, sp, frame, &caller) || !is_code(memory, offsets, caller.pc)))
		return false;
	*frame = caller;
	return true;
}

enum scope_interpreter_left scope_interpreter_hotspot_leave(struct scope_memory *memory,
							    const struct scope_interpreter *interpreter,
							    const struct scope_stack_words *stack,
							    struct scope_native_frame *frame,
							    struct scope_left_functions *ret_functions)
{
	const struct scope_hotspot_offsets *offsets = &interpreter->hotspot;
	const struct code code = *code_at(memory, offsets, frame->pc);

	if (!code.blob && code.kind == OTHER)
		return SCOPE_INTERPRETER_NOT_LEFT;
	ret_functions->count = code.blob != 0;
	ret_functions->function[0] = code.blob | SCOPE_HOTSPOT_STUB;
	if (code.kind == INTERPRETED && !leave_interpreted(stack, frame, &ret_functions->function[0]))
		return SCOPE_INTERPRETER_LEFT_BY_FRAME_POINTER;
	if (code.kind == INTERPRETED) {
		ret_functions->count = 1;
		return SCOPE_INTERPRETER_LEFT;
	}
	if (code.method)
		*ret_functions = *inlined_at(memory, offsets, &code, frame->pc);
	if (code.kind == COMPILED && leave_compiled(memory, offsets, stack, code.words, frame))
		return SCOPE_INTERPRETER_LEFT;
	return SCOPE_INTERPRETER_LEFT_BY_FRAME_POINTER;
}
