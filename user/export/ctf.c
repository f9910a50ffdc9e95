// SPDX-License-Identifier: GPL-2.0-only
/* Writes a trace as a directory of CTF streams. */
#include "export/ctf.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/plain.h"
#include "export/formats.h"
#include "export/order.h"
#include "export/threads.h"

#define NRS 65536
#define EVENT_BYTES_MAX 256
#define STREAM_NAME_BYTES 32

/* The packet of one CPU that is being filled. */
struct stream {
	FILE *file; /* NULL: no event yet */
	uint8_t *data;
	size_t bytes;
	uint64_t begin_ns, end_ns, discarded;
};

struct packet_head {
	uint32_t magic, stream_id;
	uint64_t begin_ns, end_ns, content_bits, packet_bits, discarded;
	uint32_t cpu;
} __attribute__((packed));

struct exporter {
	const char *path;
	struct scope_timeline *timeline;
	struct stream *stream;
	size_t streams, capacity;
	uint8_t *nrs; /* by number of the call: a bit for each variant that occurred */
	struct scope_error *error;
};

static void put(struct stream *stream, uint64_t value, size_t bytes)
{
	uint64_t le = htole64(value);

	memcpy(stream->data + stream->bytes, &le, bytes);
	stream->bytes += bytes;
}

/* Writes a name in plain form. */
static void put_comm(struct stream *stream, const char *comm)
{
	char text[SCOPE_COMM_BYTES] = "";

	/* A character that does not fit is left out completely. */
	scope_plain_put(text, sizeof(text), comm, strlen(comm), SCOPE_PLAIN_SENTENCE);
	memcpy(stream->data + stream->bytes, text, sizeof(text));
	stream->bytes += sizeof(text);
}

static int fail_file(struct exporter *exporter, const char *name, int err)
{
	return scope_error_set(exporter->error, err,
			       "%s/%s cannot be written: %s; free some room, or "
			       "name another place with -o",
			       exporter->path, name, strerror(-err));
}

static FILE *open_in(struct exporter *exporter, const char *name)
{
	char *path;
	FILE *file;

	if (asprintf(&path, "%s/%s", exporter->path, name) < 0)
		return NULL;
	file = fopen(path, "we");
	free(path);
	return file;
}

static const char *stream_name(size_t cpu, char name[STREAM_NAME_BYTES])
{
	snprintf(name, STREAM_NAME_BYTES, "channel0_%zu", cpu);
	return name;
}

/*
 * An incomplete export looks like a complete one, so it is removed; the directory is removed only if it has no other
 * files.
 */
static void remove_files(const struct exporter *exporter)
{
	const int directory = open(exporter->path, O_DIRECTORY | O_CLOEXEC);
	char name[STREAM_NAME_BYTES];

	if (directory < 0)
		return;
	for (size_t i = 0; i < exporter->streams; i++)
		unlinkat(directory, stream_name(i, name), 0);
	unlinkat(directory, "metadata", 0);
	close(directory);
	rmdir(exporter->path);
}

static int write_packet(struct exporter *exporter, size_t cpu)
{
	char name[STREAM_NAME_BYTES];
	struct stream *stream = &exporter->stream[cpu];
	struct packet_head head = {
		.magic = htole32(SCOPE_CTF_MAGIC),
		.begin_ns = htole64(stream->begin_ns),
		.end_ns = htole64(stream->end_ns),
		.content_bits = htole64(stream->bytes * 8),
		.packet_bits = htole64(stream->bytes * 8),
		.discarded = htole64(stream->discarded),
		.cpu = htole32(cpu),
	};

	memcpy(stream->data, &head, sizeof(head));
	if (fwrite(stream->data, 1, stream->bytes, stream->file) != stream->bytes)
		return fail_file(exporter, stream_name(cpu, name), errno ? -errno : -EIO);
	stream->bytes = 0;
	return 0;
}

static int get_stream(struct exporter *exporter, uint32_t cpu, struct stream **ret_stream)
{
	char name[STREAM_NAME_BYTES];
	struct stream *stream;

	if (scope_grow(&exporter->stream, &exporter->capacity, cpu + 1, sizeof(*stream)))
		return -ENOMEM;
	while (exporter->streams <= cpu)
		exporter->stream[exporter->streams++] = (struct stream){ 0 };
	stream = &exporter->stream[cpu];
	if (!stream->file) {
		stream->data = malloc(SCOPE_CTF_PACKET_BYTES);
		if (!stream->data)
			return -ENOMEM;
		stream->file = open_in(exporter, stream_name(cpu, name));
		if (!stream->file)
			return fail_file(exporter, name, -errno);
	}
	*ret_stream = stream;
	return 0;
}

/* Makes room for an event of any kind, and writes its header. */
static int begin_event(struct exporter *exporter, const struct scope_event *event, uint32_t id, uint32_t tid,
		       struct stream **ret_stream)
{
	struct stream *stream;
	int err = get_stream(exporter, event->cpu, &stream);

	if (!err && stream->bytes + EVENT_BYTES_MAX > SCOPE_CTF_PACKET_BYTES)
		err = write_packet(exporter, event->cpu);
	if (err)
		return err;
	if (!stream->bytes) {
		stream->bytes = sizeof(struct packet_head);
		stream->begin_ns = event->time_ns;
	}
	stream->end_ns = event->time_ns;
	put(stream, id, 2);
	put(stream, event->time_ns, 8);
	put(stream, scope_export_threads_find(exporter->timeline, tid)->tgid, 4);
	put(stream, tid, 4);
	*ret_stream = stream;
	return 0;
}

/* The kernel's TASK_* bits. */
static uint64_t task_state(uint8_t state)
{
	static const uint8_t bits[] = {
		[SCOPE_STATE_SLEEPING] = 1, [SCOPE_STATE_DISK] = 2,   [SCOPE_STATE_STOPPED] = 4,
		[SCOPE_STATE_DEAD] = 16,    [SCOPE_STATE_IDLE] = 128,
	};

	return state < sizeof(bits) ? bits[state] : 0;
}

static int export_switch(struct exporter *exporter, const struct scope_event *event)
{
	uint32_t prev = event->sched.prev_tid, next = event->sched.next_tid;
	struct stream *stream;
	int err = begin_event(exporter, event, SCOPE_CTF_SWITCH, prev, &stream);

	if (err)
		return err;
	put_comm(stream, scope_export_threads_find(exporter->timeline, prev)->comm);
	put(stream, prev, 4);
	put(stream, 20, 4);
	put(stream, event->sched.preempted ? 0 : task_state(event->sched.prev_state), 8);
	put_comm(stream, scope_export_threads_find(exporter->timeline, next)->comm);
	put(stream, next, 4);
	put(stream, 20, 4);
	return 0;
}

static int export_waking(struct exporter *exporter, const struct scope_event *event)
{
	struct stream *stream;
	int err = begin_event(exporter, event, SCOPE_CTF_WAKING, event->waking.waker_tid, &stream);

	if (err)
		return err;
	put_comm(stream, scope_export_threads_find(exporter->timeline, event->tid)->comm);
	put(stream, event->tid, 4);
	put(stream, 20, 4);
	put(stream, event->cpu, 4);
	return 0;
}

static int export_call(struct exporter *exporter, const struct scope_event *event)
{
	const bool exits = event->kind == SCOPE_EVENT_EXIT;
	const bool named = scope_export_ctf_names(event->syscall.nr);
	const unsigned variant = scope_export_ctf_variant(exits, named ? event->syscall.args : 0);
	const uint32_t id = SCOPE_CTF_SYSCALLS + SCOPE_CTF_VARIANTS * event->syscall.nr + variant;
	struct stream *stream;
	int err;

	/* An id has 16 bits. */
	if (id > UINT16_MAX)
		return 0;
	err = begin_event(exporter, event, id, event->tid, &stream);
	if (err)
		return err;
	exporter->nrs[event->syscall.nr] |= 1u << variant;
	if (exits) {
		put(stream, (uint64_t)event->syscall.ret, 8);
		return 0;
	}
	if (!named)
		put(stream, event->syscall.args, 1);
	for (unsigned i = 0; i < event->syscall.args; i++)
		put(stream, event->syscall.arg[i], 8);
	return 0;
}

static int export_life(struct exporter *exporter, const struct scope_event *event)
{
	const struct scope_thread *parent;
	char comm[SCOPE_PLAIN_COMM_BYTES];
	struct stream *stream;
	int err;

	switch (event->kind) {
	case SCOPE_EVENT_FORK:
		err = begin_event(exporter, event, SCOPE_CTF_FORK, event->fork.parent_tid, &stream);
		if (err)
			return err;
		parent = scope_export_threads_find(exporter->timeline, event->fork.parent_tid);
		put_comm(stream, parent->comm);
		put(stream, event->fork.parent_tid, 4);
		put(stream, parent->tgid, 4);
		put_comm(stream, scope_plain_comm(comm, event->fork.comm));
		put(stream, event->tid, 4);
		put(stream, event->fork.tgid, 4);
		return 0;
	case SCOPE_EVENT_EXEC:
		err = begin_event(exporter, event, SCOPE_CTF_EXEC, event->tid, &stream);
		if (err)
			return err;
		put_comm(stream, scope_plain_comm(comm, event->exec.comm));
		put(stream, event->tid, 4);
		put(stream, event->exec.old_tid, 4);
		return 0;
	default:
		err = begin_event(exporter, event, SCOPE_CTF_EXIT, event->tid, &stream);
		if (err)
			return err;
		put_comm(stream, scope_export_threads_find(exporter->timeline, event->tid)->comm);
		put(stream, event->tid, 4);
		put(stream, 20, 4);
		return 0;
	}
}

static int export_probe(struct exporter *exporter, const struct scope_event *event)
{
	struct stream *stream;
	int err = begin_event(exporter, event, SCOPE_CTF_PROBE, event->tid, &stream);

	if (err)
		return err;
	put(stream, event->probe.id, 2);
	put(stream, !!(event->flags & SCOPE_PROBE_RETURN), 1);
	put(stream, event->probe.args, 1);
	for (unsigned i = 0; i < event->probe.args; i++)
		put(stream, event->probe.arg[i], 8);
	return 0;
}

static int export_delay(struct exporter *exporter, const struct scope_event *event)
{
	struct stream *stream;
	int err = begin_event(exporter, event, SCOPE_CTF_DELAY, event->tid, &stream);

	if (err)
		return err;
	put(stream, event->delay.id, 2);
	put(stream, !!(event->flags & SCOPE_DELAYED_AT_RETURN), 1);
	put(stream, event->delay.asked_ns, 4);
	put(stream, event->delay.served_ns, 4);
	return 0;
}

static int export_event(struct exporter *exporter, const struct scope_event *event)
{
	struct stream *stream;
	int err;

	switch (event->kind) {
	case SCOPE_EVENT_SWITCH:
		return export_switch(exporter, event);
	case SCOPE_EVENT_WAKING:
		return export_waking(exporter, event);
	case SCOPE_EVENT_ENTER:
	case SCOPE_EVENT_EXIT:
		return export_call(exporter, event);
	case SCOPE_EVENT_FORK:
	case SCOPE_EVENT_EXEC:
	case SCOPE_EVENT_THREAD_EXIT:
		return export_life(exporter, event);
	case SCOPE_EVENT_PROBE:
		return export_probe(exporter, event);
	case SCOPE_EVENT_DELAY:
		return export_delay(exporter, event);
	case SCOPE_EVENT_LOST:
		err = get_stream(exporter, event->cpu, &stream);
		if (!err && stream->bytes)
			err = write_packet(exporter, event->cpu);
		if (!err)
			stream->discarded += event->lost.count;
		return err;
	}
	return 0;
}

static int finish(struct exporter *exporter, const struct scope_trace *trace)
{
	char name[STREAM_NAME_BYTES];
	FILE *file;
	int err = 0;

	for (size_t i = 0; !err && i < exporter->streams; i++)
		if (exporter->stream[i].file && exporter->stream[i].bytes)
			err = write_packet(exporter, i);
	for (size_t i = 0; i < exporter->streams; i++) {
		struct stream *stream = &exporter->stream[i];

		if (stream->file && fclose(stream->file) && !err)
			err = fail_file(exporter, stream_name(i, name), -errno);
		stream->file = NULL;
	}
	if (err)
		return err;
	file = open_in(exporter, "metadata");
	if (!file)
		return fail_file(exporter, "metadata", -errno);
	scope_export_ctf_metadata(file, trace, exporter->nrs, NRS);
	if (ferror(file) | fclose(file))
		return fail_file(exporter, "metadata", errno ? -errno : -EIO);
	return 0;
}

static int export_all(struct exporter *exporter, struct scope_trace *trace)
{
	struct scope_order *order;
	struct scope_event event;
	int more, err = scope_export_order_create(trace, &order);

	if (err)
		return err;
	while (!err && (more = scope_export_order_next(order, &event)))
		err = more < 0 ? more : export_event(exporter, &event);
	scope_export_order_destroy(order);
	return err ? err : finish(exporter, trace);
}

int scope_export_ctf(const struct scope_export_from *from, const struct scope_export_to *to, struct scope_error *error)
{
	struct exporter exporter = { .path = to->path, .error = error };
	int err;

	if (mkdir(to->path, 0777))
		return scope_error_set(error, -errno,
				       "the directory %s cannot be made: %s; name a new "
				       "one with -o",
				       to->path, strerror(errno));
	if (error)
		error->text[0] = '\0';
	exporter.nrs = calloc(NRS, sizeof(*exporter.nrs));
	err = exporter.nrs ? scope_export_threads_learn(from->trace, &exporter.timeline) : -ENOMEM;
	if (!err)
		err = export_all(&exporter, from->trace);
	if (err && error && !error->text[0])
		scope_error_set(error, err, "the trace cannot be read: %s", strerror(-err));
	for (size_t i = 0; i < exporter.streams; i++) {
		if (exporter.stream[i].file)
			fclose(exporter.stream[i].file);
		free(exporter.stream[i].data);
	}
	if (err)
		remove_files(&exporter);
	free(exporter.stream);
	free(exporter.nrs);
	scope_timeline_destroy(exporter.timeline);
	return err;
}
