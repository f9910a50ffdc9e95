/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Collects from a trace with stacks the strings of calls under each of the program's functions.
 *
 * A string of a function is the sequence of a thread's calls while the function was on its stack. If the function
 * returned and was called again between two calls, this is not visible. If a thread was long on a CPU between two
 * calls, and a sample shows in which functions, these functions get a separate string: the call before (which may
 * belong to another function), SCOPE_EPISODE_BUSY, and the call after.
 */
#ifndef SCOPE_SIGNATURE_CALL_STRINGS_H
#define SCOPE_SIGNATURE_CALL_STRINGS_H

#include <scope/event.h>
#include <stdbool.h>

#include "symbol/symbol.h"

#define SCOPE_LEARN_STRING_MAX 64    /* calls in a string; longer ones are cut */
#define SCOPE_LEARN_STRINGS_MAX 2000 /* different strings of a function; more are counted only */

struct scope_signature_learned_string {
	uint16_t nr[SCOPE_LEARN_STRING_MAX];
	uint8_t length;
	uint64_t count;
};

/* Calls that came to the function directly from this one. */
struct scope_signature_learned_caller {
	uint32_t function; /* index */
	uint64_t calls;
};

/* A file of the program, identified by its build-id. */
struct scope_signature_learned_build {
	const char *build_id; /* never "" */
	const char *module;   /* base name */
	const char *arch;     /* uname machine, "" if not known */
	uint64_t runs;	      /* learning runs that it was seen in */
};

/* Names are borrowed: from the trace and its symbols, or from what was imported. */
struct scope_signature_learned_function {
	const char *name;
	uint32_t build;				       /* index */
	uint64_t start;				       /* link address */
	uint64_t calls;				       /* under it */
	struct scope_signature_learned_string *string; /* different ones, in order of appearance */
	size_t strings, string_capacity;
	uint32_t *hash;	   /* index + 1 of strings, open addressing */
	size_t hash_size;  /* a power of two */
	uint64_t left_out; /* strings beyond SCOPE_LEARN_STRINGS_MAX */
	struct scope_signature_learned_caller *caller;
	size_t callers, caller_capacity;
};

struct scope_learned {
	struct scope_signature_learned_build *build;
	size_t builds, build_capacity;
	struct scope_signature_learned_function *function; /* in the order in which they were met */
	size_t functions, capacity;
	uint64_t calls;		 /* in the trace, those left out of signatures not counted */
	uint64_t stacks;	 /* calls that had one */
	uint64_t nameless;	 /* of these, without a function of a module with a build-id */
	const char *no_build_id; /* a module of the program that has none, NULL: none met */
	bool no_file;		 /* some code is in no file: a runtime made it */
};

/*
 * One pass over the trace. Both must outlive the result, which the caller destroys. 0, -ENOMEM, or
 * an error of the trace.
 */
int scope_signature_learn(struct scope_trace *trace, struct scope_symbols *symbols, struct scope_learned **ret_learned);
void scope_signature_learned_destroy(struct scope_learned *learned); /* NULL is fine */

/*
 * For code that fills one in another way. They add a build (and get its index), a function, and a string of a function,
 * whose count grows by the given number. 0 or -ENOMEM; the length of a string is 1 to SCOPE_LEARN_STRING_MAX.
 */
int scope_signature_learned_build(struct scope_learned *learned, const struct scope_signature_learned_build *build,
				  uint32_t *ret_index);
int scope_signature_learned_function(struct scope_learned *learned,
				     const struct scope_signature_learned_function *function);
int scope_signature_learned_string(struct scope_signature_learned_function *function, const uint16_t *nr,
				   unsigned length, uint64_t count);
int scope_signature_learned_caller(struct scope_signature_learned_function *function, uint32_t caller, uint64_t calls);
void scope_signature_learned_free(struct scope_learned *learned); /* frees what it holds, not the struct */

#endif
