// SPDX-License-Identifier: GPL-2.0-only
/* Finds where threads sleep below a system call, from their kernel stacks. */
#include "explore/kernel_paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proc/file.h"
#include "proc/kernel_stack.h"
#include "proc/reader.h"
#include "proc/target.h"

#define THREADS_MAX 64 /* no rule: threads that are read in one look */
#define WEIGHT_NS 1e6  /* weight of one look: only the number of looks with a path matters */

struct look {
	uint32_t tgid;
	uint16_t nr;
	struct scope_proc_reader *reader;
	struct scope_call_paths *paths;
	unsigned threads;
};

/* True if the thread is in the call: its number is the first word of /proc/TID/syscall. */
static bool is_in_call(const struct look *look, uint32_t tid)
{
	size_t bytes;
	char *text;
	bool is;

	if (scope_proc_reader_text(look->reader, SCOPE_PROC_SYSCALL, look->tgid, tid, &text, &bytes))
		return false;
	is = *text >= '0' && *text <= '9' && strtoul(text, NULL, 10) == look->nr;
	free(text);
	return is;
}

/*
 * True for the scheduler: every sleep is in it, so it gives no information, and all threads of the host run through it
 * all the time.
 */
static bool is_scheduler(const char *name)
{
	return !strncmp(name, "schedule", 8) || !strncmp(name, "__schedule", 10) || !strncmp(name, "io_schedule", 11);
}

static int look_at(uint32_t tid, void *context)
{
	struct look *look = context;
	char names[SCOPE_KERNEL_STACK_BYTES], *rest = NULL;
	const char *name[SCOPE_KERNEL_STACK_BYTES / 2], *path[SCOPE_KERNEL_STACK_BYTES / 2];
	unsigned count = 0;

	if (look->threads++ >= THREADS_MAX || !is_in_call(look, tid) ||
	    scope_proc_kernel_stack_read(look->reader, look->tgid, tid, NULL, names))
		return 0;
	for (char *word = strtok_r(names, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		if (!is_scheduler(word))
			name[count++] = word;
	for (unsigned i = 0; i < count; i++)
		path[i] = name[count - 1 - i];
	/* Without memory the path is left out. */
	scope_explore_call_paths_kernel(look->paths, path, count, WEIGHT_NS);
	return 0;
}

void scope_explore_kernel_look(uint32_t tgid, uint16_t nr, struct scope_proc_reader *reader,
			       struct scope_call_paths *paths)
{
	struct look look = { .nr = nr, .reader = reader, .paths = paths };
	uint32_t *tgids = NULL;
	size_t count = 0;
	char path[64];

	if (scope_proc_target_tree(tgid, &tgids, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		look.tgid = tgids[i];
		snprintf(path, sizeof(path), "/proc/%u/task", tgids[i]);
		scope_proc_file_numbers(path, look_at, &look);
	}
	free(tgids);
}
