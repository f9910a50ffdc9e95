// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measure how many events per second a trace gives, decoded and merged in one thread.
 *
 * Usage: decode [SUBBUFS]     lines "name value unit"
 *        decode FILE          events of that trace, and seconds to read them all
 * Times are CPU time of the thread, so other programs of the machine have little influence.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "trace/decode.h"
#include "trace/trace.h"
#include "trace/writer.h"

#define CPUS_MAX 64
#define SUBBUF_BYTES (256u << 10)

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}

/* Two calls, then a switch, over and over, as a busy server writes them: 40 bytes for 3 events. */
static uint64_t fill(struct scope_subbuf *subbuf, uint64_t *time_ns, unsigned int *seed)
{
	uint8_t *end = (uint8_t *)subbuf + SUBBUF_BYTES;
	uint8_t *pos = (uint8_t *)(subbuf + 1);
	uint64_t events = 0;

	while (pos + sizeof(struct scope_record_syscall) <= end) {
		uint32_t delta_ns = rand_r(seed) % 2000;

		*time_ns += delta_ns;
		if (events++ % 3 < 2) {
			*(struct scope_record_syscall *)pos = (struct scope_record_syscall){
				.word = scope_record_word(SCOPE_RECORD_SYSCALL, delta_ns),
				.nr = rand_r(seed) % 300,
				.duration_ns = rand_r(seed) % 1000,
			};
			pos += sizeof(struct scope_record_syscall);
		} else {
			*(struct scope_record_switch *)pos = (struct scope_record_switch){
				.word = scope_record_word(SCOPE_RECORD_SWITCH, delta_ns),
				.bits = rand_r(seed) % 64 | SCOPE_SWITCH_NEXT_TRACED | SCOPE_SWITCH_PREV_TRACED,
			};
			pos += sizeof(struct scope_record_switch);
		}
	}
	subbuf->used_bytes = pos - (uint8_t *)subbuf;
	subbuf->end_ns = *time_ns;
	return events;
}

static uint64_t write_trace(struct scope_writer *writer, unsigned int cpus, unsigned int subbufs)
{
	struct scope_subbuf *subbuf = malloc(SUBBUF_BYTES);
	uint64_t time_ns[CPUS_MAX] = { 0 }, events = 0;
	unsigned int seed = 1;

	if (!subbuf)
		return 0;
	for (unsigned int i = 0; i < subbufs; i++) {
		uint32_t cpu = i % cpus;

		*subbuf = (struct scope_subbuf){
			.magic = SCOPE_SUBBUF_MAGIC,
			.cpu = cpu,
			.number = i / cpus,
			.begin_ns = time_ns[cpu],
		};
		events += fill(subbuf, &time_ns[cpu], &seed);
		if (scope_trace_writer_subbuf(writer, subbuf))
			return 0;
	}
	free(subbuf);
	return events;
}

/* A trace read five times, from memory: its events, the time of the best round, a checksum. */
static int read_all(struct scope_trace *trace, uint64_t *ret_events, double *ret_seconds, uint64_t *ret_sum)
{
	struct scope_event event;
	double best_s = 1e9;

	*ret_sum = 0;
	for (int round = 0; round < 5; round++) {
		double begin_s = now_s();

		*ret_events = 0;
		if (scope_trace_rewind(trace))
			return 1;
		while (scope_trace_next(trace, &event) == 1) {
			*ret_sum += event.time_ns ^ event.tid;
			++*ret_events;
		}
		if (now_s() - begin_s < best_s)
			best_s = now_s() - begin_s;
	}
	*ret_seconds = best_s;
	return 0;
}

static int measure(int fd, unsigned int cpus, int level, uint64_t written)
{
	struct scope_trace *trace;
	uint64_t read, sum;
	double best_s;

	if (scope_trace_open_fd(fd, "bench", NULL, &trace) || read_all(trace, &read, &best_s, &sum) || read != written)
		return 1;
	scope_trace_close(trace);
	fprintf(stderr, "%u CPUs, checksum %" PRIu64 "\n", cpus, sum);
	printf("decode_events_per_s%s%s %.0f events/s\n", cpus == 1 ? "_1_cpu" : "", level ? "_zstd" : "",
	       (double)written / best_s);
	return 0;
}

static int run(unsigned int cpus, unsigned int subbufs, int level)
{
	struct scope_writer *writer;
	int fd = memfd_create("bench", 0);
	double begin_s = now_s();
	uint64_t written;
	int ret;

	if (fd < 0 || scope_trace_writer_create_fd(fd, "bench", NULL, &writer))
		return 1;
	scope_trace_writer_set_level(writer, level);
	written = write_trace(writer, cpus, subbufs);
	ret = written ? scope_trace_writer_finish(writer, NULL) : 1;
	if (!ret && cpus > 1 && level) {
		printf("trace_bytes_per_event %.1f bytes\n",
		       (double)scope_trace_writer_bytes(writer) / (double)written);
		printf("write_events_per_s %.0f events/s\n", (double)written / (now_s() - begin_s));
	}
	scope_trace_writer_destroy(writer);
	if (!ret)
		ret = measure(fd, cpus, level, written);
	close(fd);
	return ret;
}

/* The decoder alone, on one sub-buffer in the cache: no file, no compression, no merge. */
static int measure_records(unsigned int rounds)
{
	struct scope_subbuf *subbuf = calloc(1, SUBBUF_BYTES);
	uint64_t time_ns = 0, events, sum = 0;
	unsigned int seed = 1;
	double begin_s;

	if (!subbuf)
		return 1;
	subbuf->magic = SCOPE_SUBBUF_MAGIC;
	events = fill(subbuf, &time_ns, &seed);
	begin_s = now_s();
	for (unsigned int i = 0; i < rounds; i++) {
		struct scope_decoder decoder = { 0 };
		struct scope_event event;

		if (scope_trace_decoder_begin(&decoder, subbuf, subbuf->used_bytes))
			return 1;
		while (scope_trace_decoder_peek(&decoder) && !scope_trace_decoder_take(&decoder, &event))
			sum += event.time_ns ^ event.tid;
	}
	printf("decode_records_per_s %.0f events/s\n", (double)events * rounds / (now_s() - begin_s));
	fprintf(stderr, "records, checksum %" PRIu64 "\n", sum);
	free(subbuf);
	return 0;
}

static int measure_file(const char *path)
{
	struct scope_error error;
	struct scope_trace *trace;
	uint64_t events, sum;
	double seconds;

	if (scope_trace_open(path, &error, &trace)) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	if (read_all(trace, &events, &seconds, &sum))
		return 1;
	scope_trace_close(trace);
	printf("%" PRIu64 " %.6f\n", events, seconds);
	return 0;
}

int main(int argc, char **argv)
{
	char *end = "";
	unsigned int subbufs = argc > 1 ? strtoul(argv[1], &end, 10) : 600;

	if (*end)
		return measure_file(argv[1]);
	return measure_records(subbufs) || run(1, subbufs, 0) || run(4, subbufs, 0) || run(4, subbufs, 1);
}
