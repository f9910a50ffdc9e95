// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names Java's methods.
 *
 *   method ─► constant part ─► numbers of its name and signature
 *                    │ pool ─► names and signatures; its class ─► name
 */
#include <string.h>

#include "interpreter/hotspot.h"
#include "interpreter/hotspot_tables.h"
#include "interpreter/name_text.h"

#define WORD 8
#define NAME_BYTES 160

/* Reads a symbol, in the JVM's form of UTF-8. Returns its length, 0: it cannot be read. */
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

/* Writes the name of a class, with dots. */
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

/* Writes a type of a signature: "[Ljava/lang/String;" is java.lang.String[]. Returns the text after it. */
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

static bool put_stub(struct scope_memory *memory, const struct scope_hotspot_offsets *offsets, uint64_t blob,
		     char ret_name[SCOPE_INTERPRETED_NAME])
{
	char text[SCOPE_HOTSPOT_TEXT];
	struct scope_interpreted_name name;
	uint64_t own;

	if (!scope_interpreter_memory_word(memory, blob + offsets->blob_name, &own))
		return false;
	scope_interpreter_hotspot_text(memory, own, text);
	for (char *at = text; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	scope_interpreter_name_begin(&name, ret_name, SCOPE_INTERPRETED_NAME);
	scope_interpreter_name_put(&name, text);
	return *text;
}

bool scope_interpreter_hotspot_name(struct scope_memory *memory, const struct scope_interpreter *interpreter,
				    uint64_t function, char ret_name[SCOPE_INTERPRETED_NAME])
{
	const struct scope_hotspot_offsets *offsets = &interpreter->hotspot;
	char class[NAME_BYTES], method[NAME_BYTES], signature[2 * NAME_BYTES], *at, *result;
	struct scope_interpreted_name name;
	uint64_t pool, symbol, holder;

	if (function & SCOPE_HOTSPOT_STUB)
		return put_stub(memory, offsets, function - SCOPE_HOTSPOT_STUB, ret_name);
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
