// SPDX-License-Identifier: GPL-2.0-only
/* Parses the text of /proc/PID/maps. */
#include "proc/maps_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* Unescapes a path in place. The kernel writes a new line in a path as \012; nothing else is escaped. */
static void unescape(char *path)
{
	char *to = path;

	for (; *path; path++) {
		if (!strncmp(path, "\\012", 4)) {
			*to++ = '\n';
			path += 3;
		} else {
			*to++ = *path;
		}
	}
	*to = '\0';
}

/* Parses "start-end perms offset major:minor inode [path]". Returns false if the line has another form. */
static bool parse_line(char *text, struct scope_proc_line *ret_line)
{
	struct scope_proc_line line = { 0 };
	char permissions[5];
	int path = 0;

	if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &line.map.start, &line.map.end,
		   permissions, &line.map.offset, &line.major, &line.minor, &line.inode, &path) != 7)
		return false;
	line.map.executable = strchr(permissions, 'x');
	line.map.path = path ? text + path : "";
	line.map.build_id = "";
	if (path)
		unescape(text + path);
	*ret_line = line;
	return true;
}

int scope_proc_maps_parse(char *text, struct scope_proc_line **ret_line, size_t *ret_count)
{
	char *rest = text, *one;
	struct scope_proc_line *line = NULL;
	size_t count = 0, room = 0;

	while ((one = strsep(&rest, "\n"))) {
		if (scope_grow(&line, &room, count + 1, sizeof(*line))) {
			free(line);
			return -ENOMEM;
		}
		count += parse_line(one, &line[count]);
	}
	*ret_line = line;
	*ret_count = count;
	return 0;
}
