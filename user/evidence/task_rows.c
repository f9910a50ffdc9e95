// SPDX-License-Identifier: GPL-2.0-only
/* Looks at the tasks of processes: where they waited. */
#include "evidence/task_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "evidence/asyncio_waits.h"
#include "interpreter/interpreter.h"
#include "trace/peer.h"

#define PLACE_BUCKETS 16384 /* no rule: a power of two, above SCOPE_TASK_PLACES_MAX */
#define ROWS_MAX 8000000    /* no rule: rows of looks */

struct reader {
	struct scope_task_rows *rows;
	struct scope_trace *trace;
	const struct scope_stack_nodes *stack_nodes;
};

/* The names of Go's libraries for what a task waits for. */
static const struct {
	const char *begin;
	uint8_t class;
} classes[] = {
	{ "time.Sleep", SCOPE_WAIT_TIMER },	  { "net.", SCOPE_WAIT_NETWORK },
	{ "net/", SCOPE_WAIT_NETWORK },		  { "crypto/tls.", SCOPE_WAIT_NETWORK },
	{ "database/sql.", SCOPE_WAIT_NETWORK },  { "os.(*File)", SCOPE_WAIT_PIPE },
	{ "os/exec.", SCOPE_WAIT_CHILD },	  { "os.(*Process)", SCOPE_WAIT_CHILD },
	{ "internal/poll.", SCOPE_WAIT_NETWORK }, { "sync.", SCOPE_WAIT_FUTEX },
	{ "runtime.", SCOPE_WAIT_FUTEX },
};

static uint8_t class_of(const struct scope_function *below)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (scope_evidence_task_name_begins(below, classes[i].begin))
			return classes[i].class;
	return SCOPE_WAIT_OTHER;
}

static bool waits_for_lock(const struct scope_function *waits)
{
	return (scope_evidence_task_name_begins(waits, "sync.") ||
		scope_evidence_task_name_begins(waits, "internal/sync.")) &&
	       strstr(waits->name, "Mutex");
}

/* Says for what it waits. */
static void take_wait(struct scope_task_place *place, struct scope_asyncio_wait *asyncio)
{
	if (!place->asyncio) {
		place->class = class_of(place->node.below);
		place->lock = waits_for_lock(place->waits);
		return;
	}
	scope_evidence_asyncio_wait_end(asyncio);
	place->class = asyncio->class;
	place->lock = asyncio->lock;
	place->choice = asyncio->news;
	place->future = asyncio->future;
	if (asyncio->of)
		place->waits = asyncio->of;
}

static uint64_t hash_of(uint32_t tgid, bool lasting, const struct scope_event *event)
{
	uint64_t hash = 14695981039346656037ull ^ tgid ^ (uint64_t)lasting << 32; /* no rule: FNV-1a, of words */

	for (uint16_t i = 0; i < event->stack.ips; i++)
		hash = (hash ^ event->stack.ip[i]) * 1099511628211ull; /* no rule */
	return hash ^ hash >> 29;				       /* no rule */
}

/* Names the two ends of the stack, and what is waited for. A goroutine ends in runtime.goexit, which called nothing. */
static int name_ends(const struct reader *reader, const struct scope_event *event, struct scope_task_place *place)
{
	struct scope_asyncio_wait asyncio = { 0 };
	const uint16_t count = event->stack.ips;

	place->asyncio = count && event->stack.ip[0] >= SCOPE_INTERPRETED_BASE;
	for (uint16_t i = 0; i < count; i++) {
		const struct scope_function *function;
		int err = scope_symbols_lookup(reader->stack_nodes->symbols, place->tgid, event->stack.ip[i], i > 0,
					       &function);

		if (err)
			return err;
		place->choice |= scope_evidence_task_name_begins(function, "runtime.selectgo");
		scope_evidence_asyncio_wait_take(&asyncio, function);
		if (!place->waits && !scope_evidence_task_name_begins(function, "runtime."))
			place->waits = function;
		if (event->stack.ended == SCOPE_FRAMES_COMPLETE &&
		    !scope_evidence_task_name_begins(function, "runtime.goexit"))
			place->start = function;
	}
	take_wait(place, &asyncio);
	return 0;
}

/* SCOPE_TASK_PLACES_MAX: there are too many. 0 or -ENOMEM. */
static int find_place(const struct reader *reader, const struct scope_logged_stack *logged,
		      const struct scope_event *event, uint32_t *ret_place)
{
	struct scope_task_rows *rows = reader->rows;
	const uint64_t hash = hash_of(logged->tgid, logged->waited_s, event);
	uint32_t at = (uint32_t)(hash % PLACE_BUCKETS);
	struct scope_task_place *place;
	int err;

	for (; rows->bucket[at]; at = (at + 1) % PLACE_BUCKETS)
		if (rows->place[rows->bucket[at] - 1].hash == hash) {
			*ret_place = rows->bucket[at] - 1;
			return 0;
		}
	*ret_place = SCOPE_TASK_PLACES_MAX;
	if (rows->places == SCOPE_TASK_PLACES_MAX)
		return 0;
	place = &rows->place[rows->places];
	*place = (struct scope_task_place){ .hash = hash, .tgid = logged->tgid, .lasting = logged->waited_s };
	err = scope_evidence_stack_node_of_event(reader->stack_nodes, logged->tgid, event, &place->node);
	if (!err)
		err = name_ends(reader, event, place);
	if (err)
		return err;
	*ret_place = (uint32_t)rows->places++;
	rows->bucket[at] = (uint32_t)rows->places;
	return 0;
}

static int read_row(void *user, const struct scope_logged_stack *logged)
{
	const struct reader *reader = user;
	struct scope_task_rows *rows = reader->rows;
	struct scope_event event;
	uint32_t place;
	int err;

	if (rows->rows == ROWS_MAX)
		return 0;
	if (!rows->place) {
		rows->place = calloc(SCOPE_TASK_PLACES_MAX, sizeof(*rows->place));
		rows->bucket = calloc(PLACE_BUCKETS, sizeof(*rows->bucket));
		if (!rows->place || !rows->bucket)
			return -ENOMEM;
	}
	err = scope_unit_log_stack_at(reader->trace, logged, &event);
	if (!err)
		err = find_place(reader, logged, &event, &place);
	if (err)
		return err;
	if (scope_grow(&rows->row, &rows->row_capacity, rows->rows + 1, sizeof(*rows->row)))
		return -ENOMEM;
	rows->row[rows->rows++] = (struct scope_task_row){
		.time_ns = logged->time_ns,
		.since_ns = logged->since_ns,
		.tgid = logged->tgid,
		.thread = logged->stack.thread,
		.place = place,
		.tasks = logged->tasks,
		.waited_s = logged->waited_s,
	};
	return 0;
}

int scope_evidence_task_rows_read(struct scope_unit_log *log, struct scope_trace *trace,
				  const struct scope_stack_nodes *stack_nodes, struct scope_task_rows *ret_rows)
{
	struct scope_evidence *evidence = stack_nodes->evidence;
	const struct scope_evidence before = *evidence;
	struct reader reader = { ret_rows, trace, stack_nodes };
	int err;

	*ret_rows = (struct scope_task_rows){ .within = scope_trace_peers_within(trace) };
	err = scope_unit_log_tasks(log, read_row, &reader);
	evidence->stacks = before.stacks;
	evidence->complete = before.complete;
	evidence->cut = before.cut;
	evidence->broken = before.broken;
	evidence->nameless = before.nameless;
	evidence->language = before.language;
	if (err)
		scope_evidence_task_rows_free(ret_rows);
	return err;
}

void scope_evidence_task_rows_free(struct scope_task_rows *rows)
{
	free(rows->place);
	free(rows->bucket);
	free(rows->row);
	*rows = (struct scope_task_rows){ 0 };
}

size_t scope_evidence_task_rows_look_end(const struct scope_task_rows *rows, size_t from)
{
	size_t end = from + 1;

	while (end < rows->rows && rows->row[end].time_ns == rows->row[from].time_ns &&
	       rows->row[end].tgid == rows->row[from].tgid)
		end++;
	return end;
}

uint64_t scope_evidence_task_rows_looks(const struct scope_task_rows *rows, uint32_t tgid)
{
	uint64_t looks = 0, last_ns = 0;

	for (size_t i = 0; i < rows->rows; i++) {
		const struct scope_task_row *row = &rows->row[i];

		if (row->tgid != tgid || row->place == SCOPE_TASK_PLACES_MAX)
			continue;
		looks += !looks || row->time_ns != last_ns;
		last_ns = row->time_ns;
	}
	return looks;
}
