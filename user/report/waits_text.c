// SPDX-License-Identifier: GPL-2.0-only
/* Which threads wait for which, as text: a tree by thread group, and bottlenecks in a sentence. */
#include "report/waits_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/syscall_name.h"
#include "report/locks_text.h"
#include "report/numbers.h"
#include "report/section.h"

#define LINES_MAX 15
#define TREE_LINES 3   /* at least */
#define ANSWERS_MOST 2 /* bottlenecks */
#define LOCKS_MOST 10
#define SHARE_MIN 0.05	/* of a group's waits: smaller nodes only with -v */
#define SHARE_ALL 0.001 /* the same with -v */
#define SECTION_LINES 12
#define SECTION_MIN 0.05 /* average number of waiting threads from which waits matter */
#define FUNCTIONS_MAX 2	 /* named in a line */

/* The tree as it is printed. */
struct tree {
	const struct scope_analysis *analysis;
	FILE *out;
	double all_ns;	/* of the group at the top */
	double share;	/* smaller nodes are left out */
	unsigned lines; /* lines that are left */
	unsigned width; /* columns of a line */
};

static const char *name_of(const struct scope_analysis *analysis, uint32_t group)
{
	const struct scope_groups *groups = analysis->found.groups;

	return group < groups->count && groups->group[group].name[0] ? groups->group[group].name : "?";
}

static uint32_t threads_of(const struct scope_analysis *analysis, uint32_t group)
{
	const struct scope_waits *waits = analysis->waits;
	uint32_t count = 0;

	for (size_t i = 0; i < waits->threads; i++)
		count += waits->of_thread[i] == group;
	return count;
}

const char *scope_report_end(uint8_t end, uint8_t class)
{
	static const char *const outside[SCOPE_WAIT_CLASSES] = {
		[SCOPE_WAIT_FUTEX] = "a time limit of a futex wait",
		[SCOPE_WAIT_NETWORK] = "a network peer",
		[SCOPE_WAIT_POLL] = "a peer or a time limit, in poll",
		[SCOPE_WAIT_DISK] = "disk",
		[SCOPE_WAIT_PIPE] = "a pipe, from outside",
		[SCOPE_WAIT_TIMER] = "a timer",
		[SCOPE_WAIT_CHILD] = "a child",
		[SCOPE_WAIT_FAULT] = "memory (a page fault)",
		[SCOPE_WAIT_OTHER] = "the kernel, or a device",
	};
	static const char *const name[SCOPE_ENDS] = {
		[SCOPE_END_RUNS] = "runs",
		[SCOPE_END_QUEUE] = "no CPU",
		[SCOPE_END_OWN] = "no CPU: other threads of the program have it",
		[SCOPE_END_PROCESS] = "a process that is not traced",
		[SCOPE_END_CIRCLE] = "a circle of threads",
		[SCOPE_END_UNSEEN] = "not seen",
	};

	return end == SCOPE_END_OUTSIDE ? outside[class] : name[end];
}

/* Prints the functions of a group that ran, or slept for a disk, while others waited: " (parse 80 %, …)". */
static void print_functions(const struct tree *tree, const struct scope_waits_node *node)
{
	const struct scope_waits *waits = tree->analysis->waits;
	const bool disk = node->end == SCOPE_END_OUTSIDE && node->class == SCOPE_WAIT_DISK;
	const uint8_t kind = disk ? SCOPE_BOTTLENECK_DISK : SCOPE_BOTTLENECK_RUNS;
	unsigned printed = 0;

	if (node->end != SCOPE_END_RUNS && !disk)
		return;
	for (size_t i = 0; i < waits->functions && printed < FUNCTIONS_MAX; i++) {
		const struct scope_waits_function *function = &waits->function[i];

		if (function->group != node->group || function->kind != kind || !function->function)
			continue;
		fprintf(tree->out, "%s%s %.0f %%", printed++ ? ", " : ": ", function->function->name,
			100 * function->share);
	}
}

/* Children of a node, most first. 0 or -ENOMEM. */
static int sorted(const struct scope_waits_tree *tree, uint32_t at, uint32_t **ret_child, size_t *ret_count)
{
	size_t count = 0;
	uint32_t *child;

	for (uint32_t i = tree->node[at].child; i; i = tree->node[i].sibling)
		count++;
	child = malloc((count + 1) * sizeof(*child));
	if (!child)
		return -ENOMEM;
	count = 0;
	for (uint32_t i = tree->node[at].child; i; i = tree->node[i].sibling) {
		size_t to = count++;

		/* Among equal ones the first node comes first, which is the last of the list. */
		for (; to && tree->node[child[to - 1]].ns <= tree->node[i].ns; to--)
			child[to] = child[to - 1];
		child[to] = i;
	}
	*ret_child = child;
	*ret_count = count;
	return 0;
}

/* The call in which the waiting threads slept, or the cause. */
static const char *call_of(const struct scope_waits_node *node)
{
	const char *name = node->nr == SCOPE_NR_NONE ? NULL : scope_syscall_name(node->nr);

	return name ? name : scope_timeline_wait_class_name((enum scope_wait_class)node->class);
}

/* The row of the descriptor at which most of that end's time was spent; NULL: none, or not known. */
static const struct scope_trace_fd *row_of(const struct scope_analysis *analysis, const struct scope_waits_node *node,
					   uint8_t class)
{
	const uint64_t other = scope_waits_tree_other(node);

	if (node->end != SCOPE_END_OUTSIDE || node->class != class || !(uint32_t)other)
		return NULL;
	return scope_waits_fd_names_row(analysis->waits->names, (uint32_t)(other >> 32),
					(int32_t)((uint32_t)other - 1));
}

bool scope_report_peer(const struct scope_analysis *analysis, const struct scope_waits_node *node,
		       struct scope_trace_peer *ret_peer)
{
	const struct scope_trace_fd *row = row_of(analysis, node, SCOPE_WAIT_NETWORK);

	return row && scope_waits_fd_names_peer(analysis->waits->names, row, ret_peer);
}

bool scope_report_part_peer(const struct scope_analysis *analysis, const struct scope_part *part,
			    struct scope_trace_peer *ret_peer)
{
	const struct scope_fd_names *names = analysis->waits->names;
	const struct scope_trace_fd *first;

	if (part->end != SCOPE_END_OUTSIDE || part->class != SCOPE_WAIT_NETWORK || !part->fd)
		return false;
	first = scope_waits_fd_names_first(
		names, scope_timeline_threads_at(analysis->units->timeline->threads, part->thread)->tgid,
		(int32_t)(part->fd - 1));
	return first && scope_waits_fd_names_peer(names, first, ret_peer);
}

const char *scope_report_file(const struct scope_analysis *analysis, const struct scope_waits_node *node)
{
	const struct scope_trace_fd *row = row_of(analysis, node, SCOPE_WAIT_DISK);

	return row && row->kind == SCOPE_FD_FILE && row->name[0] == '/' ? row->name : NULL;
}

const char *scope_report_device(const struct scope_analysis *analysis, const struct scope_waits_node *node)
{
	const struct scope_waits *waits = analysis->waits;

	if (node->end != SCOPE_END_OUTSIDE || node->class != SCOPE_WAIT_DISK || !waits->device.requests ||
	    waits->device_most < SCOPE_WAITS_DEVICE_MOST || scope_report_file(analysis, node))
		return NULL;
	return scope_rank_outside_device(analysis->trace, waits->device.dev);
}

/* Prints the name of the untraced thread, if the capture found it: ": cc1", ": throttled". */
static void print_other(const struct tree *tree, const struct scope_waits_node *node)
{
	const struct scope_analysis *analysis = tree->analysis;
	const uint32_t tid = (uint32_t)scope_waits_tree_other(node);
	const char *name = NULL;

	if (node->end == SCOPE_END_QUEUE && scope_rank_outside_of(&analysis->outside, SCOPE_OUTSIDE_THROTTLED))
		fputs(": throttled", tree->out);
	else if (tid && scope_rank_outside_process(analysis->trace, tid, &name))
		fprintf(tree->out, ": %s%s", node->end == SCOPE_END_QUEUE ? "taken by " : "", name);
}

static int print_node(struct tree *tree, uint32_t at, unsigned depth)
{
	const struct scope_waits_tree *all = &tree->analysis->waits->tree;
	const struct scope_waits_node *node = &all->node[at];
	struct scope_trace_peer peer;
	struct scope_paragraph line;
	FILE *out = tree->out;
	char *text;
	int err;

	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	tree->out = line.to;
	fprintf(line.to, "%7.1f %%  %*s", 100 * node->ns / tree->all_ns, 2 * (int)depth, "");
	if (node->ends) {
		if (!scope_report_peer(tree->analysis, node, &peer))
			fprintf(line.to, "%s", scope_report_end(node->end, node->class));
		else if (peer.pid)
			fprintf(line.to, "%s (pid %u), at %s", peer.name, peer.pid, peer.address);
		else
			fprintf(line.to, "%s: %s", scope_report_end(node->end, node->class), peer.address);
		if (scope_report_file(tree->analysis, node))
			fprintf(line.to, ", for %.60s", scope_report_file(tree->analysis, node));
		if (scope_report_device(tree->analysis, node))
			fprintf(line.to, " %.80s", scope_report_device(tree->analysis, node));
		print_functions(tree, node);
		if (node->end == SCOPE_END_QUEUE || node->end == SCOPE_END_PROCESS)
			print_other(tree, node);
	} else {
		fprintf(line.to, "%s ×%u, in %s", name_of(tree->analysis, node->group),
			threads_of(tree->analysis, node->group), call_of(node));
	}
	tree->out = out;
	err = scope_report_paragraph_end(&line, &text);
	if (err)
		return err;
	scope_report_format_clipped(out, text, tree->width);
	fputc('\n', out);
	free(text);
	return 0;
}

/* Prints all nodes below a node, as far as there is room. */
static int print_below(struct tree *tree, uint32_t at, unsigned depth)
{
	const struct scope_waits_tree *all = &tree->analysis->waits->tree;
	uint32_t *child;
	size_t count;
	int err = sorted(all, at, &child, &count);

	if (err)
		return err;
	for (size_t i = 0; !err && i < count && tree->lines; i++) {
		if (all->node[child[i]].ns < tree->share * tree->all_ns)
			break;
		tree->lines--;
		err = print_node(tree, child[i], depth);
		if (!err && !all->node[child[i]].ends)
			err = print_below(tree, child[i], depth + 1);
	}
	free(child);
	return err;
}

/* Prints a group that waits: for how long, of how much time, and for what. */
static int print_group(struct tree *tree, uint32_t at)
{
	const struct scope_waits *waits = tree->analysis->waits;
	const struct scope_waits_node *node = &waits->tree.node[at];
	const struct scope_waits_group *group = &waits->group[node->group];
	struct scope_paragraph line;
	struct scope_text ns, unit;
	char *text;
	int err;

	tree->all_ns = node->ns;
	if (tree->lines < 2 || node->ns <= 0)
		return 0;
	tree->lines--;
	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	fprintf(line.to, "%s ×%u waits for %s", name_of(tree->analysis, node->group),
		threads_of(tree->analysis, node->group), scope_report_format_ns(&ns, node->ns));
	if (group->unit_ns > 0)
		fprintf(line.to, " of %s with work to do (runs %.0f %%, no CPU %.0f %%)",
			scope_report_format_ns(&unit, group->unit_ns), 100 * group->run_ns / group->unit_ns,
			100 * group->queue_ns / group->unit_ns);
	fputc(':', line.to);
	err = scope_report_paragraph_end(&line, &text);
	if (err)
		return err;
	fputs("  ", tree->out);
	scope_report_format_wrapped_to(tree->out, text, 2, 4, tree->width);
	fputc('\n', tree->out);
	free(text);
	return print_below(tree, at, 0);
}

/* The average number of threads that wait. */
static double waited(const struct scope_waits *waits)
{
	return waits->window_ns > 0 ? waits->tree.node[0].ns / waits->window_ns : 0;
}

const char *scope_report_bottleneck(struct scope_waits_text *buffer, const struct scope_analysis *analysis,
				    const struct scope_bottleneck *one)
{
	const char *group = name_of(analysis, one->group), *waiter = name_of(analysis, one->waits_most);
	char does[96] = "runs";

	if (one->kind == SCOPE_BOTTLENECK_DISK)
		strcpy(does, "waits for a disk");
	else if (one->kind == SCOPE_BOTTLENECK_HOLDS)
		snprintf(does, sizeof(does), "has their lock and waits for %s",
			 scope_report_end(SCOPE_END_OUTSIDE, one->class));
	snprintf(
		buffer->text, sizeof(buffer->text),
		"%s%s%.40s is a bottleneck: for %.0f %% of the time threads with work to do (%.40s) wait while it %s. If "
		"it took half as long, up to %.0f %% more would be done.",
		one->function ? one->function->name : "", one->function ? " in " : "", group, 100 * one->share, waiter,
		does, 100 * one->gain);
	return buffer->text;
}

bool scope_report_is_bottleneck(const struct scope_analysis *analysis)
{
	return analysis->waits->bottlenecks && analysis->ranking->verdict == SCOPE_VERDICT_NOTHING &&
	       !analysis->ranking->findings && !analysis->ranking->left_out;
}

const struct scope_bottleneck *scope_report_bottleneck_beside(const struct scope_analysis *analysis)
{
	const struct scope_bottleneck *one = analysis->waits->bottleneck;
	const struct scope_ranking *ranking = analysis->ranking;

	if (!analysis->waits->bottlenecks || scope_report_is_bottleneck(analysis))
		return NULL;
	for (size_t i = 0; i < ranking->findings; i++)
		if (ranking->finding[i].function == one->function)
			return NULL;
	return one;
}

static unsigned print_head(const struct scope_analysis *analysis, unsigned width, FILE *out)
{
	const struct scope_waits *waits = analysis->waits;
	const char *command = scope_trace_meta(analysis->trace, SCOPE_META_COMMAND);
	const char *pid = scope_trace_meta(analysis->trace, SCOPE_META_PID);
	struct scope_text window;
	char text[128], threads[32] = "no thread waits";

	if (waited(waits) >= 0.05)
		snprintf(threads, sizeof(threads), "%.1f threads wait", waited(waits));

	snprintf(text, sizeof(text), "WAITS in %.20s (pid %.10s), %s: %s on average", command ? command : "?",
		 pid ? pid : "?", scope_report_format_window(&window, (uint64_t)waits->window_ns), threads);
	scope_report_format_wrapped_to(out, text, 0, 2, width);
	fputs("\n\n", out);
	return 2;
}

static unsigned count_lines(const char *text)
{
	unsigned count = 0;

	for (; (text = strchr(text, '\n')); text++)
		count++;
	return count;
}

/* Prints causes outside the program, if they are large. */
static void print_causes(const struct scope_analysis *analysis, unsigned width, FILE *out)
{
	const struct scope_outside *outside = &analysis->outside;
	char text[SCOPE_OUTSIDE_SAID];

	for (size_t i = 0; i < outside->count; i++) {
		fputs("  ", out);
		scope_rank_outside_say(&outside->cause[i], text, sizeof(text));
		scope_report_format_wrapped_to(out, text, 2, 2, width);
		fputc('\n', out);
	}
}

/* Prints a part of the text, with at most `most` items. 0 or -ENOMEM. */
typedef int print_part(const struct scope_analysis *analysis, unsigned most, unsigned width, FILE *out);

/* Prints deadlocks, then bottlenecks or that there are none. */
static int print_answers(const struct scope_analysis *analysis, unsigned most, unsigned width, FILE *out)
{
	const struct scope_waits *waits = analysis->waits;
	bool deadlocks;
	int err = scope_report_deadlocks_text(analysis, width, out, &deadlocks);

	for (size_t i = 0; i < waits->bottlenecks && i < most; i++) {
		struct scope_waits_text line;

		fputs("  ", out);
		scope_report_format_wrapped_to(out, scope_report_bottleneck(&line, analysis, &waits->bottleneck[i]), 2,
					       2, width);
		fputc('\n', out);
	}
	print_causes(analysis, width, out);
	if (!waits->bottlenecks && !deadlocks)
		fputs("  No bottleneck: no function is waited for most of the time.\n", out);
	fputc('\n', out);
	return err;
}

/* The part as text, malloc'd, and its number of lines. 0 or -ENOMEM. */
static int make_part(print_part *print, const struct scope_analysis *analysis, unsigned most, unsigned width,
		     char **ret_text, unsigned *ret_lines)
{
	struct scope_paragraph body;
	int err = scope_report_paragraph_begin(&body), end_err;

	if (err)
		return err;
	err = print(analysis, most, width, body.to);
	end_err = scope_report_paragraph_end(&body, ret_text);
	if (end_err)
		return end_err;
	*ret_lines = count_lines(*ret_text);
	if (err)
		free(*ret_text);
	return err;
}

static int print_tree(struct tree *tree)
{
	const struct scope_waits_tree *all = &tree->analysis->waits->tree;
	uint32_t *child;
	size_t count;
	int err = sorted(all, 0, &child, &count);

	if (err)
		return err;
	for (size_t i = 0; !err && i < count; i++)
		if (!all->node[child[i]].ends && all->node[child[i]].ns >= tree->share * all->node[0].ns)
			err = print_group(tree, child[i]);
	free(child);
	return err;
}

int scope_report_section_waits(const struct report *report)
{
	struct tree tree = {
		.analysis = report->analysis,
		.out = report->out,
		.share = SHARE_MIN,
		.lines = SECTION_LINES,
		.width = scope_report_section_width(report),
	};
	int err;

	if (waited(report->analysis->waits) < SECTION_MIN)
		return 0;
	fputs("  who waits for whom while it has work to do\n", report->out);
	err = print_tree(&tree);
	fputc('\n', report->out);
	return err;
}

/* Prints the tree, then locks; on one screen only the first lock, if the tree leaves room. */
static int print_tree_and_locks(struct tree *tree, unsigned used, bool verbose)
{
	unsigned lines;
	char *locks;
	int err = make_part(scope_report_locks_text, tree->analysis, verbose ? LOCKS_MOST : 1, tree->width, &locks,
			    &lines);

	if (err)
		return err;
	if (!verbose && used + TREE_LINES + 1 + lines > LINES_MAX)
		lines = 0;
	tree->lines = verbose ? UINT32_MAX : LINES_MAX > used ? LINES_MAX - used - (lines ? lines + 1 : 0) : 0;
	err = print_tree(tree);
	if (!err && lines)
		fprintf(tree->out, "\n%s", locks);
	free(locks);
	return err;
}

int scope_report_waits_text(const struct scope_analysis *analysis, const struct scope_report_style *style, FILE *out)
{
	struct tree tree = {
		.analysis = analysis,
		.out = out,
		.share = style->verbose ? SHARE_ALL : SHARE_MIN,
		.width = scope_report_style_columns(style),
	};
	unsigned used = print_head(analysis, tree.width, out), lines;
	char *answers;
	int err;

	if (analysis->paths)
		return scope_report_paths_text(analysis, style, out);
	err = make_part(print_answers, analysis, ANSWERS_MOST, tree.width, &answers, &lines);
	if (err)
		return err;
	fputs(answers, out);
	free(answers);
	return print_tree_and_locks(&tree, used + lines, style->verbose);
}
