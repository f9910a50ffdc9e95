/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the tables that libjvm.so exports for debuggers: where members are in structures of the JVM. */
#ifndef SCOPE_INTERPRETER_HOTSPOT_TABLES_H
#define SCOPE_INTERPRETER_HOTSPOT_TABLES_H

#include "interpreter/dynamic.h"
#include "interpreter/interpreter.h"

#define SCOPE_HOTSPOT_TEXT 64 /* bytes of a name in the JVM that are read, including the zero at its end */

/* Reads a string of the JVM and cuts it; "" if there is none. */
void scope_interpreter_hotspot_text(struct scope_memory *memory, uint64_t address, char text[SCOPE_HOTSPOT_TEXT]);

/* Returns false if the tables cannot be read, or lack some of these members. */
bool scope_interpreter_hotspot_tables(struct scope_memory *memory, const struct scope_dynamic *dynamic,
				      struct scope_hotspot_offsets *ret_offsets);

#endif
