// SPDX-License-Identifier: GPL-2.0-only
/* The critical paths of the slowest requests, as text. */
#include <errno.h>
#include <stdlib.h>

#include "report/numbers.h"
#include "report/waits_text.h"

#define PART_MIN 0.03 /* share of a request: shorter parts are for -v */

static const struct scope_thread *thread_of(const struct scope_analysis *analysis, uint32_t index)
{
	return scope_timeline_threads_at(analysis->units->timeline->threads, index);
}

static double length_of(const struct scope_path_part *part)
{
	return (double)(part->part.end_ns - part->part.begin_ns);
}

static double wall_of(const struct scope_slow_path *path)
{
	return (double)(path->end_ns - path->begin_ns);
}

/* "stage_compute", "disk in write_log", "redis-server (pid 12) in look_up", or "10.0.0.5:5432 in ask_backend". */
static void write_part(const struct scope_analysis *analysis, const struct scope_path_part *part, FILE *to)
{
	const char *name = part->stacks && part->function ? part->function->name : NULL;
	struct scope_trace_peer peer;

	if (part->part.end == SCOPE_END_RUNS) {
		fprintf(to, "%s", name ? name : "runs");
		return;
	}
	if (!scope_report_part_peer(analysis, &part->part, &peer))
		fputs(scope_report_end(part->part.end, part->part.class), to);
	else if (peer.pid)
		fprintf(to, "%s (pid %u)", peer.name, peer.pid);
	else
		fputs(peer.address, to);
	fprintf(to, "%s%s", name ? " in " : "", name ? name : "");
}

static bool says_same(const struct scope_path_part *a, const struct scope_path_part *b)
{
	const struct scope_function *of_a = a->stacks ? a->function : NULL, *of_b = b->stacks ? b->function : NULL;

	return a->part.thread == b->part.thread && a->part.end == b->part.end && a->part.class == b->part.class &&
	       a->part.fd == b->part.fd && of_a == of_b;
}

/* Merges equal parts, and skips short ones between them. Returns the index after them; *ret_ns: their sum. */
static size_t fold(const struct scope_slow_path *path, size_t at, unsigned *ret_times, double *ret_ns)
{
	size_t i = at;

	*ret_times = 0;
	*ret_ns = 0;
	for (; i < path->parts; i++) {
		if (length_of(&path->part[i]) < PART_MIN * wall_of(path))
			continue;
		if (!says_same(&path->part[at], &path->part[i]))
			break;
		*ret_ns += length_of(&path->part[i]);
		++*ret_times;
	}
	return i;
}

/* Prints the longer parts in one line, in order of time. */
static int print_short(const struct scope_analysis *analysis, const struct scope_slow_path *path, unsigned width,
		       FILE *out)
{
	struct scope_paragraph line;
	uint32_t last = UINT32_MAX;
	struct scope_text text_ns;
	size_t next;

	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	for (size_t i = 0; i < path->parts; i = next) {
		const struct scope_path_part *part = &path->part[i];
		unsigned times;
		double ns;

		next = i + 1;
		if (length_of(part) < PART_MIN * wall_of(path))
			continue;
		next = fold(path, i, &times, &ns);
		fputs(last == UINT32_MAX ? "" : part->part.thread == last ? ", " : " → ", line.to);
		if (part->part.thread != last)
			fprintf(line.to, "%s: ", thread_of(analysis, part->part.thread)->comm);
		write_part(analysis, part, line.to);
		fprintf(line.to, " %s", scope_report_format_ns(&text_ns, ns));
		if (times > 1)
			fprintf(line.to, " in %u turns", times);
		last = part->part.thread;
	}
	if (last == UINT32_MAX)
		fprintf(line.to, "%zu parts, each less than %.0f %% of it: -v lists them", path->parts, 100 * PART_MIN);
	return scope_report_paragraph_print(&line, 5, width, out);
}

static void print_long(const struct scope_analysis *analysis, const struct scope_slow_path *path, FILE *out)
{
	struct scope_text at, ns;

	if (path->left_out_ns)
		fprintf(out, "     %s before that\n", scope_report_format_ns(&ns, (double)path->left_out_ns));
	for (size_t i = 0; i < path->parts; i++) {
		const struct scope_path_part *part = &path->part[i];
		const struct scope_thread *thread = thread_of(analysis, part->part.thread);

		fputs("     +", out);
		scope_report_format_padded(
			out, scope_report_format_ns(&at, (double)(part->part.begin_ns - path->begin_ns)), 10);
		scope_report_format_padded(out, scope_report_format_ns(&ns, length_of(part)), 10);
		fprintf(out, "%s (tid %u)  ", thread->comm, thread->tid);
		write_part(analysis, part, out);
		fputc('\n', out);
	}
}

int scope_report_paths_text(const struct scope_analysis *analysis, const struct scope_report_style *style, FILE *out)
{
	const struct scope_paths *paths = analysis->paths;
	const uint64_t begin_ns = analysis->units->timeline->begin_ns;
	int err = 0;

	if (!paths->count)
		fputs("  No request ended in the window.\n", out);
	for (size_t i = 0; !err && i < paths->count; i++) {
		const struct scope_slow_path *path = &paths->path[i];
		const struct scope_thread *thread = thread_of(analysis, path->thread);
		struct scope_text ns;

		fprintf(out, "%3zu  %s at %.6f s, %s (tid %u)\n", i + 1, scope_report_format_ns(&ns, wall_of(path)),
			path->begin_ns > begin_ns ? (double)(path->begin_ns - begin_ns) / 1e9 : 0, thread->comm,
			thread->tid);
		if (style->verbose)
			print_long(analysis, path, out);
		else
			err = print_short(analysis, path, scope_report_style_columns(style), out);
	}
	return err;
}
