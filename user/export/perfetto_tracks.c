// SPDX-License-Identifier: GPL-2.0-only
/* Requests and findings as slices of tracks of a Perfetto trace. */
#include <string.h>

#include "base/syscall_name.h"
#include "export/perfetto.h"
#include "export/unit_findings.h"

enum {
	/* TracePacket */
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,
	/* flags of a sequence */
	SEQUENCE_CLEARED = 1,
	SEQUENCE_NEEDED = 2,
	/* TrackDescriptor */
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	/* ThreadDescriptor */
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
	/* TrackEvent */
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_CATEGORY = 22,
	EVENT_NAME = 23,
	/* types of an event */
	TYPE_BEGIN = 1,
	TYPE_END = 2,
	TYPE_INSTANT = 3,
	/* DebugAnnotation */
	ANNOTATION_INT = 4,
	ANNOTATION_TEXT = 6,
	ANNOTATION_NAME = 10,
};

#define SEQUENCE 1

/* Numbers of tracks: a kind, and the thread or the finding. */
#define TRACK_OF_THREAD (UINT64_C(1) << 40)
#define TRACK_OF_REQUESTS (UINT64_C(2) << 40)
#define TRACK_OF_VERDICT (UINT64_C(3) << 40)
#define TRACK_OF_FINDING (UINT64_C(4) << 40)

struct writer {
	FILE *stream;
	const struct scope_analysis *analysis;
};

void scope_export_perfetto_begin(struct scope_export_message *packet, uint64_t time_ns)
{
	packet->bytes = 0;
	if (time_ns)
		scope_export_protobuf_number(packet, PACKET_TIMESTAMP, time_ns);
	scope_export_protobuf_number(packet, PACKET_SEQUENCE, SEQUENCE);
	scope_export_protobuf_number(packet, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDED);
}

static void write_track(FILE *stream, const struct scope_export_message *track, bool first)
{
	struct scope_export_message packet = { .bytes = 0 };

	scope_export_protobuf_number(&packet, PACKET_SEQUENCE, SEQUENCE);
	scope_export_protobuf_number(&packet, PACKET_SEQUENCE_FLAGS, first ? SEQUENCE_CLEARED : SEQUENCE_NEEDED);
	scope_export_protobuf_message(&packet, PACKET_TRACK_DESCRIPTOR, track);
	scope_export_protobuf_write(stream, &packet);
}

/* parent 0: none. */
static void write_named_track(FILE *stream, uint64_t uuid, uint64_t parent, const char *name, bool first)
{
	struct scope_export_message track = { .bytes = 0 };

	scope_export_protobuf_number(&track, TRACK_UUID, uuid);
	scope_export_protobuf_text(&track, TRACK_NAME, name);
	if (parent)
		scope_export_protobuf_number(&track, TRACK_PARENT, parent);
	write_track(stream, &track, first);
}

static void write_thread_track(FILE *stream, const struct scope_thread *thread)
{
	struct scope_export_message track = { .bytes = 0 }, inner = { .bytes = 0 };

	scope_export_protobuf_number(&inner, THREAD_PID, thread->tgid);
	scope_export_protobuf_number(&inner, THREAD_TID, thread->tid);
	scope_export_protobuf_text(&inner, THREAD_NAME, thread->comm);
	scope_export_protobuf_number(&track, TRACK_UUID, TRACK_OF_THREAD | thread->index);
	scope_export_protobuf_message(&track, TRACK_THREAD, &inner);
	write_track(stream, &track, false);
	write_named_track(stream, TRACK_OF_REQUESTS | thread->index, TRACK_OF_THREAD | thread->index, "requests",
			  false);
}

void scope_export_perfetto_tracks(FILE *stream, struct scope_timeline *timeline, const struct scope_analysis *analysis)
{
	const struct scope_ranking *ranking = analysis->ranking;
	char name[64];

	snprintf(name, sizeof(name), "Scope: %s", scope_rank_verdict_name[ranking->verdict]);
	write_named_track(stream, TRACK_OF_VERDICT, 0, name, true);
	for (size_t i = 0; i < ranking->findings; i++) {
		snprintf(name, sizeof(name), "finding %zu", i + 1);
		write_named_track(stream, TRACK_OF_FINDING | i, TRACK_OF_VERDICT, name, false);
	}
	for (size_t i = 0; i < scope_timeline_threads_count(timeline->threads); i++)
		write_thread_track(stream, scope_timeline_threads_at(timeline->threads, i));
}

static void annotate_number(struct scope_export_message *event, const char *name, int64_t value)
{
	struct scope_export_message annotation = { .bytes = 0 };

	scope_export_protobuf_text(&annotation, ANNOTATION_NAME, name);
	scope_export_protobuf_number(&annotation, ANNOTATION_INT, (uint64_t)value);
	scope_export_protobuf_message(event, EVENT_ANNOTATION, &annotation);
}

static void annotate_text(struct scope_export_message *event, const char *name, const char *value)
{
	struct scope_export_message annotation = { .bytes = 0 };

	scope_export_protobuf_text(&annotation, ANNOTATION_NAME, name);
	scope_export_protobuf_text(&annotation, ANNOTATION_TEXT, value);
	scope_export_protobuf_message(event, EVENT_ANNOTATION, &annotation);
}

static void begin_event(struct scope_export_message *event, unsigned type, uint64_t track)
{
	event->bytes = 0;
	scope_export_protobuf_number(event, EVENT_TYPE, type);
	scope_export_protobuf_number(event, EVENT_TRACK, track);
}

static void write_event(FILE *stream, uint64_t time_ns, const struct scope_export_message *event)
{
	struct scope_export_message packet;

	scope_export_perfetto_begin(&packet, time_ns);
	scope_export_protobuf_message(&packet, PACKET_TRACK_EVENT, event);
	scope_export_protobuf_write(stream, &packet);
}

/* begin: the event that begins the slice, with all its data. */
static void write_slice(FILE *stream, const struct scope_export_message *begin, uint64_t track, uint64_t begin_ns,
			uint64_t end_ns)
{
	struct scope_export_message end;

	write_event(stream, begin_ns, begin);
	begin_event(&end, TYPE_END, track);
	write_event(stream, end_ns < begin_ns ? begin_ns : end_ns, &end);
}

void scope_export_perfetto_mark(FILE *stream, uint32_t thread, uint64_t time_ns, const char *name, const char *stack)
{
	struct scope_export_message event;

	begin_event(&event, TYPE_INSTANT, TRACK_OF_REQUESTS | thread);
	scope_export_protobuf_text(&event, EVENT_CATEGORY, "stack");
	scope_export_protobuf_text(&event, EVENT_NAME, name);
	annotate_text(&event, "stack", stack);
	write_event(stream, time_ns, &event);
}

/* "?" if none of its stacks could be used. */
static const char *finding_name(const struct scope_analysis *analysis, const struct scope_finding *finding)
{
	return finding->function ? scope_signatures_name(analysis->signatures, finding->function) : "?";
}

static int write_request(void *user, const struct scope_export_request *request)
{
	const struct writer *writer = user;
	const struct scope_unit *unit = request->unit;
	const struct scope_thread *thread =
		scope_timeline_threads_at(writer->analysis->units->timeline->threads, unit->thread);
	const bool abnormal = request->slow || request->frequent;
	const char *kind = request->request ? "request" : "round";
	const uint64_t track = TRACK_OF_REQUESTS | thread->index;
	struct scope_export_message event;
	char name[256];

	if (!request->request && !abnormal)
		return 0;
	begin_event(&event, TYPE_BEGIN, track);
	scope_export_protobuf_text(&event, EVENT_CATEGORY, kind);
	if (abnormal)
		scope_export_protobuf_text(&event, EVENT_CATEGORY, "slow");
	if (request->finding != SCOPE_EXPORT_NO_FINDING)
		snprintf(name, sizeof(name), "slow %s: %s", kind,
			 finding_name(writer->analysis, &writer->analysis->ranking->finding[request->finding]));
	else
		snprintf(name, sizeof(name), "%s%s", abnormal ? "slow " : "", kind);
	scope_export_protobuf_text(&event, EVENT_NAME, name);
	annotate_number(&event, "run_us", (int64_t)(unit->run_ns / 1000));
	annotate_number(&event, "blocked_us", (int64_t)(unit->blocked_ns / 1000));
	annotate_number(&event, "queue_us", (int64_t)(unit->queue_ns / 1000));
	annotate_number(&event, "bytes", (int64_t)unit->bytes);
	if (unit->earlier) {
		annotate_number(&event, "waited_before_us", (int64_t)(unit->earlier->task_ns / 1000));
		annotate_number(&event, "all_us", (int64_t)(scope_unit_wall(unit) / 1000));
	}
	if (request->finding != SCOPE_EXPORT_NO_FINDING)
		annotate_number(&event, "finding", request->finding + 1);
	write_slice(writer->stream, &event, track, unit->begin_ns, unit->end_ns);
	return 0;
}

static void write_finding(const struct writer *writer, size_t number)
{
	const struct scope_finding *finding = &writer->analysis->ranking->finding[number];
	const char *call = finding->nr == SCOPE_NR_NONE ? NULL : scope_syscall_name(finding->nr);
	const uint64_t track = TRACK_OF_FINDING | number;
	struct scope_export_message event;

	begin_event(&event, TYPE_BEGIN, track);
	scope_export_protobuf_text(&event, EVENT_CATEGORY, "finding");
	scope_export_protobuf_text(&event, EVENT_NAME, finding_name(writer->analysis, finding));
	annotate_text(&event, "kind", scope_rank_kind_name[finding->kind]);
	annotate_text(&event, "confidence", scope_rank_confidence_name[finding->confidence]);
	annotate_number(&event, "share_percent", (int64_t)(100 * finding->share + 0.5));
	annotate_number(&event, "slow_units", finding->units);
	if (call)
		annotate_text(&event, "call", call);
	if (!scope_rank_finding_stuck(finding)) {
		annotate_number(&event, "usual_us", (int64_t)(finding->usual_ns / 1000));
		annotate_number(&event, "p50_us", (int64_t)(finding->p50_ns / 1000));
		annotate_number(&event, "p99_us", (int64_t)(finding->p99_ns / 1000));
	}
	write_slice(writer->stream, &event, track, finding->first_ns, finding->last_ns);
}

int scope_export_perfetto_diagnosis(FILE *stream, const struct scope_analysis *analysis)
{
	struct writer writer = { stream, analysis };

	for (size_t i = 0; i < analysis->ranking->findings; i++)
		write_finding(&writer, i);
	return scope_export_requests_each(analysis, write_request, &writer);
}
