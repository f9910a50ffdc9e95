// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names functions of CRuby 2.7 to 3.4.
 *
 *   entry of a method ─► owner: a class ─► its path, or the object that it is the class of
 *     │ definition ─► code ─► its body ─► label, label of the method, path
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "interpreter/name_text.h"
#include "interpreter/ruby.h"
#include "interpreter/ruby_objects.h"

/* Offsets of members and flags that are equal in all these versions, by offsetof(). */
#define TYPE_MASK 0x1fu /* the type, in the flags at the begin of an object */
#define TYPE_CLASS 2
#define TYPE_MODULE 3
#define TYPE_STRING 5
#define TYPE_ARRAY 7
#define TYPE_INTERNAL 26
#define KIND_SHIFT 12 /* the kind of an internal object */
#define KIND_MASK 15u
#define KIND_VARIABLES 2
#define KIND_ENTRY 6
#define KIND_CODE 7
#define VARIABLES_ENTRY 8
#define ENTRY_DEFINITION 16
#define ENTRY_OWNER 32
#define DEFINITION_KIND_MASK 15u
#define DEFINITION_OF_CODE 0
#define DEFINITION_CODE 8
#define CODE_BODY 16
#define BODY_PATH 64
#define BODY_METHOD 72
#define BODY_LABEL 80
#define BODY_LINE 88
#define VERSION_LINE_OBJECT 0x302 /* up to this version the line is an object of Ruby: twice the value plus 1 */
#define OBJECT_CLASS 8
#define STRING_APART (1u << 13) /* a flag: the bytes are not in the object */
#define STRING_LENGTH 16
#define STRING_BYTES 24
#define STRING_SHORT_SHIFT 14 /* the length of a short string up to 3.1, in the flags */
#define STRING_SHORT_MASK 31u
#define ARRAY_WITHIN (1u << 13)
#define ARRAY_FIRST 16
#define ARRAY_ELEMENTS 32
#define TABLE_BEGIN 32
#define TABLE_END 40
#define TABLE_ENTRIES 48
#define TABLE_ENTRY 24 /* bytes: hash, key, value */

#define EMBEDDED_APART 24 /* from 3.2 on: the bytes of short strings, and the length of all strings */
#define LABEL_BYTES 160	  /* bytes of the name of a function, and of the name of its class */
#define FILE_BYTES 256
#define VARIABLES_MAX 64 /* variables of a class that are read */
#define ATTACHED_MAX 4	 /* nested singleton classes */

/* The flags of an object with that type. 0: it has another type. */
static uint64_t flags_of(struct scope_memory *memory, uint64_t object, unsigned type)
{
	uint64_t flags;

	return !(object & 7) && scope_interpreter_memory_word(memory, object, &flags) && (flags & TYPE_MASK) == type
		       ? flags
		       : 0;
}

static unsigned kind_of(struct scope_memory *memory, uint64_t object)
{
	return (unsigned)(flags_of(memory, object, TYPE_INTERNAL) >> KIND_SHIFT & KIND_MASK);
}

bool scope_interpreter_ruby_entry(struct scope_memory *memory, uint64_t object, uint64_t *ret_entry)
{
	unsigned kind = kind_of(memory, object);

	if (kind == KIND_VARIABLES) {
		if (!scope_interpreter_memory_word(memory, object + VARIABLES_ENTRY, &object))
			return false;
		kind = kind_of(memory, object);
	}
	*ret_entry = object;
	return kind == KIND_ENTRY;
}

/* ---- strings ---- */

static bool read_string(struct scope_memory *memory, const struct scope_interpreter *interpreter, uint64_t string,
			size_t most, char *ret_text)
{
	const uint32_t embedded = interpreter->ruby.string_embedded;
	const uint64_t flags = flags_of(memory, string, TYPE_STRING);
	uint64_t length, bytes = string + embedded;

	if (!flags)
		return false;
	if (!(flags & STRING_APART) && embedded < EMBEDDED_APART)
		length = flags >> STRING_SHORT_SHIFT & STRING_SHORT_MASK;
	else if (!scope_interpreter_memory_word(memory, string + STRING_LENGTH, &length))
		return false;
	if (flags & STRING_APART && !scope_interpreter_memory_word(memory, string + STRING_BYTES, &bytes))
		return false;
	if (length > most)
		length = most;
	if (!scope_interpreter_memory_get(memory, bytes, ret_text, length))
		return false;
	ret_text[length] = '\0';
	/* The text ends at the first zero. */
	scope_interpreter_name_clean(ret_text);
	return true;
}

/* ---- classes ---- */

/*
 * A variable of a class up to 3.1: returns the value of that key; if the key is 0, the key of that value. 0: there is
 * none.
 */
static uint64_t
variable_of(struct scope_memory *memory, const struct scope_interpreter *interpreter, uint64_t class, uint64_t key,
	    bool (*is_it)(struct scope_memory *memory, const struct scope_interpreter *, uint64_t value))
{
	const struct scope_ruby_offsets *offsets = &interpreter->ruby;
	uint64_t extension, table, begin, end, entries, entry[2];

	if (!scope_interpreter_memory_word(memory, class + offsets->class_extension, &extension) ||
	    !scope_interpreter_memory_word(memory, extension + offsets->extension_variables, &table) || !table ||
	    !scope_interpreter_memory_word(memory, table + TABLE_BEGIN, &begin) ||
	    !scope_interpreter_memory_word(memory, table + TABLE_END, &end) ||
	    !scope_interpreter_memory_word(memory, table + TABLE_ENTRIES, &entries))
		return 0;
	for (uint64_t i = begin; i < end && i - begin < VARIABLES_MAX; i++) {
		if (!scope_interpreter_memory_get(memory, entries + i * TABLE_ENTRY + 8, entry, sizeof(entry)))
			return 0;
		if (key ? entry[0] == key : is_it(memory, interpreter, entry[1]))
			return entry[key ? 1 : 0];
	}
	return 0;
}

static bool is_name_of_object(struct scope_memory *memory, const struct scope_interpreter *interpreter, uint64_t value)
{
	char text[sizeof("Object")];

	return read_string(memory, interpreter, value, sizeof(text) - 1, text) && !strcmp(text, "Object");
}

static bool is_object_class(struct scope_memory *memory, const struct scope_interpreter *interpreter, uint64_t value)
{
	(void)memory;
	return value == interpreter->object_class;
}

void scope_interpreter_ruby_learn(struct scope_memory *memory, struct scope_interpreter *interpreter)
{
	uint64_t own;

	if (!interpreter->ruby.class_extension)
		return;
	interpreter->name_variable = variable_of(memory, interpreter, interpreter->object_class, 0, is_name_of_object);
	if (scope_interpreter_memory_word(memory, interpreter->object_class + OBJECT_CLASS, &own))
		interpreter->attached_variable = variable_of(memory, interpreter, own, 0, is_object_class);
}

/* A class's name, a string, or the object of a singleton class. 0: not known. */
static uint64_t of_class(struct scope_memory *memory, const struct scope_interpreter *interpreter, uint64_t class,
			 uint32_t member, uint64_t variable)
{
	uint64_t value = 0;

	if (variable)
		value = variable_of(memory, interpreter, class, variable, NULL);
	else if (member && !scope_interpreter_memory_word(memory, class + member, &value))
		value = 0;
	return value;
}

/*
 * Writes "Class#" or, for a method of a class itself, "Class."; nothing if the class has no name. Methods of a script
 * outside of all classes belong to Object.
 */
static void put_class(struct scope_memory *memory, const struct scope_interpreter *interpreter, uint64_t class,
		      struct scope_interpreted_name *name)
{
	const char *mark = "#";
	char text[LABEL_BYTES + 1];

	for (unsigned i = 0; i < ATTACHED_MAX; i++) {
		const uint64_t flags = flags_of(memory, class, TYPE_CLASS);

		if (!(flags & interpreter->ruby.singleton))
			break;
		class = of_class(memory, interpreter, class, interpreter->ruby.class_attached,
				 interpreter->attached_variable);
		mark = ".";
	}
	if ((class == interpreter->object_class && mark[0] == '#') ||
	    (!flags_of(memory, class, TYPE_CLASS) && !flags_of(memory, class, TYPE_MODULE)))
		return;
	class = of_class(memory, interpreter, class, interpreter->ruby.class_path, interpreter->name_variable);
	if (!read_string(memory, interpreter, class, LABEL_BYTES, text))
		return;
	scope_interpreter_name_put(name, text);
	scope_interpreter_name_put(name, mark);
}

/* ---- functions ---- */

/* Adds the line to a block outside of a method, because other blocks of the file may have the same name. */
static void put_line(struct scope_memory *memory, const struct scope_interpreter *interpreter, uint64_t body,
		     struct scope_interpreted_name *name)
{
	char text[32];
	uint32_t line;

	if (!scope_interpreter_memory_get(memory, body + BODY_LINE, &line, sizeof(line)))
		return;
	if (interpreter->version <= VERSION_LINE_OBJECT)
		line >>= 1;
	snprintf(text, sizeof(text), " in line %" PRIu32, line);
	scope_interpreter_name_put(name, text);
}

/* Writes the name of the method, or the language's name for code outside of methods. */
static bool put_label(struct scope_memory *memory, const struct scope_interpreter *interpreter, uint64_t body,
		      struct scope_interpreted_name *name)
{
	char text[LABEL_BYTES + 1];
	uint64_t method, label;

	if (!scope_interpreter_memory_word(memory, body + BODY_METHOD, &method) ||
	    !scope_interpreter_memory_word(memory, body + BODY_LABEL, &label) ||
	    !read_string(memory, interpreter, method, LABEL_BYTES, text))
		return false;
	if (text[0] != '<' || label == method) {
		scope_interpreter_name_put(name, text);
		return true;
	}
	if (!read_string(memory, interpreter, label, LABEL_BYTES, text))
		return false;
	scope_interpreter_name_put(name, text);
	put_line(memory, interpreter, body, name);
	return true;
}

/*
 * Writes the path. It is a string, or an array of the given and the absolute path (evaluated text has no absolute
 * path).
 */
static bool put_path(struct scope_memory *memory, const struct scope_interpreter *interpreter, uint64_t path,
		     struct scope_interpreted_name *name)
{
	const uint64_t flags = flags_of(memory, path, TYPE_ARRAY);
	uint64_t at = path + ARRAY_FIRST, element[2];
	char text[FILE_BYTES + 1];

	if (flags) {
		if (!(flags & ARRAY_WITHIN) && !scope_interpreter_memory_word(memory, path + ARRAY_ELEMENTS, &at))
			return false;
		if (!scope_interpreter_memory_get(memory, at, element, sizeof(element)))
			return false;
		path = flags_of(memory, element[1], TYPE_STRING) ? element[1] : element[0];
	}
	if (!read_string(memory, interpreter, path, FILE_BYTES, text))
		return false;
	/* "<internal:kernel>", "(eval at FILE:LINE)" */
	scope_interpreter_name_file(name, text);
	return true;
}

bool scope_interpreter_ruby_name(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				 uint64_t function, char ret_name[SCOPE_INTERPRETED_NAME])
{
	struct scope_interpreted_name name;
	uint64_t code = function, owner, definition, body, path;

	scope_interpreter_name_begin(&name, ret_name, SCOPE_INTERPRETED_NAME);
	scope_interpreter_name_put(&name, "rb::");
	if (kind_of(memory, function) == KIND_ENTRY) {
		uint32_t kind;

		if (!scope_interpreter_memory_word(memory, function + ENTRY_DEFINITION, &definition) ||
		    !scope_interpreter_memory_word(memory, function + ENTRY_OWNER, &owner) ||
		    !scope_interpreter_memory_get(memory, definition, &kind, sizeof(kind)) ||
		    (kind & DEFINITION_KIND_MASK) != DEFINITION_OF_CODE ||
		    !scope_interpreter_memory_word(memory, definition + DEFINITION_CODE, &code))
			return false;
		put_class(memory, interpreter, owner, &name);
	}
	if (kind_of(memory, code) != KIND_CODE || !scope_interpreter_memory_word(memory, code + CODE_BODY, &body) ||
	    !scope_interpreter_memory_word(memory, body + BODY_PATH, &path) ||
	    !put_label(memory, interpreter, body, &name))
		return false;
	return put_path(memory, interpreter, path, &name);
}
