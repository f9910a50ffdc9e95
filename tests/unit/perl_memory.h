/* SPDX-License-Identifier: GPL-2.0-only */
/* The invented memory of a process that runs Perl. */
#ifndef SCOPE_TESTS_PERL_MEMORY_H
#define SCOPE_TESTS_PERL_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "interpreter/interpreter.h"
#include "interpreter/perl_offsets.h"

#define BASE 0x10000ull
#define BYTES 0x40000ull
/* Where the objects are. */
#define ROOT (BASE + 0xf00)
#define STATE (BASE + 0x1000)
#define STACK (BASE + 0x1400)
#define OUTER (BASE + 0x1440)
#define PACKAGE (BASE + 0x1500)
#define PACKAGE_BODY (BASE + 0x1540)
#define PACKAGE_NAME (BASE + 0x1600)
#define GLOB (BASE + 0x1700)
#define GLOB_BODY (BASE + 0x1740)
#define GLOB_OWN (BASE + 0x1780)
#define GLOB_NAME (BASE + 0x1800)
#define OTHER (BASE + 0x1900)
#define OTHER_BODY (BASE + 0x1940)
#define OTHER_NAME (BASE + 0x1a00)
#define CODE (BASE + 0x2000)
#define CODE_BODY (BASE + 0x2040)
#define FILE_NAME (BASE + 0x2100)
#define STATEMENT (BASE + 0x2300)
#define SCRIPT (BASE + 0x2340)
#define SCRIPT_NAME (BASE + 0x2400)
#define LIST (BASE + 0x2500)
#define FILE_GLOB (BASE + 0x2600)
#define FILE_GLOB_BODY (BASE + 0x2640)
#define FILE_GLOB_NAME (BASE + 0x2700)
#define CONTEXTS (BASE + 0x4000)
#define OUTER_CONTEXTS (BASE + 0x38000)
#define CONTEXT 104 /* bytes, of 5.36 */

#define HASH (12u | 1u << 25)
#define GLOB_FLAGS (9u | 1u << 15)
#define SUB 9
#define FORMAT 10
#define EVAL 11
#define BLOCK 2
#define MAIN 1

static uint8_t bytes_of[BYTES];
static struct scope_memory memory;

static bool read_bytes(void *context, uint64_t address, void *data, size_t bytes)
{
	(void)context;
	if (address < BASE || address + bytes > BASE + BYTES)
		return false;
	memcpy(data, bytes_of + (address - BASE), bytes);
	return true;
}

static inline void put(uint64_t address, uint64_t word)
{
	memcpy(bytes_of + (address - BASE), &word, sizeof(word));
}

static inline void put_half(uint64_t address, uint32_t half)
{
	memcpy(bytes_of + (address - BASE), &half, sizeof(half));
}

static inline void put_text(uint64_t address, const char *text)
{
	memcpy(bytes_of + (address - BASE), text, strlen(text) + 1);
}

static inline void put_key(uint64_t address, const char *text, bool utf8)
{
	put_half(address + 4, (uint32_t)strlen(text));
	put_text(address + 8, text);
	bytes_of[address - BASE + 8 + strlen(text) + 1] = utf8;
}

static inline void put_value(uint64_t address, uint32_t flags, uint64_t body)
{
	put(address, body);
	put_half(address + 12, flags);
}

static inline void put_glob(uint64_t address, uint64_t body, uint64_t name, const char *text)
{
	put_value(address, GLOB_FLAGS, body);
	put(body + 32, name);
	put(body + 40, PACKAGE);
	put_key(name, text, false);
}

static inline void put_statement(uint64_t address, uint32_t line, uint64_t file)
{
	put_half(address + 36, line);
	put(address + 48, file);
}

static inline void put_context(uint64_t at, uint8_t type, uint64_t code, uint64_t statement)
{
	bytes_of[at - BASE] = type;
	put(at + 16, statement);
	put(at + 72, code);
}

static inline void put_stack(uint64_t at, uint64_t contexts, uint64_t outer, int32_t last, uint32_t type)
{
	put(at + 8, contexts);
	put(at + 16, outer);
	put_half(at + 32, (uint32_t)last);
	put_half(at + 36, 2000);
	put_half(at + 44, type);
}

static inline void again(void)
{
	scope_interpreter_memory_begin(&memory, 2000);
}

/* An interpreter with threads, in Cart::sell, which a script called. */
static inline struct scope_interpreter made_up(void)
{
	struct scope_interpreter interpreter = {
		.language = SCOPE_INTERPRETER_PERL,
		.version = 0x524,
		.root = ROOT,
	};

	assert_true(scope_interpreter_perl_offsets(0x524, &interpreter.perl));
	memset(bytes_of, 0, sizeof(bytes_of));
	memory = (struct scope_memory){ .read = read_bytes };
	again();
	put(ROOT, STATE);
	put(STATE + interpreter.perl.main_stash, PACKAGE);
	put(STATE + interpreter.perl.statement, STATEMENT);
	put(STATE + interpreter.perl.stacks, STACK);
	put_stack(STACK, CONTEXTS, 0, 1, MAIN);
	put_context(CONTEXTS, BLOCK, 0, 0);
	put_context(CONTEXTS + CONTEXT, SUB, CODE, SCRIPT);
	put_value(PACKAGE, HASH, PACKAGE_BODY);
	put(PACKAGE_BODY + 32, PACKAGE_NAME);
	put_key(PACKAGE_NAME, "Cart", false);
	put_glob(GLOB, GLOB_BODY, GLOB_NAME, "sell");
	put(GLOB + 16, GLOB_OWN);
	put(GLOB_OWN + 56, GLOB);
	put_value(CODE, 13, CODE_BODY);
	put(CODE_BODY + 32, PACKAGE);
	put(CODE_BODY + 40, STATEMENT);
	put(CODE_BODY + 56, GLOB);
	put(CODE_BODY + 64, FILE_NAME);
	put_text(FILE_NAME, "/srv/Cart.pm");
	put_statement(STATEMENT, 12, FILE_NAME);
	put_statement(SCRIPT, 7, SCRIPT_NAME);
	put_text(SCRIPT_NAME, "/srv/shop.pl");
	return interpreter;
}

static struct scope_interpreted_frames frames;

static inline enum scope_interpreter_read read_frames(const struct scope_interpreter *interpreter)
{
	again();
	return scope_interpreter_frames(&memory, interpreter, STATE, &frames);
}

/* That frame has that name; NULL: it has none. */
static inline void is_named(const struct scope_interpreter *interpreter, unsigned frame, const char *expected)
{
	char name[SCOPE_INTERPRETED_NAME];

	again();
	assert_true(frame < frames.count);
	assert_int_equal(scope_interpreter_name(&memory, interpreter, frames.function[frame], name), !!expected);
	if (expected)
		assert_string_equal(name, expected);
}

/* The innermost frame is of that name. */
static inline void innermost_is(const struct scope_interpreter *interpreter, const char *expected)
{
	assert_int_equal(read_frames(interpreter), SCOPE_INTERPRETER_READ);
	is_named(interpreter, 0, expected);
}

#endif
