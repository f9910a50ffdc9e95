/* SPDX-License-Identifier: GPL-2.0-only */
/* Puts together the name of a function from strings of a process. */
#ifndef SCOPE_INTERPRETER_NAME_TEXT_H
#define SCOPE_INTERPRETER_NAME_TEXT_H

#include "interpreter/interpreter.h"

/* A name that is written piece by piece, and cut if there is no more room. */
struct scope_interpreted_name {
	char *text;
	size_t used, room; /* room: includes the zero at its end */
};

void scope_interpreter_name_begin(struct scope_interpreted_name *name, char *text, size_t room);
void scope_interpreter_name_put(struct scope_interpreted_name *name, const char *text);
/* Adds ":FILE". Colons in FILE become blanks, so that the last colon of a name is the one before the file. */
void scope_interpreter_name_file(struct scope_interpreted_name *name, char *text);
/* Replaces bytes that end a line or a name by '?'. */
void scope_interpreter_name_clean(char *text);
/* Adds a character, as UTF-8. Invalid characters, and characters that end a line or a name, become '?'. */
void scope_interpreter_name_character(struct scope_interpreted_name *name, uint32_t character);

#endif
