// SPDX-License-Identifier: GPL-2.0-only
/* Measure the share of a CPU that the consumer of scope record takes at a rate of events. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "capture/new_processes.h"
#include "recorder/trigger.h"
#include "trace/decode.h"
#include "trace/flight.h"
#include "trace/packer.h"
#include "trace/trace_internal.h"
#include "trace/writer.h"

#define RATE 100000.0 /* events/s, of all kinds */

static double cpu_s(void)
{
	struct rusage own;

	getrusage(RUSAGE_SELF, &own);
	return (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec) +
	       (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec) / 1e6;
}

/* The sub-buffers of a trace as the kernel provides them: uncompressed, in memory. */
struct input {
	struct scope_subbuf **subbuf;
	size_t count;
	uint64_t events, stacks, bytes;
	uint64_t span_ns;
};

static void count_events(struct input *input, const struct scope_subbuf *subbuf)
{
	struct scope_decoder decoder = { 0 };
	struct scope_event event;

	if (scope_trace_decoder_begin(&decoder, subbuf, subbuf->used_bytes))
		return;
	while (scope_trace_decoder_peek(&decoder) && !scope_trace_decoder_take(&decoder, &event)) {
		input->events++;
		input->stacks += event.kind == SCOPE_EVENT_STACK;
	}
}

static int by_end(const void *left, const void *right)
{
	const struct scope_subbuf *a = *(struct scope_subbuf *const *)left;
	const struct scope_subbuf *b = *(struct scope_subbuf *const *)right;

	return a->end_ns < b->end_ns ? -1 : a->end_ns > b->end_ns;
}

static int read_input(const char *path, struct input *input)
{
	struct scope_error error = { "" };
	uint64_t first_ns = UINT64_MAX, last_ns = 0;
	struct scope_trace *trace;

	if (scope_trace_open(path, &error, &trace)) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	for (size_t cpu = 0; cpu < trace->cpus; cpu++)
		for (size_t i = 0; i < trace->cpu[cpu].count; i++) {
			uint8_t *buffer = NULL;
			struct scope_subbuf *copy;
			const uint8_t *data;
			size_t room = 0;

			if (scope_trace_payload(trace, trace->cpu[cpu].frame[i], &buffer, &room, NULL, &data))
				return 1;
			copy = malloc(((const struct scope_subbuf *)data)->used_bytes);
			input->subbuf = reallocarray(input->subbuf, input->count + 1, sizeof(copy));
			if (!copy || !input->subbuf)
				return 1;
			memcpy(copy, data, ((const struct scope_subbuf *)data)->used_bytes);
			free(buffer);
			input->subbuf[input->count++] = copy;
			input->bytes += copy->used_bytes;
			first_ns = copy->begin_ns < first_ns ? copy->begin_ns : first_ns;
			last_ns = copy->end_ns > last_ns ? copy->end_ns : last_ns;
			count_events(input, copy);
		}
	scope_trace_close(trace);
	qsort(input->subbuf, input->count, sizeof(*input->subbuf), by_end);
	input->span_ns = last_ns - first_ns;
	return 0;
}

static void tap(void *context, const struct scope_subbuf *subbuf)
{
	scope_recorder_triggers_take(context, subbuf);
}

/* Everything that scope record does with a sub-buffer, except giving it back to the kernel. */
static double consume(const struct input *input, struct scope_writer *writer, struct scope_triggers *triggers)
{
	struct scope_new_processes *processes;
	uint64_t next_ns = 0;
	double begin_s;
	char why[128];

	if (scope_capture_new_processes_create(&processes))
		exit(1);
	if (triggers)
		scope_trace_writer_set_tap(writer, tap, triggers);
	begin_s = cpu_s();
	for (size_t i = 0; i < input->count; i++) {
		const struct scope_subbuf *subbuf = input->subbuf[i];
		const void *record;
		uint32_t offset = 0;

		while ((record = scope_trace_walk_next(subbuf, SCOPE_NEW_PROCESSES_TYPES, &offset)))
			scope_capture_new_processes_note(processes, record);
		if (scope_trace_writer_subbuf(writer, subbuf))
			exit(1);
		if (triggers && subbuf->end_ns >= next_ns) {
			scope_recorder_triggers_fired(triggers, subbuf->end_ns, why);
			next_ns = subbuf->end_ns + 200000000;
		}
	}
	begin_s = cpu_s() - begin_s;
	scope_capture_new_processes_destroy(processes);
	return begin_s;
}

/* Bytes an event in a file of the same trace without its stacks. */
static double bytes_without_stacks(const char *path, const struct input *input)
{
	char name[] = "/var/tmp/scope-consume-XXXXXX";
	struct scope_error error = { "" };
	struct scope_packer *packer;
	struct scope_writer *writer;
	struct scope_trace *trace;
	struct scope_event event;
	double bytes;
	int fd = mkstemp(name);

	if (fd < 0 || unlink(name) || scope_trace_open(path, &error, &trace) ||
	    scope_trace_writer_create_fd(fd, "bench", &error, &writer) || scope_trace_packer_create(writer, 0, &packer))
		exit(1);
	while (scope_trace_next(trace, &event) == 1)
		if (event.kind != SCOPE_EVENT_STACK && scope_trace_packer_event(packer, &event, &error))
			exit(1);
	if (scope_trace_packer_flush(packer, &error) || scope_trace_writer_finish(writer, &error))
		exit(1);
	bytes = (double)scope_trace_writer_bytes(writer);
	scope_trace_packer_destroy(packer);
	scope_trace_writer_destroy(writer);
	scope_trace_close(trace);
	close(fd);
	return bytes / (double)(input->events - input->stacks);
}

static void print_share(const char *name, const struct input *input, double seconds)
{
	printf("%s %.2f %%\n", name, 100 * seconds * RATE / (double)input->events);
}

int main(int argc, char **argv)
{
	struct scope_error error = { "" };
	struct scope_triggers *triggers;
	struct scope_writer *writer;
	struct input input = { 0 };
	char name[] = "/var/tmp/scope-consume-XXXXXX";
	double seconds, packing;
	int fd;

	if (argc != 2 || read_input(argv[1], &input)) {
		fputs("usage: consume TRACE\n", stderr);
		return 2;
	}
	fd = mkstemp(name);
	if (fd < 0 || unlink(name) || scope_trace_writer_create_fd(fd, "bench", &error, &writer))
		return 1;
	scope_trace_writer_defer(writer, SCOPE_WRITER_DEFER_BYTES);
	seconds = consume(&input, writer, NULL);
	packing = cpu_s();
	if (scope_trace_writer_finish(writer, &error))
		return 1;
	packing = cpu_s() - packing;
	fprintf(stderr, "%" PRIu64 " events, %" PRIu64 " of them stacks, in %.1f s\n", input.events, input.stacks,
		(double)input.span_ns / 1e9);
	printf("file_bytes_per_event %.2f bytes\n", (double)scope_trace_writer_bytes(writer) / (double)input.events);
	printf("file_bytes_per_event_without_stacks %.2f bytes\n", bytes_without_stacks(argv[1], &input));
	printf("raw_bytes_per_event %.2f bytes\n", (double)input.bytes / (double)input.events);
	print_share("record_cpu_share", &input, seconds);
	print_share("packing_cpu_share", &input, packing);
	scope_trace_writer_destroy(writer);
	if (scope_trace_writer_create_flight(UINT64_MAX / 2, 256u << 20, &error, &writer))
		return 1;
	print_share("flight_cpu_share", &input, consume(&input, writer, NULL));
	scope_trace_writer_destroy(writer);
	if (scope_trace_writer_create_flight(UINT64_MAX / 2, 256u << 20, &error, &writer) ||
	    scope_recorder_triggers_create(&triggers) ||
	    scope_recorder_triggers_add(triggers, "rate:sendmsg<50%", &error) ||
	    scope_recorder_triggers_add(triggers, "unit>200ms", &error) ||
	    scope_recorder_triggers_add(triggers, "hang>10s", &error) ||
	    scope_recorder_triggers_add(triggers, "runqueue>20%", &error))
		return 1;
	print_share("flight_triggers_cpu_share", &input, consume(&input, writer, triggers));
	scope_trace_writer_destroy(writer);
	scope_recorder_triggers_destroy(triggers);
	close(fd);
	return 0;
}
