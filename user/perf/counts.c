// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the counts of threads (page faults, bytes of storage) from /proc, because perf events have no such counts of
 * other threads. What a thread counted between the last reading and its end is not known.
 */
#include "perf/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "perf/pack_internal.h"
#include "proc/file.h"

/* The fields of /proc/PID/stat are counted from the state on, which is the third of proc(5). */
enum { MINOR_FIELD = 10 - 3, MAJOR_FIELD = 12 - 3, START_FIELD = 22 - 3 };

/* Returns false if the thread has ended. ret_start_ns: when it started, by the clock that begins at boot. */
static bool read_faults(uint32_t tgid, uint32_t tid, struct scope_perf_counts *counts, uint64_t *ret_start_ns)
{
	char *text, *at;
	int field = 0;

	if (scope_proc_file_read(&text, "/proc/%u/task/%u/stat", tgid, tid))
		return false;
	at = strrchr(text, ')');
	for (at = at ? at + 2 : NULL; at && *at; field++) {
		if (field == MINOR_FIELD)
			counts->minor_faults = strtoull(at, NULL, 10);
		else if (field == MAJOR_FIELD)
			counts->major_faults = strtoull(at, NULL, 10);
		else if (field == START_FIELD)
			*ret_start_ns = strtoull(at, NULL, 10) * (1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK));
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	free(text);
	return field > START_FIELD;
}

static void read_storage(uint32_t tgid, uint32_t tid, struct scope_perf_counts *counts)
{
	const char *value;
	char *text;

	if (scope_proc_file_read(&text, "/proc/%u/task/%u/io", tgid, tid))
		return;
	value = scope_proc_file_field(text, "read_bytes:");
	counts->read_bytes = value ? strtoull(value, NULL, 10) : counts->read_bytes;
	value = scope_proc_file_field(text, "write_bytes:");
	counts->written_bytes = value ? strtoull(value, NULL, 10) : counts->written_bytes;
	free(text);
}

static uint64_t since_boot_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

static int put_counts(struct scope_perf_session *session, uint32_t tid, uint64_t time_ns,
		      const struct scope_perf_counts *before, const struct scope_perf_counts *now)
{
	struct scope_event event = event_of(SCOPE_EVENT_COUNTERS, 0, time_ns, tid);

	if (!memcmp(before, now, sizeof(*before)))
		return 0;
	event.counters.minor_faults = (uint32_t)(now->minor_faults - before->minor_faults);
	event.counters.major_faults = (uint32_t)(now->major_faults - before->major_faults);
	event.counters.read_bytes = now->read_bytes - before->read_bytes;
	event.counters.written_bytes = now->written_bytes - before->written_bytes;
	return scope_perf_pack_lane(session->pack, 0) ? scope_perf_pack_put(session->pack, &event) : -ENOMEM;
}

static int count_thread(struct scope_perf_session *session, struct scope_perf_thread *thread, uint64_t time_ns)
{
	struct scope_perf_counts now = thread->counts;
	uint64_t start_ns = 0;
	int err = 0;

	if (!read_faults(thread->tgid, thread->tid, &now, &start_ns))
		return 0;
	read_storage(thread->tgid, thread->tid, &now);
	/* The counts that an older thread had before the window do not belong to it. */
	if (thread->counted || start_ns >= session->counting_ns)
		err = put_counts(session, thread->tid, time_ns, &thread->counts, &now);
	thread->counts = now;
	thread->counted = true;
	return err;
}

int scope_perf_session_count(struct scope_perf_session *session, uint64_t time_ns)
{
	uint32_t *tids = NULL;
	size_t count = 0;
	int err = scope_perf_tasks_list(session->tasks, &tids, &count);

	if (!session->counting_ns)
		session->counting_ns = since_boot_ns();
	for (size_t i = 0; !err && i < count; i++) {
		struct scope_perf_thread *thread = scope_perf_tasks_find(session->tasks, tids[i]);

		err = thread ? count_thread(session, thread, time_ns) : 0;
	}
	free(tids);
	return err;
}
