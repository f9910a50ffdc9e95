/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the columns of a sub-buffer are, and from which earlier number each number is predicted. Used by both
 * directions.
 */
#ifndef SCOPE_TRACE_COLUMNS_LAYOUT_H
#define SCOPE_TRACE_COLUMNS_LAYOUT_H

#include <errno.h>
#include <stdbool.h>

#include "trace/columns.h"
#include "trace/record_parts.h"

#define SCOPE_CLASSES_MORE 60u
#define SCOPE_CLASSES (SCOPE_RECORD_TYPES + SCOPE_CLASSES_MORE)
#define SCOPE_VALUES_MAX 2u
#define SCOPE_ALIKE_SETS 16u
#define SCOPE_NOWHERE SIZE_MAX
#define SCOPE_DELTA_BITS (32 - SCOPE_TYPE_BITS)

/* The start of all columns. */
struct scope_columns_head {
	struct scope_subbuf subbuf; /* its `zero` is the number of records */
	uint32_t rest_bytes;
	uint8_t type[SCOPE_CLASSES_MORE]; /* types of the classes from SCOPE_RECORD_TYPES on, 0: unused */
};

/* The columns of one class, and how far they are read or written. */
struct scope_class_table {
	size_t count, args; /* records, and arguments of them all */
	size_t done, args_done;
	size_t symbols, plain, arg;	   /* where the first column of each sort begins */
	uint8_t type, words, values, from; /* set by scope_trace_layout_types() */
	size_t alike;
};

struct scope_layout {
	struct scope_class_table table[SCOPE_CLASSES];
	const uint8_t *type; /* head's */
	size_t end;	     /* end of the columns, where the rest begins */
};

/* Values of earlier records of the sub-buffer, from which the next record's fields are predicted. */
struct scope_columns_past {
	uint64_t now_ns;
	uint64_t arg;		  /* the first argument of the call before */
	bool near[SCOPE_CLASSES]; /* the class's last call had the same first argument as the one before it */
	uint32_t alike[SCOPE_ALIKE_SETS][256]; /* the last number by its low byte; a set for some classes */
};

static inline uint32_t scope_trace_class_type(const struct scope_layout *layout, uint32_t class)
{
	return class < SCOPE_RECORD_TYPES ? class : layout->type[class - SCOPE_RECORD_TYPES];
}

/* Times in a record. */
static inline size_t scope_trace_type_values(uint32_t type)
{
	return type == SCOPE_RECORD_SYSCALL || type == SCOPE_RECORD_ENTER || type == SCOPE_RECORD_TIME ? 2 : 1;
}

/* Index of the first byte after the times that is stored in a column unchanged; bytes 4 to 7 are handled separately. */
static inline size_t scope_trace_type_plain_from(uint32_t type)
{
	if (type == SCOPE_RECORD_ENTER || type == SCOPE_RECORD_TIME)
		return 16;
	return type == SCOPE_RECORD_SYSCALL ? 12 : 8;
}

static inline size_t scope_trace_type_plain(uint32_t type)
{
	return 4 + scope_trace_record_fixed(type) - scope_trace_type_plain_from(type);
}

/* Which of the first two words has such a repeating number as its upper half. */
static inline size_t scope_trace_type_alike_at(uint32_t type)
{
	if (type == SCOPE_RECORD_SWITCH || type == SCOPE_RECORD_WAKING)
		return 0;
	return type == SCOPE_RECORD_SYSCALL ? 1 : SCOPE_NOWHERE;
}

/* Fills in the members that follow from the type of each class that has records. -EBADMSG: a type is unknown. */
static inline int scope_trace_layout_types(struct scope_layout *layout)
{
	for (uint32_t class = 0; class < SCOPE_CLASSES; class += 1) {
		struct scope_class_table *table = &layout->table[class];
		const uint32_t type = scope_trace_class_type(layout, class);

		if (!table->count)
			continue;
		if (type >= SCOPE_RECORD_TYPES || !scope_trace_record_fixed(type))
			return -EBADMSG;
		table->type = (uint8_t)type;
		table->words = (uint8_t)(scope_trace_record_fixed(type) / 8);
		table->values = (uint8_t)scope_trace_type_values(type);
		table->from = (uint8_t)scope_trace_type_plain_from(type);
		table->alike = scope_trace_type_alike_at(type);
	}
	return 0;
}

/* Sets the places of the columns of times and fixed parts from `at` on. Returns where they end. */
static inline size_t scope_trace_layout_fixed(struct scope_layout *layout, size_t at)
{
	for (uint32_t class = 0; class < SCOPE_CLASSES; class += 1) {
		struct scope_class_table *table = &layout->table[class];

		table->symbols = at;
		at += table->count * scope_trace_type_values(scope_trace_class_type(layout, class));
	}
	for (uint32_t class = 0; class < SCOPE_CLASSES; class += 1) {
		struct scope_class_table *table = &layout->table[class];

		table->plain = at;
		if (table->count)
			at += table->count * scope_trace_type_plain(scope_trace_class_type(layout, class));
	}
	return at;
}

static inline void scope_trace_layout_args(struct scope_layout *layout, size_t at)
{
	for (uint32_t class = 0; class < SCOPE_CLASSES; class += 1) {
		layout->table[class].arg = at;
		at += 8 * layout->table[class].args;
	}
	layout->end = at;
}

/*
 * In some fields a few numbers repeat (the thread that a CPU switches to, the value that a call
 * returns). There the low byte selects the last number with the same low byte, and the upper bytes
 * are stored as the difference to it. Converts a number to its stored form, or back.
 */
static inline uint32_t scope_trace_past_alike(struct scope_columns_past *past, uint32_t class, uint32_t number,
					      bool back)
{
	uint32_t *last = &past->alike[class % SCOPE_ALIKE_SETS][number & 0xff];
	const uint32_t changed = number ^ (*last & ~0xffu);

	*last = back ? changed : number;
	return changed;
}

/*
 * The first argument is often a descriptor, the same as in the call before. Converts an argument to its stored form,
 * or back.
 */
static inline uint64_t scope_trace_past_arg(struct scope_columns_past *past, uint32_t class, uint64_t value, bool back)
{
	const uint64_t changed = past->near[class] ? value ^ past->arg : value;
	const uint64_t arg = back ? changed : value;

	past->near[class] = arg == past->arg;
	past->arg = arg;
	return changed;
}

#endif
