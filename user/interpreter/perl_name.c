// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names subs of Perl 5.28 to 5.42.
 *
 *   code (CV) ─► its body ─► glob (GV) ─► glob whose name it has ─► name, package (HV) ─► name
 *                  │ file
 *                  └► first statement (COP) ─► line
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "interpreter/name_text.h"
#include "interpreter/perl.h"
#include "interpreter/perl_objects.h"

/* Offsets of members, types and flags that are equal in all these versions, by offsetof(). */
#define VALUE_BODY 0
#define VALUE_FLAGS 12
#define VALUE_OWN 16 /* of a glob: its values; of a hash: its array */
#define TYPE_MASK 0xffu
#define TYPE_GLOB 9
#define TYPE_HASH 12
#define TYPE_CODE 13
#define TYPE_FORMAT 14
#define GLOB_HAS (1u << 15)
#define HASH_HAS_NAMES (1u << 25)
#define CODE_PACKAGE 32
#define CODE_FIRST 40
#define CODE_GLOB 56
#define CODE_FILE 64
#define CODE_FLAGS 92
#define CODE_NAMED (1u << 15)	/* it has a name instead of a glob … */
#define CODE_LEXICAL (1u << 16) /* … and the name belongs to no package */
#define GLOB_NAME 32
#define GLOB_PACKAGE 40
#define OWN_GLOB 56 /* the glob whose name is used */
#define HASH_LAST 24
#define NAMES_NAME 0
#define NAMES_COUNT 28 /* not 0: there is a list of names, of which the first is used */
#define KEY_LENGTH 4
#define KEY_BYTES 8
#define KEY_UTF8 1u /* in the byte after the zero at the key's end */
#define STATEMENT_LINE 36
#define STATEMENT_FILE 48
#define FILE_GLOB "_<" /* begin of the name of a file's glob */

#define LABEL_BYTES 160 /* bytes of the name of a sub, and of the name of its package */
#define FILE_BYTES 256
#define MARK_SHIFT 48 /* bits above addresses */
#define ADDRESS ((1ull << MARK_SHIFT) - 1)
#define OF_BODY 1u /* a bit below addresses, which are multiples of 8 */
#define ANONYMOUS "__ANON__"
#define EVALUATED "(eval "

/* ---- strings ---- */

/* Reads a string up to its end, or until there is no more room. */
static bool read_string(struct scope_memory *memory, uint64_t at, char *ret_text, size_t size)
{
	size_t used = 0;

	do {
		if (!scope_interpreter_memory_get(memory, at + used, &ret_text[used], 1))
			return false;
	} while (ret_text[used] && ++used < size - 1);
	ret_text[used] = '\0';
	scope_interpreter_name_clean(ret_text);
	return used;
}

/* Reads the key of a hash, which is UTF-8 or ISO 8859-1. */
static bool read_key(struct scope_memory *memory, uint64_t key, char *ret_text, size_t size)
{
	char bytes[LABEL_BYTES];
	uint32_t length, used = 0;
	uint8_t flags;

	if (!key || !scope_interpreter_memory_get(memory, key + KEY_LENGTH, &length, sizeof(length)) || !length ||
	    length > INT32_MAX || !scope_interpreter_memory_get(memory, key + KEY_BYTES + length + 1, &flags, 1))
		return false;
	if (length > sizeof(bytes))
		length = sizeof(bytes);
	if (!scope_interpreter_memory_get(memory, key + KEY_BYTES, bytes, length))
		return false;
	for (uint32_t i = 0; i < length && used + 2 < size; i++) {
		const uint8_t byte = (uint8_t)bytes[i];

		if (byte < 0x80 || flags & KEY_UTF8) {
			ret_text[used++] = (char)byte;
		} else {
			ret_text[used++] = (char)(0xc0 | byte >> 6);
			ret_text[used++] = (char)(0x80 | (byte & 0x3f));
		}
	}
	ret_text[used] = '\0';
	scope_interpreter_name_clean(ret_text);
	return true;
}

/* ---- values ---- */

static bool read_flags(struct scope_memory *memory, uint64_t value, uint32_t *ret_flags, uint64_t *ret_body)
{
	return value && !(value & 7) &&
	       scope_interpreter_memory_get(memory, value + VALUE_FLAGS, ret_flags, sizeof(*ret_flags)) &&
	       scope_interpreter_memory_word(memory, value + VALUE_BODY, ret_body);
}

bool scope_interpreter_perl_package(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				    uint64_t stash, char *ret_text, size_t size)
{
	uint64_t body, names, last, key;
	uint32_t flags;
	int32_t count;

	if (!read_flags(memory, stash, &flags, &body) || (flags & TYPE_MASK) != TYPE_HASH || !(flags & HASH_HAS_NAMES))
		return false;
	names = body + interpreter->perl.hash_names;
	/* Up to 5.34 the names follow the array. */
	if (!interpreter->perl.hash_names) {
		if (!scope_interpreter_memory_word(memory, stash + VALUE_OWN, &names) ||
		    !scope_interpreter_memory_word(memory, body + HASH_LAST, &last))
			return false;
		names += (last + 1) * sizeof(uint64_t);
	}
	if (!scope_interpreter_memory_word(memory, names + NAMES_NAME, &key) ||
	    !scope_interpreter_memory_get(memory, names + NAMES_COUNT, &count, sizeof(count)) ||
	    (count && !scope_interpreter_memory_word(memory, key, &key)))
		return false;
	return read_key(memory, key, ret_text, size);
}

/* Reads the glob's name and its package (0 if it is not known). */
static bool read_glob(struct scope_memory *memory, uint64_t glob, char *ret_text, size_t size, uint64_t *ret_package)
{
	uint64_t body, own, key;
	uint32_t flags;

	if (!read_flags(memory, glob, &flags, &body) || (flags & TYPE_MASK) != TYPE_GLOB)
		return false;
	if (ret_package && flags & GLOB_HAS && scope_interpreter_memory_word(memory, glob + VALUE_OWN, &own) &&
	    scope_interpreter_memory_word(memory, own + OWN_GLOB, &own) && own != glob &&
	    read_glob(memory, own, ret_text, size, NULL)) {
		/* The name is that of the other glob. */
		if (!read_flags(memory, own, &flags, &body))
			return false;
	} else if (!scope_interpreter_memory_word(memory, body + GLOB_NAME, &key) ||
		   !read_key(memory, key, ret_text, size)) {
		return false;
	}
	return !ret_package || scope_interpreter_memory_word(memory, body + GLOB_PACKAGE, ret_package);
}

/* ---- statements ---- */

static bool read_file(struct scope_memory *memory, const struct scope_interpreter *interpreter, uint64_t statement,
		      char ret_text[FILE_BYTES])
{
	const size_t begin = strlen(FILE_GLOB);
	char name[FILE_BYTES];
	uint64_t file;

	if (!statement || statement & 7 || !scope_interpreter_memory_word(memory, statement + STATEMENT_FILE, &file))
		return false;
	if (!interpreter->perl.globals)
		return read_string(memory, file, ret_text, FILE_BYTES);
	if (!read_glob(memory, file, name, sizeof(name), NULL) || strncmp(name, FILE_GLOB, begin) || !name[begin])
		return false;
	memmove(ret_text, name + begin, strlen(name + begin) + 1);
	return true;
}

uint64_t scope_interpreter_perl_body(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				     uint64_t statement)
{
	char file[FILE_BYTES];
	uint32_t line;

	return read_file(memory, interpreter, statement, file) && !(statement & ~ADDRESS) &&
			       scope_interpreter_memory_get(memory, statement + STATEMENT_LINE, &line, sizeof(line))
		       ? statement | OF_BODY | (uint64_t)line << MARK_SHIFT
		       : 0;
}

/* ---- subs ---- */

uint64_t scope_interpreter_perl_sub(struct scope_memory *memory, uint64_t code)
{
	uint64_t body, first, glob, mark;
	uint32_t flags;

	if (code & ~ADDRESS || !read_flags(memory, code, &flags, &body) ||
	    ((flags & TYPE_MASK) != TYPE_CODE && (flags & TYPE_MASK) != TYPE_FORMAT) ||
	    !scope_interpreter_memory_word(memory, body + CODE_FIRST, &first) ||
	    !scope_interpreter_memory_word(memory, body + CODE_GLOB, &glob))
		return 0;
	mark = (first ^ glob << 16) * 0x9e3779b97f4a7c15ull; /* no rule */
	return code | (mark & ~ADDRESS);
}

/*
 * Adds to a sub without a name the line of its first statement, if it is in the same file, because there may be many
 * such subs.
 */
static void put_line(struct scope_memory *memory, const struct scope_interpreter *interpreter, uint64_t body,
		     const char *file, struct scope_interpreted_name *name)
{
	char text[FILE_BYTES];
	uint64_t first;
	uint32_t line;

	if (!scope_interpreter_memory_word(memory, body + CODE_FIRST, &first) ||
	    !read_file(memory, interpreter, first, text) || strcmp(text, file) ||
	    !scope_interpreter_memory_get(memory, first + STATEMENT_LINE, &line, sizeof(line)))
		return;
	snprintf(text, sizeof(text), " in line %" PRIu32, line);
	scope_interpreter_name_put(name, text);
}

/* "PACKAGE::NAME" */
static bool put_sub(struct scope_memory *memory, const struct scope_interpreter *interpreter, uint64_t body,
		    const char *file, struct scope_interpreted_name *name)
{
	char text[LABEL_BYTES] = ANONYMOUS, package[LABEL_BYTES];
	uint64_t own, stash = 0;
	uint32_t flags;

	if (!scope_interpreter_memory_get(memory, body + CODE_FLAGS, &flags, sizeof(flags)) ||
	    !scope_interpreter_memory_word(memory, body + CODE_GLOB, &own))
		return false;
	if (flags & CODE_NAMED) {
		if (!read_key(memory, own, text, sizeof(text)) ||
		    (!(flags & CODE_LEXICAL) && !scope_interpreter_memory_word(memory, body + CODE_PACKAGE, &stash)))
			return false;
	} else if (own && !read_glob(memory, own, text, sizeof(text), &stash)) {
		return false;
	}
	if (scope_interpreter_perl_package(memory, interpreter, stash, package, sizeof(package))) {
		scope_interpreter_name_put(name, package);
		scope_interpreter_name_put(name, "::");
	}
	scope_interpreter_name_put(name, text);
	if (!strcmp(text, ANONYMOUS))
		put_line(memory, interpreter, body, file, name);
	return true;
}

bool scope_interpreter_perl_name(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				 uint64_t function, char ret_name[SCOPE_INTERPRETED_NAME])
{
	const uint64_t address = function & ADDRESS & ~7ull;
	struct scope_interpreted_name name;
	char file[FILE_BYTES];
	uint64_t body, at;

	scope_interpreter_name_begin(&name, ret_name, SCOPE_INTERPRETED_NAME);
	scope_interpreter_name_put(&name, "pl::");
	if (function & OF_BODY) {
		if (!read_file(memory, interpreter, address, file))
			return false;
		scope_interpreter_name_put(&name, "<main>");
	} else if (scope_interpreter_perl_sub(memory, address) != function ||
		   !scope_interpreter_memory_word(memory, address + VALUE_BODY, &body) ||
		   !scope_interpreter_memory_word(memory, body + CODE_FILE, &at) ||
		   !read_string(memory, at, file, sizeof(file)) || !put_sub(memory, interpreter, body, file, &name)) {
		return false;
	}
	/* "(eval 12)": every evaluation has another number, so the number is left out. */
	if (!strncmp(file, EVALUATED, strlen(EVALUATED)))
		snprintf(file, sizeof(file), "(eval)");
	scope_interpreter_name_file(&name, file);
	return true;
}
