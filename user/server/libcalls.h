/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts system calls, their bytes and their time by the library function that the program called for them.
 *
 * A system call belongs to the library function that the innermost function of the program called: to fwrite(), and not
 * to write(), which fwrite() calls, nor to main(). This is known for calls with a stack. If each call has a stack,
 * counts are exact. Otherwise they are projected for each kind of call separately: calls without a stack are assumed to
 * be like calls with one. A count then has the 95 % interval of a share (E. B. Wilson, "Probable Inference, the Law of
 * Succession, and Statistical Inference", JASA 22, 1927).
 */
#ifndef SCOPE_SERVER_LIBCALLS_H
#define SCOPE_SERVER_LIBCALLS_H

#include "server/stages.h"
#include "symbol/symbol.h"
#include "unit/distribution.h"

/* Calls of one number under one library function. */
struct scope_libcall {
	uint16_t nr;
	uint64_t seen, failed; /* with a stack, and those of them that returned an error */
	double seen_bytes, seen_ns;
	double calls, low, high; /* of all; equal to seen where each call has a stack */
	double bytes, ns;	 /* the same */
};

enum scope_libcalls_from {
	SCOPE_LIBCALLS_LIBRARY, /* a library function that the program called */
	SCOPE_LIBCALLS_PROGRAM, /* the program itself has the instruction */
	SCOPE_LIBCALLS_NOBODY,	/* no function of the program is in the stack */
};

struct scope_libcalls_function {
	const struct scope_function *function; /* NULL: not FROM_LIBRARY */
	uint8_t from;			       /* enum scope_libcalls_from */
	struct scope_libcall *call;	       /* most calls first */
	size_t count, capacity;
	double calls, low, high, bytes, ns; /* sums */
	uint64_t seen, failed;
};

struct scope_libcalls {
	struct scope_libcalls_function *function; /* most time first */
	size_t count, capacity;
	uint64_t calls, stacks; /* that returned in the window, and those of them with a stack */
	uint64_t unknown;	/* of calls: of a number of which none has a stack */
	bool exact;		/* each call has a stack */
};

/*
 * Reads the whole trace once more. Calls count that returned in the window of the distributions, by threads of theirs.
 * 0 or -errno; the caller destroys. Functions live as long as symbols.
 */
int scope_server_libcalls_create(struct scope_trace *trace, struct scope_symbols *symbols,
				 const struct scope_distributions *distributions, struct scope_libcalls **ret_libcalls);
void scope_server_libcalls_destroy(struct scope_libcalls *libcalls); /* NULL is fine */

/* The sum of all functions with that name; false: there is none. The caller owns nothing of it. */
bool scope_server_libcalls_named(const struct scope_libcalls *libcalls, const char *name,
				 struct scope_libcalls_function *ret_sum);
/* The same of all functions of a library, by its file's base name. */
bool scope_server_libcalls_library(const struct scope_libcalls *libcalls, const char *module,
				   struct scope_libcalls_function *ret_sum);

#endif
