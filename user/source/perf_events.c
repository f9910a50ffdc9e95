// SPDX-License-Identifier: GPL-2.0-only
/*
 * The perf events of a session.
 *
 * Every CPU has the same few events for all tasks, filtered in the kernel by thread number, and two
 * rings, for events and for stacks. The other way, events of each thread on each CPU that its children inherit, was measured
 * beside it in one run (`make bench`, lines perf_ways_*; figures of a virtual machine with 2 CPUs):
 *
 *                              no tracer   filtered, per CPU   of each thread
 *   getppid() of the target         1.0              x 8.1            x 7.9
 *   a byte there and back           1.0              x 2.3            x 3.1
 *   getppid() of others             1.0              x 2.3            x 1.3
 *   descriptors, 500 threads                           20            3,002
 *
 * The first way costs others more, a fifth of a microsecond for each of their calls. It was chosen
 * all the same: a ring holds what happened on its CPU in order, switches tell who comes as well as
 * who goes, threads that begin later need nothing to be opened, and descriptors, memory and start
 * do not grow with threads times CPUs. A host of 64 CPUs and 500 threads would take 96,000
 * descriptors the second way, 640 this way.
 *
 * Filters are numbers of threads (perf_cover.c). PERF_EVENT_IOC_SET_FILTER takes one page of text
 * and, once an event has a filter, no other.
 *
 * Stacks: perf takes them at every hit of an event or never, and knows no durations, so a stack at
 * the exit of slow calls alone cannot be had. One at every exit costs 8 KiB of copying for each call.
 * So they are taken as a thread goes to sleep: a second event on sched_switch, for threads that are
 * not merely preempted, which is thinned out above BLOCKS_PER_SECOND. (The kernel's own way to hold a
 * frequency was tried: it takes two sleeps close together for a high one, and left out a third of
 * 600 stacks.) Within a call the stack of the program is the same at sleep and at return. Calls that
 * take long without sleeping have the samples. Where every call is to have its stack (learning of
 * signatures), it comes with the call's entry, whatever that costs.
 */
#include "source/perf_events.h"

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
#include <time.h>
#include <unistd.h>

#include "base/grow.h"
#include "source/file.h"
#include "source/perf_cost.h"
#include "source/perf_tracefs.h"
#include "source/selection.h"

#define BLOCKS_PER_SECOND 10000u /* per CPU */
#define RING_TIMES 2		/* as large as the module's: records are, before they are packed */
#define RING_BYTES_MIN (512ull << 10)
#define RING_BYTES_LEAST (16ull << 10) /* where no more can be locked */
#define RINGS_BYTES_MAX (256ull << 20) /* of all CPUs together, where the least size allows */
#define SPARE_FILES 64

/* The tracepoints, the fields that are read, and the fields that hold a number to filter by. */
static const struct {
	const char *tracepoint; /* NULL: the timer */
	const char *field[SCOPE_PERF_FIELDS_MAX];
	const char *filter[2];
} rows[SCOPE_PERF_KINDS] = {
	[SCOPE_PERF_SWITCH] = { "sched/sched_switch", { "prev_pid", "prev_state", "next_pid" },
				{ "prev_pid", "next_pid" } },
	[SCOPE_PERF_ENTER] = { "raw_syscalls/sys_enter", { "id", "args" }, { "common_pid" } },
	[SCOPE_PERF_EXIT] = { "raw_syscalls/sys_exit", { "id", "ret" }, { "common_pid" } },
	[SCOPE_PERF_WAKING] = { "sched/sched_waking", { "pid", "common_flags" }, { "pid" } },
	[SCOPE_PERF_EXEC] = { "sched/sched_process_exec", { "pid", "old_pid" }, { NULL } },
	[SCOPE_PERF_BLOCK] = { "sched/sched_switch", { "prev_pid" }, { "prev_pid" } },
	[SCOPE_PERF_SAMPLE] = { NULL, { NULL }, { NULL } },
	[SCOPE_PERF_LIFE] = { NULL, { NULL }, { NULL } },
};

static int event_open(struct perf_event_attr *attr, int cpu)
{
	const int fd = (int)syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static struct perf_event_attr attr_base(void)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.disabled = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
	};
}

/* The ring's own event: no samples, but the lives and names of tasks. */
static struct perf_event_attr attr_owner(bool stacks)
{
	struct perf_event_attr attr = attr_base();

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.sample_period = 1;
	attr.task = !stacks;
	attr.comm = !stacks;
	attr.comm_exec = !stacks;
	return attr;
}

static void want_stack(struct perf_event_attr *attr, enum scope_stack_mode mode, uint32_t bytes)
{
	if (mode == SCOPE_STACK_CHAIN) {
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
		attr->exclude_callchain_kernel = 1;
	} else if (mode == SCOPE_STACK_COPY) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr->sample_regs_user = scope_perf_register_mask();
		attr->sample_stack_user = (bytes + 7) & ~7u;
	}
}

static struct perf_event_attr attr_of(const struct scope_perf_events *events,
				      enum scope_perf_kind kind,
				      const struct scope_capture_options *options)
{
	struct perf_event_attr attr = attr_base();

	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = events->tracepoint[kind];
	attr.sample_period = 1;
	attr.sample_type |= PERF_SAMPLE_RAW;
	if (kind == SCOPE_PERF_SAMPLE || kind == SCOPE_PERF_LIFE) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_CPU_CLOCK;
		attr.sample_period = kind == SCOPE_PERF_SAMPLE ? options->sample_period_ns
							       : SCOPE_PERF_LIFE_NS;
		attr.sample_type &= ~(uint64_t)PERF_SAMPLE_RAW;
	}
	want_stack(&attr, events->layout.stack[kind], options->stack_bytes);
	return attr;
}

/* Does the event belong into that ring? */
static bool wanted(enum scope_perf_kind kind, bool stacks,
		   const struct scope_capture_options *options)
{
	if (kind == SCOPE_PERF_SAMPLE && !options->sample_period_ns)
		return false;
	if (kind == SCOPE_PERF_BLOCK && scope_capture_all_stacks(options))
		return false;
	return stacks == (kind == SCOPE_PERF_BLOCK || kind == SCOPE_PERF_SAMPLE);
}

static long paranoid(void)
{
	long level = 2;
	char *text;

	if (!scope_file_read(&text, "/proc/sys/kernel/perf_event_paranoid")) {
		level = strtol(text, NULL, 10);
		free(text);
	}
	return level;
}

/* What a refused perf_event_open() means. */
static int refused(int code, const struct scope_perf_events *events, struct scope_error *error)
{
	switch (code) {
	case -EACCES:
	case -EPERM:
		return scope_error_set(error, code,
				       "perf_event_open is not allowed (kernel.perf_event_paranoid = %ld): "
				       "run as root, or from Linux 5.8 on give scope CAP_PERFMON; in a "
				       "container its seccomp profile may forbid it as well", paranoid());
	case -EMFILE:
	case -ENFILE:
		return scope_error_set(error, code,
				       "too few open files are allowed: %zu rings need about %zu: raise the "
				       "limit with `ulimit -n`", events->cpus,
				       events->cpus * (SCOPE_PERF_KINDS / 2 + 1) + SPARE_FILES);
	case -ENOSYS:
		return scope_error_set(error, code, "this kernel has no perf events: it was built without "
				       "CONFIG_PERF_EVENTS");
	case -EINVAL:
		return scope_error_set(error, code, "this kernel's perf events know no clock ids: Linux "
				       "4.3 or newer is needed");
	default:
		return scope_error_set(error, code, "perf_event_open failed: %s", strerror(-code));
	}
}

static int read_tracepoints(struct scope_perf_events *events, struct scope_error *error)
{
	int tracefs, code, kind;

	code = scope_perf_tracefs_open(error, &tracefs);
	if (code)
		return code;
	for (kind = 0; !code && kind < SCOPE_PERF_KINDS; kind++) {
		char *format;
		int i;

		if (!rows[kind].tracepoint)
			continue;
		code = scope_perf_tracepoint_read(tracefs, rows[kind].tracepoint, error,
						  &events->tracepoint[kind], &format);
		if (code)
			break;
		for (i = 0; i < SCOPE_PERF_FIELDS_MAX && rows[kind].field[i] && !code; i++)
			code = scope_perf_field_find(format, rows[kind].field[i],
						     &events->layout.field[kind][i]);
		if (!code && kind == SCOPE_PERF_SWITCH)
			code = scope_perf_states_find(format, &events->layout.states);
		free(format);
		if (code)
			scope_error_set(error, code, "the tracepoint %s of this kernel has another layout",
					rows[kind].tracepoint);
	}
	close(tracefs);
	return code;
}

static int add_ring(struct scope_perf_events *events, size_t *capacity, unsigned long cpu, bool stacks)
{
	if (scope_grow(&events->cpu, capacity, events->cpus + 1, sizeof(*events->cpu)))
		return -ENOMEM;
	events->cpu[events->cpus++] = (struct scope_perf_cpu){
		.cpu = (uint32_t)cpu, .stacks = stacks, .owner = -1,
	};
	return 0;
}

/* "0-3,8": rings for every CPU that is online. */
static int list_rings(struct scope_perf_events *events, bool stacks, struct scope_error *error)
{
	size_t capacity = 0;
	char *text, *at;
	int code = scope_file_read(&text, "/sys/devices/system/cpu/online");

	if (code)
		return scope_error_set(error, code, "/sys/devices/system/cpu/online cannot be read: %s: "
				       "mount sysfs on /sys", strerror(-code));
	for (at = text; *at >= '0' && *at <= '9' && !code;) {
		unsigned long first = strtoul(at, &at, 10), last = first;

		if (*at == '-')
			last = strtoul(at + 1, &at, 10);
		if (*at == ',')
			at++;
		for (; first <= last && first < 65536 && !code; first++) {
			code = add_ring(events, &capacity, first, false);
			if (!code && stacks)
				code = add_ring(events, &capacity, first, true);
		}
	}
	free(text);
	return code ? scope_error_set(error, code, "no memory for the rings") : 0;
}

/* Descriptors are few, but the usual soft limit is 1024. */
static void raise_limit(const struct scope_perf_events *events)
{
	const rlim_t need = events->cpus * (SCOPE_PERF_KINDS + 1) + SPARE_FILES;
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

static size_t ring_bytes(const struct scope_perf_events *events,
			 const struct scope_capture_options *options)
{
	const uint64_t want = (uint64_t)RING_TIMES * options->subbuf_bytes * options->subbuf_count;
	uint64_t bytes = RING_BYTES_MIN;

	while (bytes < want && 2 * bytes * events->cpus <= RINGS_BYTES_MAX)
		bytes *= 2;
	return bytes;
}

static long mlock_kb(void)
{
	long kb = 0;
	char *text;

	if (!scope_file_read(&text, "/proc/sys/kernel/perf_event_mlock_kb")) {
		kb = strtol(text, NULL, 10);
		free(text);
	}
	return kb;
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
		return scope_error_set(error, -errno, "cannot map the ring of CPU %u (%zu bytes): %s",
				       cpu->cpu, bytes, strerror(errno));
	cpu->ring = (struct scope_perf_ring){ .page = at, .data = (uint8_t *)at + page, .bytes = bytes };
	return 0;
}

static int open_ring(struct scope_perf_events *events, struct scope_perf_cpu *cpu, size_t bytes,
		     struct scope_error *error)
{
	struct perf_event_attr attr = attr_owner(cpu->stacks);
	struct epoll_event wake = { .events = EPOLLIN };

	attr.wakeup_watermark = (uint32_t)(bytes / 4);
	cpu->owner = event_open(&attr, (int)cpu->cpu);
	if (cpu->owner == -ENODEV) /* it went offline */
		return 0;
	if (cpu->owner < 0)
		return refused(cpu->owner, events, error);
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
 * All rings, of `bytes` each. Who has CAP_PERFMON and not CAP_IPC_LOCK may lock perf_event_mlock_kb for
 * each CPU and no more: then all are made smaller, until they fit.
 */
static int open_rings(struct scope_perf_events *events, size_t bytes, struct scope_error *error)
{
	const size_t wanted = bytes;
	size_t i;
	int code;

	for (;; bytes /= 2) {
		for (i = 0, code = 0; i < events->cpus && !code; i++)
			code = open_ring(events, &events->cpu[i], bytes, error);
		if (code != -EPERM || bytes / 2 < RING_BYTES_LEAST)
			break;
		while (i--)
			close_ring(&events->cpu[i]);
	}
	if (!code && bytes < wanted)
		snprintf(events->note, sizeof(events->note),
			 "rings of %zu KiB instead of %zu KiB for each CPU, for want of CAP_IPC_LOCK and by "
			 "kernel.perf_event_mlock_kb = %ld: more events may be lost", bytes >> 10,
			 wanted >> 10, mlock_kb());
	return code;
}

static void filter_text(enum scope_perf_kind kind, const struct scope_perf_events *events,
			const struct scope_perf_cover *cover, char text[SCOPE_PERF_FILTER_BYTES])
{
	size_t fields = 0, used;

	while (fields < 2 && rows[kind].filter[fields])
		fields++;
	scope_perf_cover_text(cover, rows[kind].filter, fields, text);
	if (kind != SCOPE_PERF_BLOCK)
		return;
	/* Not merely preempted: the bit for that is above those of the states. */
	used = strlen(text);
	snprintf(text + used, SCOPE_PERF_FILTER_BYTES - used, "&&prev_state>0&&prev_state<=%u",
		 events->layout.states.all);
}

/* Runs of the calls selected; nothing where the text has no room for all: the reader filters, too. */
static void filter_calls(const struct scope_selection *selection, char text[SCOPE_PERF_FILTER_BYTES])
{
	const size_t begin = strlen(text);
	/* Numbers of x32 have a bit of their own. */
	size_t used = begin + (size_t)snprintf(text + begin, SCOPE_PERF_FILTER_BYTES - begin,
					       "&&(id>=%u", 1u << 30);
	uint16_t first, last;

	for (first = 0; first < SCOPE_SYSCALL_MAX && used < SCOPE_PERF_FILTER_BYTES; first = last + 1) {
		for (last = first; last + 1 < SCOPE_SYSCALL_MAX &&
		     scope_selection_has_call(selection, first) &&
		     scope_selection_has_call(selection, last + 1); last++)
			;
		if (scope_selection_has_call(selection, first))
			used += (size_t)snprintf(text + used, SCOPE_PERF_FILTER_BYTES - used,
						 "||(id>=%u&&id<=%u)", first, last);
	}
	if (used + 1 < SCOPE_PERF_FILTER_BYTES)
		strcpy(text + used, ")");
	else
		text[begin] = '\0';
}

static int open_one(struct scope_perf_events *events, struct scope_perf_cpu *cpu,
		    enum scope_perf_kind kind, const struct scope_capture_options *options,
		    const struct scope_perf_cover *cover, struct scope_error *error)
{
	struct perf_event_attr attr = attr_of(events, kind, options);
	struct scope_perf_event event = { .id.kind = kind };
	char filter[SCOPE_PERF_FILTER_BYTES];

	attr.wakeup_watermark = (uint32_t)(cpu->ring.bytes / 4);
	event.fd = event_open(&attr, (int)cpu->cpu);
	if (event.fd < 0)
		return refused(event.fd, events, error);
	cpu->event[cpu->events++] = event;
	if (rows[kind].filter[0]) {
		filter_text(kind, events, cover, filter);
		if ((kind == SCOPE_PERF_ENTER || kind == SCOPE_PERF_EXIT) && options->selection &&
		    options->selection->some_calls)
			filter_calls(options->selection, filter);
		if (ioctl(event.fd, PERF_EVENT_IOC_SET_FILTER, filter))
			return scope_error_set(error, -errno, "the kernel does not take the filter '%.200s' "
					       "for %s: %s", filter, rows[kind].tracepoint,
					       strerror(errno));
	}
	if (ioctl(event.fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->owner) ||
	    ioctl(event.fd, PERF_EVENT_IOC_ID, &cpu->event[cpu->events - 1].id.id))
		return scope_error_set(error, -errno, "perf events of CPU %u cannot share a ring: %s",
				       cpu->cpu, strerror(errno));
	return 0;
}

static int open_events(struct scope_perf_events *events, struct scope_perf_cpu *cpu,
		       const struct scope_capture_options *options,
		       const struct scope_perf_cover *cover, struct scope_error *error)
{
	int kind, code = 0;
	size_t i;

	cpu->events = 0;
	cpu->blocks_every = 1;
	for (kind = 0; kind < SCOPE_PERF_KINDS && !code; kind++)
		if (wanted(kind, cpu->stacks, options))
			code = open_one(events, cpu, kind, options, cover, error);
	/* Records of the events before are in the ring still. */
	if (cpu->ids > SCOPE_PERF_KINDS)
		cpu->ids = SCOPE_PERF_KINDS;
	memmove(cpu->id + cpu->events, cpu->id, cpu->ids * sizeof(*cpu->id));
	cpu->ids += cpu->events;
	for (i = 0; i < cpu->events; i++)
		cpu->id[i] = cpu->event[i].id;
	return code;
}

static void close_events(struct scope_perf_cpu *cpu)
{
	while (cpu->events)
		close(cpu->event[--cpu->events].fd);
}

int scope_perf_events_open(struct scope_perf_events *events,
			   const struct scope_capture_options *options,
			   const struct scope_perf_cover *cover, struct scope_error *error)
{
	size_t i;
	int code;

	*events = (struct scope_perf_events){ .cpus = 0 };
	events->layout.stack[scope_capture_all_stacks(options) ? SCOPE_PERF_ENTER : SCOPE_PERF_BLOCK] =
		options->stack_mode;
	if (options->sample_period_ns)
		events->layout.stack[SCOPE_PERF_SAMPLE] = options->stack_mode;
	events->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (events->epoll < 0)
		return scope_error_set(error, -errno, "cannot wait for perf rings: %s", strerror(errno));
	code = read_tracepoints(events, error);
	if (!code)
		code = list_rings(events, options->stack_mode != SCOPE_STACK_NONE, error);
	if (code)
		return code;
	raise_limit(events);
	if (options->sample_period_ns && options->stack_mode) {
		const struct perf_event_attr sample = attr_of(events, SCOPE_PERF_SAMPLE, options);

		events->sample_cost_ns = scope_perf_cost_measure(&sample);
	}
	code = open_rings(events, ring_bytes(events, options), error);
	for (i = 0; i < events->cpus && !code; i++)
		if (events->cpu[i].ring.page)
			code = open_events(events, &events->cpu[i], options, cover, error);
	return code;
}

void scope_perf_events_close(struct scope_perf_events *events)
{
	size_t i;

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
			ioctl(events->cpu[i].owner, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
			      0);
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

void scope_perf_events_thin(struct scope_perf_events *events, uint64_t elapsed_ns)
{
	const double most = BLOCKS_PER_SECOND * ((double)elapsed_ns / 1e9);
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

int scope_perf_events_recover(struct scope_perf_events *events,
			      const struct scope_capture_options *options,
			      const struct scope_perf_cover *cover, struct scope_error *error)
{
	size_t i;
	int code = 0;

	for (i = 0; i < events->cpus && !code; i++) {
		if (!events->cpu[i].ring.page)
			continue;
		close_events(&events->cpu[i]);
		code = open_events(events, &events->cpu[i], options, cover, error);
		enable_cpu(&events->cpu[i], true);
	}
	return code;
}

/* Numbers in tracepoints are those of the first namespace: its inode is fixed (proc_fs.h, 3.8). */
static int check_namespace(struct scope_error *error)
{
	char name[64] = "";

	if (readlink("/proc/self/ns/pid", name, sizeof(name) - 1) < 0 ||
	    !strcmp(name, "pid:[4026531836]"))
		return 0;
	return scope_error_set(error, -EPERM, "this is a pid namespace of its own, and tracepoints name "
			       "threads by the host's numbers: run scope on the host, outside of "
			       "containers");
}

int scope_perf_events_check(struct scope_error *error)
{
	struct scope_perf_events events = { .cpus = 0 };
	struct perf_event_attr attr = attr_owner(false);
	int fd, code;

	/* First what needs privilege alone, for the plainest message. */
	fd = event_open(&attr, 0);
	if (fd < 0 && fd != -ENODEV)
		return refused(fd, &events, error);
	if (fd >= 0)
		close(fd);
	code = check_namespace(error);
	if (code)
		return code;
	return read_tracepoints(&events, error);
}
