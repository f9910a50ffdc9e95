// SPDX-License-Identifier: GPL-2.0-only
/* Counts the system calls of each stage of a server by kind of descriptor. */
#include "server/calls.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "base/grow.h"
#include "base/syscall_args.h"
#include "timeline/class.h"
#include "timeline/timeline.h"

#define ERRNO_MAX 4095 /* no rule: the kernel's largest; a number below -4095 is no error */

static const uint8_t results[SCOPE_SYSCALL_MAX] = {
	[SYS_read] = SCOPE_RESULT_BYTES,
	[SYS_readv] = SCOPE_RESULT_BYTES,
	[SYS_pread64] = SCOPE_RESULT_BYTES,
	[SYS_preadv] = SCOPE_RESULT_BYTES,
	[SYS_preadv2] = SCOPE_RESULT_BYTES,
	[SYS_recvfrom] = SCOPE_RESULT_BYTES,
	[SYS_recvmsg] = SCOPE_RESULT_BYTES,
	[SYS_write] = SCOPE_RESULT_BYTES,
	[SYS_writev] = SCOPE_RESULT_BYTES,
	[SYS_pwrite64] = SCOPE_RESULT_BYTES,
	[SYS_pwritev] = SCOPE_RESULT_BYTES,
	[SYS_pwritev2] = SCOPE_RESULT_BYTES,
	[SYS_sendto] = SCOPE_RESULT_BYTES,
	[SYS_sendmsg] = SCOPE_RESULT_BYTES,
	[SYS_sendfile] = SCOPE_RESULT_BYTES,
	[SYS_splice] = SCOPE_RESULT_BYTES,
	[SYS_tee] = SCOPE_RESULT_BYTES,
	[SYS_vmsplice] = SCOPE_RESULT_BYTES,
	[SYS_copy_file_range] = SCOPE_RESULT_BYTES,
	[SYS_getdents64] = SCOPE_RESULT_BYTES,
#ifdef SYS_epoll_wait
	[SYS_epoll_wait] = SCOPE_RESULT_EVENTS,
#endif
#ifdef SYS_poll
	[SYS_poll] = SCOPE_RESULT_EVENTS,
#endif
#ifdef SYS_select
	[SYS_select] = SCOPE_RESULT_EVENTS,
#endif
	[SYS_epoll_pwait] = SCOPE_RESULT_EVENTS,
	[SYS_epoll_pwait2] = SCOPE_RESULT_EVENTS,
	[SYS_ppoll] = SCOPE_RESULT_EVENTS,
	[SYS_pselect6] = SCOPE_RESULT_EVENTS,
	[SYS_recvmmsg] = SCOPE_RESULT_EVENTS,
	[SYS_sendmmsg] = SCOPE_RESULT_EVENTS,
	[SYS_io_getevents] = SCOPE_RESULT_EVENTS,
};

enum scope_server_result scope_server_result_of(uint16_t nr)
{
	return nr < SCOPE_SYSCALL_MAX ? (enum scope_server_result)results[nr] : SCOPE_RESULT_OTHER;
}

/* Where the calls of a stage are: 1 more than their index; 0: there are none yet. */
struct places {
	uint32_t at[SCOPE_SYSCALL_MAX][SCOPE_FD_KINDS];
};

struct scope_server_counter {
	const struct scope_server *server;
	const struct scope_distributions *distributions;
	const struct scope_timeline *timeline; /* of the pass */
	struct scope_server_calls *calls;
	size_t capacity;
	struct places **of_stage; /* NULL: it made no call yet */
};

/* True for the return in a new thread or process from the call by which another one made it. */
static bool returns_in_child(uint16_t nr, int64_t ret)
{
	switch (nr) {
#ifdef SYS_fork
	case SYS_fork:
	case SYS_vfork:
#endif
	case SYS_clone:
	case SYS_clone3:
		return !ret;
	default:
		return false;
	}
}

bool scope_server_takes_fd(uint16_t nr)
{
	switch (scope_timeline_call_role(nr)) {
	case SCOPE_CALL_READ:
	case SCOPE_CALL_WRITE:
	case SCOPE_CALL_ACCEPT:
	case SCOPE_CALL_CONNECT:
	case SCOPE_CALL_SYNC:
		return true;
	case SCOPE_CALL_POLL:
		return scope_timeline_call_is_epoll(nr);
	default:
		return scope_server_result_of(nr) == SCOPE_RESULT_BYTES;
	}
}

/* The calls of that kind; NULL: no memory. */
static struct scope_server_call *find(struct scope_server_counter *counter, uint32_t stage, uint16_t nr,
				      enum scope_fd_kind kind)
{
	struct scope_server_calls *calls = counter->calls;
	struct places *places = counter->of_stage[stage];
	uint32_t *place;

	if (!places)
		places = counter->of_stage[stage] = calloc(1, sizeof(*places));
	if (!places)
		return NULL;
	place = &places->at[nr][kind];
	if (!*place) {
		if (scope_grow(&calls->call, &counter->capacity, calls->count + 1, sizeof(*calls->call)))
			return NULL;
		calls->call[calls->count++] = (struct scope_server_call){
			.stage = stage, .nr = nr, .kind = (uint8_t)kind, .result = results[nr]
		};
		*place = (uint32_t)calls->count;
	}
	return &calls->call[*place - 1];
}

static void count_error(struct scope_server_call *one, int64_t ret)
{
	one->failed++;
	for (unsigned i = 0; i < SCOPE_SERVER_ERRORS; i++) {
		struct scope_server_error *error = &one->error[i];

		if (error->calls && error->number != -ret)
			continue;
		error->number = (uint16_t)-ret;
		error->calls++;
		return;
	}
}

static void count_flags(struct scope_server_call *one, uint32_t value)
{
	one->flagged++;
	for (unsigned i = 0; i < SCOPE_SERVER_FLAGS; i++) {
		struct scope_server_flags *flags = &one->flags[i];

		if (flags->calls && flags->value != value)
			continue;
		flags->value = value;
		flags->calls++;
		return;
	}
}

/* The arguments that a usual trace has are too few: then nothing is counted. */
static int count_args(struct scope_server_call *one, const struct scope_open_call *call)
{
	const struct scope_syscall_args *args = scope_syscall_args_of(call->nr);
	int err = 0;

	if (!args || call->args < scope_syscall_args_count(args))
		return 0;
	if (args->size)
		err = scope_values_count(&one->asked, call->arg[args->size - 1]);
	if (!err && args->offset && (int64_t)call->arg[args->offset - 1] >= 0)
		err = scope_values_count(&one->offset, call->arg[args->offset - 1]);
	if (args->flags)
		count_flags(one, (uint32_t)call->arg[args->flags - 1]);
	return err;
}

static int count(void *user, const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
		 uint64_t exit_ns)
{
	struct scope_server_counter *counter = user;
	const struct scope_distributions *part = counter->distributions;
	struct scope_server_call *one;
	enum scope_fd_kind kind = SCOPE_FD_UNKNOWN;
	int err;

	if (call->nr >= SCOPE_SYSCALL_MAX || returns_in_child(call->nr, ret) ||
	    thread->index >= counter->server->threads || exit_ns < part->from_ns ||
	    (part->until_ns && exit_ns >= part->until_ns) || (part->only && !part->only[thread->index]))
		return 0;
	if (call->args && scope_server_takes_fd(call->nr))
		kind = scope_timeline_fds_kind(counter->timeline->fds, thread->tgid, (int32_t)call->arg[0]);
	one = find(counter, counter->server->of_thread[thread->index], call->nr, kind);
	if (!one)
		return -ENOMEM;
	one->calls++;
	if (ret < 0 && ret >= -ERRNO_MAX)
		count_error(one, ret);
	err = count_args(one, call);
	return !err && one->result && ret >= 0 ? scope_values_count(&one->returned, (uint64_t)ret) : err;
}

static int by_stage(const void *a, const void *b)
{
	const struct scope_server_call *one = a, *other = b;

	if (one->stage != other->stage)
		return one->stage < other->stage ? -1 : 1;
	if (one->calls != other->calls)
		return one->calls > other->calls ? -1 : 1;
	if (one->nr != other->nr)
		return one->nr < other->nr ? -1 : 1;
	return (one->kind > other->kind) - (one->kind < other->kind);
}

static const struct scope_timeline_ops ops = { .exit = count };

static void forget(struct scope_server_counter *counter)
{
	for (size_t i = 0; counter->of_stage && i < counter->server->stages; i++) {
		free(counter->of_stage[i]);
		counter->of_stage[i] = NULL;
	}
	scope_server_calls_destroy(counter->calls);
	counter->calls = NULL;
	counter->capacity = 0;
}

static int begin(void *user, const struct scope_timeline *timeline)
{
	struct scope_server_counter *counter = user;

	forget(counter);
	counter->timeline = timeline;
	counter->calls = calloc(1, sizeof(*counter->calls));
	return counter->calls ? 0 : -ENOMEM;
}

int scope_server_calls_begin(const struct scope_server *server, const struct scope_distributions *distributions,
			     struct scope_server_counter **ret_counter)
{
	struct scope_server_counter *counter = calloc(1, sizeof(*counter));

	if (!counter)
		return -ENOMEM;
	counter->server = server;
	counter->distributions = distributions;
	counter->of_stage = calloc(server->stages + 1, sizeof(*counter->of_stage));
	if (!counter->of_stage) {
		free(counter);
		return -ENOMEM;
	}
	*ret_counter = counter;
	return 0;
}

struct scope_pass_listener scope_server_calls_listener(struct scope_server_counter *counter)
{
	return (struct scope_pass_listener){ .ops = &ops, .begin = begin, .user = counter };
}

struct scope_server_calls *scope_server_calls_end(struct scope_server_counter *counter)
{
	struct scope_server_calls *calls;

	if (!counter)
		return NULL;
	calls = counter->calls;
	counter->calls = NULL;
	forget(counter);
	free(counter->of_stage);
	free(counter);
	if (calls && calls->count)
		qsort(calls->call, calls->count, sizeof(*calls->call), by_stage);
	return calls;
}

int scope_server_calls_create(struct scope_trace *trace, const struct scope_server *server,
			      const struct scope_distributions *distributions, struct scope_server_calls **ret_calls)
{
	struct scope_server_counter *counter = NULL;
	struct scope_server_calls *calls;
	struct scope_timeline *timeline = NULL;
	int err = scope_server_calls_begin(server, distributions, &counter);

	if (!err)
		err = scope_timeline_create(trace, &timeline);
	if (!err)
		err = begin(counter, timeline);
	if (!err)
		err = scope_timeline_run(timeline, trace, &ops, counter);
	scope_timeline_destroy(timeline);
	calls = scope_server_calls_end(counter);
	if (err)
		scope_server_calls_destroy(calls);
	else
		*ret_calls = calls;
	return err;
}

void scope_server_calls_destroy(struct scope_server_calls *calls)
{
	if (!calls)
		return;
	for (size_t i = 0; i < calls->count; i++) {
		scope_values_free(&calls->call[i].returned);
		scope_values_free(&calls->call[i].asked);
		scope_values_free(&calls->call[i].offset);
	}
	free(calls->call);
	free(calls);
}
