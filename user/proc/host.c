// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts the resources that a process does not get from its host: limits of control groups, interrupts, hypervisor,
 * pressure.
 */
#include "proc/host.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/now.h"
#include "proc/cgroup.h"
#include "proc/file.h"
#include "trace/host_row.h"
#include "trace/trace.h"
#include "trace/writer.h"

#define GROUPS_MAX 32 /* no rule: most groups of one process, from its own up to the top */
#define NS_PER_S 1000000000ull
#define ROWS_KEPT 1024 /* no rule: the rows that a flight recorder keeps; later rows replace the oldest */

/* The counters of a control group. */
struct counts {
	uint64_t periods, throttled, throttled_ns;
};

/* A control group that may have a limit. */
struct group {
	char *directory;
	const char *path;	     /* points into directory: what is below the mount point */
	int64_t quota_us, period_us; /* 0: it has had no limit so far */
	struct counts last, grown;   /* last: the last reading; grown: growth since the begin */
};

struct scope_proc_host {
	char *root;
	uint64_t begin_ns, next_ns, rows;
	struct scope_host_row at_begin, now;
	struct group group[GROUPS_MAX];
	size_t count;
	struct scope_proc_cgroup own; /* the group of version 2; path "": none */
	bool own_pressure;	      /* the kernel has the pressure of that group */
};

/* The number of the line "key 123"; 0: there is no such line. */
static uint64_t number_of(const char *text, const char *key)
{
	const size_t length = strlen(key);

	for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL)
		if (!strncmp(line, key, length) && line[length] == ' ')
			return strtoull(line + length + 1, NULL, 10);
	return 0;
}

static int read_counts(const char *directory, struct counts *ret_counts)
{
	char *text;
	int err = scope_proc_file_read(&text, "%s/cpu.stat", directory);

	if (err)
		return err;
	*ret_counts = (struct counts){
		.periods = number_of(text, "nr_periods"),
		.throttled = number_of(text, "nr_throttled"),
		/* throttled_time is from groups of version 1, in ns. */
		.throttled_ns = number_of(text, "throttled_time") + 1000 * number_of(text, "throttled_usec"),
	};
	free(text);
	return 0;
}

/* Reads the limit of a group. Returns false if it has none. */
static bool read_limit(const char *directory, int64_t *ret_quota_us, int64_t *ret_period_us)
{
	int64_t quota_us = 0, period_us = 0;
	char *text;

	if (!scope_proc_file_read(&text, "%s/cpu.max", directory)) {
		if (sscanf(text, "%" SCNd64 " %" SCNd64, &quota_us, &period_us) != 2)
			quota_us = 0;
		free(text);
	} else if (!scope_proc_file_read(&text, "%s/cpu.cfs_quota_us", directory)) {
		quota_us = strtoll(text, NULL, 10);
		free(text);
		if (!scope_proc_file_read(&text, "%s/cpu.cfs_period_us", directory)) {
			period_us = strtoll(text, NULL, 10);
			free(text);
		}
	}
	if (quota_us <= 0 || period_us <= 0)
		return false;
	*ret_quota_us = quota_us;
	*ret_period_us = period_us;
	return true;
}

/*
 * The growth of a counter. If it went back, the group is a new one with the same name: its service was started again.
 */
static uint64_t grown(uint64_t before, uint64_t after)
{
	return after >= before ? after - before : after;
}

/* Keeps the last values of a group that does not exist any more. A limit may be set at any time. */
static void read_group(struct group *group)
{
	struct counts now;

	(void)read_limit(group->directory, &group->quota_us, &group->period_us);
	if (read_counts(group->directory, &now))
		return;
	group->grown.periods += grown(group->last.periods, now.periods);
	group->grown.throttled += grown(group->last.throttled, now.throttled);
	group->grown.throttled_ns += grown(group->last.throttled_ns, now.throttled_ns);
	group->last = now;
}

/* Adds a group and all groups above it. 0 or -ENOMEM. */
static int add_groups(struct scope_proc_host *host, const char *controller, uint32_t tgid)
{
	struct scope_proc_cgroup at;
	bool more = scope_proc_cgroup_find(host->root, tgid, controller, &at);

	for (; more && host->count < GROUPS_MAX; more = scope_proc_cgroup_up(&at)) {
		struct group *group = &host->group[host->count];

		if (read_counts(at.path, &group->last))
			continue;
		group->directory = strdup(at.path);
		if (!group->directory)
			return -ENOMEM;
		group->path = group->directory + at.top;
		host->count++;
	}
	return 0;
}

/* The line "cpu  user nice system idle iowait irq softirq steal …" of /proc/stat. */
static void read_times(const char *root, struct scope_host_row *row)
{
	const uint64_t tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t user, nice, system, irq, softirq, steal;
	char *text;

	if (scope_proc_file_read(&text, "%s/proc/stat", root))
		return;
	if (sscanf(text, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %*u %*u %" SCNu64 " %" SCNu64 " %" SCNu64, &user,
		   &nice, &system, &irq, &softirq, &steal) == 6) {
		row->value[SCOPE_HOST_BUSY] = (user + nice + system + irq + softirq) * tick_ns;
		row->value[SCOPE_HOST_IRQ] = irq * tick_ns;
		row->value[SCOPE_HOST_SOFTIRQ] = softirq * tick_ns;
		row->value[SCOPE_HOST_STEAL] = steal * tick_ns;
		row->known |= 1u << SCOPE_HOST_BUSY | 1u << SCOPE_HOST_IRQ | 1u << SCOPE_HOST_SOFTIRQ |
			      1u << SCOPE_HOST_STEAL;
	}
	free(text);
}

/* The total of a line "some avg10=… total=12" or "full …", in microseconds. */
static void read_pressure(const char *text, const char *line_of, enum scope_host_count count,
			  struct scope_host_row *row)
{
	const char *line = strstr(text, line_of), *end = line ? strchr(line, '\n') : NULL;
	const char *total = line ? strstr(line, "total=") : NULL;

	if (!total || (end && total > end))
		return;
	row->value[count] = 1000 * strtoull(total + strlen("total="), NULL, 10);
	row->known |= 1u << count;
}

/* Reads the pressure of the process's own group if the kernel has it, else of the host. */
static void read_pressures(const struct scope_proc_host *host, struct scope_host_row *row)
{
	static const struct {
		const char *of_group, *of_host;
		enum scope_host_count some, full;
	} file[] = {
		{ "cpu.pressure", "cpu", SCOPE_HOST_CPU, SCOPE_HOST_COUNTS },
		{ "memory.pressure", "memory", SCOPE_HOST_MEMORY, SCOPE_HOST_MEMORY_FULL },
		{ "io.pressure", "io", SCOPE_HOST_IO, SCOPE_HOST_IO_FULL },
	};

	for (size_t i = 0; i < sizeof(file) / sizeof(*file); i++) {
		char *text;

		if (host->own_pressure
			    ? scope_proc_file_read(&text, "%s/%s", host->own.path, file[i].of_group)
			    : scope_proc_file_read(&text, "%s/proc/pressure/%s", host->root, file[i].of_host))
			continue;
		read_pressure(text, "some ", file[i].some, row);
		if (file[i].full < SCOPE_HOST_COUNTS)
			read_pressure(text, "full ", file[i].full, row);
		free(text);
	}
}

/* Adds up the growth of all groups since the begin. Without a limit throttling is not known. */
static void sum_groups(const struct scope_proc_host *host, struct scope_host_row *row)
{
	uint64_t throttled_ns = 0, periods = 0, met = 0;

	for (size_t i = 0; i < host->count; i++) {
		const struct group *group = &host->group[i];

		if (!group->quota_us)
			continue;
		throttled_ns += group->grown.throttled_ns;
		periods += group->grown.periods;
		met += group->grown.throttled;
		row->known |= 1u << SCOPE_HOST_THROTTLED | 1u << SCOPE_HOST_PERIODS | 1u << SCOPE_HOST_PERIODS_MET;
	}
	row->value[SCOPE_HOST_THROTTLED] = throttled_ns;
	row->value[SCOPE_HOST_PERIODS] = periods;
	row->value[SCOPE_HOST_PERIODS_MET] = met;
}

static void read_all(struct scope_proc_host *host)
{
	for (size_t i = 0; i < host->count; i++)
		read_group(&host->group[i]);
	read_times(host->root, &host->now);
	read_pressures(host, &host->now);
	sum_groups(host, &host->now);
}

/* Kernels without pressure stall information do not have the file; if it is switched off, reading the file fails. */
static bool has_pressure(const char *group)
{
	char *text;

	if (scope_proc_file_read(&text, "%s/memory.pressure", group))
		return false;
	free(text);
	return true;
}

int scope_proc_host_create(const char *root, uint32_t tgid, struct scope_proc_host **ret_host)
{
	struct scope_proc_host *host = calloc(1, sizeof(*host));
	int err = -ENOMEM;

	if (host)
		host->root = strdup(root);
	if (host && host->root) {
		err = add_groups(host, "cpu", tgid);
		if (!err)
			err = add_groups(host, "", tgid);
		host->own_pressure = scope_proc_cgroup_find(root, tgid, "", &host->own) && has_pressure(host->own.path);
		read_all(host);
		host->at_begin = host->now;
		host->begin_ns = scope_now_ns();
	}
	if (err)
		scope_proc_host_destroy(host);
	else
		*ret_host = host;
	return err;
}

void scope_proc_host_destroy(struct scope_proc_host *host)
{
	if (!host)
		return;
	for (size_t i = 0; i < host->count; i++)
		free(host->group[i].directory);
	free(host->root);
	free(host);
}

static int write_limit(const struct scope_proc_host *host, uint64_t end_ns, struct scope_writer *writer)
{
	const struct group *most = NULL;
	char value[256];

	for (size_t i = 0; i < host->count; i++) {
		const struct group *group = &host->group[i];

		if (group->quota_us && (!most || group->grown.throttled_ns > most->grown.throttled_ns))
			most = group;
	}
	if (!most)
		return 0;
	snprintf(value, sizeof(value),
		 "%" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s",
		 host->begin_ns, end_ns, most->quota_us, most->period_us, most->grown.periods, most->grown.throttled,
		 most->grown.throttled_ns, most->path);
	return scope_trace_writer_meta(writer, SCOPE_META_CPU_LIMIT, value);
}

static int write_times(const struct scope_proc_host *host, uint64_t end_ns, struct scope_writer *writer)
{
	static const enum scope_host_count count[] = { SCOPE_HOST_BUSY, SCOPE_HOST_IRQ, SCOPE_HOST_SOFTIRQ,
						       SCOPE_HOST_STEAL };
	char value[160];
	int used;

	if (!(host->at_begin.known >> SCOPE_HOST_BUSY & 1))
		return 0;
	used = snprintf(value, sizeof(value), "%" PRIu64 " %" PRIu64, host->begin_ns, end_ns);
	for (size_t i = 0; i < sizeof(count) / sizeof(*count); i++)
		used += snprintf(value + used, sizeof(value) - (size_t)used, " %" PRIu64,
				 grown(host->at_begin.value[count[i]], host->now.value[count[i]]));
	return scope_trace_writer_meta(writer, SCOPE_META_HOST_CPU, value);
}

static int write_row(struct scope_proc_host *host, uint64_t now_ns, struct scope_writer *writer)
{
	char key[32], text[SCOPE_HOST_ROW_BYTES];
	int err = 0;

	host->next_ns = now_ns + NS_PER_S;
	host->now.time_ns = now_ns;
	if (!host->now.known)
		return 0;
	if (!host->rows && host->own_pressure)
		err = scope_trace_writer_meta(writer, SCOPE_META_PRESSURE_OF, host->own.path + host->own.top);
	snprintf(key, sizeof(key), SCOPE_META_HOST_ROW "%" PRIu64, host->rows++ % ROWS_KEPT);
	scope_trace_host_row_format(&host->now, text);
	return err ? err : scope_trace_writer_meta(writer, key, text);
}

int scope_proc_host_tick(struct scope_proc_host *host, uint64_t now_ns, struct scope_writer *writer)
{
	if (now_ns < host->next_ns)
		return 0;
	read_all(host);
	return write_row(host, now_ns, writer);
}

int scope_proc_host_write(struct scope_proc_host *host, uint64_t end_ns, struct scope_writer *writer)
{
	int err;

	read_all(host);
	err = write_row(host, end_ns, writer);
	if (!err)
		err = write_limit(host, end_ns, writer);
	return err ? err : write_times(host, end_ns, writer);
}
