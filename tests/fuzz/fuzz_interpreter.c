// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of a process with an interpreter. The input is all the memory that can be read; the first byte chooses the
 * language and version, and addresses are taken modulo the input's size, so that nearly every pointer is valid.
 */
#include <string.h>

#include "fuzz.h"
#include "interpreter/interpreter.h"
#include "interpreter/perl_offsets.h"
#include "interpreter/python_offsets.h"
#include "interpreter/ruby_offsets.h"

#define BASE 0x10000ull
#define READS 2000

static const uint8_t *input;
static size_t input_bytes;

static bool read_input(void *context, uint64_t address, void *data, size_t bytes)
{
	uint32_t *reads = context;

	if (++*reads > READS)
		fuzz_die("more reads than are allowed");
	for (size_t i = 0; i < bytes; i++)
		((uint8_t *)data)[i] = input[(address + i) % input_bytes];
	return address % 7; /* some cannot be read */
}

static void check_name(const char *name)
{
	const size_t bytes = strnlen(name, SCOPE_INTERPRETED_NAME);

	if (bytes == SCOPE_INTERPRETED_NAME)
		fuzz_die("a name without an end");
	for (size_t i = 0; i < bytes; i++)
		if ((unsigned char)name[i] < ' ')
			fuzz_die("a name of more than one line");
}

static void read_all(struct scope_memory *memory, uint32_t *reads, const struct scope_interpreter *interpreter)
{
	static struct scope_interpreted_thread thread[SCOPE_INTERPRETED_THREADS];
	static struct scope_interpreted_frames frames;
	char name[SCOPE_INTERPRETED_NAME];
	size_t count;

	*reads = 0;
	scope_interpreter_memory_begin(memory, READS);
	count = scope_interpreter_threads(memory, interpreter, thread, SCOPE_INTERPRETED_THREADS);
	if (count > SCOPE_INTERPRETED_THREADS)
		fuzz_die("more threads than there is room for");
	for (size_t i = 0; i < count && i < 4; i++) {
		*reads = 0;
		scope_interpreter_memory_begin(memory, READS);
		scope_interpreter_is_thread(memory, interpreter, &thread[i]);
		scope_interpreter_frames(memory, interpreter, thread[i].state, &frames);
		if (frames.count > SCOPE_INTERPRETED_FRAMES)
			fuzz_die("more frames than there is room for");
		for (uint32_t j = 0; j < frames.count && j < 4; j++)
			if (scope_interpreter_name(memory, interpreter, frames.function[j], name))
				check_name(name);
	}
}

static bool word_of_input(void *context, uint64_t address, uint64_t *ret_word)
{
	return read_input(context, address, ret_word, sizeof(*ret_word));
}

/* Walks a native stack as long as its code belongs to a runtime. */
static void leave_all(struct scope_memory *memory, uint32_t *reads, const struct scope_interpreter *interpreter)
{
	const struct scope_stack_words words = { word_of_input, reads };
	struct scope_native_frame frame = {
		.pc = BASE + input[0], .sp = BASE, .fp = BASE + input[input_bytes - 1], .exact = true
	};
	struct scope_left_functions functions;
	char name[SCOPE_INTERPRETED_NAME];

	for (unsigned i = 0; i < 16; i++) {
		*reads = 0;
		scope_interpreter_memory_begin(memory, READS / 2);
		if (scope_interpreter_leave(memory, interpreter, &words, &frame, &functions) != SCOPE_INTERPRETER_LEFT)
			return;
		if (functions.count > SCOPE_LEFT_FUNCTIONS)
			fuzz_die("more functions in a frame than there is room for");
		for (uint32_t j = 0; j < functions.count && j < 2; j++)
			if (scope_interpreter_name(memory, interpreter, functions.function[j], name))
				check_name(name);
	}
}

/* Members follow each other, so that each of them points to another place. */
static struct scope_hotspot_offsets hotspot_offsets(void)
{
	static uint64_t number;
	struct scope_hotspot_offsets offsets;
	uint64_t word[sizeof(offsets) / sizeof(uint64_t)];

	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		word[i] = i * sizeof(uint64_t);
	memcpy(&offsets, word, sizeof(offsets));
	offsets.list += BASE;
	offsets.code += BASE;
	offsets.heaps += BASE;
	offsets.number = ++number;
	return offsets;
}

/* The same of V8; its masks and types are those of the input. */
static struct scope_v8_offsets v8_offsets(void)
{
	struct scope_v8_offsets offsets;
	int32_t number[sizeof(offsets) / sizeof(int32_t)];

	for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++)
		number[i] = (int32_t)(i * sizeof(uint64_t));
	memcpy(&offsets, number, sizeof(offsets));
	offsets.type_shared = offsets.type_scope = offsets.type_script = input[0];
	offsets.not_string = -128;
	offsets.representation = 7;
	offsets.encoding = offsets.one_byte = 8;
	offsets.sequential = input[0] & 7;
	offsets.cons = input[input_bytes - 1] & 7;
	offsets.thin = 5;
	return offsets;
}

/* Members are near each other, as inputs are short. */
static void find_perl(struct scope_interpreter *interpreter, unsigned choice)
{
	scope_interpreter_perl_offsets(0x51c + choice % 8 * 2, &interpreter->perl);
	interpreter->perl.globals = choice & 8;
	interpreter->perl.statement = BASE + 8;
	interpreter->perl.stacks = BASE + 16;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const enum scope_interpreter_language languages[] = {
		SCOPE_INTERPRETER_PYTHON, SCOPE_INTERPRETER_PHP, SCOPE_INTERPRETER_HOTSPOT,
		SCOPE_INTERPRETER_RUBY,	  SCOPE_INTERPRETER_V8,	 SCOPE_INTERPRETER_PERL
	};
	static const uint32_t rubies[] = { 0x207, 0x300, 0x301, 0x302, 0x303, 0x304 };
	static struct scope_memory memory;
	struct scope_interpreter interpreter;
	uint32_t reads = 0;

	if (bytes < 2)
		return 0;
	input = data + 1;
	input_bytes = bytes - 1;
	memory.read = read_input;
	memory.context = &reads;
	scope_interpreter_memory_begin(&memory, READS);
	scope_interpreter_find(&memory, languages[data[0] % 6], BASE, 0x308 + data[0] / 2 % 8, &interpreter);
	/* Independent of what was found. */
	if (interpreter.language == SCOPE_INTERPRETER_HOTSPOT)
		interpreter.hotspot = hotspot_offsets();
	else if (interpreter.language == SCOPE_INTERPRETER_RUBY)
		scope_interpreter_ruby_offsets(rubies[data[0] / 4 % 6], &interpreter.ruby);
	else if (interpreter.language == SCOPE_INTERPRETER_PERL)
		find_perl(&interpreter, data[0] / 6);
	else if (interpreter.language == SCOPE_INTERPRETER_V8)
		interpreter.v8 = v8_offsets();
	else if (interpreter.language == SCOPE_INTERPRETER_PHP)
		interpreter.php = (struct scope_php_offsets){ .current = 488, .op_array_file = 152 };
	else
		scope_interpreter_python_offsets(&memory, BASE, 0x308 + data[0] / 2 % 5, &interpreter.python);
	interpreter.root = BASE;
	interpreter.object_class = BASE + 8;
	interpreter.name_variable = data[0] / 32; /* Ruby's, one of the numbers that a short input has */
	interpreter.attached_variable = 1;
	if (interpreter.language != SCOPE_INTERPRETER_V8)
		read_all(&memory, &reads, &interpreter);
	leave_all(&memory, &reads, &interpreter);
	return 0;
}
