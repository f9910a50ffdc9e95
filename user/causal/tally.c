// SPDX-License-Identifier: GPL-2.0-only
/* Counts the visits of a progress point in sub-buffers while they come. */
#include "causal/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "causal/requests.h"
#include "proc/proc.h"
#include "trace/decode.h"

/* An event that may be a visit. */
struct mark {
	uint64_t time_ns;
	uint64_t order; /* order in which it was found, for ties */
	int8_t step;	/* +1: one more in flight, -1: one less, and a visit; 0: the requests decide */
	struct scope_request_event event;
};

struct scope_tally {
	const struct scope_point *point;
	struct scope_requests *requests; /* NULL: the point is of another kind */
	struct scope_decoder *lane;	 /* by CPU */
	size_t lanes, lane_room;
	struct mark *mark; /* since the last settling */
	size_t marks, mark_room;
	uint64_t found;
	struct scope_sketch late;

	uint64_t begin_ns, end_ns; /* begin and end of the window */
	uint64_t last_ns;	   /* time up to which in_flight_ns is computed */
	uint64_t visits;
	uint64_t in_flight;  /* number in flight now */
	double in_flight_ns; /* integral over the window */
};

int scope_causal_tally_create(const struct scope_point *point, struct scope_tally **ret_tally)
{
	struct scope_tally *tally = calloc(1, sizeof(*tally));

	if (!tally)
		return -ENOMEM;
	tally->point = point;
	if (point->end.kind == SCOPE_POINT_REQUEST && scope_causal_requests_create(&tally->requests)) {
		free(tally);
		return -ENOMEM;
	}
	*ret_tally = tally;
	return 0;
}

void scope_causal_tally_destroy(struct scope_tally *tally)
{
	if (!tally)
		return;
	scope_causal_requests_destroy(tally->requests);
	scope_sketch_free(&tally->late);
	free(tally->lane);
	free(tally->mark);
	free(tally);
}

int scope_causal_tally_know(struct scope_tally *tally, uint32_t tgid, const struct scope_proc_fds *fds)
{
	int err = 0;

	for (size_t i = 0; i < fds->count && tally->requests && !err; i++)
		if (fds->fd[i].kind == SCOPE_FD_ACCEPTED)
			err = scope_causal_requests_know(tally->requests, tgid, fds->fd[i].fd);
	return err;
}

static int add(struct scope_tally *tally, const struct mark *mark)
{
	if (scope_grow(&tally->mark, &tally->mark_room, tally->marks + 1, sizeof(*tally->mark)))
		return -ENOMEM;
	tally->mark[tally->marks] = *mark;
	tally->mark[tally->marks++].order = tally->found++;
	return 0;
}

/* The step of an event at a place of the point. */
static bool is_visit(const struct scope_mark *mark, uint16_t probe, const struct scope_event *event)
{
	switch (event->kind) {
	case SCOPE_EVENT_SYSCALL:
	case SCOPE_EVENT_EXIT:
		return mark->kind == SCOPE_POINT_SYSCALL && event->syscall.nr == mark->nr &&
		       event->syscall.abi == SCOPE_ABI_NATIVE && event->syscall.ret >= 0;
	case SCOPE_EVENT_PROBE:
		return mark->kind == SCOPE_POINT_FUNCTION && event->probe.id == probe;
	default:
		return false;
	}
}

static int take_visit(struct scope_tally *tally, const struct scope_event *event)
{
	struct mark mark = { .time_ns = event->time_ns };
	int err = 0;

	if (tally->point->pair && is_visit(&tally->point->begin, SCOPE_TALLY_PROBE_BEGIN, event)) {
		mark.step = 1;
		err = add(tally, &mark);
	}
	if (!err && is_visit(&tally->point->end, SCOPE_TALLY_PROBE_END, event)) {
		mark.step = -1;
		err = add(tally, &mark);
	}
	return err;
}

/* Fills in the data that requests need, and the thread's process. */
static int take_for_requests(struct scope_tally *tally, const struct scope_event *event)
{
	struct mark mark = { .time_ns = event->time_ns };
	struct scope_request_event *about = &mark.event;

	*about = (struct scope_request_event){ .tid = event->tid, .kind = event->kind, .fd = -1 };
	switch (event->kind) {
	case SCOPE_EVENT_SYSCALL:
	case SCOPE_EVENT_ENTER:
		if (event->syscall.args)
			about->fd = (int32_t)event->syscall.arg[0];
		about->nr = event->syscall.nr;
		about->ret = event->kind == SCOPE_EVENT_SYSCALL ? event->syscall.ret : 0;
		break;
	case SCOPE_EVENT_EXIT:
		about->nr = event->syscall.nr;
		about->ret = event->syscall.ret;
		break;
	case SCOPE_EVENT_STATE:
		about->tid = event->state.record->tid;
		about->tgid = event->state.record->tgid;
		break;
	case SCOPE_EVENT_FORK:
		about->tgid = event->fork.tgid;
		break;
	case SCOPE_EVENT_EXEC:
		about->tgid = event->exec.tgid;
		break;
	default:
		return 0;
	}
	return add(tally, &mark);
}

static int take_event(struct scope_tally *tally, const struct scope_event *event)
{
	if (event->kind == SCOPE_EVENT_DELAY)
		return scope_sketch_add(&tally->late,
					event->delay.served_ns > event->delay.asked_ns
						? event->delay.served_ns - event->delay.asked_ns
						: 0,
					1);
	return tally->requests ? take_for_requests(tally, event) : take_visit(tally, event);
}

static struct scope_decoder *find_lane(struct scope_tally *tally, uint16_t cpu)
{
	if (scope_grow(&tally->lane, &tally->lane_room, cpu + 1u, sizeof(*tally->lane)))
		return NULL;
	for (; tally->lanes <= cpu; tally->lanes++)
		tally->lane[tally->lanes] = (struct scope_decoder){ 0 };
	return &tally->lane[cpu];
}

int scope_causal_tally_take(struct scope_tally *tally, const struct scope_subbuf *subbuf)
{
	struct scope_decoder *lane = find_lane(tally, subbuf->cpu);
	struct scope_event event;
	int err = 0;

	if (!lane)
		return -ENOMEM;
	if (scope_trace_decoder_begin(lane, subbuf, subbuf->used_bytes))
		return 0;
	while (!err && scope_trace_decoder_peek(lane)) {
		if (scope_trace_decoder_take(lane, &event))
			return 0;
		err = take_event(tally, &event);
	}
	return err;
}

static int by_time(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static int step_of(struct scope_tally *tally, const struct mark *mark, bool *ret_visit)
{
	*ret_visit = mark->step < 0;
	if (!tally->requests)
		return mark->step;
	switch (scope_causal_requests_take(tally->requests, &mark->event)) {
	case SCOPE_REQUEST_BEGUN:
		return 1;
	case SCOPE_REQUEST_ENDED:
		*ret_visit = true;
		return -1;
	case SCOPE_REQUEST_GIVEN_UP:
		return -1;
	default:
		return 0;
	}
}

static void count_until(struct scope_tally *tally, uint64_t time_ns)
{
	if (time_ns > tally->end_ns)
		time_ns = tally->end_ns;
	if (time_ns <= tally->last_ns)
		return;
	tally->in_flight_ns += (double)tally->in_flight * (double)(time_ns - tally->last_ns);
	tally->last_ns = time_ns;
}

void scope_causal_tally_settle(struct scope_tally *tally)
{
	qsort(tally->mark, tally->marks, sizeof(*tally->mark), by_time);
	for (size_t i = 0; i < tally->marks; i++) {
		const struct mark *mark = &tally->mark[i];
		bool visit;
		const int step = step_of(tally, mark, &visit);

		count_until(tally, mark->time_ns);
		if (step > 0)
			tally->in_flight++;
		else if (step < 0 && tally->in_flight)
			tally->in_flight--;
		tally->visits += visit && mark->time_ns >= tally->begin_ns && mark->time_ns < tally->end_ns;
	}
	tally->marks = 0;
}

void scope_causal_tally_forget(struct scope_tally *tally)
{
	tally->in_flight = 0;
}

void scope_causal_tally_begin(struct scope_tally *tally, uint64_t begin_ns)
{
	tally->begin_ns = tally->last_ns = begin_ns;
	tally->end_ns = UINT64_MAX;
	tally->visits = 0;
	tally->in_flight_ns = 0;
}

void scope_causal_tally_end(struct scope_tally *tally, uint64_t end_ns)
{
	tally->end_ns = end_ns;
}

void scope_causal_tally_count(struct scope_tally *tally, uint64_t *ret_visits, double *ret_in_flight)
{
	const uint64_t begin_ns = tally->begin_ns, end_ns = tally->end_ns;

	count_until(tally, end_ns);
	*ret_visits = tally->visits;
	*ret_in_flight = end_ns > begin_ns && tally->point->pair ? tally->in_flight_ns / (double)(end_ns - begin_ns)
								 : 0;
}

const struct scope_sketch *scope_causal_tally_late(const struct scope_tally *tally)
{
	return &tally->late;
}
