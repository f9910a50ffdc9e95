// SPDX-License-Identifier: GPL-2.0-only
/* Reads /proc/kallsyms once, line by line, and keeps only symbols that samples hit. */
#include "proc/kernel_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "trace/walk.h"
#include "trace/writer.h"

#define NAME_BYTES 128
#define LINES_AT_ONCE 4096 /* takes some milliseconds */

/* Two of the symbols between two neighbouring addresses: the last one, and the address of the first. */
struct gap {
	uint64_t last, first;
	char name[NAME_BYTES], module[NAME_BYTES]; /* of the last symbol */
};

/* The code of a function, as [start, end). */
struct range {
	uint64_t start, end;
};

struct scope_kernel_names {
	uint64_t base;
	struct range *known; /* functions that are written already: sorted, not touching each other */
	size_t knowns, known_room;
	uint64_t *ip;
	size_t count, capacity;
	size_t sorted; /* how many of the addresses are sorted and different */
};

struct line {
	uint64_t address;
	char type;
	char name[NAME_BYTES], module[NAME_BYTES];
};

/* "ffffffff81000000 T _text"; the line of a module's symbol ends with a tab and "[ext4]". */
static bool take_line(const char *text, struct line *ret_line)
{
	ret_line->module[0] = '\0';
	return sscanf(text, "%" SCNx64 " %c %127s %127s", &ret_line->address, &ret_line->type, ret_line->name,
		      ret_line->module) >= 3;
}

int scope_proc_kernel_base(FILE *kallsyms, struct scope_error *error, uint64_t *ret_base)
{
	struct line line;
	char *text = NULL;
	size_t bytes = 0;
	bool found = false;

	while (!found && getline(&text, &bytes, kallsyms) > 0)
		found = take_line(text, &line) && !strcmp(line.name, "_text");
	free(text);
	if (!found)
		return scope_error_set(error, -ENOENT,
				       "/proc/kallsyms names no _text: this kernel was built "
				       "without CONFIG_KALLSYMS");
	if (!line.address)
		return scope_error_set(error, -EACCES,
				       "/proc/kallsyms hides addresses: run as root of the "
				       "host, with /proc/sys/kernel/kptr_restrict at 0 or 1");
	*ret_base = line.address - SCOPE_KERNEL_TEXT;
	return 0;
}

int scope_proc_kernel_names_create(uint64_t base, struct scope_kernel_names **ret_names)
{
	struct scope_kernel_names *names = calloc(1, sizeof(*names));

	if (!names)
		return -ENOMEM;
	names->base = base;
	*ret_names = names;
	return 0;
}

void scope_proc_kernel_names_destroy(struct scope_kernel_names *names)
{
	if (!names)
		return;
	free(names->ip);
	free(names->known);
	free(names);
}

static int compare_ips(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

static void sort(struct scope_kernel_names *names)
{
	size_t kept = 0;

	if (names->count)
		qsort(names->ip, names->count, sizeof(*names->ip), compare_ips);
	for (size_t i = 0; i < names->count; i++)
		if (!kept || names->ip[kept - 1] != names->ip[i])
			names->ip[kept++] = names->ip[i];
	names->count = names->sorted = kept;
}

/* True if the address is in a function that was written before. */
static bool is_known(const struct scope_kernel_names *names, uint64_t ip)
{
	size_t low = 0, high = names->knowns;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (names->known[middle].end <= ip)
			low = middle + 1;
		else
			high = middle;
	}
	return low < names->knowns && names->known[low].start <= ip;
}

static int compare_ranges(const void *left, const void *right)
{
	const struct range *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* Sorts the ranges, and joins those that touch each other. */
static void merge_known(struct scope_kernel_names *names)
{
	size_t kept = 0;

	qsort(names->known, names->knowns, sizeof(*names->known), compare_ranges);
	for (size_t i = 1; i < names->knowns; i++) {
		if (names->known[i].start > names->known[kept].end)
			names->known[++kept] = names->known[i];
		else if (names->known[i].end > names->known[kept].end)
			names->known[kept].end = names->known[i].end;
	}
	names->knowns = kept + 1;
}

static int note(struct scope_kernel_names *names, uint64_t ip)
{
	if (is_known(names, ip))
		return 0;
	/*
	 * Sorts when there are twice as many addresses as different ones the last time, because most addresses repeat.
	 */
	if (names->count >= 2 * names->sorted + 1024)
		sort(names);
	if (scope_grow(&names->ip, &names->capacity, names->count + 1, sizeof(*names->ip)))
		return -ENOMEM;
	names->ip[names->count++] = ip;
	return 0;
}

int scope_proc_kernel_names_note(struct scope_kernel_names *names, const void *record)
{
	const struct scope_record_chain *chain = record;
	const struct scope_record_frames *frames = record;
	const struct scope_record_stack *stack = record;
	const uint64_t *ip = NULL;

	switch (scope_trace_walk_type(record)) {
	case SCOPE_RECORD_CHAIN:
		if (chain->flags & SCOPE_STACK_KERNEL_IP && chain->count)
			ip = (const uint64_t *)(chain + 1) + chain->count - 1;
		break;
	case SCOPE_RECORD_FRAMES:
		if (frames->flags & SCOPE_STACK_KERNEL_IP && frames->count)
			ip = (const uint64_t *)(frames + 1) + frames->count - 1;
		break;
	default:
		if (stack->flags & SCOPE_STACK_KERNEL_IP && stack->bytes >= sizeof(*ip))
			ip = (const uint64_t *)(stack + 1) + stack->regs + stack->bytes / sizeof(*ip) - 1;
	}
	return ip ? note(names, *ip) : 0;
}

/* Index of the first of count addresses that is not below `address`. */
static size_t place_of(const uint64_t *ip, size_t count, uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (ip[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* gap[i] ends at ip[i]; one more gap follows the last address. If an address has several names the first is kept. */
static int fill(const struct scope_kernel_names *names, FILE *kallsyms, struct gap *gap,
		int (*while_waiting)(void *context), void *context)
{
	struct line line;
	char *text = NULL;
	size_t bytes = 0, lines = 0;
	int err = 0;

	while (!err && getline(&text, &bytes, kallsyms) > 0) {
		uint64_t address;
		struct gap *at;

		if (while_waiting && !(++lines % LINES_AT_ONCE))
			err = while_waiting(context);
		if (!take_line(text, &line) || !strchr("tTwW", line.type))
			continue;
		address = line.address - names->base;
		at = &gap[place_of(names->ip, names->count, address)];
		if (!at->name[0] || address < at->first)
			at->first = address;
		if (at->name[0] && address <= at->last)
			continue;
		at->last = address;
		strcpy(at->name, line.name);
		strcpy(at->module, line.module[0] ? line.module : "[kernel]");
	}
	free(text);
	return err;
}

/*
 * Writes the symbols. Each symbol reaches from its start to the start of the next one, or to the last address hit if
 * none follows.
 */
static int write_gaps(struct scope_kernel_names *names, const struct gap *gap, struct scope_writer *writer)
{
	uint64_t end = gap[names->count].name[0] ? gap[names->count].first : names->ip[names->count - 1] + 1;
	int err = 0;

	for (size_t i = names->count; i-- > 0 && !err;) {
		if (!gap[i].name[0])
			continue;
		err = scope_trace_writer_symbol(writer, &(struct scope_trace_symbol){
								.start = gap[i].last,
								.size = end - gap[i].last,
								.name = gap[i].name,
								.module = gap[i].module,
								.library = true,
							});
		/* Without memory the function will be written again. */
		if (!err && end > gap[i].last &&
		    !scope_grow(&names->known, &names->known_room, names->knowns + 1, sizeof(*names->known)))
			names->known[names->knowns++] = (struct range){ gap[i].last, end };
		end = gap[i].first;
	}
	return err;
}

int scope_proc_kernel_names_write(struct scope_kernel_names *names, FILE *kallsyms, int (*while_waiting)(void *context),
				  void *context, struct scope_writer *writer)
{
	struct scope_kernel_names now;
	struct gap *gap;
	int err;

	sort(names);
	if (!names->count)
		return 0;
	gap = calloc(names->count + 1, sizeof(*gap));
	if (!gap)
		return -ENOMEM;
	/* Addresses noted during this call are for the next one. */
	now = *names;
	names->ip = NULL;
	names->count = names->capacity = names->sorted = 0;
	err = fill(&now, kallsyms, gap, while_waiting, context);
	if (!err)
		err = write_gaps(&now, gap, writer);
	names->known = now.known;
	names->knowns = now.knowns;
	names->known_room = now.known_room;
	if (names->knowns)
		merge_known(names);
	free(gap);
	free(now.ip);
	return err;
}
