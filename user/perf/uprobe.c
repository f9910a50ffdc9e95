// SPDX-License-Identifier: GPL-2.0-only
/* Probes on functions of programs and of the kernel, set and removed while a session runs. */
#include "perf/uprobe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <scope/event.h>

#include "base/grow.h"
#include "base/now.h"
#include "perf/attr.h"
#include "perf/check.h"
#include "perf/closing.h"
#include "proc/file.h"

#define MEASURED_HITS 200     /* hits of each of … */
#define MEASURED_TIMES 10     /* … this many measurements */
#define COST_UNKNOWN_NS 3000u /* if it cannot be measured: more than all measured costs */

static bool is_user(uint8_t kind)
{
	return kind == SCOPE_PROBE_UPROBE || kind == SCOPE_PROBE_URETPROBE;
}

static bool is_return(uint8_t kind)
{
	return kind == SCOPE_PROBE_KRETPROBE || kind == SCOPE_PROBE_URETPROBE;
}

/* The number of the kernel's unit; -1: the kernel does not have it. */
static long unit_of(uint8_t kind)
{
	return scope_proc_file_number(is_user(kind) ? "/sys/bus/event_source/devices/uprobe/type"
						    : "/sys/bus/event_source/devices/kprobe/type",
				      -1);
}

/* attr borrows the probe's name. 0 or -EOPNOTSUPP. */
static int make_attr(const struct scope_probe *probe, struct perf_event_attr *attr)
{
	const long unit = unit_of(probe->kind);

	if (unit < 0)
		return -EOPNOTSUPP;
	/*
	 * Like the attributes of the event that owns a ring, so that records have the time at the same place, but
	 * without its other members.
	 */
	*attr = scope_perf_attr_owner(false);
	attr->type = (uint32_t)unit;
	attr->config = is_return(probe->kind); /* config:0, see format/retprobe of the unit */
	attr->config1 = (uint64_t)(uintptr_t)probe->name;
	attr->config2 = probe->offset;
	if (probe->args) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER;
		attr->sample_regs_user = scope_perf_words_mask(probe->args, is_return(probe->kind));
	}
	return 0;
}

static int refused(int code, const struct scope_probe *probe, struct scope_error *error)
{
	const char *why = strerror(-code);

	if (code == -EOPNOTSUPP)
		why = is_user(probe->kind)
			      ? "this kernel has no perf unit for probes of programs (Linux 4.17, CONFIG_UPROBE_EVENTS)"
			      : "this kernel has no perf unit for probes of the kernel (Linux 4.17, CONFIG_KPROBE_EVENTS)";
	else if (code == -ENOENT)
		why = is_user(probe->kind) ? "there is no such file" : "the kernel has no such function";
	else if (code == -EINVAL || code == -EILSEQ)
		why = "no instruction that can be probed begins there";
	return scope_error_set(error, code, "cannot set a probe on %.300s: %.200s", probe->name, why);
}

/* The function that is hit for the measurement, which needs no other file than this program. */
static __attribute__((noinline)) void be_hit(void)
{
	__asm__ volatile("" ::: "memory");
}

/* The offset of be_hit() in this program's file. 0 or -ENOENT. */
static int find_own(uint64_t *ret_offset)
{
	const uint64_t address = (uint64_t)(uintptr_t)be_hit;
	uint64_t start, end, offset;
	char *maps, *line, *rest = NULL;
	int err = scope_proc_file_read(&maps, "/proc/self/maps");

	if (err)
		return err;
	err = -ENOENT;
	for (line = strtok_r(maps, "\n", &rest); line && err; line = strtok_r(NULL, "\n", &rest)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &start, &end, &offset) != 3 ||
		    address < start || address >= end)
			continue;
		*ret_offset = address - start + offset;
		err = 0;
	}
	free(maps);
	return err;
}

/*
 * Measures for how long a hit delays a thread: the mean over some hundred hits of this thread, in the measurement in
 * which it was least disturbed.
 */
static uint32_t measure_cost(struct scope_perf_closing **closing)
{
	struct scope_probe probe = { .kind = SCOPE_PROBE_UPROBE, .name = "/proc/self/exe" };
	struct perf_event_attr attr;
	uint64_t least_ns = UINT64_MAX;
	int fd;

	if (find_own(&probe.offset) || make_attr(&probe, &attr))
		return COST_UNKNOWN_NS;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return COST_UNKNOWN_NS;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	be_hit();
	for (int time = 0; time < MEASURED_TIMES; time++) {
		const uint64_t begin = scope_now_ns();
		uint64_t took_ns;

		for (int i = 0; i < MEASURED_HITS; i++)
			be_hit();
		took_ns = scope_now_ns() - begin;
		if (took_ns < least_ns)
			least_ns = took_ns;
	}
	scope_perf_closing_begin(closing, &fd, 1);
	return (uint32_t)(least_ns / MEASURED_HITS) + 1;
}

static int open_on(struct scope_perf_events *events, const struct scope_perf_cpu *cpu, struct perf_event_attr *attr,
		   const struct scope_probe *probe)
{
	struct scope_perf_uprobe one = {
		.cpu = cpu->cpu,
		.id = probe->id,
		.words = probe->args,
		.flags = (uint8_t)((is_return(probe->kind) ? SCOPE_PROBE_RETURN : 0) |
				   (is_user(probe->kind) ? SCOPE_PROBE_USER : 0)),
	};

	if (scope_grow(&events->uprobe, &events->uprobe_room, events->uprobes + 1, sizeof(*events->uprobe)))
		return -ENOMEM;
	attr->wakeup_watermark = (uint32_t)(cpu->ring.bytes / 4);
	one.fd = scope_perf_check_open(attr, (int)cpu->cpu);
	if (one.fd == -ENODEV) /* it went offline */
		return 0;
	if (one.fd < 0)
		return one.fd;
	if (ioctl(one.fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->owner) || ioctl(one.fd, PERF_EVENT_IOC_ID, &one.event) ||
	    ioctl(one.fd, PERF_EVENT_IOC_ENABLE, 0)) {
		const int err = -errno;

		close(one.fd);
		return err;
	}
	events->uprobe[events->uprobes++] = one;
	return 0;
}

int scope_perf_uprobes_add(struct scope_perf_events *events, const struct scope_probe *probe, struct scope_error *error)
{
	static uint32_t cost_ns;
	struct perf_event_attr attr;
	uint64_t hits;
	int err;

	if (!scope_perf_uprobes_hits(events, probe->id, &hits))
		return scope_error_set(error, -EEXIST, "a probe with the number %u is set already", probe->id);
	if (probe->flags || (probe->args && !is_user(probe->kind)))
		return scope_error_set(error, -EOPNOTSUPP,
				       "perf events give no stacks at probes, and arguments only of functions of "
				       "programs: load the module (`scope doctor` says how), or leave out %s",
				       probe->flags ? "stack" : "arguments of the kernel's functions");
	err = make_attr(probe, &attr);
	if (err)
		return refused(err, probe, error);
	/* This is done once in a process, because setting a probe takes long. */
	if (!cost_ns)
		cost_ns = measure_cost(&events->closing);
	events->uprobe_cost_ns = cost_ns;
	if (scope_perf_closing_busy(&events->closing))
		return scope_error_set(error, -EAGAIN, "a probe that was removed is in the code yet");
	for (size_t i = 0; i < events->cpus && !err; i++) {
		const struct scope_perf_cpu *cpu = &events->cpu[i];

		if (cpu->ring.page && !cpu->stacks && cpu->age == SCOPE_PERF_KNOWN)
			err = open_on(events, cpu, &attr, probe);
	}
	if (!err)
		return 0;
	scope_perf_uprobes_remove(events, probe->id);
	return refused(err, probe, error);
}

int scope_perf_uprobes_remove(struct scope_perf_events *events, uint16_t id)
{
	size_t kept = 0, before = events->uprobes, fds = 0;
	int *fd = calloc(before + 1, sizeof(*fd));

	for (size_t i = 0; i < before; i++) {
		struct scope_perf_uprobe *one = &events->uprobe[i];

		if (one->id != id) {
			events->uprobe[kept++] = *one;
			continue;
		}
		ioctl(one->fd, PERF_EVENT_IOC_DISABLE, 0);
		if (fd)
			fd[fds++] = one->fd;
		else
			close(one->fd);
	}
	events->uprobes = kept;
	scope_perf_closing_begin(&events->closing, fd, fds);
	free(fd);
	return kept == before ? -ENOENT : 0;
}

void scope_perf_uprobes_settle(struct scope_perf_events *events)
{
	scope_perf_closing_end(&events->closing);
}

void scope_perf_uprobes_close(struct scope_perf_events *events)
{
	scope_perf_closing_end(&events->closing);
	while (events->uprobes)
		close(events->uprobe[--events->uprobes].fd);
	free(events->uprobe);
	events->uprobe = NULL;
	events->uprobe_room = 0;
}

static uint64_t count(const struct scope_perf_uprobe *one)
{
	uint64_t hits;

	return read(one->fd, &hits, sizeof(hits)) == sizeof(hits) ? hits : 0;
}

int scope_perf_uprobes_hits(const struct scope_perf_events *events, uint16_t id, uint64_t *ret_hits)
{
	uint64_t hits = 0;
	bool found = false;

	for (size_t i = 0; i < events->uprobes; i++) {
		if (events->uprobe[i].id != id)
			continue;
		hits += count(&events->uprobe[i]);
		found = true;
	}
	if (!found)
		return -ENOENT;
	*ret_hits = hits;
	return 0;
}

uint32_t scope_perf_uprobes_share(struct scope_perf_events *events, uint64_t now)
{
	const uint64_t elapsed_ns = events->uprobe_asked_ns ? now - events->uprobe_asked_ns : 0;
	uint64_t most = 0;

	events->uprobe_asked_ns = now;
	for (size_t i = 0; i < events->cpus; i++) {
		uint64_t hits = 0;

		if (events->cpu[i].stacks || events->cpu[i].age != SCOPE_PERF_KNOWN)
			continue;
		for (size_t j = 0; j < events->uprobes; j++) {
			struct scope_perf_uprobe *one = &events->uprobe[j];
			uint64_t counted;

			if (one->cpu != events->cpu[i].cpu)
				continue;
			counted = count(one);
			hits += counted - one->counted;
			one->counted = counted;
		}
		if (hits > most)
			most = hits;
	}
	return elapsed_ns ? (uint32_t)(1000 * most * events->uprobe_cost_ns / elapsed_ns) : 0;
}

const struct scope_perf_uprobe *scope_perf_uprobes_find(const struct scope_perf_events *events, uint64_t event)
{
	for (size_t i = 0; i < events->uprobes; i++)
		if (events->uprobe[i].event == event)
			return &events->uprobe[i];
	return NULL;
}
