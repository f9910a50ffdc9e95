// SPDX-License-Identifier: GPL-2.0-only
/* Puts together the name of a function from strings of a process. */
#include "interpreter/name_text.h"

#include <string.h>

void scope_interpreter_name_begin(struct scope_interpreted_name *name, char *text, size_t room)
{
	*name = (struct scope_interpreted_name){ .text = text, .room = room };
	text[0] = '\0';
}

static void put(struct scope_interpreted_name *name, const char *bytes, size_t count)
{
	if (name->used + count >= name->room) {
		name->room = name->used + 1; /* no further piece may follow after one that did not fit */
		return;
	}
	memcpy(name->text + name->used, bytes, count);
	name->used += count;
	name->text[name->used] = '\0';
}

void scope_interpreter_name_put(struct scope_interpreted_name *name, const char *text)
{
	put(name, text, strlen(text));
}

void scope_interpreter_name_file(struct scope_interpreted_name *name, char *text)
{
	for (char *colon = text; (colon = strchr(colon, ':'));)
		*colon = ' ';
	put(name, ":", 1);
	scope_interpreter_name_put(name, text);
}

void scope_interpreter_name_clean(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

void scope_interpreter_name_character(struct scope_interpreted_name *name, uint32_t character)
{
	char bytes[4];
	size_t count = 1;

	if (character < ' ' || character == 0x7f || character > 0x10ffff ||
	    (character >= 0xd800 && character <= 0xdfff)) {
		bytes[0] = '?';
	} else if (character < 0x80) {
		bytes[0] = (char)character;
	} else if (character < 0x800) {
		bytes[0] = (char)(0xc0 | character >> 6);
		bytes[1] = (char)(0x80 | (character & 0x3f));
		count = 2;
	} else if (character < 0x10000) {
		bytes[0] = (char)(0xe0 | character >> 12);
		bytes[1] = (char)(0x80 | (character >> 6 & 0x3f));
		bytes[2] = (char)(0x80 | (character & 0x3f));
		count = 3;
	} else {
		bytes[0] = (char)(0xf0 | character >> 18);
		bytes[1] = (char)(0x80 | (character >> 12 & 0x3f));
		bytes[2] = (char)(0x80 | (character >> 6 & 0x3f));
		bytes[3] = (char)(0x80 | (character & 0x3f));
		count = 4;
	}
	put(name, bytes, count);
}
