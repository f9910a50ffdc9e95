// SPDX-License-Identifier: GPL-2.0-only
/* The main loop of a capture: waits for events, drains them, and cuts the file when this is requested. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>

#include "capture/capture_internal.h"

#include "base/now.h"
#include "capture/defaults.h"
#include "capture/probing.h"
#include "capture/states.h"
#include "capture/steer.h"
#include "capture/unwinder.h"
#include "proc/backlog.h"
#include "proc/host.h"
#include "source/source.h"
#include "trace/writer.h"

#define NS_PER_MS 1000000ull
/*
 * Time from one search for new names to the next. It is longer if a search takes more than a part of it: a host may
 * have 10,000 processes.
 */
#define LOOK_NS 5000000000ull
#define LOOK_MAX_NS 60000000000ull
#define LOOK_SHARE 200	       /* inverse of this part */
#define HOST_NS 60000000000ull /* time between two readings of the host's tables, if cuts are frequent */

/* Reads the source's notices. */
static void read_notices(struct scope_capture_run *capture)
{
	struct scope_source_notice notice;

	while (capture->source->read_notice && capture->source->read_notice(capture->feed, &notice) > 0) {
		if (notice.notice == SCOPE_NOTICE_SELFTEST)
			capture->probes_silent = true;
		if (notice.notice == SCOPE_NOTICE_TARGET_GONE || notice.notice == SCOPE_NOTICE_GUARD)
			capture->ended = true;
	}
}

/* True, with the reason in stats.end, if the source has stopped. */
static bool ended(struct scope_capture_run *capture)
{
	struct scope_capture_counts counts;

	if (!capture->ended || capture->source->count(capture->feed, NULL, &counts))
		return false;
	/* Otherwise another process may have entered the filter since then. */
	capture->ended = counts.guarded;
	if (!counts.guarded && counts.processes)
		return false;
	capture->stats.end = counts.guarded ? SCOPE_CAPTURE_GUARD : SCOPE_CAPTURE_TARGET_GONE;
	return true;
}

static void report_progress(const struct scope_capture_run *capture, uint64_t now)
{
	struct scope_capture_progress progress = {
		.elapsed_ns = now - capture->stats.begin_ns,
		.duration_ns = capture->options.duration_ns,
		.settled_ns = capture->settled_ns,
		.bytes = scope_trace_writer_bytes(capture->writer),
	};
	uint64_t lost[SCOPE_LOST_REASONS];
	int reason;

	if (!capture->watch || !capture->watch->progress)
		return;
	capture->source->progress(capture->feed, &progress.records, lost);
	for (reason = 0; reason < SCOPE_LOST_REASONS; reason++)
		progress.lost += lost[reason];
	capture->watch->progress(capture->watch->context, &progress);
}

/* Reads tables whose size depends on the host. */
static int write_host(struct scope_capture_run *capture, uint64_t now)
{
	int err = scope_capture_write_port_owners(capture);

	if (!err)
		err = scope_capture_settle(capture, scope_capture_keep_up);
	if (!err)
		err = scope_capture_write_kernel(capture, scope_capture_keep_up);
	capture->host_ns = now;
	return err;
}

/* If states cannot be taken (no memory for a second session, or the target has ended), the files lack only these. */
static int cut(struct scope_capture_run *capture, enum scope_capture_want want)
{
	const uint64_t now = scope_now_ns();
	int err = scope_capture_write_names(capture);

	scope_capture_want_names(capture, true);
	if (!err)
		err = scope_proc_host_write(capture->host, now, capture->writer);
	if (!err)
		err = scope_proc_backlog_tick(capture->backlog, now, true, capture->writer);
	if (!err && (want == SCOPE_WANT_CUT || now - capture->host_ns >= HOST_NS))
		err = write_host(capture, now);
	else if (!err)
		err = scope_capture_settle(capture, scope_capture_keep_up);
	/* Taking the states may have taken long. Without this drain threads would seem idle until their STATE. */
	if (!err)
		err = capture->source->flush(capture->feed);
	if (!err)
		err = scope_capture_keep_up(capture);
	if (err)
		return scope_capture_failed(capture, err);
	if (scope_capture_states_take(capture->source, capture->feed, &capture->options, capture->stats.target.tgid,
				      capture->stopped, capture->writer, scope_capture_keep_up, capture,
				      &capture->states))
		capture->states = NULL;
	err = scope_capture_keep_up(capture);
	if (!err)
		err = scope_capture_settle(capture, scope_capture_keep_up);
	if (!err)
		err = scope_capture_name_rest(capture);
	if (err)
		err = scope_capture_failed(capture, err);
	else
		err = capture->watch->cut(capture->watch->context, capture, capture->error);
	scope_capture_states_destroy(capture->states);
	capture->states = NULL;
	return err;
}

/* Notes a new period, because a sample has the weight of the period with which it was taken. */
static int steer(struct scope_capture_run *capture, uint64_t now)
{
	const uint32_t before = scope_capture_steer_period_ns(capture->steer);
	char key[64], value[32];

	scope_capture_steer_update(capture->steer, now);
	if (scope_capture_steer_period_ns(capture->steer) == before)
		return 0;
	snprintf(key, sizeof(key), SCOPE_META_SAMPLE_NS_FROM "%llu", (unsigned long long)now);
	snprintf(value, sizeof(value), "%u", scope_capture_steer_period_ns(capture->steer));
	return scope_trace_writer_meta(capture->writer, key, value);
}

static uint64_t look_after(uint64_t took_ns)
{
	const uint64_t after_ns = LOOK_SHARE * took_ns;

	return after_ns < LOOK_NS ? LOOK_NS : after_ns < LOOK_MAX_NS ? after_ns : LOOK_MAX_NS;
}

/* Returns 1 if the watch requests the end of the capture. */
static int look(struct scope_capture_run *capture, uint64_t now)
{
	enum scope_capture_want want = SCOPE_WANT_NOTHING;
	int err = steer(capture, now);

	if (!err && now >= capture->look_ns) {
		err = scope_capture_write_names(capture);
		scope_capture_want_names(capture, false);
		capture->look_ns = now + look_after(scope_now_ns() - now);
	}
	if (!err)
		err = scope_proc_host_tick(capture->host, scope_now_ns(), capture->writer);
	if (!err)
		err = scope_proc_backlog_tick(capture->backlog, now, false, capture->writer);
	if (err)
		return scope_capture_failed(capture, err);
	report_progress(capture, now);
	if (capture->watch && capture->watch->want)
		want = capture->watch->want(capture->watch->context);
	if (want == SCOPE_WANT_CUT || want == SCOPE_WANT_LOOK)
		return cut(capture, want);
	if (want == SCOPE_WANT_END)
		capture->stats.end = SCOPE_CAPTURE_SIZE;
	return want == SCOPE_WANT_END;
}

/*
 * Compresses sub-buffers that were written uncompressed, while the host idles and no events are ready. Returns the
 * time.
 */
static uint64_t work_meanwhile(struct scope_capture_run *capture, struct pollfd set[4], uint64_t now, uint64_t until)
{
	while (capture->spare.left_ns && now < until && !*capture->stop && !poll(set, 4, 0) &&
	       scope_trace_writer_work(capture->writer)) {
		const uint64_t after = scope_now_ns();

		scope_capture_spare_use(&capture->spare, after - now);
		now = after;
	}
	return now;
}

static void wait_for_data(struct scope_capture_run *capture, uint64_t now, uint64_t until)
{
	const struct scope_source *source = capture->source;
	struct pollfd set[] = {
		{ .fd = capture->source->fd(capture->feed), .events = POLLIN },
		{ .fd = capture->leader_gone ? -1 : capture->pidfd, .events = POLLIN },
		{ .fd = source->notice_fd ? source->notice_fd(capture->feed) : -1, .events = POLLIN },
		{ .fd = capture->unwinder ? scope_capture_unwinder_fd(capture->unwinder) : -1, .events = POLLIN },
	};

	if (capture->options.probing && capture->options.probing->next_ns < until)
		until = capture->options.probing->next_ns;
	if (scope_capture_unmapped_due_ns(capture) < until)
		until = scope_capture_unmapped_due_ns(capture);
	now = work_meanwhile(capture, set, now, until);
	/* A signal ends the wait: the caller then checks the stop flag. */
	if (until > now)
		poll(set, 4, (int)((until - now + NS_PER_MS - 1) / NS_PER_MS));
	/* No more events come, although the capture did not stop the source. */
	if (set[0].revents & POLLHUP)
		capture->ended = true;
	if (set[2].revents)
		read_notices(capture);
}

static int no_calls(struct scope_capture_run *capture)
{
	return scope_error_set(capture->error, -EIO,
			       "the module's probes on system calls do not fire on this kernel: another "
			       "tracer or a live patch is in the way; end it (look into "
			       "/sys/kernel/tracing/current_tracer and /sys/kernel/livepatch) and try again");
}

int scope_capture_until_end(struct scope_capture_run *capture)
{
	const uint64_t duration = capture->options.duration_ns;
	const uint64_t end = duration ? capture->stats.begin_ns + duration : UINT64_MAX;
	uint64_t now = scope_now_ns(), flush = now + SCOPE_DEFAULT_FLUSH_MS * NS_PER_MS;
	int err = 0;

	while (!err) {
		if (*capture->stop) {
			capture->stats.end = SCOPE_CAPTURE_INTERRUPT;
			break;
		}
		if (now >= end) {
			capture->stats.end = SCOPE_CAPTURE_TIME;
			break;
		}
		wait_for_data(capture, now, flush < end ? flush : end);
		now = scope_now_ns();
		scope_capture_watch_probes(capture, now);
		if (capture->probes_silent)
			return no_calls(capture);
		if (ended(capture))
			break;
		if (scope_capture_unmapped(capture, now))
			flush = now;
		if (now < flush) {
			err = scope_capture_drain(capture);
			if (err || capture->leader_gone || capture->pidfd < 0)
				continue;
		}
		if (scope_capture_target_gone(capture)) {
			capture->stats.end = SCOPE_CAPTURE_TARGET_GONE;
			break;
		}
		if (now < flush)
			continue;
		err = scope_capture_flush_and_drain(capture);
		if (err)
			break;
		err = look(capture, now);
		if (err)
			return err < 0 ? err : 0;
		now = scope_now_ns();
		scope_capture_spare_look(&capture->spare, now, NULL);
		flush = now + SCOPE_DEFAULT_FLUSH_MS * NS_PER_MS;
	}
	return err ? scope_capture_failed(capture, err) : 0;
}
