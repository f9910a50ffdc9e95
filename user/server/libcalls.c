// SPDX-License-Identifier: GPL-2.0-only
/* Counts system calls, their bytes and their time by the library function that the program called for them. */
#include "server/libcalls.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/share_interval.h"
#include "server/calls.h"
#include "timeline/timeline.h"

#define ERRNO_MAX 4095 /* no rule: the kernel's largest */

/* The last call of a thread that returned, for the stack that comes after it. */
struct returned {
	bool some;
	uint16_t nr;
	int64_t ret;
	uint64_t ns;
};

/* All calls of a number, and those with a stack. */
struct total {
	uint64_t calls, seen;
	double ns, seen_ns, bytes, seen_bytes;
};

struct counter {
	const struct scope_distributions *part;
	struct scope_symbols *symbols;
	struct scope_libcalls *libcalls;
	uint64_t begin_ns; /* of the trace */
	struct returned *of_thread;
	size_t threads;
	uint32_t *of_function; /* 1 more than its index, by its id; 0: none yet */
	size_t functions;
	uint32_t of_others[3]; /* the same of FROM_PROGRAM and FROM_NOBODY */
	struct total total[SCOPE_SYSCALL_MAX];
};

static double bytes_of(const struct returned *call)
{
	return scope_server_result_of(call->nr) == SCOPE_RESULT_BYTES && call->ret > 0 ? (double)call->ret : 0;
}

static int note_return(void *user, const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
		       uint64_t exit_ns)
{
	struct counter *counter = user;
	const struct scope_distributions *part = counter->part;
	struct returned *returned;
	struct total *total;

	if (thread->index >= counter->threads)
		return 0;
	returned = &counter->of_thread[thread->index];
	returned->some = false;
	/* A call that was entered before the trace began has no stack. */
	if (call->nr >= SCOPE_SYSCALL_MAX || call->enter_ns < counter->begin_ns || exit_ns < part->from_ns ||
	    (part->until_ns && exit_ns >= part->until_ns) || (part->only && !part->only[thread->index]))
		return 0;
	*returned = (struct returned){ true, call->nr, ret, exit_ns > call->enter_ns ? exit_ns - call->enter_ns : 0 };
	total = &counter->total[call->nr];
	total->calls++;
	total->ns += (double)returned->ns;
	total->bytes += bytes_of(returned);
	return 0;
}

/* The outermost library function below the innermost function of the program. NULL with another `from`. */
static int find_function(struct counter *counter, uint32_t tgid, const uint64_t *ip, unsigned count,
			 const struct scope_function **ret_function, enum scope_libcalls_from *ret_from)
{
	const struct scope_function *last = NULL;

	*ret_function = NULL;
	*ret_from = SCOPE_LIBCALLS_NOBODY;
	for (unsigned i = 0; i < count; i++) {
		const struct scope_function *function;
		int err = scope_symbols_lookup(counter->symbols, tgid, ip[i], i > 0, &function);

		if (err)
			return err;
		if (function->library || !function->path[0]) {
			last = function;
			continue;
		}
		*ret_function = last;
		*ret_from = last ? SCOPE_LIBCALLS_LIBRARY : SCOPE_LIBCALLS_PROGRAM;
		return 0;
	}
	return 0;
}

/* The row of a function; NULL: no memory. */
static struct scope_libcalls_function *find_row(struct counter *counter, const struct scope_function *function,
						enum scope_libcalls_from from)
{
	struct scope_libcalls *libcalls = counter->libcalls;
	const size_t old = counter->functions;
	uint32_t *place = &counter->of_others[from];

	if (function) {
		if (function->id >= old) {
			if (scope_grow(&counter->of_function, &counter->functions, function->id + 1ul,
				       sizeof(*counter->of_function)))
				return NULL;
			memset(counter->of_function + old, 0,
			       (counter->functions - old) * sizeof(*counter->of_function));
		}
		place = &counter->of_function[function->id];
	}
	if (!*place) {
		if (scope_grow(&libcalls->function, &libcalls->capacity, libcalls->count + 1,
			       sizeof(*libcalls->function)))
			return NULL;
		libcalls->function[libcalls->count++] =
			(struct scope_libcalls_function){ .function = function, .from = (uint8_t)from };
		*place = (uint32_t)libcalls->count;
	}
	return &libcalls->function[*place - 1];
}

static int count_call(struct scope_libcalls_function *row, const struct returned *returned)
{
	struct scope_libcall *call = row->call;
	size_t i = 0;

	while (i < row->count && call[i].nr != returned->nr)
		i++;
	if (i == row->count) {
		if (scope_grow(&row->call, &row->capacity, i + 1, sizeof(*row->call)))
			return -ENOMEM;
		row->call[row->count++] = (struct scope_libcall){ .nr = returned->nr };
	}
	call = &row->call[i];
	call->seen++;
	call->failed += returned->ret < 0 && returned->ret >= -ERRNO_MAX;
	call->seen_bytes += bytes_of(returned);
	call->seen_ns += (double)returned->ns;
	return 0;
}

static int note_stack(void *user, uint32_t thread, const struct scope_event *event)
{
	struct counter *counter = user;
	const struct scope_thread *of = scope_timeline_threads_at(counter->part->run->timeline->threads,
								  thread < counter->threads ? thread : 0);
	uint64_t unwound[SCOPE_FRAMES_MAX];
	const uint64_t *ip = event->stack.ip;
	unsigned count = event->stack.ips, flags;
	const struct scope_function *function;
	struct scope_libcalls_function *row;
	enum scope_libcalls_from from;
	struct returned *returned;
	struct total *total;
	int err;

	if (event->stack.reason != SCOPE_STACK_SYSCALL || thread >= counter->threads)
		return 0;
	returned = &counter->of_thread[thread];
	if (!returned->some)
		return 0;
	returned->some = false;
	if (!event->stack.ended && !count && event->stack.regs) {
		ip = unwound;
		err = scope_symbols_unwind(counter->symbols, of->tgid, event->stack.reg, event->stack.regs,
					   event->stack.data, event->stack.bytes, unwound, SCOPE_FRAMES_MAX, &count,
					   &flags);
		if (err && err != -EINVAL)
			return err;
	}
	if (!count)
		return 0;
	err = find_function(counter, of->tgid, ip, count, &function, &from);
	if (err)
		return err;
	row = find_row(counter, function, from);
	if (!row)
		return -ENOMEM;
	total = &counter->total[returned->nr];
	total->seen++;
	total->seen_ns += (double)returned->ns;
	total->seen_bytes += bytes_of(returned);
	return count_call(row, returned);
}

static double scaled(double seen, double of, double all)
{
	return of > 0 ? seen / of * all : seen;
}

static int more_calls(const void *left, const void *right)
{
	const struct scope_libcall *a = left, *b = right;

	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return (a->nr > b->nr) - (a->nr < b->nr);
}

/* Projects the calls with a stack to all calls. Errors of different calls are independent, so their squares add up. */
static void project(const struct counter *counter, struct scope_libcalls_function *row)
{
	double below = 0, above = 0;

	for (size_t i = 0; i < row->count; i++) {
		struct scope_libcall *call = &row->call[i];
		const struct total *total = &counter->total[call->nr];
		const double all = (double)total->calls;
		double low, high;

		scope_share_interval((double)call->seen, (double)total->seen, &low, &high);
		call->calls = scaled((double)call->seen, (double)total->seen, all);
		call->low = total->seen == total->calls ? call->calls : fmax(low * all, (double)call->seen);
		call->high = total->seen == total->calls ? call->calls : high * all;
		call->bytes = scaled(call->seen_bytes, total->seen_bytes, total->bytes);
		call->ns = scaled(call->seen_ns, total->seen_ns, total->ns);
		row->calls += call->calls;
		below += (call->calls - call->low) * (call->calls - call->low);
		above += (call->high - call->calls) * (call->high - call->calls);
		row->bytes += call->bytes;
		row->ns += call->ns;
		row->seen += call->seen;
		row->failed += call->failed;
	}
	row->low = row->calls - sqrt(below);
	row->high = row->calls + sqrt(above);
	if (row->count)
		qsort(row->call, row->count, sizeof(*row->call), more_calls);
}

static int more_time(const void *left, const void *right)
{
	const struct scope_libcalls_function *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->function && b->function ? strcmp(a->function->name, b->function->name) : 0;
}

static void sum_up(struct counter *counter)
{
	struct scope_libcalls *libcalls = counter->libcalls;

	for (size_t i = 0; i < libcalls->count; i++)
		project(counter, &libcalls->function[i]);
	if (libcalls->count)
		qsort(libcalls->function, libcalls->count, sizeof(*libcalls->function), more_time);
	for (size_t nr = 0; nr < SCOPE_SYSCALL_MAX; nr++) {
		libcalls->calls += counter->total[nr].calls;
		libcalls->stacks += counter->total[nr].seen;
		libcalls->unknown += counter->total[nr].seen ? 0 : counter->total[nr].calls;
	}
	libcalls->exact = libcalls->stacks == libcalls->calls;
}

static int run(struct counter *counter, struct scope_trace *trace)
{
	static const struct scope_timeline_ops ops = { .exit = note_return, .stack = note_stack };
	struct scope_timeline *timeline;
	int err;

	counter->threads = scope_timeline_threads_count(counter->part->run->timeline->threads);
	counter->of_thread = calloc(counter->threads + 1, sizeof(*counter->of_thread));
	if (!counter->of_thread)
		return -ENOMEM;
	err = scope_timeline_create(trace, &timeline);
	if (err)
		return err;
	counter->begin_ns = timeline->begin_ns;
	err = scope_timeline_run(timeline, trace, &ops, counter);
	scope_timeline_destroy(timeline);
	return err;
}

int scope_server_libcalls_create(struct scope_trace *trace, struct scope_symbols *symbols,
				 const struct scope_distributions *distributions, struct scope_libcalls **ret_libcalls)
{
	struct counter *counter = calloc(1, sizeof(*counter));
	int err = -ENOMEM;

	if (!counter)
		return -ENOMEM;
	counter->part = distributions;
	counter->symbols = symbols;
	counter->libcalls = calloc(1, sizeof(*counter->libcalls));
	if (counter->libcalls)
		err = run(counter, trace);
	if (err) {
		scope_server_libcalls_destroy(counter->libcalls);
	} else {
		sum_up(counter);
		*ret_libcalls = counter->libcalls;
	}
	free(counter->of_function);
	free(counter->of_thread);
	free(counter);
	return err;
}

void scope_server_libcalls_destroy(struct scope_libcalls *libcalls)
{
	if (!libcalls)
		return;
	for (size_t i = 0; i < libcalls->count; i++)
		free(libcalls->function[i].call);
	free(libcalls->function);
	free(libcalls);
}

/* Adds two rows, whose errors are treated as independent. */
static void add(struct scope_libcalls_function *sum, const struct scope_libcalls_function *row)
{
	const double below = hypot(sum->calls - sum->low, row->calls - row->low),
		     above = hypot(sum->high - sum->calls, row->high - row->calls);

	sum->function = row->function;
	sum->from = row->from;
	sum->calls += row->calls;
	sum->low = sum->calls - below;
	sum->high = sum->calls + above;
	sum->bytes += row->bytes;
	sum->ns += row->ns;
	sum->seen += row->seen;
	sum->failed += row->failed;
}

bool scope_server_libcalls_named(const struct scope_libcalls *libcalls, const char *name,
				 struct scope_libcalls_function *ret_sum)
{
	*ret_sum = (struct scope_libcalls_function){ 0 };
	for (size_t i = 0; i < libcalls->count; i++)
		if (libcalls->function[i].function && !strcmp(libcalls->function[i].function->name, name))
			add(ret_sum, &libcalls->function[i]);
	return ret_sum->seen > 0;
}

bool scope_server_libcalls_library(const struct scope_libcalls *libcalls, const char *module,
				   struct scope_libcalls_function *ret_sum)
{
	*ret_sum = (struct scope_libcalls_function){ 0 };
	for (size_t i = 0; i < libcalls->count; i++)
		if (libcalls->function[i].function && !strcmp(libcalls->function[i].function->module, module))
			add(ret_sum, &libcalls->function[i]);
	return ret_sum->seen > 0;
}
