// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time a loop of calls while a session of the module runs, or none.
 *
 * Usage: calls none|plain|default|sched|causes|disks|blocked|words|peers|other|never|often|chain|walk|copy|kprobe|uprobe
 *              getppid|close|pingpong|yield|handover|timer|connect|request|bio|linear|flush|getppid_few|getppid_deep|
 *              function|spin|idle
 *   none      no session; the module need not be loaded
 *   plain     the loop is traced: no stacks, no samples
 *   default   the loop is traced as scope-report -p does it
 *   sched     the loop's switches and wakings are traced, its calls are not; no reader runs
 *   causes    as sched, and which interrupt woke a thread
 *   disks     as sched, and its requests and bios to block devices
 *   blocked, words  as sched, with calls; and with the memory of futexes that threads sleep on
 *   peers     as blocked, with the addresses of connections that calls open
 *   other     a session traces another process, which waits
 *   never, often  also, without samples, and with their timers at a period of 250 µs
 *   chain, walk, copy  as plain, and every call gets its stack: by frame pointers, by unwind tables, or 8 KiB of it
 *             copied
 *   kprobe    as plain, with a probe on the kernel's function of getppid()
 *   uprobe    as plain, with a probe on the function that the loop `function` calls
 *   getppid   a call that does next to nothing
 *   close     one that fails at once and whose first argument is recorded
 *   pingpong  a byte through a pipe to another process and back: two writes, two reads that block,
 *             two wakings, two switches
 *   yield     the CPU to another process and back: two calls, two switches
 *   handover  to another process and back by futexes: two wakes, two waits that block, two wakings, two switches
 *   timer     a sleep that ends at once, by a timer's interrupt
 *   connect   of a socket of datagrams, which does not wait
 *   request, bio, linear, flush  a read of 4 KiB of a device that makes requests, that takes bios, and that passes bios on to
 *             one which makes requests; and a flush of a loop device: tests/bench/disks.sh prepares them
 *   getppid_few  as getppid, with fewer calls, for what is large
 *   getppid_deep  as that, from the 16th function of the stack that frame pointers show
 *   function  one of this program
 *   spin      a thousand calls of it
 *   idle      no loop: this process sleeps
 * Meant for a guest whose clock counts instructions: 1 ns is one. Prints, in ns of that clock:
 *   floor     one turn of the loop between interrupts: of the shortest rounds of two lengths, the
 *             difference
 *   own       one turn of a long loop, CPU time of the process: interrupts are in
 *   all       the same, all time that passed: the reader of the session is in too
 *   reader    of the session, CPU time for each record, until the last is in the file
 *   packing   also, from then to the end of the file
 *   busy      (idle alone) of each second, what was not idle by /proc/stat
 *   bytes     of record for each turn of the loop, sub-buffer headers included
 *   records, stacks, lost    of the session
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <scope/table.h>

#include "calls_loops.h"
#include "capture/capture.h"
#include "control/control.h"
#include "control/probe.h"
#include "source/module.h"
#include "source/rings.h"
#include "symbol/image.h"
#include "trace/format.h"
#include "trace/writer.h"

#define ROUNDS 150
#define OFTEN_NS 250000
#define IDLE_S 100
#define WARM_UPS 20

enum mode {
	NONE,
	PLAIN,
	DEFAULT,
	SCHED,
	CAUSES,
	DISKS,
	BLOCKED,
	WORDS,
	PEERS,
	OTHER,
	NEVER,
	OFTEN,
	CHAIN,
	WALK,
	COPY,
	KPROBE,
	UPROBE,
	MODES,
};
static const char *const modes[MODES] = { "none",    "plain", "default", "sched",  "causes", "disks",
					  "blocked", "words", "peers",	 "other",  "never",  "often",
					  "chain",   "walk",  "copy",	 "kprobe", "uprobe" };

/* Sessions that no option of scope-report makes: without samples and stacks, and without some events that it needs. */
static const uint32_t events_of[MODES] = {
	[SCHED] = SCOPE_EVENTS_SCHED,
	[CAUSES] = SCOPE_EVENTS_SCHED | SCOPE_EVENTS_CAUSE,
	[DISKS] = SCOPE_EVENTS_SCHED | SCOPE_EVENTS_BLOCK,
	[BLOCKED] = SCOPE_EVENTS_SCHED | SCOPE_EVENTS_SYSCALL,
	[WORDS] = SCOPE_EVENTS_SCHED | SCOPE_EVENTS_SYSCALL | SCOPE_EVENTS_FUTEX,
	[PEERS] = SCOPE_EVENTS_SCHED | SCOPE_EVENTS_SYSCALL | SCOPE_EVENTS_PEER,
};

static bool walked; /* by unwind tables, which come after a while */

static uint64_t clock_ns(clockid_t id)
{
	struct timespec time;

	clock_gettime(id, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Of the shortest of many rounds of that many turns. */
static uint64_t shortest_ns(unsigned int turns)
{
	uint64_t best = UINT64_MAX;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t begin = clock_ns(CLOCK_MONOTONIC), took;

		for (unsigned int i = 0; i < turns; i++)
			row->call();
		took = clock_ns(CLOCK_MONOTONIC) - begin;
		if (took < best)
			best = took;
	}
	return best;
}

/* The time of all processors, in steps of 10 ms. */
static uint64_t idle_ns(void)
{
	FILE *file = fopen("/proc/stat", "re");
	unsigned long long ticks = 0;

	if (!file || fscanf(file, "cpu %*u %*u %*u %llu", &ticks) != 1)
		exit(1);
	fclose(file);
	return ticks * (1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK));
}

static void idle(void)
{
	const struct timespec pause = { .tv_sec = IDLE_S };
	uint64_t begin = clock_ns(CLOCK_MONOTONIC), before = idle_ns(), took;

	nanosleep(&pause, NULL);
	before = idle_ns() - before;
	took = clock_ns(CLOCK_MONOTONIC) - begin;
	printf("busy %.0f\n", ((double)took - (double)before) / (double)took * 1e9);
}

static void loop(void)
{
	pid_t peer = has_peer() ? start_peer() : 0;
	uint64_t few, many, all, own;

	if (peer < 0)
		exit(1);
	few = shortest_ns(row->few);
	many = shortest_ns(row->many);
	printf("floor %.1f\n", (double)(many - few) / (row->many - row->few));
	all = clock_ns(CLOCK_MONOTONIC);
	own = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (unsigned int i = 0; i < row->turns; i++)
		row->call();
	own = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - own;
	all = clock_ns(CLOCK_MONOTONIC) - all;
	printf("own %.1f\nall %.1f\n", (double)own / row->turns, (double)all / row->turns);
	fflush(stdout);
	if (peer) {
		if (row->call != call_peer)
			kill(peer, SIGKILL);
		close(to_peer[1]);
		waitpid(peer, NULL, 0);
	}
}

/*
 * The first stacks of a capture are copied, and lead to the tables by which the later ones are walked. Calls between
 * pauses, in which the emulator's clock leaps, so that they cost nothing.
 */
static void warm_up(void)
{
	const struct timespec pause = { .tv_nsec = 100000000 };

	for (unsigned int i = 0; i < WARM_UPS; i++) {
		row->call();
		nanosleep(&pause, NULL);
	}
}

/* A frame of the usual size for each function. */
__attribute__((noinline, noclone)) static void loop_below(unsigned int depth)
{
	volatile char room[128];

	room[0] = (char)depth;
	if (depth)
		loop_below(depth - 1);
	else if (walked)
		warm_up();
	if (!depth)
		loop();
	/* So that the calls are no jumps, and the room is there. */
	__asm__ volatile("" : : "r"(room) : "memory");
}

static void run_loop(void)
{
	if (row->call)
		loop_below(row->depth);
	else
		idle();
}

/* Runs job() once the caller writes to *ret_go. */
static pid_t start(void (*job)(void), int *ret_go)
{
	int go[2];
	char byte;
	pid_t pid;

	if (pipe(go))
		return -1;
	pid = fork();
	if (pid) {
		close(go[0]);
		*ret_go = go[1];
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(go[1]);
	if (read(go[0], &byte, 1) == 1)
		job();
	exit(0);
}

static void nothing(void)
{
}

struct run {
	int go; /* of the loop */
	pid_t loop;
	int other_go; /* of the process traced instead of it, or -1 */
	int failed;
};

/* Tracing is on: let the loop run. Where it is not the target, the target ends once it has. */
static void begun(void *context, const struct scope_target *target)
{
	struct run *run = context;

	(void)target;
	run->failed |= write(run->go, "g", 1) != 1;
	if (run->other_go >= 0) {
		waitpid(run->loop, NULL, 0);
		run->failed |= write(run->other_go, "g", 1) != 1;
	}
}

/* Bytes of all sub-buffers in a trace file. */
static uint64_t subbuf_bytes(int fd)
{
	off_t at = sizeof(struct scope_file_header);
	struct scope_frame frame;
	uint64_t bytes = 0;

	while (pread(fd, &frame, sizeof(frame), at) == sizeof(frame)) {
		if (frame.type == SCOPE_FRAME_SUBBUF)
			bytes += frame.raw_bytes;
		at += (off_t)(sizeof(frame) + scope_trace_frame_padded(frame.payload_bytes));
	}
	return bytes;
}

static void print_bytes(uint64_t bytes)
{
	double turns = row->turns + (double)ROUNDS * (row->few + row->many);

	printf("bytes %.2f\n", (double)bytes / turns);
}

static int capture(const struct scope_capture_options *options, struct run *run)
{
	const struct scope_capture_watch watch = { .begun = begun, .context = run };
	static const volatile sig_atomic_t stop;
	struct scope_capture_stats stats;
	struct scope_writer *writer;
	struct scope_error error = { 0 };
	/* Memory, as of memfd_create(), which is not there before 3.17. */
	char name[] = "/dev/shm/calls.XXXXXX";
	int fd = mkostemp(name, O_CLOEXEC), code;
	uint64_t reader_ns = 0;

	if (fd >= 0)
		unlink(name);
	code = fd < 0 ? -errno : scope_trace_writer_create_fd(fd, "calls", &error, &writer);
	if (!code) {
		/* Only scope-report takes samples here, and it reads the file as it grows. */
		if (!options->sample_period_ns)
			scope_trace_writer_defer(writer, SCOPE_WRITER_DEFER_BYTES);
		code = scope_capture(&scope_source_module, options, writer, &stop, &watch, &error, &stats);
		reader_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		if (!code)
			code = scope_trace_writer_finish(writer, &error);
		scope_trace_writer_destroy(writer);
	}
	if (code || run->failed) {
		fprintf(stderr, "calls: %s\n", error.text[0] ? error.text : strerror(-code));
		return 1;
	}
	printf("reader %.1f\n", (double)reader_ns / (double)stats.counts.records);
	printf("packing %.1f\n",
	       (double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - reader_ns) / (double)stats.counts.records);
	print_bytes(subbuf_bytes(fd));
	printf("records %llu\nstacks %llu\nlost %llu\n", (unsigned long long)stats.counts.records,
	       (unsigned long long)stats.counts.stacks,
	       (unsigned long long)(stats.counts.lost[0] + stats.counts.lost[1] + stats.counts.lost[2]));
	close(fd);
	return 0;
}

static int add_bytes(const struct scope_subbuf *subbuf, void *context)
{
	*(uint64_t *)context += subbuf->used_bytes;
	return 0;
}

/* A session of these events, large enough for all of them. */
static int capture_events(uint32_t events, struct run *run)
{
	const struct scope_control_target target = { .kind = SCOPE_ATTR_TARGET, .id = (uint32_t)run->loop };
	struct scope_session_config config = {
		.targets = &target,
		.target_count = 1,
		.follow = true,
		.events = events,
		.subbuf_count = 128,
	};
	struct scope_control *control = NULL;
	struct scope_rings *rings = NULL;
	struct scope_error error = { 0 };
	uint64_t bytes = 0;
	int code = scope_control_open(&error, &control, NULL);

	if (!code)
		code = scope_source_rings_open(&error, &rings, &config.session);
	if (!code)
		code = scope_control_configure(control, &config, &error);
	if (!code)
		code = scope_source_rings_map(rings, &error);
	if (!code)
		code = scope_control_start(control, config.session, &error);
	if (!code && write(run->go, "g", 1) == 1 && waitpid(run->loop, NULL, 0) == run->loop)
		code = scope_control_stop(control, config.session, &error);
	if (!code)
		code = scope_source_rings_drain(rings, add_bytes, &bytes);
	if (code)
		fprintf(stderr, "calls: %s\n", error.text[0] ? error.text : strerror(-code));
	print_bytes(bytes);
	scope_source_rings_close(rings);
	scope_control_close(control);
	return code != 0;
}

/* Adds the settings of these modes to those of plain. Returns 0, or -errno. */
static int set_mode(enum mode mode, struct scope_probe *probe, struct scope_capture_options *options)
{
	struct scope_image *image;
	int code = 0;

	options->stack_mode = mode == CHAIN  ? SCOPE_STACK_CHAIN
			      : mode == COPY ? SCOPE_STACK_COPY
			      : mode == WALK ? (enum scope_stack_mode)SCOPE_STACK_TABLES
					     : SCOPE_STACK_NONE;
	options->sample_period_ns = 0;
	options->overhead_max = 0;
	if (mode == OFTEN) {
		options->stack_mode = SCOPE_STACK_COPY;
		options->stack_budget = 0; /* the period stays as it is */
		options->sample_period_ns = options->sample_period_min_ns = OFTEN_NS;
	}
	if (mode == CHAIN || mode == WALK || mode == COPY) {
		options->stack_min_ns = 0;
		options->stack_budget = 0;
		options->stacks_per_second = UINT32_MAX;
		/* Dropping records would be cheaper than writing them, which is measured. */
		options->subbuf_bytes = 1 << 20;
		options->subbuf_count = 64;
		memset(options->stack_syscalls, 0xff, sizeof(options->stack_syscalls));
	}
	if (mode == KPROBE) {
		probe->kind = SCOPE_PROBE_KPROBE;
		strcpy(probe->name, "__x64_sys_getppid");
	} else if (mode == UPROBE) {
		probe->kind = SCOPE_PROBE_UPROBE;
		strcpy(probe->name, "/proc/self/exe");
		code = scope_symbol_image_create(open("/proc/self/exe", O_RDONLY | O_CLOEXEC), NULL, "/proc/self/exe",
						 &image);
		if (!code) {
			code = scope_symbol_image_offset(image, "calls_function", &probe->offset);
			scope_symbol_image_destroy(image);
		}
	} else {
		return 0;
	}
	options->probes = probe;
	options->probe_count = 1;
	return code;
}

static int run(enum mode mode)
{
	struct scope_probe probe = { .id = 1 };
	struct scope_capture_options options;
	struct run run = { .other_go = -1 };
	const bool beside = mode == OTHER || mode == NEVER || mode == OFTEN;
	pid_t other = 0;
	int ret = 0;

	run.loop = start(run_loop, &run.go);
	if (beside)
		other = start(nothing, &run.other_go);
	if (run.loop < 0 || other < 0)
		return 1;
	if (mode == NONE) {
		ret = write(run.go, "g", 1) != 1;
	} else if (events_of[mode]) {
		ret = capture_events(events_of[mode], &run);
	} else {
		scope_capture_options_init(&options, (uint32_t)(other ? other : run.loop));
		options.duration_ns = 0;
		if (mode != DEFAULT && mode != OTHER)
			ret = set_mode(mode, &probe, &options) != 0;
		ret |= capture(&options, &run);
	}
	if (!beside)
		waitpid(run.loop, NULL, 0);
	if (other)
		waitpid(other, NULL, 0);
	return ret;
}

int main(int argc, char **argv)
{
	unsigned int mode = 0, at = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 3) {
		while (mode < MODES && strcmp(argv[1], modes[mode]))
			mode++;
		while (at < ROWS && strcmp(argv[2], rows[at].name))
			at++;
	}
	if (argc != 3 || mode == MODES || at == ROWS) {
		fputs("usage: calls none|plain|default|sched|causes|blocked|words|peers|other|never|often|chain|"
		      "walk|copy|kprobe|uprobe getppid|close|pingpong|yield|handover|timer|connect|getppid_few|getppid_deep|function|spin|idle\n",
		      stderr);
		return 2;
	}
	row = &rows[at];
	walked = mode == WALK;
	return run((enum mode)mode);
}
