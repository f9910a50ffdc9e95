// SPDX-License-Identifier: GPL-2.0-only
/* A probe in addition to that of the test: of another session, of the same one, or of the kernel's tracefs. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "other_probe.h"
#include "puppet.h"
#include "tests.h"

#define PROBE_ID 77

const char *const other_owners[OTHER_OWNERS] = { "same session", "another session", "tracefs" };

const char *other_probe_tracefs(void)
{
	static const char in_debugfs[] = "/sys/kernel/debug/tracing", alone[] = "/sys/kernel/tracing";

	if (!access("/sys/kernel/tracing/kprobe_events", F_OK) || !mount("tracefs", alone, "tracefs", 0, NULL))
		return alone;
	if (access(in_debugfs, F_OK))
		mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	CHECK(!access(in_debugfs, F_OK), "neither tracefs nor %s", in_debugfs);
	return in_debugfs;
}

/* Appends a line to a file of tracefs. 0, or the error. */
static int try_write(const char *file, const char *line)
{
	char path[128];
	int fd, err;

	snprintf(path, sizeof(path), "%s/%s", other_probe_tracefs(), file);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	CHECK(fd >= 0, "%s: %s", path, strerror(errno));
	err = write(fd, line, strlen(line)) == (ssize_t)strlen(line) ? 0 : errno;
	close(fd);
	return err;
}

static void write_line(const char *file, const char *line)
{
	int err = try_write(file, line);

	CHECK(!err, "%s to %s: %s", line, file, strerror(err));
}

static const char *file_of(const struct other_probe *probe, const char *kernel, const char *user)
{
	return probe->symbol ? kernel : user;
}

/* Defines the event, which is not enabled yet; ret_enable: the file that enables it. */
static void tracefs_define(struct other_probe *probe, char ret_enable[static 128])
{
	static unsigned int count;
	char line[512], self[256];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	CHECK(length > 0);
	self[length] = 0;
	/* A new name each time: counts begin at 0. */
	snprintf(probe->event, sizeof(probe->event), "other_%d_%u", (int)getpid(), count++);
	if (probe->symbol)
		snprintf(line, sizeof(line), "%c:scopetest/%s %s", probe->returns ? 'r' : 'p', probe->event,
			 probe->symbol);
	else
		snprintf(line, sizeof(line), "%c:scopetest/%s %s:0x%lx", probe->returns ? 'r' : 'p', probe->event,
			 probe->path ? probe->path : self, puppet_function_offset());
	write_line(file_of(probe, "kprobe_events", "uprobe_events"), line);
	snprintf(ret_enable, 128, "events/scopetest/%s/enable", probe->event);
}

static void tracefs_add(struct other_probe *probe)
{
	char enable[128];

	tracefs_define(probe, enable);
	write_line(enable, "1");
}

static void tracefs_forget(struct other_probe *probe)
{
	char line[128];

	snprintf(line, sizeof(line), "-:scopetest/%s", probe->event);
	write_line(file_of(probe, "kprobe_events", "uprobe_events"), line);
}

static void tracefs_remove(struct other_probe *probe)
{
	char line[128];

	snprintf(line, sizeof(line), "events/scopetest/%s/enable", probe->event);
	write_line(line, "0");
	tracefs_forget(probe);
}

/* Nothing of the probe is left after it. */
static bool tracefs_refuses_to_read(struct other_probe *probe)
{
	char enable[128];
	int err;

	tracefs_define(probe, enable);
	err = try_write(enable, "1");
	CHECK(!err || err == EIO, "%s: %s", enable, strerror(err));
	if (err)
		tracefs_forget(probe);
	else
		tracefs_remove(probe);
	return err == EIO;
}

bool other_probe_cannot_read(const char *path)
{
	struct other_probe probe = { .owner = OTHER_TRACEFS, .path = path };

	return tracefs_refuses_to_read(&probe);
}

/* From 4.2 until d_real_inode() tracefs takes a file of an overlay by an inode that has no pages of its own. */
bool other_probe_has_overlay_bug(struct other_probe *probe)
{
	struct statfs place;

	CHECK(!statfs("/proc/self/exe", &place));
	return probe->owner == OTHER_TRACEFS && !probe->symbol && place.f_type == OVERLAYFS_SUPER_MAGIC &&
	       tracefs_refuses_to_read(probe);
}

/* Lines are [FILE] EVENT HITS [MISSED]. */
static uint64_t tracefs_hits(const struct other_probe *probe)
{
	uint64_t hits = 0;
	char line[512];
	const char *at;
	bool found = false;
	FILE *file;

	snprintf(line, sizeof(line), "%s/%s", other_probe_tracefs(),
		 file_of(probe, "kprobe_profile", "uprobe_profile"));
	file = fopen(line, "re");
	CHECK(file);
	while (!found && fgets(line, sizeof(line), file)) {
		at = strstr(line, probe->event);
		found = at && sscanf(at + strlen(probe->event), "%lu", &hits) == 1;
	}
	fclose(file);
	CHECK(found, "%s is not in the profile", probe->event);
	return hits;
}

void other_probe_add(struct other_probe *probe)
{
	struct client_probe own = { .id = PROBE_ID, .symbol = probe->symbol };
	int err;

	if (probe->owner == OTHER_TRACEFS) {
		tracefs_add(probe);
		return;
	}
	own.kind = probe->symbol ? SCOPE_PROBE_KPROBE : SCOPE_PROBE_UPROBE;
	own.kind += probe->returns; /* each return's number is the next */
	if (!probe->symbol) {
		own.path = "/proc/self/exe";
		own.offset = puppet_function_offset();
	}
	err = client_probe_add(probe->client, &own);
	CHECK(!err, "%s: %s", strerror(-err), client_probe_text);
}

void other_probe_remove(struct other_probe *probe)
{
	if (probe->owner == OTHER_TRACEFS)
		tracefs_remove(probe);
	else
		CHECK(!client_probe_remove(probe->client, PROBE_ID), "%s", client_probe_text);
}

uint64_t other_probe_hits(const struct other_probe *probe)
{
	return probe->owner == OTHER_TRACEFS ? tracefs_hits(probe) : client_probe_hits(probe->client, PROBE_ID);
}
