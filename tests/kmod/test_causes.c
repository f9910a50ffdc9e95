// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cause that ended a sleep, and a lock's memory at the begin of the sleep: wakings have the kind of interrupt that they come from, and
 * a futex call that blocks has the memory of its futex. Both are recorded only if requested.
 */
#include <linux/futex.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include "tests.h"

#define ROUNDS 40

struct causes {
	uint32_t asked;					  /* SCOPE_EVENTS_* beyond the default */
	uint32_t sleeper, receiver, waiter, holder, edge; /* threads of the target */
	uint32_t by[2][SCOPE_INTERRUPTS];		  /* wakings by an interrupt, of sleeper and receiver */
	uint32_t wakings;
	uint32_t futexes, named, short_reads;
	uint32_t last_enter; /* thread whose ENTER of a futex call is the record before, 0: none */
};

struct shared {
	volatile uint32_t sleeper, receiver, waiter, holder, edge;
	pthread_mutex_t mutex;
	pthread_barrier_t locked, round;
};

static struct shared *shared;
static int go[2], packets[2];
static uint32_t *edge_futex; /* the last word of a page, and nothing after it */

static uint32_t self(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

static void pause_ns(long ns)
{
	nanosleep(&(struct timespec){ 0, ns }, NULL);
}

static void *sleeping(void *unused)
{
	shared->sleeper = self();
	pthread_barrier_wait(&shared->round);
	for (int i = 0; i < ROUNDS; i++)
		pause_ns(1000000);
	return unused;
}

static void *receiving(void *unused)
{
	char byte;

	shared->receiver = self();
	pthread_barrier_wait(&shared->round);
	for (int i = 0; i < ROUNDS; i++)
		CHECK(recv(packets[0], &byte, 1, 0) == 1);
	return unused;
}

static void *holding(void *unused)
{
	shared->holder = self();
	pthread_barrier_wait(&shared->round);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&shared->mutex);
		pthread_barrier_wait(&shared->locked);
		pause_ns(3000000);
		pthread_mutex_unlock(&shared->mutex);
		pthread_barrier_wait(&shared->locked);
	}
	return unused;
}

static void *waiting(void *unused)
{
	shared->waiter = self();
	pthread_barrier_wait(&shared->round);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&shared->locked);
		pthread_mutex_lock(&shared->mutex);
		pthread_mutex_unlock(&shared->mutex);
		pthread_barrier_wait(&shared->locked);
	}
	return unused;
}

static void *at_edge(void *unused)
{
	const struct timespec soon = { 0, 1000000 };

	shared->edge = self();
	pthread_barrier_wait(&shared->round);
	for (int i = 0; i < ROUNDS; i++)
		syscall(SYS_futex, edge_futex, FUTEX_WAIT_PRIVATE, 7, &soon, NULL, 0);
	return unused;
}

static void target(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t bytes = sizeof(address);
	pthread_t thread[5];
	char byte = 0, *pages;

	for (int i = 0; i < 2; i++)
		packets[i] = socket(AF_INET, SOCK_DGRAM, 0);
	CHECK(!bind(packets[0], (struct sockaddr *)&address, bytes));
	CHECK(!getsockname(packets[0], (struct sockaddr *)&address, &bytes));
	CHECK(!connect(packets[1], (struct sockaddr *)&address, bytes));
	pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(pages != MAP_FAILED && !munmap(pages + 4096, 4096));
	edge_futex = (uint32_t *)(pages + 4096) - 1;
	*edge_futex = 7;
	CHECK(read(go[0], &byte, 1) == 1);
	CHECK(!pthread_create(&thread[0], NULL, sleeping, NULL) && !pthread_create(&thread[1], NULL, receiving, NULL));
	CHECK(!pthread_create(&thread[2], NULL, holding, NULL) && !pthread_create(&thread[3], NULL, waiting, NULL));
	CHECK(!pthread_create(&thread[4], NULL, at_edge, NULL));
	pthread_barrier_wait(&shared->round);
	for (int i = 0; i < ROUNDS; i++) {
		pause_ns(2000000);
		CHECK(send(packets[1], &byte, 1, 0) == 1);
	}
	for (int i = 0; i < 5; i++)
		pthread_join(thread[i], NULL);
	_exit(0);
}

static void on_waking(struct causes *causes, const struct scope_record_waking *waking)
{
	const uint32_t tid = waking->bits & SCOPE_TID_MASK;
	const uint32_t context = waking->bits >> SCOPE_WAKING_CONTEXT_SHIFT & SCOPE_WAKING_CONTEXT_MASK;
	const uint32_t interrupt = waking->bits >> SCOPE_WAKING_INTERRUPT_SHIFT & SCOPE_WAKING_INTERRUPT_MASK;

	CHECK(interrupt < SCOPE_INTERRUPTS, "interrupt %u", interrupt);
	if (context != SCOPE_CONTEXT_SOFTIRQ && context != SCOPE_CONTEXT_HARDIRQ) {
		CHECK(!interrupt, "interrupt %u in context %u", interrupt, context);
		return;
	}
	causes->wakings++;
	if (tid == shared->sleeper)
		causes->by[0][interrupt]++;
	else if (tid == shared->receiver)
		causes->by[1][interrupt]++;
}

static void on_futex(struct causes *causes, uint32_t tid, const struct scope_record_futex *futex)
{
	CHECK(causes->last_enter == tid && tid, "a FUTEX of %u after %u", tid, causes->last_enter);
	CHECK(futex->bytes >= 4 && futex->bytes <= SCOPE_FUTEX_BYTES && !(futex->bytes & 3), "%u bytes", futex->bytes);
	causes->futexes++;
	if (tid == shared->edge && futex->bytes < SCOPE_FUTEX_BYTES) {
		/* Else it waits for the others to begin. */
		CHECK(futex->bytes == 4 && futex->memory[0] == 7 && !futex->memory[1] && !futex->memory[2] &&
			      !futex->memory[3],
		      "%u bytes, %u", futex->bytes, futex->memory[0]);
		causes->short_reads++;
	} else if (tid == shared->waiter && futex->memory[0] == 2 && futex->memory[2] == shared->holder) {
		/* glibc: 2 is locked, with waiters; the owner is 8 bytes further. */
		causes->named++;
	}
}

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_enter *enter = record;
	struct causes *causes = data;
	const uint32_t type = scope_record_type(enter->word);

	(void)cpu, (void)now_ns, (void)bytes;
	if (type == SCOPE_RECORD_WAKING)
		on_waking(causes, record);
	if (type == SCOPE_RECORD_FUTEX)
		on_futex(causes, tid, record);
	causes->last_enter = type == SCOPE_RECORD_ENTER && enter->nr == SYS_futex ? tid : 0;
}

static void trace(struct causes *causes)
{
	struct client_config config = { .count = 1, .events = SCOPE_EVENTS_DEFAULT | causes->asked };
	struct client client;
	pthread_mutexattr_t shared_mutex;
	pthread_barrierattr_t shared_barrier;
	int status;
	pid_t pid;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED && !pipe(go));
	pthread_mutexattr_init(&shared_mutex);
	pthread_mutexattr_setpshared(&shared_mutex, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->mutex, &shared_mutex);
	pthread_barrierattr_init(&shared_barrier);
	pthread_barrierattr_setpshared(&shared_barrier, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&shared->locked, &shared_barrier, 2);
	pthread_barrier_init(&shared->round, &shared_barrier, 6);
	pid = fork();
	if (!pid)
		target();
	config.pids[0] = (uint32_t)pid;
	client_begin(&client, &config);
	CHECK(write(go[1], "g", 1) == 1);
	CHECK(waitpid(pid, &status, 0) == pid && !status, "status %x", status);
	client_finish(&client, on_record, causes);
	close(go[0]);
	close(go[1]);
}

void test_causes(void)
{
	struct causes none = { 0 }, all = { .asked = SCOPE_EVENTS_CAUSE | SCOPE_EVENTS_FUTEX };
	uint32_t other = 0;

	trace(&none);
	for (int i = 1; i < SCOPE_INTERRUPTS; i++)
		other += none.by[0][i] + none.by[1][i];
	CHECK(!other && !none.futexes, "%u wakings with an interrupt, %u FUTEX records", other, none.futexes);
	trace(&all);
	printf("# sleeper: %u by a timer, %u else; receiver: %u by packets\n", all.by[0][SCOPE_INTERRUPT_TIMER],
	       all.by[0][SCOPE_INTERRUPT_UNKNOWN], all.by[1][SCOPE_INTERRUPT_NET]);
	printf("# %u FUTEX records, %u of them name the owner, %u end with their page\n", all.futexes, all.named,
	       all.short_reads);
	/* Each is woken once a round; a kernel that runs soft interrupts in a thread of their own wakes by that. */
	CHECK(all.by[0][SCOPE_INTERRUPT_TIMER] >= ROUNDS / 2, "%u of %u", all.by[0][SCOPE_INTERRUPT_TIMER], ROUNDS);
	CHECK(all.by[1][SCOPE_INTERRUPT_NET] >= ROUNDS / 4, "%u of %u", all.by[1][SCOPE_INTERRUPT_NET], ROUNDS);
	CHECK(!all.by[0][SCOPE_INTERRUPT_NET] && !all.by[1][SCOPE_INTERRUPT_TIMER]);
	CHECK(all.named >= ROUNDS / 2, "%u of %u", all.named, ROUNDS);
	CHECK(all.short_reads >= ROUNDS / 2, "%u of %u", all.short_reads, ROUNDS);
}
