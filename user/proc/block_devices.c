// SPDX-License-Identifier: GPL-2.0-only
/* Names of block devices, and where they are mounted. */
#include "proc/block_devices.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "proc/file.h"
#include "trace/trace.h"
#include "trace/writer.h"

#define NAME_BYTES 64 /* of a device; the kernel's names have at most 32 */
#define NAMED_BYTES (2 * NAME_BYTES + 8)
#define DEPTH_MAX 4 /* nested devices: disk, partition, encrypted volume, logical volume */

struct devices {
	const char *root;
	char *mounts; /* text of mountinfo, NULL: not known */
};

/* Finds the place where a device was mounted first. Returns false if it is not mounted. */
static bool find_mount(const struct devices *devices, const char *number, char *ret_path, size_t room)
{
	char line[PATH_MAX], found[32], path[256];

	for (const char *at = devices->mounts; scope_lines_take(&at, line, sizeof(line));) {
		/* ID PARENT MAJOR:MINOR ROOT MOUNTED ... */
		if (sscanf(line, "%*u %*u %31s %*s %255s", found, path) == 2 && !strcmp(found, number)) {
			snprintf(ret_path, room, "%s", path);
			return true;
		}
	}
	return false;
}

/* The name that users know: "sda1"; "vg-data (dm-3)" for the device mapper. */
static void name_device(const struct devices *devices, const char *name, char ret_name[NAMED_BYTES])
{
	char *mapped;

	if (scope_proc_file_read(&mapped, "%s/sys/class/block/%s/dm/name", devices->root, name)) {
		snprintf(ret_name, NAMED_BYTES, "%s", name);
		return;
	}
	mapped[strcspn(mapped, "\n")] = '\0';
	snprintf(ret_name, NAMED_BYTES, *mapped ? "%.*s (%s)" : "%.*s%s", NAME_BYTES, mapped, name);
	free(mapped);
}

/* ret_holder: the mounted partition or volume on the device. */
static bool is_mounted(const struct devices *devices, const char *name, int depth, char *ret_path, size_t room,
		       char ret_holder[NAME_BYTES]);

/* True if a device that has a directory there is mounted. Names of partitions begin with the name of the disk. */
static bool is_one_mounted(const struct devices *devices, const char *directory, const char *begin, int depth,
			   char *ret_path, size_t room, char ret_holder[NAME_BYTES])
{
	DIR *open_directory = opendir(directory);
	struct dirent *entry;
	bool found = false;

	if (!open_directory)
		return false;
	while (!found && (entry = readdir(open_directory)))
		found = entry->d_name[0] != '.' && strlen(entry->d_name) < NAME_BYTES &&
			!strncmp(entry->d_name, begin, strlen(begin)) &&
			is_mounted(devices, entry->d_name, depth, ret_path, room, ret_holder);
	closedir(open_directory);
	return found;
}

static bool is_mounted(const struct devices *devices, const char *name, int depth, char *ret_path, size_t room,
		       char ret_holder[NAME_BYTES])
{
	char directory[256], *number;
	bool found;

	if (depth > DEPTH_MAX || scope_proc_file_read(&number, "%s/sys/class/block/%s/dev", devices->root, name))
		return false;
	number[strcspn(number, "\n")] = '\0';
	found = find_mount(devices, number, ret_path, room);
	free(number);
	if (found) {
		snprintf(ret_holder, NAME_BYTES, "%s", name);
		return true;
	}
	snprintf(directory, sizeof(directory), "%s/sys/class/block/%s", devices->root, name);
	if (is_one_mounted(devices, directory, name, depth + 1, ret_path, room, ret_holder))
		return true;
	snprintf(directory, sizeof(directory), "%s/sys/class/block/%s/holders", devices->root, name);
	return is_one_mounted(devices, directory, "", depth + 1, ret_path, room, ret_holder);
}

/* False for a partition, whose name begins with that of its disk: sda1, nvme0n1p2. */
static bool is_other_device(const char *disk, const char *holder)
{
	return strncmp(holder, "dm-", 3) ? strncmp(holder, disk, strlen(disk)) != 0 : strcmp(holder, disk) != 0;
}

static int write_one(const struct devices *devices, unsigned int major, unsigned int minor, const char *name,
		     struct scope_writer *writer)
{
	char key[48], path[256], named[NAMED_BYTES], holder[NAME_BYTES], *file;
	char value[2 * NAMED_BYTES + 2 * sizeof(path) + 32];
	size_t used;

	name_device(devices, name, named);
	used = (size_t)snprintf(value, sizeof(value), "%s", named);
	snprintf(key, sizeof(key), SCOPE_META_DEVICE "%u:%u", major, minor);
	if (!scope_proc_file_read(&file, "%s/sys/class/block/%s/loop/backing_file", devices->root, name)) {
		used += (size_t)snprintf(value + used, sizeof(value) - used, ", file %.*s",
					 (int)(strcspn(file, "\n") < sizeof(path) ? strcspn(file, "\n") : sizeof(path)),
					 file);
		free(file);
	}
	if (is_mounted(devices, name, 0, path, sizeof(path), holder)) {
		used += (size_t)snprintf(value + used, sizeof(value) - used, ", mounted at %s", path);
		if (is_other_device(name, holder)) {
			name_device(devices, holder, named);
			snprintf(value + used, sizeof(value) - used, " as %s", named);
		}
	}
	return scope_trace_writer_meta(writer, key, value);
}

int scope_proc_devices_write(const char *root, struct scope_writer *writer)
{
	struct devices devices = { .root = root };
	char *text, line[256], name[NAME_BYTES];
	unsigned int major, minor;
	size_t written = 0;
	int err = 0;

	if (scope_proc_file_read(&text, "%s/proc/partitions", root))
		return 0;
	if (scope_proc_file_read(&devices.mounts, "%s/proc/1/mountinfo", root))
		devices.mounts = NULL;
	for (const char *at = text;
	     !err && written < SCOPE_DEVICES_NAMED && scope_lines_take(&at, line, sizeof(line));) {
		/* Names in sysfs have ! instead of a slash. */
		if (sscanf(line, " %u %u %*u %63s", &major, &minor, name) == 3) {
			for (char *slash = name; (slash = strchr(slash, '/'));)
				*slash = '!';
			err = write_one(&devices, major, minor, name, writer);
			written++;
		}
	}
	free(devices.mounts);
	free(text);
	return err;
}
