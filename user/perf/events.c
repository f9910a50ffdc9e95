// SPDX-License-Identifier: GPL-2.0-only
/*
 * The perf events of a session: the same few on every CPU, for all tasks, filtered in the kernel by thread number, with
 * rings for events and for stacks. docs/architecture.md, "Perf events are opened for each CPU", has the measurements.
 */
#include "perf/events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/grow.h"
#include "perf/attr.h"
#include "perf/check.h"
#include "perf/cost.h"
#include "perf/tracefs.h"
#include "perf/uprobe.h"
#include "proc/file.h"

#define BLOCKS_PER_SECOND 10000u /* copies of stacks of sleeping threads, per CPU, at most */
#define BLOCKS_LEAST 2000u	 /* and at least, however few stacks are written */
#define BLOCKS_TIMES 20		 /* copies for each stack that is written: the length of a sleep is not known before */
#define RING_TIMES 2 /* times as large as the module's rings, because records are larger before they are packed */
#define RING_BYTES_MIN (512ull << 10)
#define RING_BYTES_LEAST (16ull << 10) /* if no more can be locked */
#define RING_STACK_TIMES 4 /* rings for stacks are this many times as large as the others, unless that is too much: … */
#define RINGS_BYTES_MAX (256ull << 20) /* … the most bytes of all CPUs together, if the least size allows it */

/* True if the event belongs to that ring. Samples and executions are not filtered. */
static bool wanted(const struct scope_perf_events *events, enum scope_perf_kind kind, const struct scope_perf_cpu *cpu,
		   const struct scope_capture_options *options)
{
	if (kind == SCOPE_PERF_PEER && !events->tracepoint[kind])
		return false;
	if (kind == SCOPE_PERF_SAMPLE && !options->sample_period_ns)
		return false;
	if (kind == SCOPE_PERF_BLOCK && scope_source_capture_all_stacks(options))
		return false;
	if (cpu->age == SCOPE_PERF_YOUNG && (kind == SCOPE_PERF_SAMPLE || kind == SCOPE_PERF_EXEC))
		return false;
	return cpu->stacks == (kind == SCOPE_PERF_BLOCK || kind == SCOPE_PERF_SAMPLE);
}

static int add_rings(struct scope_perf_events *events, size_t *capacity, unsigned long cpu, bool stacks)
{
	if (scope_grow(&events->cpu, capacity, events->cpus + SCOPE_PERF_AGES, sizeof(*events->cpu)))
		return -ENOMEM;
	for (int age = 0; age < SCOPE_PERF_AGES; age++)
		events->cpu[events->cpus++] = (struct scope_perf_cpu){
			.cpu = (uint32_t)cpu,
			.stacks = stacks,
			.age = age,
			.owner = -1,
		};
	return 0;
}

/* "0-3,8": rings for every CPU that is online. */
static int list_rings(struct scope_perf_events *events, bool stacks, struct scope_error *error)
{
	size_t capacity = 0;
	char *text, *at;
	int err = scope_proc_file_read(&text, "/sys/devices/system/cpu/online");

	if (err)
		return scope_error_set(error, err,
				       "/sys/devices/system/cpu/online cannot be read: %s: "
				       "mount sysfs on /sys",
				       strerror(-err));
	for (at = text; *at >= '0' && *at <= '9' && !err;) {
		unsigned long first = strtoul(at, &at, 10), last = first;

		if (*at == '-')
			last = strtoul(at + 1, &at, 10);
		if (*at == ',')
			at++;
		for (; first <= last && first < 65536 && !err; first++) {
			err = add_rings(events, &capacity, first, false);
			if (!err && stacks)
				err = add_rings(events, &capacity, first, true);
		}
	}
	free(text);
	return err ? scope_error_set(error, err, "no memory for the rings") : 0;
}

/* Descriptors are few, but the usual soft limit is 1024. */
static void raise_limit(const struct scope_perf_events *events)
{
	const rlim_t need = events->cpus * (SCOPE_PERF_KINDS + 1) + SCOPE_PERF_SPARE_FILES;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= need)
		return;
	limit.rlim_cur = need;
	if (limit.rlim_max < need)
		limit.rlim_max = need; /* root may */
	if (setrlimit(RLIMIT_NOFILE, &limit) && !getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static size_t ring_bytes(const struct scope_perf_events *events, const struct scope_capture_options *options)
{
	const uint64_t want = (uint64_t)RING_TIMES * options->subbuf_bytes * options->subbuf_count;
	uint64_t bytes = RING_BYTES_MIN;

	while (bytes < want && 2 * bytes * events->cpus <= RINGS_BYTES_MAX)
		bytes *= 2;
	return bytes;
}

static long mlock_kb(void)
{
	return scope_proc_file_number("/proc/sys/kernel/perf_event_mlock_kb", 0);
}

static int map_ring(struct scope_perf_cpu *cpu, size_t bytes, struct scope_error *error)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, cpu->owner, 0);

	if (at == MAP_FAILED && errno == EPERM)
		return scope_error_set(error, -EPERM,
				       "%zu KiB of memory cannot be locked for the ring of CPU %u: give "
				       "scope CAP_IPC_LOCK, or raise kernel.perf_event_mlock_kb (now %ld)",
				       bytes >> 10, cpu->cpu, mlock_kb());
	if (at == MAP_FAILED)
		return scope_error_set(error, -errno, "cannot map the ring of CPU %u (%zu bytes): %s", cpu->cpu, bytes,
				       strerror(errno));
	cpu->ring = (struct scope_perf_ring){ .page = at, .data = (uint8_t *)at + page, .bytes = bytes };
	return 0;
}

static int open_ring(struct scope_perf_events *events, struct scope_perf_cpu *cpu, size_t bytes,
		     struct scope_error *error)
{
	struct perf_event_attr attr = scope_perf_attr_owner(!cpu->stacks && cpu->age == SCOPE_PERF_KNOWN);
	struct epoll_event wake = { .events = EPOLLIN };

	attr.wakeup_watermark = (uint32_t)(bytes / 4);
	cpu->owner = scope_perf_check_open(&attr, (int)cpu->cpu);
	if (cpu->owner == -ENODEV) /* it went offline */
		return 0;
	if (cpu->owner < 0)
		return scope_perf_check_refused(cpu->owner, events->cpus, error);
	if (epoll_ctl(events->epoll, EPOLL_CTL_ADD, cpu->owner, &wake))
		return scope_error_set(error, -errno, "cannot wait for the ring of CPU %u: %s", cpu->cpu,
				       strerror(errno));
	return map_ring(cpu, bytes, error);
}

static void close_ring(struct scope_perf_cpu *cpu)
{
	if (cpu->ring.page)
		munmap(cpu->ring.page, (size_t)sysconf(_SC_PAGESIZE) + cpu->ring.bytes);
	scope_perf_ring_destroy(&cpu->ring);
	if (cpu->owner >= 0)
		close(cpu->owner);
	cpu->owner = -1;
}

/*
 * Opens all rings with `bytes` bytes each, or a multiple of it for stacks, because perf reserves a whole slice for each
 * stack, however short it is. A user with CAP_PERFMON but without CAP_IPC_LOCK may lock only perf_event_mlock_kb for
 * each CPU: then all rings are made smaller until they fit.
 */
static int open_rings(struct scope_perf_events *events, size_t bytes, struct scope_error *error)
{
	const size_t wanted = bytes;
	size_t i, times = RING_STACK_TIMES;
	int err;

	if ((2 * SCOPE_PERF_AGES - 1 + times) * bytes * events->cpus / (2 * SCOPE_PERF_AGES) > RINGS_BYTES_MAX)
		times = 1;
	for (;; bytes /= 2, times = 1) {
		for (i = 0, err = 0; i < events->cpus && !err; i++)
			err = open_ring(events, &events->cpu[i],
					events->cpu[i].stacks && events->cpu[i].age == SCOPE_PERF_KNOWN ? times * bytes
													: bytes,
					error);
		if (err != -EPERM || bytes / 2 < RING_BYTES_LEAST)
			break;
		while (i--)
			close_ring(&events->cpu[i]);
	}
	if (!err && bytes < wanted)
		snprintf(events->note, sizeof(events->note),
			 "rings of %zu KiB instead of %zu KiB for each CPU, without CAP_IPC_LOCK and by "
			 "kernel.perf_event_mlock_kb = %ld: more events may be lost",
			 bytes >> 10, wanted >> 10, mlock_kb());
	return err;
}

static int open_one(struct scope_perf_events *events, struct scope_perf_cpu *cpu, enum scope_perf_kind kind,
		    const struct scope_capture_options *options, const struct scope_perf_coverage *cover,
		    struct scope_error *error)
{
	struct perf_event_attr attr = scope_perf_attr_of(events, kind, options);
	struct scope_perf_event event = { .id.kind = kind };
	char filter[SCOPE_PERF_FILTER_BYTES];

	attr.wakeup_watermark = (uint32_t)(cpu->ring.bytes / 4);
	event.fd = scope_perf_check_open(&attr, (int)cpu->cpu);
	if (event.fd < 0)
		return scope_perf_check_refused(event.fd, events->cpus, error);
	cpu->event[cpu->events++] = event;
	if (scope_perf_attr_filter(events, kind, cover, cpu->age, options->selection, filter) &&
	    ioctl(event.fd, PERF_EVENT_IOC_SET_FILTER, filter))
		return scope_error_set(error, -errno, "the kernel does not take the filter '%.200s' for %s: %s", filter,
				       scope_perf_attr_tracepoint(kind), strerror(errno));
	if (ioctl(event.fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->owner) ||
	    ioctl(event.fd, PERF_EVENT_IOC_ID, &cpu->event[cpu->events - 1].id.id))
		return scope_error_set(error, -errno, "perf events of CPU %u cannot share a ring: %s", cpu->cpu,
				       strerror(errno));
	return 0;
}

static int open_events(struct scope_perf_events *events, struct scope_perf_cpu *cpu,
		       const struct scope_capture_options *options, const struct scope_perf_coverage *cover,
		       struct scope_error *error)
{
	int kind, err = 0;

	cpu->events = 0;
	cpu->blocks_every = 1;
	for (kind = 0; kind < SCOPE_PERF_KINDS && !err; kind++)
		if (wanted(events, kind, cpu, options))
			err = open_one(events, cpu, kind, options, cover, error);
	return err;
}

/* Records of the previous events are still in the ring. */
static void note_ids(struct scope_perf_cpu *cpu)
{
	const size_t most = (SCOPE_PERF_GENERATIONS - 1) * SCOPE_PERF_KINDS;
	size_t i;

	if (cpu->ids > most)
		cpu->ids = most;
	memmove(cpu->id + cpu->events, cpu->id, cpu->ids * sizeof(*cpu->id));
	cpu->ids += cpu->events;
	for (i = 0; i < cpu->events; i++)
		cpu->id[i] = cpu->event[i].id;
	cpu->seen = 0;
}

/* True if the record belongs to a thread that the coverage knows. */
static bool is_known(const struct scope_perf_coverage *cover, const struct scope_perf_record *record)
{
	switch (record->kind) {
	case SCOPE_PERF_SWITCH:
		return scope_perf_coverage_knows(cover, (uint32_t)record->value[0]) ||
		       scope_perf_coverage_knows(cover, (uint32_t)record->value[2]);
	case SCOPE_PERF_WAKING:
		return scope_perf_coverage_knows(cover, (uint32_t)record->value[0]);
	default:
		return scope_perf_coverage_knows(cover, record->tid);
	}
}

bool scope_perf_events_is_duplicate(struct scope_perf_cpu *cpu, const struct scope_perf_coverage *cover,
				    const struct scope_perf_record *record)
{
	const uint32_t kind = 1u << record->kind;

	if (record->id_at < cpu->events) {
		cpu->seen |= kind;
		return false;
	}
	return cpu->seen & kind || (cpu->age == SCOPE_PERF_YOUNG && cpu[-1].seen & kind && is_known(cover, record));
}

static void close_events(struct scope_perf_cpu *cpu)
{
	while (cpu->events)
		close(cpu->event[--cpu->events].fd);
}

static int open_first(struct scope_perf_events *events, struct scope_perf_cpu *cpu,
		      const struct scope_capture_options *options, const struct scope_perf_coverage *cover,
		      struct scope_error *error)
{
	int err = open_events(events, cpu, options, cover, error);

	note_ids(cpu);
	return err;
}

int scope_perf_events_open(struct scope_perf_events *events, const struct scope_capture_options *options,
			   const struct scope_perf_coverage *cover, struct scope_error *error)
{
	size_t i;
	int err;

	*events = (struct scope_perf_events){ .cpus = 0 };
	events->layout.stack[scope_source_capture_all_stacks(options) ? SCOPE_PERF_ENTER : SCOPE_PERF_BLOCK] =
		options->stack_mode;
	if (options->sample_period_ns)
		events->layout.stack[SCOPE_PERF_SAMPLE] = options->stack_mode;
	events->layout.kernel_ips = options->kernel_ips;
	events->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (events->epoll < 0)
		return scope_error_set(error, -errno, "cannot wait for perf rings: %s", strerror(errno));
	err = scope_perf_attr_find(events, error);
	if (!err)
		err = list_rings(events, options->stack_mode != SCOPE_STACK_NONE, error);
	if (err)
		return err;
	raise_limit(events);
	if (options->sample_period_ns && options->stack_mode) {
		const struct perf_event_attr sample = scope_perf_attr_of(events, SCOPE_PERF_SAMPLE, options);

		events->sample_cost_ns = scope_perf_cost_measure(&sample);
	}
	err = open_rings(events, ring_bytes(events, options), error);
	for (i = 0; i < events->cpus && !err; i++)
		if (events->cpu[i].ring.page)
			err = open_first(events, &events->cpu[i], options, cover, error);
	return err;
}

void scope_perf_events_close(struct scope_perf_events *events)
{
	size_t i;

	scope_perf_uprobes_close(events);
	for (i = 0; i < events->cpus; i++) {
		close_events(&events->cpu[i]);
		close_ring(&events->cpu[i]);
	}
	free(events->cpu);
	if (events->epoll > 0)
		close(events->epoll);
	*events = (struct scope_perf_events){ .cpus = 0 };
}

static void enable_cpu(struct scope_perf_cpu *cpu, bool on)
{
	const unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
	size_t i;

	for (i = 0; i < cpu->events; i++)
		ioctl(cpu->event[i].fd, request, 0);
}

void scope_perf_events_enable(struct scope_perf_events *events, bool on)
{
	size_t i;

	for (i = 0; i < events->cpus; i++) {
		if (events->cpu[i].owner >= 0)
			ioctl(events->cpu[i].owner, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
		enable_cpu(&events->cpu[i], on);
	}
}

static void set_blocks_every(struct scope_perf_cpu *cpu, uint64_t every)
{
	size_t i;

	for (i = 0; i < cpu->events; i++)
		if (cpu->event[i].id.kind == SCOPE_PERF_BLOCK &&
		    !ioctl(cpu->event[i].fd, PERF_EVENT_IOC_PERIOD, &every))
			cpu->blocks_every = every;
}

void scope_perf_events_limit_stacks(struct scope_perf_events *events, const struct scope_capture_options *options,
				    uint64_t elapsed_ns)
{
	const uint64_t wanted = (uint64_t)BLOCKS_TIMES * options->stacks_per_second;
	const uint64_t limit = !wanted || wanted > BLOCKS_PER_SECOND ? BLOCKS_PER_SECOND
			       : wanted < BLOCKS_LEAST		     ? BLOCKS_LEAST
								     : wanted;
	const double most = (double)limit * (double)elapsed_ns / 1e9;
	size_t i;

	for (i = 0; i < events->cpus; i++) {
		struct scope_perf_cpu *cpu = &events->cpu[i];
		const double sleeps = (double)cpu->blocks * (double)cpu->blocks_every;
		const uint64_t every = 1 + (most > 0 ? (uint64_t)(sleeps / most) : 0);

		if (cpu->ring.page && every != cpu->blocks_every)
			set_blocks_every(cpu, every);
		cpu->blocks = 0;
	}
}

void scope_perf_events_period(struct scope_perf_events *events, uint64_t period_ns)
{
	for (size_t i = 0; i < events->cpus; i++)
		for (size_t j = 0; j < events->cpu[i].events; j++)
			if (events->cpu[i].event[j].id.kind == SCOPE_PERF_SAMPLE)
				ioctl(events->cpu[i].event[j].fd, PERF_EVENT_IOC_PERIOD, &period_ns);
}

/*
 * The old events of a ring are closed when the new ones are enabled. If the new ones cannot be opened, the old ones
 * stay.
 */
static int replace_events(struct scope_perf_events *events, struct scope_perf_cpu *cpu,
			  const struct scope_capture_options *options, const struct scope_perf_coverage *cover,
			  struct scope_error *error)
{
	struct scope_perf_event before[SCOPE_PERF_KINDS];
	const size_t count = cpu->events;
	int err;

	memcpy(before, cpu->event, sizeof(before));
	err = open_events(events, cpu, options, cover, error);
	if (err) {
		close_events(cpu);
		memcpy(cpu->event, before, sizeof(before));
		cpu->events = count;
		return err;
	}
	note_ids(cpu);
	enable_cpu(cpu, true);
	for (size_t i = 0; i < count; i++)
		close(before[i].fd);
	return 0;
}

/* Reopens the events of all rings, or only of the rings for stacks. */
static int open_again(struct scope_perf_events *events, bool stacks_only, const struct scope_capture_options *options,
		      const struct scope_perf_coverage *cover, struct scope_error *error)
{
	size_t i;
	int err = 0;

	for (i = 0; i < events->cpus && !err; i++)
		if (events->cpu[i].ring.page && (events->cpu[i].stacks || !stacks_only))
			err = replace_events(events, &events->cpu[i], options, cover, error);
	return err;
}

int scope_perf_events_recover(struct scope_perf_events *events, const struct scope_capture_options *options,
			      const struct scope_perf_coverage *cover, struct scope_error *error)
{
	return open_again(events, false, options, cover, error);
}

int scope_perf_events_resize_stacks(struct scope_perf_events *events, const struct scope_capture_options *options,
				    const struct scope_perf_coverage *cover, struct scope_error *error)
{
	return open_again(events, true, options, cover, error);
}
