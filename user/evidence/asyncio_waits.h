/* SPDX-License-Identifier: GPL-2.0-only */
/* What a task of Python's asyncio waits for, by the functions on its stack. */
#ifndef SCOPE_EVIDENCE_ASYNCIO_WAITS_H
#define SCOPE_EVIDENCE_ASYNCIO_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/symbol.h"

struct scope_asyncio_wait {
	const struct scope_function *inner; /* the innermost function */
	const struct scope_function
		*of;   /* the function of asyncio that the program called; NULL: it awaits a future of its own */
	uint8_t class; /* enum scope_wait_class */
	bool lock;     /* where nobody idles */
	bool news;     /* there may be none for long: who waits may wait on behalf of a client that wants to know */
	bool future;   /* of the program's own: another task ends the wait, or a thread */
	bool done;     /* a function of the program was met: what follows are its callers */
};

/* Called for the functions of one stack, innermost first; begins with zeros. */
void scope_evidence_asyncio_wait_take(struct scope_asyncio_wait *wait, const struct scope_function *function);
/* After the last one. */
void scope_evidence_asyncio_wait_end(struct scope_asyncio_wait *wait);

#endif
