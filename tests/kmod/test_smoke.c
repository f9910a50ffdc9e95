// SPDX-License-Identifier: GPL-2.0-only
/* Every call, thread and process of a known workload is in the stream exactly once. */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tests.h"

#define TIDS 256

struct tally {
	int32_t tid;
	uint64_t call[SCOPE_SYSCALL_MAX], open[SCOPE_SYSCALL_MAX], closed[SCOPE_SYSCALL_MAX];
};

struct smoke {
	struct workload *workload;
	struct tally tally[TIDS];
	uint32_t tids, forks, execs, exits, wakings, switches, states[2];
	struct scope_record_state blocked[2];
	uint64_t blocked_now_ns;
	bool open_read;
	uint64_t args_wrong, time_wrong;
};

static struct tally *tally_of(struct smoke *smoke, int32_t tid)
{
	uint32_t i;

	for (i = 0; i < smoke->tids; i++)
		if (smoke->tally[i].tid == tid)
			return &smoke->tally[i];
	CHECK(smoke->tids < TIDS);
	smoke->tally[smoke->tids].tid = tid;
	return &smoke->tally[smoke->tids++];
}

static void on_state(struct smoke *smoke, const struct scope_record_state *state, uint64_t now_ns)
{
	bool stop = state->flags & SCOPE_STATE_AT_STOP;

	smoke->states[stop]++;
	if ((int32_t)state->tid == smoke->workload->shared->blocked_tid) {
		smoke->blocked[stop] = *state;
		smoke->blocked_now_ns = now_ns;
	}
}

static bool is_worker(struct smoke *smoke, uint32_t tid)
{
	int i;

	for (i = 0; i < WORKLOAD_THREADS; i++)
		if (smoke->workload->shared->tid[i] == (int32_t)tid)
			return true;
	return false;
}

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_syscall *call = record;
	const struct scope_record_enter *enter = record;
	struct smoke *smoke = data;

	(void)cpu, (void)bytes;
	switch (scope_record_type(call->word)) {
	case SCOPE_RECORD_SYSCALL:
		CHECK(tid);
		tally_of(smoke, tid)->call[call->nr]++;
		/* The dynamic loader of the children reads so too. */
		if (call->nr == SYS_pread64 && is_worker(smoke, tid) &&
		    (call->abi_args >> 4 != 4 || ((const uint64_t *)(call + 1))[2] != 1 || call->ret != 1))
			smoke->args_wrong++;
		break;
	case SCOPE_RECORD_ENTER:
		CHECK(tid);
		tally_of(smoke, tid)->open[enter->nr]++;
		smoke->time_wrong += enter->enter_ns > now_ns;
		break;
	case SCOPE_RECORD_EXIT:
		CHECK(tid);
		if (enter->nr != SCOPE_NR_NONE)
			tally_of(smoke, tid)->closed[enter->nr]++;
		break;
	case SCOPE_RECORD_SWITCH:
		smoke->switches++;
		break;
	case SCOPE_RECORD_WAKING:
	case SCOPE_RECORD_WAKING_FROM:
		smoke->wakings++;
		break;
	case SCOPE_RECORD_FORK:
		CHECK(tid);
		smoke->forks++;
		break;
	case SCOPE_RECORD_EXEC:
		smoke->execs++;
		break;
	case SCOPE_RECORD_THREAD_EXIT:
		CHECK(tid);
		smoke->exits++;
		break;
	case SCOPE_RECORD_STATE:
		on_state(smoke, record, now_ns);
		break;
	}
}

/* Finished calls of one number by one thread; every ENTER must have its EXIT. */
static uint64_t finished(struct smoke *smoke, int32_t tid, int nr)
{
	struct tally *tally = tally_of(smoke, tid);

	CHECK(tally->open[nr] == tally->closed[nr], "tid %d nr %d: %lu open, %lu closed", tid, nr, tally->open[nr],
	      tally->closed[nr]);
	return tally->call[nr] + tally->closed[nr];
}

static void check_threads(struct smoke *smoke)
{
	struct workload_shared *shared = smoke->workload->shared;
	struct workload_plan *plan = &shared->plan;
	int i;

	for (i = 0; i < WORKLOAD_THREADS; i++) {
		int32_t tid = shared->tid[i];

		CHECK(finished(smoke, tid, SYS_getppid) == plan->getppid, "thread %d: %lu", i,
		      finished(smoke, tid, SYS_getppid));
		CHECK(finished(smoke, tid, SYS_pread64) == plan->read);
		CHECK(finished(smoke, tid, SYS_nanosleep) == plan->nanosleep);
		/* It sleeps, so nearly all were cut in two. */
		CHECK(tally_of(smoke, tid)->open[SYS_nanosleep] >= plan->nanosleep / 2);
	}
	for (i = 0; i < (int)plan->processes; i++) {
		struct tally *tally = tally_of(smoke, shared->child[i]);

		CHECK(tally->call[SYS_getppid] + tally->closed[SYS_getppid] == 1, "child %d", i);
		CHECK(tally->call[SYS_execve] + tally->closed[SYS_execve] == 1);
		CHECK(tally->call[SYS_exit_group] == 0 && tally->open[SYS_exit_group] == 1);
	}
	CHECK(smoke->forks == plan->processes, "%u", smoke->forks);
	CHECK(smoke->execs == plan->processes && smoke->exits == plan->processes, "%u execs, %u exits", smoke->execs,
	      smoke->exits);
	CHECK(!smoke->args_wrong && !smoke->time_wrong, "%lu arguments wrong, %lu times", smoke->args_wrong,
	      smoke->time_wrong);
	/* The workload's threads and its children, and no others. */
	CHECK(smoke->tids <= WORKLOAD_THREADS + 2 + plan->processes, "%u threads", smoke->tids);
}

static void check_blocked(struct smoke *smoke)
{
	struct workload_shared *shared = smoke->workload->shared;
	int i;

	CHECK(smoke->states[0] == WORKLOAD_THREADS + 2 && smoke->states[1] == WORKLOAD_THREADS + 2,
	      "%u at start, %u at stop", smoke->states[0], smoke->states[1]);
	for (i = 0; i < 2; i++) {
		const struct scope_record_state *state = &smoke->blocked[i];
		int64_t late = state->since_ns - shared->blocked_at_ns;

		CHECK(state->state == SCOPE_STATE_SLEEPING && state->nr == SYS_read, "state %u nr %u", state->state,
		      state->nr);
		CHECK((int32_t)state->arg[0] == shared->blocked_fd && state->arg[2] == 1);
		CHECK(state->regs == CLIENT_REGS && !(state->flags & SCOPE_STATE_ON_CPU));
		CHECK(state->run_ns >= 1000000, "%lu", (unsigned long)state->run_ns);
		printf("# blocked since %+.3f ms of the truth\n", late / 1e6);
		CHECK(late > -5000000 && late < 20000000, "since_ns off by %ld", (long)late);
	}
}

void test_smoke(void)
{
	struct workload_plan plan = {
		.getppid = 5000, .read = 1000, .nanosleep = 50, .futex_rounds = 200, .processes = 20, .blocked = true
	};
	struct client_config config = { .count = 1, .follow = true };
	static struct smoke smoke;
	struct workload workload;
	struct client client;
	struct client_counts pages, counts;

	workload_begin(&workload, &plan);
	smoke.workload = &workload;
	config.pids[0] = workload.pid;
	config.arg_counts[SYS_pread64] = 4;
	client_begin(&client, &config);
	workload_go(&workload);
	while (!workload_done(&workload)) {
		struct pollfd poll_fd = { .fd = client.fd, .events = POLLIN };

		poll(&poll_fd, 1, 20);
		CHECK(!ioctl(client.fd, SCOPE_IOC_FLUSH));
		client_drain(&client, on_record, &smoke);
	}
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	client_drain(&client, on_record, &smoke);
	client_pages(&client, &pages);
	CHECK(!client_query(&client, &counts));
	CHECK(pages.records == client.received && counts.records == client.received, "page %lu query %lu received %lu",
	      pages.records, counts.records, client.received);
	CHECK(!pages.lost[0] && !pages.lost[1] && !pages.lost[2]);
	CHECK(counts.run_state == SCOPE_RUN_STOPPED && counts.processes == 1, "%u processes", counts.processes);
	CHECK(smoke.switches && smoke.wakings);
	check_threads(&smoke);
	check_blocked(&smoke);
	printf("# %lu records, %u switches, %u wakings\n", client.received, smoke.switches, smoke.wakings);
	client_close(&client);
	workload_end(&workload);
}
