// SPDX-License-Identifier: GPL-2.0-only
/* The first half of the analysis, done while the trace is being written. */
#include "analysis/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/feed.h"

struct scope_stream {
	int fd;
	char *name;
	struct scope_trace *ahead, *behind; /* NULL until the file has a head */
	struct scope_learner *learner;
	struct scope_found_units found;
	uint64_t begin_ns, last_ns;		 /* of the window; of the events learned from */
	uint64_t check_ns;			 /* when to check if decisions still hold */
	const struct scope_listeners *listeners; /* NULL: none */
	uint64_t lag_ns;			 /* of the second reader */
	uint64_t window_ns;			 /* 0, or the span that a caller may request */
	unsigned restarts;
};

int scope_analysis_stream_create(int fd, const char *name, struct scope_stream **ret_stream)
{
	struct scope_stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		return -ENOMEM;
	stream->lag_ns = SCOPE_STREAM_LAG_NS;
	stream->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	stream->name = strdup(name);
	if (stream->fd < 0 || !stream->name) {
		int err = stream->fd < 0 ? -errno : -ENOMEM;

		scope_analysis_stream_destroy(stream);
		return err;
	}
	*ret_stream = stream;
	return 0;
}

void scope_analysis_stream_set_window(struct scope_stream *stream, uint64_t window_ns)
{
	stream->window_ns = window_ns;
}

void scope_analysis_stream_set_lag(struct scope_stream *stream, uint64_t lag_ns)
{
	stream->lag_ns = lag_ns;
}

void scope_analysis_stream_listen(struct scope_stream *stream, const struct scope_listeners *listeners)
{
	stream->listeners = listeners;
}

void scope_analysis_stream_destroy(struct scope_stream *stream)
{
	if (!stream)
		return;
	scope_analysis_found_units_destroy(&stream->found);
	scope_unit_learner_destroy(stream->learner);
	scope_trace_close(stream->ahead);
	scope_trace_close(stream->behind);
	if (stream->fd >= 0)
		close(stream->fd);
	free(stream->name);
	free(stream);
}

/* The second reader, from the start of the file. */
static int begin_distributions(struct scope_stream *stream)
{
	struct scope_found_units *found = &stream->found;
	int err = scope_unit_pickups_create(&found->pickups);

	if (!err)
		err = scope_unit_groups_create(found->pickups, &found->groups);
	if (!err)
		err = scope_unit_distributions_begin(stream->behind, stream->learner, found->pickups, found->groups,
						     stream->listeners, &found->distributions);
	/* One step more for the begin of the window, and one for the lag of the second reader. */
	if (!err && stream->window_ns)
		scope_unit_distributions_remember(found->distributions, stream->window_ns / (SCOPE_PAST_MARKS - 2));
	return err ? err : scope_trace_rewind(stream->behind);
}

static int restart(struct scope_stream *stream)
{
	scope_analysis_found_units_destroy(&stream->found);
	stream->restarts++;
	return begin_distributions(stream);
}

static bool pickups_unchanged(const struct scope_stream *stream)
{
	const struct scope_pickups *pickups = stream->found.pickups;

	return scope_unit_pickups_unchanged(pickups, stream->learner, scope_unit_pickups_threads(pickups));
}

/* -ENODATA: the first frames of the capture are not complete yet. */
static int begin(struct scope_stream *stream)
{
	int err = 0;

	if (!stream->ahead)
		err = scope_trace_open_growing(stream->fd, stream->name, NULL, &stream->ahead);
	else
		err = scope_trace_grow(stream->ahead, 0);
	if (err)
		return err;
	stream->begin_ns = scope_trace_meta_number(stream->ahead, SCOPE_META_BEGIN, 0);
	if (!scope_trace_meta(stream->ahead, SCOPE_META_BEGIN))
		return -ENODATA;
	stream->check_ns = stream->begin_ns + 2 * stream->lag_ns;
	err = scope_trace_open_growing(stream->fd, stream->name, NULL, &stream->behind);
	if (!err)
		err = scope_unit_learner_create(stream->ahead, &stream->learner);
	return err ? err : begin_distributions(stream);
}

static int feed_learner(void *user, const struct scope_event *const *event, size_t count)
{
	struct scope_stream *stream = user;

	stream->last_ns = event[count - 1]->time_ns;
	return scope_unit_learner_feed(stream->learner, event, count);
}

static int feed_distributions(void *user, const struct scope_event *const *event, size_t count)
{
	return scope_unit_distributions_feed(user, event, count);
}

static int learn(struct scope_stream *stream, uint64_t settled_ns, uint64_t events)
{
	int err = scope_trace_grow(stream->ahead, settled_ns);

	if (!err)
		err = scope_trace_feed(stream->ahead, events, feed_learner, stream);
	return err < 0 ? err : 0;
}

static int distributions(struct scope_stream *stream, uint64_t settled_ns, uint64_t events)
{
	int err = scope_trace_grow(stream->behind, settled_ns);

	if (!err)
		err = scope_trace_feed(stream->behind, events, feed_distributions, stream->found.distributions);
	return err < 0 ? err : 0;
}

int scope_analysis_stream_advance(struct scope_stream *stream, uint64_t settled_ns, uint64_t events)
{
	uint64_t behind_ns;
	int err;

	if (!stream->learner) {
		err = begin(stream);
		if (err)
			return err == -ENODATA ? 0 : err;
	}
	err = learn(stream, settled_ns, events);
	if (!err && stream->last_ns >= stream->check_ns) {
		stream->check_ns = stream->begin_ns + 2 * (stream->last_ns - stream->begin_ns);
		if (!pickups_unchanged(stream))
			err = restart(stream);
	}
	behind_ns = stream->last_ns > stream->lag_ns ? stream->last_ns - stream->lag_ns : 0;
	return err ? err : distributions(stream, behind_ns, events);
}

int scope_analysis_stream_so_far(struct scope_stream *stream, const struct scope_found_units **ret_found)
{
	const struct scope_found_units *found = &stream->found;

	*ret_found = NULL;
	if (!found->distributions)
		return 0;
	*ret_found = found;
	scope_unit_pickups_conclude(found->pickups, stream->learner);
	return scope_unit_groups_conclude(found->groups, found->pickups, found->distributions->run->timeline->threads);
}

/* True if all decisions agree with those of the whole trace. */
static bool holds(const struct scope_stream *stream)
{
	return !scope_trace_late(stream->behind) && pickups_unchanged(stream) &&
	       scope_timeline_holds(stream->found.distributions->run->timeline);
}

/* The first reader may itself have decided differently than it would with the whole file. */
static int learn_again(struct scope_stream *stream)
{
	int err;

	scope_unit_learner_destroy(stream->learner);
	stream->learner = NULL;
	err = scope_unit_learner_create(stream->ahead, &stream->learner);
	if (!err)
		err = scope_trace_rewind(stream->ahead);
	return err ? err : learn(stream, 0, UINT64_MAX);
}

int scope_analysis_stream_finish(struct scope_stream *stream, uint64_t settled_ns, struct scope_found_units *ret_found)
{
	int err = stream->learner ? 0 : begin(stream);

	if (!err)
		err = learn(stream, settled_ns, UINT64_MAX);
	if (!err && (scope_trace_late(stream->ahead) || !scope_unit_learner_holds(stream->learner)))
		err = learn_again(stream);
	if (!err)
		err = scope_unit_learner_finish(stream->learner);
	if (!err)
		err = distributions(stream, settled_ns, UINT64_MAX);
	if (!err && !holds(stream)) {
		err = restart(stream);
		if (!err)
			err = distributions(stream, settled_ns, UINT64_MAX);
	}
	if (!err)
		err = scope_unit_distributions_end(stream->found.distributions);
	if (err)
		return err;
	scope_unit_pickups_conclude(stream->found.pickups, stream->learner);
	*ret_found = stream->found;
	stream->found = (struct scope_found_units){ 0 };
	return 0;
}

unsigned scope_analysis_stream_restarts(const struct scope_stream *stream)
{
	return stream->restarts;
}
