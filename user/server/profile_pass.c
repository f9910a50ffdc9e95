// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pass over a trace that gives the units of a server with their calls to its profile.
 *
 * Where a unit ended is known only later: before a call that took the next request, or before a sleep. So each thread keeps its
 * calls until then; between units it keeps the last one, which may have picked up the next unit.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "server/calls.h"
#include "server/profile.h"
#include "trace/feed.h"
#include "unit/open_unit.h"

/* Calls of one thread that returned, and the one that it is in. */
struct kept {
	struct scope_profile_call *call;
	size_t count, capacity;
	struct scope_profile_call open;
	uint64_t open_asleep_ns;
	bool entered;
	bool lost; /* of the unit so far some were dropped */
	bool held; /* the first calls are those of a unit that accepted a connection, whose first request may follow … */
	struct scope_profile_unit unit; /* … which is this one, but for its calls' place */
	uint32_t connection;
};

struct pass {
	const struct scope_timeline *timeline;
	struct scope_unit_run *run;
	const struct scope_server *server;
	const struct scope_distributions *part;
	struct scope_profile *profile;
	struct kept *kept; /* by thread */
	size_t threads, capacity;
};

/* NULL: no memory. */
static struct kept *get(struct pass *pass, uint32_t thread)
{
	if (scope_grow(&pass->kept, &pass->capacity, thread + 1ul, sizeof(*pass->kept)))
		return NULL;
	for (; pass->threads <= thread; pass->threads++)
		pass->kept[pass->threads] = (struct kept){ 0 };
	return &pass->kept[thread];
}

/* The run time without the time that the tracer takes for stacks. */
static uint64_t run_of(const struct scope_thread *thread)
{
	return thread->account.run_ns - thread->account.probe_ns;
}

static int note_client(struct pass *pass, const struct scope_thread *thread, int32_t fd, uint64_t now_ns,
		       struct scope_client_life **ret_life)
{
	struct scope_fds *fds = pass->timeline->fds;

	*ret_life = NULL;
	if (now_ns < pass->part->from_ns || (pass->part->until_ns && now_ns >= pass->part->until_ns) ||
	    scope_timeline_fds_kind(fds, thread->tgid, fd) != SCOPE_FD_ACCEPTED)
		return 0;
	return scope_server_client_lives_note(&pass->profile->lives, scope_timeline_fds_connection(fds, fd),
					      thread->tgid, fd, now_ns, ret_life);
}

static int on_enter(void *user, const struct scope_thread *thread, const struct scope_open_call *call)
{
	struct pass *pass = user;
	struct kept *kept = get(pass, thread->index);
	struct scope_client_life *life = NULL;
	uint8_t kind = SCOPE_FD_UNKNOWN;
	int err = 0;

	if (!kept)
		return -ENOMEM;
	if (call->args && (call->role == SCOPE_CALL_CLOSE || scope_server_takes_fd(call->nr)))
		kind = (uint8_t)scope_timeline_fds_kind(pass->timeline->fds, thread->tgid, (int32_t)call->arg[0]);
	kept->open = (struct scope_profile_call){
		.nr = call->nr,
		.role = call->role,
		.kind = kind,
		.fd = call->args && kind != SCOPE_FD_UNKNOWN ? (int32_t)call->arg[0] : -1,
		.enter_ns = call->enter_ns,
		.enter_run_ns = run_of(thread),
	};
	kept->open_asleep_ns = thread->account.asleep_ns;
	kept->entered = true;
	/*
	 * This is done at the entry, because before the return the client may have sent another request, which may have
	 * been read.
	 */
	if (call->role == SCOPE_CALL_WRITE && kind == SCOPE_FD_ACCEPTED)
		err = note_client(pass, thread, (int32_t)call->arg[0], call->enter_ns, &life);
	kept->open.answers = life && life->asked;
	if (life)
		life->asked = false;
	return err;
}

static void drop_first(struct kept *kept, size_t count)
{
	kept->count -= count;
	memmove(kept->call, kept->call + count, kept->count * sizeof(*kept->call));
}

static int keep(struct pass *pass, struct kept *kept, const struct scope_thread *thread)
{
	const struct scope_open_unit *open = &pass->run->builder->open_unit[thread->index];

	/* There are no paths for threads whose units are no requests. */
	if (!open->requests)
		return 0;
	if (!open->open && !kept->held && kept->count)
		drop_first(kept, kept->count);
	if (kept->count == SCOPE_PROFILE_CALLS) {
		kept->lost = true;
		return 0;
	}
	if (scope_grow(&kept->call, &kept->capacity, kept->count + 1, sizeof(*kept->call)))
		return -ENOMEM;
	kept->call[kept->count++] = kept->open;
	return 0;
}

static int on_return(void *user, const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
		     uint64_t exit_ns)
{
	struct pass *pass = user;
	struct kept *kept = get(pass, thread->index);
	struct scope_client_life *life = NULL;
	struct scope_profile_call *open;
	int err = 0;

	if (!kept)
		return -ENOMEM;
	/* It was entered before tracing began, or its begin was lost. */
	if (!kept->entered || kept->open.nr != call->nr)
		on_enter(user, thread, call);
	kept->entered = false;
	open = &kept->open;
	open->exit_ns = exit_ns;
	open->exit_run_ns = run_of(thread);
	if (open->exit_run_ns < open->enter_run_ns)
		open->exit_run_ns = open->enter_run_ns;
	open->slept_ns = thread->account.asleep_ns - kept->open_asleep_ns;
	open->ret = ret;
	if (call->role == SCOPE_CALL_ACCEPT && ret >= 0) {
		pass->profile->accepts += exit_ns >= pass->part->from_ns &&
					  (!pass->part->until_ns || exit_ns < pass->part->until_ns);
		err = note_client(pass, thread, (int32_t)ret, exit_ns, &life);
	} else if (call->args && scope_timeline_call_has_data((enum scope_timeline_call_role)call->role) && ret > 0) {
		err = note_client(pass, thread, (int32_t)call->arg[0], exit_ns, &life);
		if (life && call->role == SCOPE_CALL_READ)
			life->asked = true;
	}
	return err ? err : keep(pass, kept, thread);
}

static bool counts(const struct pass *pass, const struct scope_unit *unit)
{
	const struct scope_distributions *part = pass->part;

	return !unit->open && unit->granularity == SCOPE_UNIT_REQUEST && unit->thread < pass->server->threads &&
	       unit->end_ns >= part->from_ns && (!part->until_ns || unit->end_ns < part->until_ns) &&
	       scope_unit_distributions_counts(part, unit->thread);
}

static bool is_client(const struct scope_profile_call *call, enum scope_timeline_call_role role)
{
	return call->role == role && call->kind == SCOPE_FD_ACCEPTED;
}

/*
 * The number of calls up to the last one of the first answer, if another answer follows; else 0. A thread that
 * reads from clients has a unit for each request already.
 */
static size_t first_answer(const struct scope_profile_unit *unit)
{
	size_t last = SIZE_MAX;

	if (unit->asked)
		return 0;
	for (size_t i = 0; i < unit->calls; i++) {
		if (is_client(&unit->call[i], SCOPE_CALL_READ))
			return 0;
		if (!is_client(&unit->call[i], SCOPE_CALL_WRITE))
			continue;
		if (last != SIZE_MAX && (unit->call[i].answers || unit->call[last].fd != unit->call[i].fd))
			return last + 1;
		last = i;
	}
	return 0;
}

/* Adds a unit, cut after each answer. 0 or -ENOMEM. */
static int add(struct pass *pass, struct scope_profile_unit unit)
{
	for (size_t calls; (calls = first_answer(&unit)) > 0;) {
		const struct scope_profile_call *last = &unit.call[calls - 1];
		const uint64_t begin_ns = unit.picked ? unit.call[0].exit_ns : unit.call[0].enter_ns;
		const uint64_t begun_ns = unit.picked ? unit.call[0].exit_run_ns : unit.begin_run_ns;
		struct scope_profile_unit part = unit;
		int err;

		part.calls = calls;
		part.run_ns = last->exit_run_ns - begun_ns < unit.run_ns ? last->exit_run_ns - begun_ns : unit.run_ns;
		part.wall_ns = last->exit_ns - begin_ns < unit.wall_ns ? last->exit_ns - begin_ns : unit.wall_ns;
		err = scope_server_profile_add(pass->profile, &part);
		if (err)
			return err;
		unit.call += calls;
		unit.calls -= calls;
		unit.run_ns -= part.run_ns;
		unit.wall_ns -= part.wall_ns;
		unit.queue_ns = 0;
		unit.picked = false;
		unit.begin_run_ns = last->exit_run_ns;
	}
	return scope_server_profile_add(pass->profile, &unit);
}

/* Adds the unit that was kept, and drops its calls. */
static int add_held(struct pass *pass, struct kept *kept)
{
	int err;

	if (!kept->held)
		return 0;
	kept->held = false;
	kept->unit.call = kept->call;
	err = add(pass, kept->unit);
	drop_first(kept, kept->unit.calls);
	return err;
}

/* The first request of the connection that is held back: the thread waited for it in a read, and did nothing else. */
static bool continues(const struct kept *kept, const struct scope_unit *unit)
{
	return kept->held && kept->connection == unit->connection && kept->count > kept->unit.calls &&
	       kept->call[kept->unit.calls].exit_ns == unit->begin_ns &&
	       is_client(&kept->call[kept->unit.calls], SCOPE_CALL_READ);
}

/* Joins it with the unit of `calls` calls that follow it. */
static struct scope_profile_unit join(struct kept *kept, const struct scope_profile_unit *unit)
{
	struct scope_profile_unit both = kept->unit;
	struct scope_profile_call *read = &kept->call[kept->unit.calls];

	/* The time for which the client took is no part of the unit. */
	read->slept_ns = 0;
	both.call = kept->call;
	both.calls += unit->calls;
	both.asked = unit->asked;
	both.request = unit->request;
	both.run_ns += unit->run_ns + (read->exit_run_ns - read->enter_run_ns);
	both.queue_ns += unit->queue_ns;
	both.wall_ns += unit->wall_ns;
	kept->held = false;
	return both;
}

static bool accepts(const struct scope_profile_unit *unit)
{
	for (size_t i = 0; i < unit->calls; i++)
		if (unit->call[i].role == SCOPE_CALL_ACCEPT && unit->call[i].ret >= 0)
			return true;
	return false;
}

/* The unit with its calls, of which the first one has that place. */
static struct scope_profile_unit unit_of(const struct pass *pass, const struct kept *kept,
					 const struct scope_unit *unit, size_t first)
{
	struct scope_profile_unit made = {
		.stage = pass->server->of_thread[unit->thread],
		.request = unit->request,
		.asked = unit->asked,
		.run_ns = unit->run_ns,
		.queue_ns = unit->queue_ns,
		.wall_ns = scope_unit_wall(unit),
		.call = kept->call + first,
	};

	made.picked = first < kept->count && made.call->exit_ns == unit->begin_ns &&
		      made.call->enter_ns < unit->begin_ns;
	while (first + made.calls < kept->count && made.call[made.calls].enter_ns < unit->end_ns)
		made.calls++;
	made.begin_run_ns = made.calls ? made.call->enter_run_ns : 0;
	return made;
}

static int take_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	struct pass *pass = user;
	struct kept *kept = get(pass, unit->thread);
	struct scope_profile_unit made;
	size_t first = 0, calls;
	bool picks;
	int err = 0;

	(void)call;
	if (!kept)
		return -ENOMEM;
	if (!continues(kept, unit))
		err = add_held(pass, kept);
	if (kept->held)
		first = kept->unit.calls;
	while (first < kept->count && kept->call[first].exit_ns < unit->begin_ns)
		first++;
	made = unit_of(pass, kept, unit, first);
	calls = first + made.calls;
	if (!counts(pass, unit)) {
		kept->held = false;
	} else if (kept->lost) {
		kept->held = false;
		pass->profile->stage[made.stage].left_out++;
	} else if (!kept->held && !unit->asked && unit->connection && accepts(&made)) {
		drop_first(kept, first);
		kept->unit = made;
		kept->connection = unit->connection;
		kept->held = true;
		return err;
	} else if (!err) {
		err = add(pass, kept->held ? join(kept, &made) : made);
	}
	/* The last one may pick up the next unit, unless it is an answer, at which a unit of a queue's worker ends. */
	picks = calls && calls == kept->count && kept->call[calls - 1].role != SCOPE_CALL_WRITE;
	drop_first(kept, picks ? calls - 1 : calls);
	kept->lost = false;
	return err;
}

static int on_lost(void *user, uint32_t index, uint64_t now_ns)
{
	struct pass *pass = user;

	(void)now_ns;
	if (index < pass->threads) {
		pass->kept[index].count = 0;
		pass->kept[index].held = false;
	}
	return 0;
}

static int begin(void *user, const struct scope_timeline *timeline)
{
	struct pass *pass = user;

	pass->timeline = timeline;
	return 0;
}

static int by_units(const void *a, const void *b)
{
	const struct scope_profile_path *one = a, *other = b;

	if (one->stage != other->stage)
		return one->stage < other->stage ? -1 : 1;
	if (one->units != other->units)
		return one->units > other->units ? -1 : 1;
	return (one->hash > other->hash) - (one->hash < other->hash);
}

static int feed(void *user, const struct scope_event *const *event, size_t count)
{
	struct pass *pass = user;

	return scope_unit_run_feed(pass->run, event, count);
}

static const struct scope_timeline_ops ops = { .enter = on_enter, .exit = on_return, .lost = on_lost };

static int run_pass(struct pass *pass, struct scope_trace *trace, const struct scope_groups *groups,
		    const struct scope_pickups *pickups, const struct scope_pass_listener *other)
{
	const struct scope_pass_listener both[] = {
		{ .ops = &ops, .begin = begin, .user = pass },
		other ? *other : (struct scope_pass_listener){ 0 },
	};
	const struct scope_listeners listeners = { both, other ? 2 : 1 };
	const struct scope_unit_source source = {
		.trace = trace, .groups = groups, .pickups = pickups, .listeners = &listeners
	};
	const struct scope_unit_sink sink = { .unit = take_unit, .user = pass };
	int err = scope_unit_run_create(&source, &sink, &pass->run);

	if (err)
		return err;
	err = scope_trace_feed_all(trace, feed, pass);
	if (!err)
		err = scope_unit_run_end(pass->run);
	for (size_t i = 0; i < pass->threads; i++) {
		if (!err)
			err = add_held(pass, &pass->kept[i]);
		free(pass->kept[i].call);
	}
	free(pass->kept);
	scope_unit_run_destroy(pass->run);
	return err;
}

int scope_server_profile_create(struct scope_trace *trace, const struct scope_server *server,
				const struct scope_distributions *distributions, const struct scope_groups *groups,
				const struct scope_pickups *pickups, const struct scope_pass_listener *other,
				struct scope_profile **ret_profile)
{
	struct scope_profile *profile = calloc(1, sizeof(*profile));
	struct pass pass = { .server = server, .part = distributions, .profile = profile };
	int err;

	if (!profile)
		return -ENOMEM;
	profile->window_ns = server->window_ns;
	profile->stages = server->stages;
	profile->stage = calloc(server->stages + 1, sizeof(*profile->stage));
	err = profile->stage ? run_pass(&pass, trace, groups, pickups, other) : -ENOMEM;
	if (err) {
		scope_server_profile_destroy(profile);
		return err;
	}
	if (profile->paths)
		qsort(profile->path, profile->paths, sizeof(*profile->path), by_units);
	*ret_profile = profile;
	return 0;
}
