// SPDX-License-Identifier: GPL-2.0-only
/* Attributes the stacks of a trace to units, wait-chain segments and hangs. */
#include "evidence/collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "evidence/attribute.h"
#include "evidence/background_tasks.h"
#include "evidence/held_waits.h"
#include "evidence/native_sleeps.h"
#include "evidence/stuck_tasks.h"
#include "evidence/task_places.h"
#include "symbol/namesake.h"
#include "symbol/runtime.h"

#define NORMAL_STACKS 20000 /* stacks of normal units, about this many are unwound */

struct collector {
	struct scope_attributor attributor;
	bool *snapshots; /* per thread: it has some */
	bool *stopped;	 /* per thread: one says where it stopped */
	struct scope_native_sleeps native;
	struct scope_stack_nodes stack_nodes;
	struct scope_trace *trace;
};

/* Finds the kernel function that the sample hit; NULL: not recorded, or without a name. 0, -ENOMEM. */
static int inside_of(struct collector *collector, const struct scope_logged_stack *logged,
		     const struct scope_event *event, const struct scope_function **ret_inside)
{
	const struct scope_function *function;
	int err;

	*ret_inside = NULL;
	if (!(logged->flags & SCOPE_STACK_KERNEL_IP))
		return 0;
	err = scope_symbols_lookup(collector->stack_nodes.symbols, logged->tgid, event->stack.kernel_ip, false,
				   &function);
	if (!err && function->known)
		*ret_inside = function;
	return err;
}

static int stack_node_of(struct collector *collector, const struct scope_logged_stack *logged,
			 struct scope_stack_node *ret_stack_node, const struct scope_function **ret_inside)
{
	struct scope_evidence *evidence = collector->attributor.evidence;
	struct scope_event event;
	int err = scope_unit_log_stack_at(collector->trace, logged, &event);

	if (!err)
		err = inside_of(collector, logged, &event, ret_inside);
	if (err)
		return err;
	if (!event.stack.ended && event.stack.ips) {
		evidence->stacks++;
		evidence->complete += !(logged->flags & SCOPE_STACK_CUT);
		evidence->cut += !!(logged->flags & SCOPE_STACK_CUT);
	}
	return scope_evidence_stack_node_of_event(&collector->stack_nodes, logged->tgid, &event, ret_stack_node);
}

static void stand(struct collector *collector, uint32_t thread, const struct scope_stack_node *stack_node)
{
	struct scope_stopped_stack *stopped_stack = &collector->attributor.evidence->stopped_stack[thread];

	scope_evidence_tree_vote(&collector->attributor.evidence->tree, stack_node->node, stack_node->circle,
				 stack_node->circles);
	stopped_stack->node = stack_node->node;
	stopped_stack->frames = stack_node->frames;
	stopped_stack->below = stack_node->below;
	stopped_stack->idle = stack_node->idle;
	stopped_stack->bare = stack_node->bare;
}

static int collect_stopped_stack(struct collector *collector, const struct scope_logged_stack *logged)
{
	const uint32_t index = logged->stack.thread;
	const struct scope_function *inside;
	struct scope_stack_node stack_node;
	int err;

	if (!collector->attributor.detection || index >= collector->attributor.units->threads)
		return 0;
	err = stack_node_of(collector, logged, &stack_node, &inside);
	if (err)
		return err;
	stand(collector, index, &stack_node);
	collector->stopped[index] = logged->reason == SCOPE_STACK_SNAPSHOT &&
				    (stack_node.node != SCOPE_TREE_ROOT || stack_node.bare);
	return 0;
}

static struct scope_stretch sample_stretch(const struct collector *collector, const struct scope_logged_stack *logged)
{
	const double sample_ns = (double)scope_unit_logged_run_ns(collector->trace, logged);
	const bool ratio = sample_ns > 0 && logged->reason != SCOPE_STACK_SNAPSHOT;

	return (struct scope_stretch){
		.begin_ns = logged->time_ns,
		.end_ns = logged->time_ns,
		.weight_ns = sample_ns,
		.sampling_ratio = ratio ? (double)scope_trace_sample_ns(collector->trace, 0) / sample_ns : 1,
		.run = true,
		.kernel = logged->flags & SCOPE_STACK_IN_KERNEL,
		.unit = scope_evidence_lookup_unit_at(&collector->attributor.lookup, collector->attributor.units,
						      logged->stack.thread, logged->time_ns),
	};
}

static struct scope_stretch sleep_stretch(const struct collector *collector, const struct scope_logged_stack *logged)
{
	const struct scope_unit_stack *stack = &logged->stack;
	struct scope_stretch stretch = {
		.kernel = logged->flags & SCOPE_STACK_IN_KERNEL,
		.propagated = stack->propagated,
		.class = stack->class,
		.nr = stack->nr,
		.unit = scope_evidence_lookup_unit_at(&collector->attributor.lookup, collector->attributor.units,
						      stack->thread, stack->enter_ns),
	};

	scope_evidence_stretch_sleep(&stretch, stack->enter_ns, stack->wake_ns, stack->slept_ns);
	/*
	 * If sleeps are n times shorter than the time between snapshots, one in n has a snapshot, and represents the
	 * others.
	 */
	if (logged->reason == SCOPE_STACK_SNAPSHOT && stretch.weight_ns < (double)logged->since_ns)
		stretch.weight_ns = (double)logged->since_ns;
	/* A pick-up: it returned into the unit after it. */
	if (stretch.unit != UINT32_MAX &&
	    !scope_unit_holds(&collector->attributor.units->unit[stretch.unit], stack->thread, stack->exit_ns))
		stretch.unit = UINT32_MAX;
	return stretch;
}

/*
 * True if the sample hit the tracer. That is not the program's time, and would make frequent calls look expensive: with
 * perf, tracing a call can take longer than the call.
 */
static bool is_tracer(const struct scope_function *inside)
{
	return inside && (!strcmp(inside->module, "[scope]") ||
			  (!strcmp(inside->module, "[kernel]") && !strncmp(inside->name, "perf_", strlen("perf_"))));
}

/* The threads of a reference are others. */
static void note_stack(struct collector *collector, uint32_t thread, const struct scope_stack_node *stack_node)
{
	struct scope_thread_stacks *of = collector->attributor.evidence->thread_stacks;

	if (!collector->attributor.detection || thread >= collector->attributor.units->threads)
		return;
	of[thread].own |= stack_node->node != SCOPE_TREE_ROOT;
	of[thread].runtime |= stack_node->runtime;
}

/* True for the stack of an interpreter that runs a program, alone or within a server that called it. */
static bool is_interpreter(const struct scope_stack_node *stack_node)
{
	return stack_node->node == SCOPE_TREE_ROOT ||
	       (stack_node->below && scope_symbol_runtime_interprets(stack_node->below->path));
}

static int collect_stack(void *user, const struct scope_logged_stack *logged)
{
	struct collector *collector = user;
	struct scope_stretch stretch;
	struct scope_stack_node stack_node;
	int err;

	if (logged->stack.stopped_stack)
		return collect_stopped_stack(collector, logged);
	if (logged->reason == SCOPE_STACK_SNAPSHOT && !scope_unit_logged_ran(logged) &&
	    scope_evidence_native_sleeps_has(&collector->native, logged->stack.thread, logged->stack.enter_ns))
		return 0;
	stretch = scope_unit_logged_ran(logged) ? sample_stretch(collector, logged) : sleep_stretch(collector, logged);
	if (!scope_evidence_attributor_wants(&collector->attributor, logged->stack.thread, &stretch))
		return 0;
	err = stack_node_of(collector, logged, &stack_node, &stretch.inside);
	if (err)
		return err;
	note_stack(collector, logged->stack.thread, &stack_node);
	if (is_tracer(stretch.inside)) {
		collector->attributor.evidence->tracer++;
		return 0;
	}
	/* The JVM's threads have snapshots of their waits, and what runs is mostly compiled. */
	stretch.interpreter = logged->reason != SCOPE_STACK_SNAPSHOT &&
			      logged->stack.thread < collector->attributor.units->threads &&
			      collector->snapshots[logged->stack.thread] &&
			      (is_interpreter(&stack_node) || (stack_node.unnamed && !stretch.run));
	/* Details of usual units are not shown. */
	if (stretch.unit == UINT32_MAX || scope_anomaly_mark_abnormal(collector->attributor.kept->mark[stretch.unit]))
		scope_evidence_tree_vote(&collector->attributor.evidence->tree, stack_node.node, stack_node.circle,
					 stack_node.circles);
	return scope_evidence_attributor_add(&collector->attributor, logged->stack.thread, &stretch, stack_node);
}

static const struct scope_trace_memory *find_memory(const struct scope_trace *trace, uint32_t tid, uint64_t address)
{
	size_t count;
	const struct scope_trace_memory *row = scope_trace_memories(trace, &count);

	/* The latest copy belongs to the latest registers. */
	while (count--)
		if (row[count].tid == tid && row[count].address == address)
			return &row[count];
	return NULL;
}

static const struct scope_trace_stopped_stack *find_stopped_stack(const struct scope_trace *trace, uint32_t tid,
								  uint64_t address)
{
	size_t count;
	const struct scope_trace_stopped_stack *row = scope_trace_stopped_stacks(trace, &count);

	while (count--)
		if (row[count].tid == tid && row[count].address == address)
			return &row[count];
	return NULL;
}

/* Takes the frames it was unwound to, or unwinds its registers and copied memory. 1: it has neither. */
static int node_of_stopped(const struct collector *collector, const struct scope_thread *thread,
			   const struct scope_logged_state *state, struct scope_stack_node *ret_stack_node)
{
	const uint64_t address = state->reg[scope_machine_reg_sp(state->regs)];
	const struct scope_trace_stopped_stack *unwound = find_stopped_stack(collector->trace, thread->tid, address);
	const struct scope_trace_memory *memory = find_memory(collector->trace, thread->tid, address);

	if (unwound)
		return scope_evidence_stack_node_of_frames(&collector->stack_nodes, thread->tgid, unwound->ip,
							   unwound->count, unwound->ended, ret_stack_node);
	if (memory)
		return scope_evidence_stack_node_of_copy(&collector->stack_nodes, thread->tgid, state->reg, state->regs,
							 memory->data, memory->bytes, ret_stack_node);
	return 1;
}

/* Stacks of threads that did not run. */
static int unwind_stopped_stack(struct collector *collector)
{
	const struct scope_units *units = collector->attributor.units;
	struct scope_tree *tree = &collector->attributor.evidence->tree;

	for (size_t i = 0; i < units->threads; i++) {
		const struct scope_thread *thread = scope_timeline_threads_at(units->timeline->threads, i);
		const struct scope_logged_state *state = scope_unit_log_state_of(collector->attributor.kept->log, i);
		struct scope_stopped_stack *stopped_stack = &collector->attributor.evidence->stopped_stack[i];
		struct scope_stack_node stack_node;
		uint32_t node;
		int err = state && !collector->stopped[i] ? node_of_stopped(collector, thread, state, &stack_node) : 1;

		if (err < 0)
			return err;
		if (!err) {
			/* No snapshot has a function of it: it sleeps in the interpreter, as a thread that is kept for later. */
			stack_node.idle |= stack_node.language && stack_node.bare &&
					   scope_symbols_interpreted(collector->stack_nodes.symbols);
			stand(collector, i, &stack_node);
		}
		for (node = stopped_stack->node; node; node = tree->node[node].parent)
			stopped_stack->start = tree->node[node].function;
	}
	return 0;
}

static int note_snapshot(void *user, const struct scope_logged_stack *logged)
{
	struct collector *collector = user;

	if (logged->reason == SCOPE_STACK_SNAPSHOT && logged->stack.thread < collector->attributor.units->threads)
		collector->snapshots[logged->stack.thread] = true;
	return 0;
}

static int collect_tasks(struct collector *collector)
{
	struct scope_attributor *attributor = &collector->attributor;
	struct scope_task_rows rows;
	int err =
		scope_evidence_task_rows_read(attributor->kept->log, collector->trace, &collector->stack_nodes, &rows);

	if (err)
		return err;
	err = scope_evidence_task_places_collect(attributor, &rows);
	if (!err)
		err = scope_evidence_held_waits_collect(attributor, &rows);
	if (!err)
		err = scope_evidence_background_tasks_mark(&rows, attributor->evidence);
	if (!err && attributor->detection)
		err = scope_evidence_stuck_tasks_find(&rows, attributor->units, attributor->evidence);
	scope_evidence_task_rows_free(&rows);
	return err;
}

static int run(struct collector *collector)
{
	const size_t threads = collector->attributor.kept->units->threads;
	bool read = false; /* an interpreter was */
	int err = scope_evidence_attributor_init(&collector->attributor,
						 1 + collector->attributor.kept->units->stacks / NORMAL_STACKS);

	collector->snapshots = calloc(threads + 1, sizeof(*collector->snapshots));
	collector->stopped = calloc(threads + 1, sizeof(*collector->stopped));
	if (!collector->snapshots || !collector->stopped)
		err = -ENOMEM;
	if (!err)
		err = scope_unit_log_stacks(collector->attributor.kept->log, note_snapshot, collector);
	for (size_t i = 0; i < threads; i++)
		read |= collector->snapshots && collector->snapshots[i];
	if (!err && read)
		err = scope_evidence_native_sleeps_find(collector->attributor.kept->log, collector->trace,
							&collector->native);
	if (!err)
		err = scope_unit_log_stacks(collector->attributor.kept->log, collect_stack, collector);
	if (!err)
		err = collect_tasks(collector);
	if (!err && collector->attributor.detection)
		err = unwind_stopped_stack(collector);
	scope_evidence_attributor_free(&collector->attributor);
	scope_evidence_native_sleeps_free(&collector->native);
	free(collector->snapshots);
	free(collector->stopped);
	return err;
}

int scope_evidence_collect_items(const struct scope_evidence_source *source, const struct scope_detection *detection,
				 const struct scope_hang *hangs, size_t hang_count, struct scope_evidence *evidence)
{
	struct collector collector = {
		.trace = source->trace,
		.attributor = {
			.kept = source->kept,
			.detection = detection,
			.hangs = hangs,
			.hang_count = hang_count,
			.evidence = evidence,
		},
		.stack_nodes = { .symbols = source->symbols, .evidence = evidence },
	};

	return run(&collector);
}

int scope_evidence_collect_reference(const struct scope_evidence_source *reference, const struct scope_symbols *symbols,
				     struct scope_evidence *evidence)
{
	struct scope_namesakes *namesakes;
	struct collector collector = {
		.trace = reference->trace,
		.attributor = { .kept = reference->kept, .evidence = evidence },
		.stack_nodes = { .symbols = reference->symbols, .evidence = evidence },
	};
	int err = scope_symbol_namesakes_create(symbols, &namesakes);

	if (err)
		return err;
	collector.stack_nodes.namesakes = namesakes;
	err = run(&collector);
	scope_symbol_namesakes_destroy(namesakes);
	return err;
}
