// SPDX-License-Identifier: GPL-2.0-only
/* How much CPU time the host kept from a process: limits of its control groups, interrupts, a hypervisor. */
#include "proc/host.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/now.h"
#include "proc/file.h"
#include "trace/trace.h"
#include "trace/writer.h"

#define GROUPS_MAX 32	/* no rule: most groups of one process, from its own up to the top */
#define PATH_BYTES 4096 /* no rule */
#define NS_PER_S 1000000000ull

/* The counters of a control group that has a limit. */
struct counts {
	uint64_t periods, throttled, throttled_ns;
};

struct limited {
	char *directory;
	const char *group; /* points into directory: its path below the mount point */
	int64_t quota_us, period_us;
	struct counts at_begin;
};

/* Of all CPUs together, ns. */
struct cpu_times {
	uint64_t busy_ns, irq_ns, softirq_ns, steal_ns;
};

struct scope_proc_host {
	char *root;
	uint64_t begin_ns;
	bool has_times;
	struct cpu_times times;
	struct limited limited[GROUPS_MAX];
	size_t count;
};

/* "key 123" in a text of such lines; 0: it is not there. */
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
		/* The first is that of groups of version 1, in ns. */
		.throttled_ns = number_of(text, "throttled_time") + 1000 * number_of(text, "throttled_usec"),
	};
	free(text);
	return 0;
}

/* The limit of a group; false: it has none. */
static bool read_limit(const char *directory, int64_t *ret_quota_us, int64_t *ret_period_us)
{
	char *text;
	bool found = false;

	*ret_quota_us = *ret_period_us = 0;
	if (!scope_proc_file_read(&text, "%s/cpu.max", directory)) {
		found = sscanf(text, "%" SCNd64 " %" SCNd64, ret_quota_us, ret_period_us) == 2;
		free(text);
		return found;
	}
	if (scope_proc_file_read(&text, "%s/cpu.cfs_quota_us", directory))
		return false;
	*ret_quota_us = strtoll(text, NULL, 10);
	free(text);
	if (*ret_quota_us <= 0 || scope_proc_file_read(&text, "%s/cpu.cfs_period_us", directory))
		return false;
	*ret_period_us = strtoll(text, NULL, 10);
	free(text);
	return *ret_period_us > 0;
}

/* Adds a group and all groups above it, if they have a limit. mount: where its hierarchy is mounted. 0 or -ENOMEM. */
static int add_groups(struct scope_proc_host *host, const char *mount, const char *group)
{
	char path[PATH_BYTES];
	const size_t top = strlen(mount);
	char *end;

	if (snprintf(path, sizeof(path), "%s%s", mount, group) >= (int)sizeof(path))
		return 0;
	end = path + strlen(path);
	while (host->count < GROUPS_MAX) {
		struct limited limited = { 0 };

		while (end > path + top && end[-1] == '/')
			*--end = '\0';
		if (end <= path + top)
			return 0;
		if (read_limit(path, &limited.quota_us, &limited.period_us) && !read_counts(path, &limited.at_begin)) {
			limited.directory = strdup(path);
			if (!limited.directory)
				return -ENOMEM;
			limited.group = limited.directory + top;
			host->limited[host->count++] = limited;
		}
		while (end > path + top && end[-1] != '/')
			*--end = '\0';
	}
	return 0;
}

/* True if a word is in a list of words separated by commas. */
static bool has_word(const char *list, const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = list; at; at = strchr(at, ','), at += at != NULL)
		if (!strncmp(at, word, length) && (!at[length] || at[length] == ','))
			return true;
	return false;
}

/*
 * Where the hierarchy of CPU limits is mounted: of version 1 with the controller cpu, of version 2 where
 * controller is "". See proc_pid_mountinfo(5). A mount point with a blank in it is not found.
 */
static bool find_mount(const char *root, const char *controller, char *ret_mount, size_t room)
{
	char *text, *save, at[PATH_BYTES], type[16], options[512];
	bool found = false;

	if (scope_proc_file_read(&text, "%s/proc/self/mountinfo", root))
		return false;
	for (char *line = strtok_r(text, "\n", &save); line && !found; line = strtok_r(NULL, "\n", &save)) {
		const char *rest = strstr(line, " - ");

		if (!rest || sscanf(line, "%*s %*s %*s %*s %4095s", at) != 1 ||
		    sscanf(rest, " - %15s %*s %511s", type, options) != 2)
			continue;
		found = *controller ? !strcmp(type, "cgroup") && has_word(options, controller)
				    : !strcmp(type, "cgroup2");
	}
	free(text);
	return found && snprintf(ret_mount, room, "%s%s", root, at) < (int)room;
}

/* Lines of /proc/PID/cgroup: "4:cpu,cpuacct:/path" or "0::/path". */
static int find_groups(struct scope_proc_host *host, uint32_t tgid)
{
	char *text, *save, mount[PATH_BYTES];
	int err = 0;

	if (scope_proc_file_read(&text, "%s/proc/%u/cgroup", host->root, tgid))
		return 0;
	for (char *line = strtok_r(text, "\n", &save); line && !err; line = strtok_r(NULL, "\n", &save)) {
		char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;

		if (!group)
			continue;
		*list++ = *group++ = '\0';
		/* A group above the root of our namespace is not below the mount point. */
		if (*group != '/' || !strncmp(group, "/..", 3) || (*list && !has_word(list, "cpu")))
			continue;
		if (find_mount(host->root, *list ? "cpu" : "", mount, sizeof(mount)))
			err = add_groups(host, mount, group);
	}
	free(text);
	return err;
}

/* The line "cpu  user nice system idle iowait irq softirq steal …" of /proc/stat. */
static bool read_times(const char *root, struct cpu_times *ret_times)
{
	const uint64_t tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t user, nice, system, irq, softirq, steal;
	char *text;
	bool found;

	if (scope_proc_file_read(&text, "%s/proc/stat", root))
		return false;
	found = sscanf(text, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %*u %*u %" SCNu64 " %" SCNu64 " %" SCNu64, &user,
		       &nice, &system, &irq, &softirq, &steal) == 6;
	free(text);
	if (found)
		*ret_times = (struct cpu_times){
			.busy_ns = (user + nice + system + irq + softirq) * tick_ns,
			.irq_ns = irq * tick_ns,
			.softirq_ns = softirq * tick_ns,
			.steal_ns = steal * tick_ns,
		};
	return found;
}

int scope_proc_host_create(const char *root, uint32_t tgid, struct scope_proc_host **ret_host)
{
	struct scope_proc_host *host = calloc(1, sizeof(*host));
	int err = -ENOMEM;

	if (host)
		host->root = strdup(root);
	if (host && host->root) {
		host->has_times = read_times(root, &host->times);
		err = find_groups(host, tgid);
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
		free(host->limited[i].directory);
	free(host->root);
	free(host);
}

/* The growth since then; 0 if a counter went back, because then it is another group of the same name. */
static uint64_t grown(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

static int write_limit(const struct scope_proc_host *host, uint64_t end_ns, struct scope_writer *writer)
{
	const struct limited *most = NULL;
	struct counts of_most = { 0 };
	char value[256];

	for (size_t i = 0; i < host->count; i++) {
		const struct limited *limited = &host->limited[i];
		struct counts counts;

		if (read_counts(limited->directory, &counts))
			continue;
		counts.periods = grown(limited->at_begin.periods, counts.periods);
		counts.throttled = grown(limited->at_begin.throttled, counts.throttled);
		counts.throttled_ns = grown(limited->at_begin.throttled_ns, counts.throttled_ns);
		if (most && counts.throttled_ns <= of_most.throttled_ns)
			continue;
		most = limited;
		of_most = counts;
	}
	if (!most)
		return 0;
	snprintf(value, sizeof(value),
		 "%" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s",
		 host->begin_ns, end_ns, most->quota_us, most->period_us, of_most.periods, of_most.throttled,
		 of_most.throttled_ns, most->group);
	return scope_trace_writer_meta(writer, SCOPE_META_CPU_LIMIT, value);
}

static int write_times(const struct scope_proc_host *host, uint64_t end_ns, struct scope_writer *writer)
{
	struct cpu_times times;
	char value[160];

	if (!host->has_times || !read_times(host->root, &times))
		return 0;
	snprintf(value, sizeof(value), "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
		 host->begin_ns, end_ns, grown(host->times.busy_ns, times.busy_ns),
		 grown(host->times.irq_ns, times.irq_ns), grown(host->times.softirq_ns, times.softirq_ns),
		 grown(host->times.steal_ns, times.steal_ns));
	return scope_trace_writer_meta(writer, SCOPE_META_HOST_CPU, value);
}

int scope_proc_host_write(const struct scope_proc_host *host, uint64_t end_ns, struct scope_writer *writer)
{
	int err = write_limit(host, end_ns, writer);

	return err ? err : write_times(host, end_ns, writer);
}
