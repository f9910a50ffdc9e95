// SPDX-License-Identifier: GPL-2.0-only
/* Requests that are held: their thread went on with others before it answered them. */
#include "unit/held_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define HELD_MAX 65536		 /* requests held at a time; each unit of further ones counts alone */
#define UNANSWERED_NS 1000000000 /* a request that is held for as long as the window ends is said to have no answer */
#define SWEEP_FIRST 1024	 /* no rule: that many are held before those of closed connections are looked for */

bool scope_unit_held_has_tasks(const struct scope_unit_builder *builder, uint32_t tgid)
{
	for (unsigned i = 0; i < builder->tasked; i++)
		if (builder->tasks_of[i] == tgid)
			return true;
	return false;
}

void scope_unit_held_note_tasks(struct scope_unit_builder *builder, uint32_t tgid)
{
	if (!scope_unit_held_has_tasks(builder, tgid) && builder->tasked < SCOPE_UNIT_TASKED)
		builder->tasks_of[builder->tasked++] = tgid;
}

bool scope_unit_held_wanted(struct scope_unit_builder *builder, const struct scope_open_unit *open_unit, uint32_t index)
{
	const struct scope_thread *thread = scope_timeline_threads_at(builder->run->timeline->threads, index);
	struct scope_fds *fds = builder->run->timeline->fds;

	if (!open_unit->open || open_unit->client_fd < 0 || open_unit->datagrams || open_unit->pickup.unanswered ||
	    open_unit->new_thread)
		return false;
	if (open_unit->loop.nr == SCOPE_NR_NONE && !scope_unit_held_has_tasks(builder, thread->tgid))
		return false;
	return scope_timeline_fds_kind(fds, thread->tgid, open_unit->client_fd) == SCOPE_FD_ACCEPTED &&
	       scope_timeline_fds_turn(fds, open_unit->client_fd) == SCOPE_FD_ASKED &&
	       scope_timeline_fds_asked(fds, open_unit->client_fd) == thread->index;
}

/* Frees the place. */
static void forget(struct scope_helds *helds, uint32_t at)
{
	free(helds->held[at].call);
	helds->held[at] = (struct scope_held){ .next = helds->free };
	helds->free = at + 1;
	helds->used--;
}

/* The unit counts as it is. */
static int settle(struct scope_unit_builder *builder, uint32_t at)
{
	struct scope_held *held = &builder->helds.held[at];
	const struct scope_unit_call *call = held->call;
	int err;

	if (!call)
		call = scope_unit_histogram_calls(builder->histograms,
						  &builder->histograms->histogram[held->unit.histogram]);
	held->unit.earlier = held->again ? &held->earlier : NULL;
	err = builder->sink.unit(builder->sink.user, &held->unit, call);
	forget(&builder->helds, at);
	return err;
}

/* True if the connection is open, and waits for an answer to that request. */
static bool waits(const struct scope_unit_builder *builder, uint32_t at)
{
	struct scope_fds *fds = builder->run->timeline->fds;
	const struct scope_held *held = &builder->helds.held[at];

	return scope_timeline_fds_kind(fds, held->tgid, held->fd) == SCOPE_FD_ACCEPTED &&
	       scope_timeline_fds_held(fds, held->fd) == at + 1;
}

/* Settles those whose connections were closed. */
static int sweep(struct scope_unit_builder *builder)
{
	struct scope_helds *helds = &builder->helds;
	int err = 0;

	for (uint32_t i = 0; !err && i < helds->count; i++)
		if (helds->held[i].used && !waits(builder, i))
			err = settle(builder, i);
	helds->sweep_at = 2 * helds->used > SWEEP_FIRST ? 2 * helds->used : SWEEP_FIRST;
	return err;
}

/* A free place, or NULL; *ret_err says if that is an error. */
static struct scope_held *place(struct scope_unit_builder *builder, int *ret_err)
{
	struct scope_helds *helds = &builder->helds;
	uint32_t at;

	*ret_err = helds->used && helds->used >= helds->sweep_at ? sweep(builder) : 0;
	if (*ret_err || helds->used == HELD_MAX)
		return NULL;
	if (!helds->sweep_at)
		helds->sweep_at = SWEEP_FIRST;
	at = helds->free;
	if (!at) {
		if (scope_grow(&helds->held, &helds->capacity, helds->count + 1, sizeof(*helds->held))) {
			*ret_err = -ENOMEM;
			return NULL;
		}
		at = ++helds->count;
		helds->held[at - 1].next = 0;
	}
	helds->free = helds->held[at - 1].next;
	helds->used++;
	return &helds->held[at - 1];
}

int scope_unit_held_add(struct scope_unit_builder *builder, const struct scope_open_unit *open_unit, uint32_t index,
			struct scope_unit *unit, const struct scope_unit_call *call)
{
	const struct scope_thread *thread = scope_timeline_threads_at(builder->run->timeline->threads, index);
	struct scope_fds *fds = builder->run->timeline->fds;
	struct scope_held *held;
	int err;

	held = place(builder, &err);
	if (!held)
		return err ? err : builder->sink.unit(builder->sink.user, unit, call);
	*held = (struct scope_held){
		.unit = *unit,
		.again = unit->earlier,
		.tgid = thread->tgid,
		.fd = (int32_t)open_unit->client_fd,
		.left_ns = unit->end_ns,
		.asleep_ns = thread->account.asleep_ns,
		.idle_ns = open_unit->idle_ns,
		.loops = open_unit->loops,
		.turn = open_unit->of_loop.number,
		.used = true,
	};
	if (held->again)
		held->earlier = *unit->earlier;
	if (unit->histogram == SCOPE_HISTOGRAM_NONE) {
		held->call = calloc(unit->calls + 1u, sizeof(*call));
		if (!held->call) {
			forget(&builder->helds, (uint32_t)(held - builder->helds.held));
			return -ENOMEM;
		}
		memcpy(held->call, call, unit->calls * sizeof(*call));
	}
	scope_timeline_fds_kind(fds, thread->tgid, held->fd);
	scope_timeline_fds_hold(fds, held->fd, (uint32_t)(held - builder->helds.held) + 1);
	return 0;
}

/* Of what the request did before. */
static int join_calls(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
		      const struct scope_held *held)
{
	const struct scope_unit_call *call = held->call;
	int err = 0;

	if (!call)
		call = scope_unit_histogram_calls(builder->histograms,
						  &builder->histograms->histogram[held->unit.histogram]);
	for (unsigned i = 0; !err && i < held->unit.calls; i++)
		err = scope_unit_open_count_times(builder->histograms, open_unit, call[i].nr, call[i].count);
	return err;
}

/* Adds the time until the request went on, at that time; 0: it waited for its client alone. What the unit sleeps itself is its own. */
static void add_wait(const struct scope_held *held, const struct scope_open_unit *open_unit,
		     const struct scope_thread *thread, bool tasks, uint64_t until_ns,
		     struct scope_unit_earlier *earlier)
{
	const bool later = open_unit->begin_ns >= held->left_ns;
	const uint64_t asleep_ns = (later ? open_unit->begin.asleep_ns : thread->account.asleep_ns) - held->asleep_ns;
	const uint64_t all_ns = until_ns > held->left_ns ? until_ns - held->left_ns : 0;
	const uint64_t idle_ns = open_unit->idle_ns - held->idle_ns;
	uint64_t waited_ns = all_ns;

	/*
	 * The event that the request waited for may have come while its loop did other things, slept in the middle of
	 * them, or had no CPU. A task goes on in any thread.
	 */
	if (!tasks && asleep_ns < waited_ns)
		waited_ns = asleep_ns;
	if (!tasks && idle_ns < waited_ns)
		waited_ns = idle_ns;
	earlier->task_ns += waited_ns;
	earlier->loop_ns += all_ns - waited_ns;
}

/* The open unit gets the request. */
static int join(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
		const struct scope_thread *thread, bool tasks, uint32_t at, uint64_t until_ns)
{
	const struct scope_held *held = &builder->helds.held[at];
	const struct scope_unit *unit = &held->unit;
	int err = join_calls(builder, open_unit, held);

	open_unit->before = (struct scope_open_unit_before){
		.any = true,
		.earlier.part = { unit->begin_ns, unit->end_ns, unit->thread },
		.run_ns = unit->run_ns,
		.queue_ns = unit->queue_ns,
		.blocked_ns = unit->blocked_ns,
	};
	if (held->again) {
		open_unit->before.earlier = held->earlier;
		open_unit->before.blocked_ns -= held->earlier.task_ns;
	}
	add_wait(held, open_unit, thread, tasks, until_ns, &open_unit->before.earlier);
	open_unit->bytes += unit->bytes;
	open_unit->asked = true;
	open_unit->first |= unit->first;
	open_unit->connection = unit->connection;
	open_unit->client_fd = held->fd;
	forget(&builder->helds, at);
	return err;
}

/* When the request went on, at the latest: as the unit began, or after the thread's last call. 0: it waited for its client. */
static uint64_t went_on_ns(const struct scope_open_unit *open_unit, const struct scope_held *held)
{
	const uint64_t left_ns = held->left_ns;

	if (open_unit->from_fd == held->fd)
		return 0;
	if (open_unit->begin_ns >= left_ns)
		return open_unit->begin_ns;
	return open_unit->stack.exit_ns > left_ns ? open_unit->stack.exit_ns : left_ns;
}

/* Decides what the request waited for: the source from which the turn that continues it got something. */
static void name_wait(struct scope_open_unit *open_unit, bool tasks)
{
	struct scope_unit_earlier *earlier = &open_unit->before.earlier;
	const unsigned brought = open_unit->of_loop.brought;

	earlier->waker = tasks ? SCOPE_WAIT_NO_THREAD : open_unit->of_loop.waker;
	earlier->object = !tasks && brought & SCOPE_TURN_PEER ? (uint64_t)open_unit->of_loop.peer : 0;
	earlier->class = tasks			      ? SCOPE_WAIT_OTHER
			 : brought & SCOPE_TURN_PEER  ? SCOPE_WAIT_NETWORK
			 : brought & SCOPE_TURN_OTHER ? SCOPE_WAIT_PIPE
			 : brought == SCOPE_TURN_TIME ? SCOPE_WAIT_TIMER
						      : SCOPE_WAIT_POLL;
}

/*
 * True if the write goes on with a request of an earlier turn of the loop. A turn that only other clients brought may hand out what
 * one of them sent, as a chat does. But a busy loop does several things in a turn, so what brought such answers otherwise decides.
 */
static bool goes_on(struct scope_open_unit *open_unit, const struct scope_thread *thread, const struct scope_held *held)
{
	struct scope_open_unit_answers *answers = &open_unit->late_answers;

	if (held->unit.thread != thread->index || held->loops == open_unit->loops)
		return false;
	/* What the turn that took it had read is handled in the next one, if that sleeps as well: the loop's poll has not slept. */
	if (open_unit->from_fd == held->fd || open_unit->of_loop.number == held->turn)
		return true;
	if (open_unit->of_loop.brought != SCOPE_TURN_CLIENT) {
		answers->others++;
		return true;
	}
	answers->clients++;
	return answers->others >= answers->clients;
}

int scope_unit_held_answer(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			   const struct scope_thread *thread, unsigned args, uint64_t fd, uint64_t enter_ns)
{
	struct scope_fds *fds = builder->run->timeline->fds;
	bool tasks;
	uint32_t at;
	int err = 0;

	if (!args || !builder->helds.used ||
	    scope_timeline_fds_kind(fds, thread->tgid, (int32_t)fd) != SCOPE_FD_ACCEPTED ||
	    scope_timeline_fds_turn(fds, (int32_t)fd) != SCOPE_FD_ASKED)
		return 0;
	at = scope_timeline_fds_held(fds, (int32_t)fd);
	if (!at)
		return 0;
	tasks = open_unit->requests && scope_unit_held_has_tasks(builder, thread->tgid);
	if (!tasks && !goes_on(open_unit, thread, &builder->helds.held[at - 1])) {
		scope_timeline_fds_hold(fds, (int32_t)fd, 0);
		return settle(builder, at - 1);
	}
	if (open_unit->open && (open_unit->asked || open_unit->answered)) {
		const struct scope_mark now = scope_unit_mark_now(thread);

		err = scope_unit_open_close(builder, thread->index, &now, enter_ns, false);
	}
	if (!open_unit->open)
		scope_unit_open_begin(open_unit, thread, enter_ns);
	/* Ending the other request's unit looked up its descriptor. */
	scope_timeline_fds_kind(fds, thread->tgid, (int32_t)fd);
	scope_timeline_fds_hold(fds, (int32_t)fd, 0);
	if (!err)
		err = join(builder, open_unit, thread, tasks, at - 1,
			   went_on_ns(open_unit, &builder->helds.held[at - 1]));
	name_wait(open_unit, tasks);
	open_unit->from_loop = open_unit->empty_turn = open_unit->tentative = false;
	return err;
}

void scope_unit_held_heard(struct scope_unit_builder *builder, const struct scope_open_unit *open_unit, uint32_t index,
			   uint64_t end_ns)
{
	const struct scope_thread *thread = scope_timeline_threads_at(builder->run->timeline->threads, index);
	struct scope_fds *fds = builder->run->timeline->fds;
	uint32_t at;

	if (open_unit->from_fd < 0 ||
	    scope_timeline_fds_kind(fds, thread->tgid, open_unit->from_fd) != SCOPE_FD_ACCEPTED)
		return;
	at = scope_timeline_fds_held(fds, open_unit->from_fd);
	if (!at)
		return;
	builder->helds.held[at - 1].left_ns = end_ns;
	builder->helds.held[at - 1].asleep_ns = thread->account.asleep_ns;
	builder->helds.held[at - 1].idle_ns = open_unit->idle_ns;
}

int scope_unit_held_lost(struct scope_unit_builder *builder, uint32_t thread)
{
	struct scope_fds *fds = builder->run->timeline->fds;
	int err = 0;

	for (uint32_t i = 0; !err && builder->helds.used && i < builder->helds.count; i++) {
		const struct scope_held *held = &builder->helds.held[i];

		if (!held->used || held->unit.thread != thread)
			continue;
		scope_timeline_fds_kind(fds, held->tgid, held->fd);
		if (scope_timeline_fds_held(fds, held->fd) == i + 1)
			scope_timeline_fds_hold(fds, held->fd, 0);
		err = settle(builder, i);
	}
	return err;
}

/* Clients that send more although they have no answer may not want one. */
static void note_unanswered(const struct scope_unit_builder *builder, uint32_t at)
{
	const struct scope_held *held = &builder->helds.held[at];
	struct scope_unanswered *unanswered = &builder->run->unanswered;

	if (held->left_ns != held->unit.end_ns || held->left_ns + UNANSWERED_NS > builder->run->timeline->end_ns ||
	    !waits(builder, at))
		return;
	if (unanswered->requests < SCOPE_UNANSWERED_KEPT)
		unanswered->kept[unanswered->requests] =
			(struct scope_unanswered_request){ held->tgid, held->unit.begin_ns };
	unanswered->requests++;
	if (!unanswered->first_ns || held->unit.begin_ns < unanswered->first_ns)
		unanswered->first_ns = held->unit.begin_ns;
}

int scope_unit_held_end(struct scope_unit_builder *builder)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < builder->helds.count; i++) {
		if (!builder->helds.held[i].used)
			continue;
		note_unanswered(builder, i);
		err = settle(builder, i);
	}
	return err;
}

void scope_unit_held_free(struct scope_unit_builder *builder)
{
	for (uint32_t i = 0; i < builder->helds.count; i++)
		free(builder->helds.held[i].call);
	free(builder->helds.held);
	builder->helds = (struct scope_helds){ 0 };
}
