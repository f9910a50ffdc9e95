// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packs the records of all CPUs in order of time, because forks on other CPUs decide which threads
 * are traced.
 */
#include <errno.h>
#include <linux/perf_event.h>

#include "base/now.h"
#include "perf/hole.h"
#include "perf/session.h"
#include "perf/uprobe.h"

#define RELEASE_BYTES (64u << 10)

static void sift_down(struct scope_perf_session *session, struct scope_perf_next entry)
{
	size_t place = 0, child;

	while ((child = 2 * place + 1) < session->waiting) {
		if (child + 1 < session->waiting && session->heap[child + 1].time_ns < session->heap[child].time_ns)
			child++;
		if (entry.time_ns <= session->heap[child].time_ns)
			break;
		session->heap[place] = session->heap[child];
		place = child;
	}
	session->heap[place] = entry;
}

static void push(struct scope_perf_session *session, struct scope_perf_next entry)
{
	size_t place = session->waiting++;

	while (place && entry.time_ns < session->heap[(place - 1) / 2].time_ns) {
		session->heap[place] = session->heap[(place - 1) / 2];
		place = (place - 1) / 2;
	}
	session->heap[place] = entry;
}

static void drop_first(struct scope_perf_session *session)
{
	session->waiting--;
	sift_down(session, session->heap[session->waiting]);
}

/*
 * Only stacks are lost in a ring for stacks: calls and switches are complete. Losses of young threads are ignored while
 * the target has no young thread.
 */
static int report_lost(struct scope_perf_session *session, const struct scope_perf_cpu *cpu, uint64_t time_ns,
		       uint64_t count)
{
	if (cpu->age == SCOPE_PERF_YOUNG && !scope_perf_session_had_young(session, cpu->last_ns))
		return 0;
	if (!cpu->stacks)
		return scope_perf_pack_lost(session->pack, cpu->cpu, time_ns, count);
	scope_perf_pack_stacks_lost(session->pack, count);
	session->stacks_lost += count;
	return 0;
}

/* Time of the ring's next record: 1, 0 if there is none, -errno. A record without a time is next. */
static int next_time(struct scope_perf_session *session, struct scope_perf_cpu *cpu, uint64_t *ret_time_ns)
{
	int err = scope_perf_ring_peek(&cpu->ring, &cpu->next, &cpu->next_bytes);

	if (err == -EBADMSG) {
		scope_perf_ring_skip(&cpu->ring);
		return report_lost(session, cpu, scope_now_ns(), 1);
	}
	if (err != 1)
		return err;
	*ret_time_ns = scope_perf_record_time(cpu->next, cpu->next_bytes);
	if (*ret_time_ns == UINT64_MAX)
		*ret_time_ns = 0;
	return 1;
}

static void fill_hole(struct scope_perf_session *session, const struct scope_perf_record *record)
{
	struct scope_perf_thread *thread = NULL;

	if (record->type == SCOPE_PERF_TYPE_EVENT && record->regs)
		thread = scope_perf_tasks_find(session->tasks, record->tid);
	if (thread)
		scope_perf_hole_fill(session->options.reader, thread, record);
}

static void step(struct scope_perf_cpu *cpu)
{
	scope_perf_ring_step(&cpu->ring, cpu->next_bytes);
	if (cpu->ring.tail - cpu->ring.page->data_tail >= RELEASE_BYTES)
		scope_perf_ring_release(&cpu->ring);
}

/*
 * Skips a system call of a young thread that is not traced. On a host that begins many processes most records are such.
 * (A thread that is not known yet may belong to a traced process.)
 */
static bool pass_over(struct scope_perf_session *session, struct scope_perf_cpu *cpu)
{
	struct scope_perf_glance glance;
	enum scope_perf_kind kind;

	if (cpu->age != SCOPE_PERF_YOUNG ||
	    !scope_perf_record_glance(cpu->id, cpu->ids, cpu->next, cpu->next_bytes, &glance))
		return false;
	kind = cpu->id[glance.id_at].kind;
	if ((kind != SCOPE_PERF_ENTER && kind != SCOPE_PERF_EXIT) ||
	    scope_perf_tasks_find(session->tasks, glance.tid) || scope_perf_tasks_alive(session->tasks, glance.tgid))
		return false;
	scope_perf_events_note_seen(cpu, glance.id_at);
	cpu->last_ns = glance.time_ns;
	session->young_records++;
	step(cpu);
	return true;
}

/* Packs the record that was peeked at last. */
static int pack_next(struct scope_perf_session *session, struct scope_perf_cpu *cpu)
{
	struct scope_perf_record record;
	bool known;
	int err = 0;

	if (pass_over(session, cpu))
		return 0;
	if (scope_perf_record_parse(&session->events.layout, cpu->id, cpu->ids, cpu->next, cpu->next_bytes, &record)) {
		err = report_lost(session, cpu, scope_now_ns(), 1);
	} else if (record.type == SCOPE_PERF_TYPE_LOST) {
		err = report_lost(session, cpu, record.time_ns, record.lost);
	} else if (record.type == SCOPE_PERF_TYPE_OTHER && record.id) {
		const struct scope_perf_uprobe *probe = scope_perf_uprobes_find(&session->events, record.id);

		if (probe) {
			scope_perf_record_words(&record, probe->words, probe->flags & SCOPE_PROBE_RETURN);
			err = scope_perf_pack_probe(session->pack, cpu->cpu, &record, probe->id, probe->flags);
		}
	} else if (record.type != SCOPE_PERF_TYPE_EVENT ||
		   !scope_perf_events_is_duplicate(cpu, &session->cover, &record)) {
		known = record.type != SCOPE_PERF_TYPE_COMM || scope_perf_tasks_find(session->tasks, record.tid);
		err = scope_perf_pack_record(session->pack, cpu->cpu, &record);
		scope_perf_session_watch_child(session, &record);
		scope_perf_session_watch_young(session, &record);
		scope_perf_session_watch_name(session, &record, known);
		fill_hole(session, &record);
		session->stacks_come += cpu->stacks;
		session->samples += record.type == SCOPE_PERF_TYPE_EVENT && record.kind == SCOPE_PERF_SAMPLE;
	}
	if (!err && record.time_ns)
		cpu->last_ns = record.time_ns;
	session->young_records += cpu->age == SCOPE_PERF_YOUNG && record.type == SCOPE_PERF_TYPE_EVENT &&
				  record.kind != SCOPE_PERF_LIFE;
	cpu->blocks += record.type == SCOPE_PERF_TYPE_EVENT && record.kind == SCOPE_PERF_BLOCK;
	step(cpu);
	return err;
}

/* Packs the records of one CPU, as long as no other CPU has an earlier one. */
static int pack_run(struct scope_perf_session *session, uint64_t horizon_ns)
{
	struct scope_perf_next first = session->heap[0];
	uint64_t limit_ns = horizon_ns;
	int err;

	drop_first(session);
	if (session->waiting && session->heap[0].time_ns < limit_ns)
		limit_ns = session->heap[0].time_ns;
	do {
		err = pack_next(session, first.cpu);
		if (err)
			return err;
		err = next_time(session, first.cpu, &first.time_ns);
	} while (err == 1 && first.time_ns <= limit_ns);
	if (err == 1)
		push(session, first);
	return err < 0 ? err : 0;
}

/* Packs all records up to the horizon. */
int scope_perf_session_until(struct scope_perf_session *session, uint64_t horizon_ns)
{
	size_t i;
	int err = 0;

	session->waiting = 0;
	for (i = 0; i < session->events.cpus && err >= 0; i++) {
		struct scope_perf_next next = { .cpu = &session->events.cpu[i] };

		if (!next.cpu->ring.page)
			continue;
		scope_perf_ring_look(&next.cpu->ring);
		err = next_time(session, next.cpu, &next.time_ns);
		if (err == 1)
			push(session, next);
	}
	if (err > 0)
		err = 0;
	while (!err && session->waiting && session->heap[0].time_ns <= horizon_ns)
		err = pack_run(session, horizon_ns);
	for (i = 0; i < session->events.cpus; i++)
		if (session->events.cpu[i].ring.page)
			scope_perf_ring_release(&session->events.cpu[i].ring);
	return err;
}
