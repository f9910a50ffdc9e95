/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the system calls of each stage of a server by kind of descriptor, with the distributions of what they
 * return: the bytes that reads and writes moved, the events that polls found; and, if the trace has these arguments,
 * of the sizes that the program asked for, of offsets and of flags. These are the parameters from which a program
 * that makes the same calls can be built (Liang et al., "Ditto: End-to-End Application Cloning for Networked Cloud
 * Services", ASPLOS 2023, §4.3).
 */
#ifndef SCOPE_SERVER_CALLS_H
#define SCOPE_SERVER_CALLS_H

#include "base/values.h"
#include "server/stages.h"
#include "timeline/listeners.h"

#define SCOPE_SERVER_FLAGS 8  /* no rule: different flags of a call that are counted apart */
#define SCOPE_SERVER_ERRORS 4 /* no rule: different errors of a call that are counted apart */

/* The meaning of the number that a call returns. */
enum scope_server_result {
	SCOPE_RESULT_OTHER, /* nothing that has a distribution: 0, a descriptor, an address */
	SCOPE_RESULT_BYTES,
	SCOPE_RESULT_EVENTS,
};

/* The meaning of the number that this call returns. */
enum scope_server_result scope_server_result_of(uint16_t nr);
/* True if its first argument is a descriptor, and the call does not close it. */
bool scope_server_takes_fd(uint16_t nr);

struct scope_server_error {
	uint16_t number; /* errno */
	uint64_t calls;
};

/* The flags argument of some calls. */
struct scope_server_flags {
	uint32_t value;
	uint64_t calls;
};

/* Calls of one number, on descriptors of one kind, by threads of one stage, that returned in the window. */
struct scope_server_call {
	uint32_t stage;
	uint16_t nr;
	uint8_t kind;	/* enum scope_fd_kind; UNKNOWN: of no descriptor, or of one whose kind is not known */
	uint8_t result; /* enum scope_server_result */
	uint64_t calls, failed;
	struct scope_server_error error[SCOPE_SERVER_ERRORS]; /* the first different ones; 0 calls: none */
	struct scope_values returned;			      /* of BYTES and EVENTS: each number above or equal to 0 */
	/* Of calls whose arguments the trace has (base/syscall_args.h): */
	struct scope_values asked;			     /* the size that the program asked for */
	struct scope_values offset;			     /* in a file, where it is not negative */
	struct scope_server_flags flags[SCOPE_SERVER_FLAGS]; /* the first different ones; 0 calls: none */
	uint64_t flagged;				     /* calls with such an argument, other flags included */
};

struct scope_server_calls {
	struct scope_server_call *call; /* by stage, then most calls first */
	size_t count;
};

struct scope_server_counter;

/*
 * Counts the calls that a listener hears in a pass over the trace. server must be of this trace, and distributions those that it was
 * made from: calls count that returned in their window. Both must outlive the counter. 0 or -ENOMEM; end() frees it.
 */
int scope_server_calls_begin(const struct scope_server *server, const struct scope_distributions *distributions,
			     struct scope_server_counter **ret_counter);
struct scope_pass_listener scope_server_calls_listener(struct scope_server_counter *counter);
/* The calls of the pass, which the caller destroys; NULL if there was none. Frees the counter; NULL is fine. */
struct scope_server_calls *scope_server_calls_end(struct scope_server_counter *counter);

/*
 * The same in a pass of its own: reads the whole trace once more. server must be of this trace, and distributions those that it was made from: calls count
 * that returned in their window. 0 or -errno; the caller destroys.
 */
int scope_server_calls_create(struct scope_trace *trace, const struct scope_server *server,
			      const struct scope_distributions *distributions, struct scope_server_calls **ret_calls);
void scope_server_calls_destroy(struct scope_server_calls *calls); /* NULL is fine */

#endif
