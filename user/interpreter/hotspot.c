// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the frames of threads of HotSpot, the JVM of OpenJDK, on x86-64.
 *
 *   list of threads ─► thread ─► anchor: where Java code was left ─► frame ─► frame …
 *                                                                      │ of the interpreter: its method
 *                                                                      │ compiled: code cache ─► blob ─► method
 *   method ─► name, signature, class
 *
 * Offsets of members are in tables that libjvm.so exports for debuggers (gHotSpotVMStructs, vmStructs.cpp), so no version has to
 * be known. A thread that calls into the JVM or the kernel, to wait for a lock or to read, leaves its stack pointer in its anchor;
 * one that runs Java code has none. Frames are those of frame_x86.hpp: one of the interpreter has its method three words below its
 * frame pointer, and one that was compiled has a size.
 */
#include "interpreter/hotspot.h"

#include <stddef.h>
#include <string.h>

#include "interpreter/name_text.h"

#define FIELDS_MAX 4096	       /* no rule: rows of the table of members, of which a JVM has about 800 */
#define TEXT_MAX 64	       /* bytes of a name in it that matter */
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
#define NAME_BYTES 160

/* Members that are needed. A static one has an address instead of an offset. */
static const struct {
	const char *type, *field;
	size_t to;
} fields[] = {
#define FIELD(type, field, name)                                                                                       \
	{                                                                                                              \
		type, field, offsetof(struct scope_hotspot_offsets, name)                                              \
	}
	FIELD("ThreadsSMRSupport", "_java_thread_list", list),
	FIELD("ThreadsList", "_length", list_length),
	FIELD("ThreadsList", "_threads", list_threads),
	FIELD("JavaThread", "_anchor", thread_anchor),
	FIELD("JavaThread", "_osthread", thread_system),
	FIELD("Thread", "_osthread", thread_system),
	FIELD("OSThread", "_thread_id", system_number),
	FIELD("JavaFrameAnchor", "_last_Java_sp", anchor_sp),
	FIELD("JavaFrameAnchor", "_last_Java_pc", anchor_pc),
	FIELD("JavaFrameAnchor", "_last_Java_fp", anchor_fp),
	FIELD("AbstractInterpreter", "_code", code),
	FIELD("StubQueue", "_stub_buffer", queue_buffer),
	FIELD("StubQueue", "_buffer_limit", queue_limit),
	FIELD("CodeCache", "_heaps", heaps),
	FIELD("GrowableArrayBase", "_len", array_length),
	FIELD("GenericGrowableArray", "_len", array_length),
	FIELD("GrowableArray<int>", "_data", array_data),
	FIELD("CodeHeap", "_memory", heap_memory),
	FIELD("CodeHeap", "_segmap", heap_map),
	FIELD("CodeHeap", "_log2_segment_size", heap_shift),
	FIELD("VirtualSpace", "_low", space_low),
	FIELD("VirtualSpace", "_high", space_high),
	FIELD("CodeBlob", "_name", blob_name),
	FIELD("CodeBlob", "_frame_size", blob_frame),
	FIELD("CompiledMethod", "_method", blob_method),
	FIELD("nmethod", "_method", blob_method),
	FIELD("Method", "_constMethod", method_const),
	FIELD("ConstMethod", "_constants", const_pool),
	FIELD("ConstMethod", "_name_index", const_name),
	FIELD("ConstMethod", "_signature_index", const_signature),
	FIELD("ConstantPool", "_pool_holder", pool_class),
	FIELD("Klass", "_name", class_name),
	FIELD("Symbol", "_length", symbol_length),
	FIELD("Symbol", "_body", symbol_body),
#undef FIELD
};

#define NOT_FOUND UINT64_MAX /* no rule */

static uint64_t jvms; /* that were found */

/* ---- the tables for debuggers ---- */

/* The value of an exported word. */
static bool exported(struct scope_memory *memory, const struct scope_dynamic *dynamic, const char *name,
		     uint64_t *ret_word)
{
	uint64_t address;

	return scope_interpreter_dynamic_find(memory, dynamic, name, &address) &&
	       scope_interpreter_memory_word(memory, address, ret_word);
}

/* A string of the JVM, cut; "" if there is none. */
static void read_text(struct scope_memory *memory, uint64_t address, char text[TEXT_MAX])
{
	text[0] = '\0';
	for (size_t i = 0; address && i + 1 < TEXT_MAX; i++) {
		if (!scope_interpreter_memory_get(memory, address + i, &text[i], 1) || !text[i])
			break;
		text[i + 1] = '\0';
	}
}

static void take_field(struct scope_hotspot_offsets *offsets, const char *type, const char *field, uint64_t value)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!strcmp(type, fields[i].type) && !strcmp(field, fields[i].field))
			memcpy((char *)offsets + fields[i].to, &value, sizeof(value));
}

static bool read_fields(struct scope_memory *memory, const struct scope_dynamic *dynamic,
			struct scope_hotspot_offsets *offsets)
{
	uint64_t at, stride, type_at, field_at, offset_at, address_at, static_at;

	if (!exported(memory, dynamic, "gHotSpotVMStructs", &at) ||
	    !exported(memory, dynamic, "gHotSpotVMStructEntryArrayStride", &stride) ||
	    !exported(memory, dynamic, "gHotSpotVMStructEntryTypeNameOffset", &type_at) ||
	    !exported(memory, dynamic, "gHotSpotVMStructEntryFieldNameOffset", &field_at) ||
	    !exported(memory, dynamic, "gHotSpotVMStructEntryOffsetOffset", &offset_at) ||
	    !exported(memory, dynamic, "gHotSpotVMStructEntryAddressOffset", &address_at) ||
	    !exported(memory, dynamic, "gHotSpotVMStructEntryIsStaticOffset", &static_at) || !at || !stride)
		return false;
	for (unsigned i = 0; i < FIELDS_MAX; i++, at += stride) {
		char type[TEXT_MAX], field[TEXT_MAX];
		uint64_t type_name, field_name, value;
		uint32_t is_static;

		if (!scope_interpreter_memory_word(memory, at + type_at, &type_name) ||
		    !scope_interpreter_memory_word(memory, at + field_at, &field_name) ||
		    !scope_interpreter_memory_get(memory, at + static_at, &is_static, sizeof(is_static)) ||
		    !scope_interpreter_memory_word(memory, at + (is_static ? address_at : offset_at), &value))
			return false;
		if (!type_name)
			return true;
		read_text(memory, type_name, type);
		read_text(memory, field_name, field);
		take_field(offsets, type, field, value);
	}
	return false;
}

/* The size of a type. */
static bool read_size(struct scope_memory *memory, const struct scope_dynamic *dynamic, const char *type,
		      uint64_t *ret_size)
{
	uint64_t at, stride, type_at, size_at;

	if (!exported(memory, dynamic, "gHotSpotVMTypes", &at) ||
	    !exported(memory, dynamic, "gHotSpotVMTypeEntryArrayStride", &stride) ||
	    !exported(memory, dynamic, "gHotSpotVMTypeEntryTypeNameOffset", &type_at) ||
	    !exported(memory, dynamic, "gHotSpotVMTypeEntrySizeOffset", &size_at) || !at || !stride)
		return false;
	for (unsigned i = 0; i < FIELDS_MAX; i++, at += stride) {
		char text[TEXT_MAX];
		uint64_t name;

		if (!scope_interpreter_memory_word(memory, at + type_at, &name) || !name)
			return false;
		read_text(memory, name, text);
		if (!strcmp(text, type))
			return scope_interpreter_memory_word(memory, at + size_at, ret_size);
	}
	return false;
}

enum scope_interpreter_found scope_interpreter_hotspot_find(struct scope_memory *memory,
							    const struct scope_dynamic *dynamic,
							    struct scope_interpreter *interpreter)
{
	struct scope_hotspot_offsets *offsets = &interpreter->hotspot;
	uint64_t list;

#ifndef __x86_64__
	return SCOPE_INTERPRETER_UNKNOWN;
#endif
	memset(offsets, 0xff, sizeof(*offsets));
	offsets->number = ++jvms;
	if (!read_fields(memory, dynamic, offsets) ||
	    !read_size(memory, dynamic, "ConstantPool", &offsets->pool_size) ||
	    !read_size(memory, dynamic, "HeapBlock", &offsets->block_size))
		return SCOPE_INTERPRETER_UNKNOWN;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint64_t value;

		memcpy(&value, (const char *)offsets + fields[i].to, sizeof(value));
		if (value == NOT_FOUND)
			return SCOPE_INTERPRETER_UNKNOWN;
	}
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
	char name[TEXT_MAX];
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
	read_text(memory, text, name);
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

/* ---- names ---- */

/* A symbol, in the JVM's form of UTF-8. Returns its bytes, 0: it cannot be read. */
static size_t read_symbol(struct scope_memory *memory, const struct scope_hotspot_offsets *offsets, uint64_t symbol,
			  char *text, size_t room)
{
	uint16_t length;

	if (!scope_interpreter_memory_get(memory, symbol + offsets->symbol_length, &length, sizeof(length)))
		return 0;
	if (length >= room)
		length = (uint16_t)(room - 1);
	if (!scope_interpreter_memory_get(memory, symbol + offsets->symbol_body, text, length))
		return 0;
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			text[i] = '?';
	text[length] = '\0';
	return length;
}

/* The name of a class, with dots. */
static void put_class(struct scope_interpreted_name *name, char *text)
{
	for (char *at = text; *at; at++)
		if (*at == '/')
			*at = '.';
	scope_interpreter_name_put(name, text);
}

static const char *primitive(char letter)
{
	switch (letter) {
	case 'B':
		return "byte";
	case 'C':
		return "char";
	case 'D':
		return "double";
	case 'F':
		return "float";
	case 'I':
		return "int";
	case 'J':
		return "long";
	case 'S':
		return "short";
	case 'Z':
		return "boolean";
	case 'V':
		return "void";
	default:
		return "?";
	}
}

/* A type of a signature: "[Ljava/lang/String;" is java.lang.String[]. Returns what follows it. */
static char *put_type(struct scope_interpreted_name *name, char *at)
{
	unsigned arrays = 0;
	char *end;

	for (; *at == '['; at++)
		arrays++;
	end = *at == 'L' ? strchr(at, ';') : NULL;
	if (end) {
		*end = '\0';
		put_class(name, at + 1);
	} else {
		scope_interpreter_name_put(name, primitive(*at));
		end = *at ? at : at - 1;
	}
	while (arrays--)
		scope_interpreter_name_put(name, "[]");
	return end + 1;
}

static bool symbol_of_pool(struct scope_memory *memory, const struct scope_hotspot_offsets *offsets, uint64_t method,
			   uint64_t index_at, uint64_t *ret_pool, uint64_t *ret_symbol)
{
	uint64_t own;
	uint16_t index;

	return scope_interpreter_memory_word(memory, method + offsets->method_const, &own) &&
	       scope_interpreter_memory_word(memory, own + offsets->const_pool, ret_pool) &&
	       scope_interpreter_memory_get(memory, own + index_at, &index, sizeof(index)) &&
	       scope_interpreter_memory_word(memory, *ret_pool + offsets->pool_size + (uint64_t)index * WORD,
					     ret_symbol);
}

bool scope_interpreter_hotspot_name(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				    uint64_t function, char ret_name[SCOPE_INTERPRETED_NAME])
{
	const struct scope_hotspot_offsets *offsets = &interpreter->hotspot;
	char class[NAME_BYTES], method[NAME_BYTES], signature[2 * NAME_BYTES], *at, *result;
	struct scope_interpreted_name name;
	uint64_t pool, symbol, holder;

	if (!symbol_of_pool(memory, offsets, function, offsets->const_name, &pool, &symbol) ||
	    !read_symbol(memory, offsets, symbol, method, sizeof(method)) ||
	    !symbol_of_pool(memory, offsets, function, offsets->const_signature, &pool, &symbol) ||
	    !read_symbol(memory, offsets, symbol, signature, sizeof(signature)) ||
	    !scope_interpreter_memory_word(memory, pool + offsets->pool_class, &holder) ||
	    !scope_interpreter_memory_word(memory, holder + offsets->class_name, &symbol) ||
	    !read_symbol(memory, offsets, symbol, class, sizeof(class)))
		return false;
	result = strchr(signature, ')');
	if (signature[0] != '(' || !result)
		return false;
	*result = '\0';
	scope_interpreter_name_begin(&name, ret_name, SCOPE_INTERPRETED_NAME);
	put_type(&name, result + 1);
	scope_interpreter_name_put(&name, " ");
	put_class(&name, class);
	scope_interpreter_name_put(&name, ".");
	scope_interpreter_name_put(&name, method);
	scope_interpreter_name_put(&name, "(");
	for (at = signature + 1; *at;) {
		at = put_type(&name, at);
		if (*at)
			scope_interpreter_name_put(&name, ", ");
	}
	scope_interpreter_name_put(&name, ")");
	return true;
}
