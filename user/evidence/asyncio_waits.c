// SPDX-License-Identifier: GPL-2.0-only
/* What a task of Python's asyncio waits for, by the functions on its stack. */
#include "evidence/asyncio_waits.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "timeline/class.h"

/* Patterns of the two parts of a symbol, "py::NAME:FILE"; before 3.11 a name has no class. The first that matches counts. */
static const struct {
	const char *name, *file;
	uint8_t class;
	bool lock, news;
} waits[] = {
	{ "sleep", "tasks", SCOPE_WAIT_TIMER, false, false },
	{ "Lock.acquire", "locks", SCOPE_WAIT_FUTEX, true, false },
	{ "*wait", "locks", SCOPE_WAIT_FUTEX, false, true }, /* of an event, a condition, a barrier */
	{ "*wait_for", "locks", SCOPE_WAIT_FUTEX, false, true },
	{ "*get", "queues", SCOPE_WAIT_FUTEX, false, true },
	{ "*", "locks", SCOPE_WAIT_FUTEX, false, false },
	{ "*", "queues", SCOPE_WAIT_FUTEX, false, false },
	{ "*", "tasks", SCOPE_WAIT_FUTEX, false, false },
	{ "*", "taskgroups", SCOPE_WAIT_FUTEX, false, false },
	{ "*", "subprocess", SCOPE_WAIT_CHILD, false, false },
	{ "*", "base_subprocess", SCOPE_WAIT_CHILD, false, false },
	{ "*", "*", SCOPE_WAIT_NETWORK, false, false }, /* streams, transports, connections, names of hosts */
};

/* These wait for what is awaited in them. */
static bool is_wrapper(const struct scope_function *function)
{
	return !fnmatch("py::*__aenter__:*", function->symbol, 0) || !fnmatch("py::wait_for:*", function->symbol, 0);
}

void scope_evidence_asyncio_wait_take(struct scope_asyncio_wait *wait, const struct scope_function *function)
{
	if (!wait->inner)
		wait->inner = function;
	wait->done |= fnmatch("py::*/asyncio/*.py", function->symbol, 0);
	if (!wait->done && (!wait->of || !is_wrapper(function)))
		wait->of = function;
}

void scope_evidence_asyncio_wait_end(struct scope_asyncio_wait *wait)
{
	char pattern[64];

	if (!wait->of) {
		/* A package may have the answer of a peer there, or news. */
		wait->future = wait->inner && fnmatch("py::*-packages/*", wait->inner->symbol, 0);
		wait->news = !wait->future;
		wait->class = wait->future ? SCOPE_WAIT_FUTEX : SCOPE_WAIT_OTHER;
		return;
	}
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		snprintf(pattern, sizeof(pattern), "py::%s:*/asyncio/%s.py", waits[i].name, waits[i].file);
		if (fnmatch(pattern, wait->of->symbol, 0))
			continue;
		wait->class = waits[i].class;
		wait->lock = waits[i].lock;
		wait->news = waits[i].news;
		return;
	}
}
