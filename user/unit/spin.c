// SPDX-License-Identifier: GPL-2.0-only
/* Spins made of calls: rounds in which a thread asks the kernel for something, and gets nothing. */
#include "unit/spin.h"

#include <unistd.h>

static uint64_t length_of(const struct scope_spin *spin)
{
	return spin->until_ns - spin->from_ns;
}

/* On a CPU or in the run queue since it was first seen, ns. */
static uint64_t busy_ns(const struct scope_thread *thread, uint64_t now_ns)
{
	const bool running = thread->run == SCOPE_RUN_RUNNING && now_ns > thread->since_ns;

	return thread->account.run_ns + thread->account.queue_ns + (running ? now_ns - thread->since_ns : 0);
}

/* busy_ns: of the thread since it was first seen, until then. */
static void add_stretch(struct scope_spinning *spinning, uint64_t until_ns, uint64_t busy_ns)
{
	struct scope_spin *last = &spinning->last;

	if (until_ns < spinning->begin_ns + SCOPE_SPIN_MIN_NS || busy_ns < spinning->begin_busy_ns)
		return;
	if (last->busy_ns && spinning->begin_ns - last->until_ns > SCOPE_SPIN_GAP_NS)
		*last = (struct scope_spin){ 0 };
	if (!last->busy_ns)
		*last = (struct scope_spin){ .from_ns = spinning->begin_ns };
	last->until_ns = until_ns;
	last->busy_ns += busy_ns - spinning->begin_busy_ns;
	last->rounds += spinning->polls ? spinning->polls : spinning->vain;
	last->poll_nr = spinning->poll_nr;
	last->nr = spinning->nr;
	last->ret = spinning->ret;
	last->fd = spinning->fd;
	if (length_of(last) >= length_of(&spinning->longest))
		spinning->longest = *last;
}

void scope_unit_spin_end(struct scope_spinning *spinning, const struct scope_thread *thread, uint64_t now_ns)
{
	if (spinning->vain >= SCOPE_SPIN_VAIN)
		add_stretch(spinning, now_ns, busy_ns(thread, now_ns));
	spinning->vain = 0;
}

void scope_unit_spin_cut(struct scope_spinning *spinning, const struct scope_thread *thread, uint64_t last_ns,
			 uint64_t now_ns)
{
	/* Whether it ran in between is not known. */
	const uint64_t busy = busy_ns(thread, now_ns), lost_ns = now_ns - last_ns;

	if (spinning->vain >= SCOPE_SPIN_VAIN && busy > lost_ns)
		add_stretch(spinning, last_ns, busy - lost_ns);
	spinning->vain = 0;
}

/* Writes to a file (a log) and its end are neither progress nor lack of progress. */
static bool is_file(struct scope_fds *fds, uint32_t tgid, const struct scope_spin_call *call)
{
	const enum scope_fd_kind kind = call->args ? scope_timeline_fds_kind(fds, tgid, call->fd) : SCOPE_FD_UNKNOWN;

	return kind == SCOPE_FD_FILE || kind == SCOPE_FD_TTY ||
	       (kind == SCOPE_FD_UNKNOWN && call->args && call->fd == STDERR_FILENO);
}

enum outcome { IN_VAIN, NEITHER, PROGRESS };

static enum outcome outcome_of(struct scope_fds *fds, uint32_t tgid, const struct scope_spin_call *call)
{
	switch (call->role) {
	case SCOPE_CALL_POLL:
	case SCOPE_CALL_YIELD:
		return IN_VAIN;
	case SCOPE_CALL_ACCEPT:
		return call->ret < 0 ? IN_VAIN : PROGRESS;
	case SCOPE_CALL_CONNECT:
		return call->ret < 0 ? IN_VAIN : NEITHER;
	case SCOPE_CALL_READ:
		return call->ret > 0 ? PROGRESS : is_file(fds, tgid, call) ? NEITHER : IN_VAIN;
	default:
		return call->ret < 0 ? IN_VAIN : call->ret && !is_file(fds, tgid, call) ? PROGRESS : NEITHER;
	}
}

void scope_unit_spin_judge(struct scope_spinning *spinning, struct scope_fds *fds, const struct scope_thread *thread,
			   const struct scope_spin_call *call, uint64_t now_ns)
{
	const enum outcome outcome = outcome_of(fds, thread->tgid, call);

	if (outcome == PROGRESS)
		scope_unit_spin_end(spinning, thread, now_ns);
	if (outcome != IN_VAIN)
		return;
	if (++spinning->vain == SCOPE_SPIN_VAIN) {
		spinning->begin_ns = now_ns;
		spinning->begin_busy_ns = busy_ns(thread, now_ns);
		spinning->polls = 0;
		spinning->poll_nr = spinning->nr = SCOPE_NR_NONE;
	}
	if (call->role == SCOPE_CALL_POLL || call->role == SCOPE_CALL_YIELD) {
		spinning->polls++;
		spinning->poll_nr = call->nr;
	} else {
		spinning->nr = call->nr;
		spinning->ret = (int32_t)call->ret;
		spinning->fd = call->args ? call->fd : -1;
	}
}
