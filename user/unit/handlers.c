// SPDX-License-Identifier: GPL-2.0-only
/* Calls of signal handlers, which are not the thread's own. */
#include "unit/handlers.h"

/* The thread's last own call returned at that time. */
static void begin(struct scope_handlers *handlers, const struct scope_quiet *quiet, uint64_t since_ns)
{
	handlers->since_ns = since_ns;
	handlers->quiet = *quiet;
	handlers->signals = 0;
}

/* On a CPU since the call before, ns. */
static uint64_t gap_of(const struct scope_handlers *handlers, const struct scope_thread *thread, uint64_t enter_ns,
		       uint64_t before_ns)
{
	const uint64_t queued_ns = thread->account.queue_ns - handlers->queue_ns;
	const uint64_t gap_ns = enter_ns > before_ns ? enter_ns - before_ns : 0;

	return gap_ns > queued_ns ? gap_ns - queued_ns : 0;
}

void scope_unit_handlers_call(struct scope_handlers *handlers, const struct scope_quiet *quiet,
			      const struct scope_thread *thread, enum scope_timeline_call_role role, uint64_t enter_ns,
			      uint64_t before_ns)
{
	if (gap_of(handlers, thread, enter_ns, before_ns) > SCOPE_HANDLERS_GAP_NS) {
		if (scope_unit_handlers_last(handlers))
			handlers->signals++;
		else
			begin(handlers, quiet, before_ns);
		handlers->handler = false;
		handlers->calls = 0;
	}
	if (1u << role & SCOPE_HANDLERS_ROLES)
		handlers->calls++;
	else
		handlers->calls = SCOPE_HANDLERS_OWN;
	handlers->handler |= role == SCOPE_CALL_HANDLED;
	handlers->queue_ns = thread->account.queue_ns;
}

void scope_unit_handlers_ended(struct scope_handlers *handlers, const struct scope_quiet *quiet, uint64_t enter_ns,
			       uint64_t before_ns)
{
	if (!handlers->any) {
		/* What it did before is not known, so this is the first time. */
		begin(handlers, quiet, before_ns);
		handlers->any = true;
		handlers->calls = SCOPE_HANDLERS_OWN;
		return;
	}
	handlers->handler |= enter_ns <= before_ns;
}
