// SPDX-License-Identifier: GPL-2.0-only
/*
 * A request that threads give to each other, each time by another mechanism. Each thread computes, gives the request to the next thread, and
 * waits until that one is done.
 *
 * Usage: chain_work REQUESTS
 * Prints "pid PID" and waits for a line. Each thread has the name of the mechanism by which it gets the request. At the end it prints how
 * long each ran, "ledger waited=NS pipe=NS ...", and for how long the first one, which serves the requests, waited for the second
 * one; and waits for a line again.
 */
#include <arpa/inet.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COMPUTE_NS 10000000
#define PAUSE_NS 1000000

enum means { PIPE, SOCKET, TCP, CONDITION, FUTEX, SEMAPHORE, EVENT, SIGNAL, JOIN, CHILD, MEANS };

static const char *const names[MEANS] = {
	[PIPE] = "pipe",     [SOCKET] = "socket", [TCP] = "tcp",       [CONDITION] = "condition", [FUTEX] = "futex",
	[SEMAPHORE] = "sem", [EVENT] = "event",	  [SIGNAL] = "signal", [JOIN] = "join",		  [CHILD] = "child",
};

/* The order in which a request is handed on. */
static const enum means order[] = { PIPE, CONDITION, SOCKET, TCP, FUTEX, EVENT, SEMAPHORE, SIGNAL, JOIN, CHILD };

#define STAGES (sizeof(order) / sizeof(order[0]))

/* One direction between a thread and the next one. */
struct way {
	int from, to; /* descriptors */
	pthread_mutex_t lock;
	pthread_cond_t condition;
	sem_t semaphore;
	atomic_uint word;
	pid_t reader; /* SIGNAL */
};

struct stage {
	enum means means;
	size_t number;
	struct way asked, done;
	uint64_t run_ns;
};

static struct stage *stages; /* shared with child processes */
static volatile uint64_t sum;

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static __attribute__((noinline)) void compute(void)
{
	const uint64_t begin_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);

	while (now_ns(CLOCK_THREAD_CPUTIME_ID) < begin_ns + COMPUTE_NS)
		for (int i = 0; i < 1000; i++)
			sum += (uint64_t)i;
}

static void post(struct way *way, enum means means)
{
	const uint64_t one = 1;

	switch (means) {
	case CONDITION:
		pthread_mutex_lock(&way->lock);
		way->word = 1;
		pthread_cond_signal(&way->condition);
		pthread_mutex_unlock(&way->lock);
		return;
	case FUTEX:
		way->word = 1;
		syscall(SYS_futex, &way->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
		return;
	case SEMAPHORE:
		sem_post(&way->semaphore);
		return;
	case SIGNAL:
		while (!way->reader)
			usleep(1000);
		syscall(SYS_tgkill, getpid(), way->reader, SIGUSR1);
		return;
	default:
		if (write(way->to, &one, sizeof(one)) != sizeof(one))
			_exit(1);
	}
}

static void await(struct way *way, enum means means)
{
	uint64_t one;
	sigset_t set;
	int got;

	switch (means) {
	case CONDITION:
		pthread_mutex_lock(&way->lock);
		while (!way->word)
			pthread_cond_wait(&way->condition, &way->lock);
		way->word = 0;
		pthread_mutex_unlock(&way->lock);
		return;
	case FUTEX:
		while (!way->word)
			syscall(SYS_futex, &way->word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
		way->word = 0;
		return;
	case SEMAPHORE:
		sem_wait(&way->semaphore);
		return;
	case SIGNAL:
		sigemptyset(&set);
		sigaddset(&set, SIGUSR1);
		way->reader = (pid_t)syscall(SYS_gettid);
		sigwait(&set, &got);
		return;
	default:
		if (read(way->from, &one, sizeof(one)) != sizeof(one))
			_exit(1);
	}
}

/*
 * Threads that follow each other have different CPUs: one that is woken does not take the CPU from the one that woke it, which
 * then waits for a CPU and not for it.
 */
static void settle(const char *name, size_t number)
{
	cpu_set_t cpus;

	prctl(PR_SET_NAME, name);
	CPU_ZERO(&cpus);
	CPU_SET(number % 2, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

static void hand_on(size_t number);

static void *once(void *argument)
{
	struct stage *stage = argument;

	settle(names[stage->means], stage->number);
	compute();
	hand_on(stage->number + 1);
	if (stage->means == JOIN)
		stage->run_ns += now_ns(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static void *serve(void *argument)
{
	struct stage *stage = argument;

	settle(names[stage->means], stage->number);
	for (;;) {
		stage->run_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
		await(&stage->asked, stage->means);
		compute();
		hand_on(stage->number + 1);
		post(&stage->done, stage->means);
	}
	return NULL;
}

static uint64_t us_of(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000 + (uint64_t)time->tv_usec;
}

/* Asks the next one, and waits until it is done. */
static void hand_on(size_t number)
{
	struct stage *stage = number < STAGES ? &stages[number] : NULL;
	struct rusage used;
	pthread_t thread;
	pid_t child;

	if (!stage)
		return;
	if (stage->means == JOIN) {
		if (pthread_create(&thread, NULL, once, stage))
			_exit(1);
		pthread_join(thread, NULL);
	} else if (stage->means == CHILD) {
		child = fork();
		if (!child) {
			once(stage);
			_exit(0);
		}
		/* All that it ran, its end included. */
		if (wait4(child, NULL, 0, &used) == child)
			stage->run_ns += us_of(&used.ru_utime) * 1000 + us_of(&used.ru_stime) * 1000;
	} else {
		if (stage->means == SIGNAL)
			stage->done.reader = (pid_t)syscall(SYS_gettid);
		post(&stage->asked, stage->means);
		await(&stage->done, stage->means);
	}
}

static int open_tcp(int fd[2])
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t bytes = sizeof(address);
	const int listener = socket(AF_INET, SOCK_STREAM, 0);

	fd[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&address, bytes) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &bytes) ||
	    connect(fd[0], (struct sockaddr *)&address, bytes))
		return -1;
	fd[1] = accept(listener, NULL, NULL);
	close(listener);
	return fd[1];
}

static void open_way(struct way *way, enum means means)
{
	int fd[2] = { -1, -1 };
	int err = 0;

	if (means == PIPE)
		err = pipe(fd);
	else if (means == SOCKET)
		err = socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
	else if (means == TCP)
		err = open_tcp(fd) < 0;
	else if (means == EVENT)
		fd[0] = fd[1] = eventfd(0, 0);
	pthread_mutex_init(&way->lock, NULL);
	pthread_cond_init(&way->condition, NULL);
	sem_init(&way->semaphore, 0, 0);
	way->from = fd[0];
	way->to = fd[1];
	if (err)
		exit(1);
}

static struct sockaddr_un address;
static socklen_t address_bytes;

/* Asks the server, as a thread that waits for no one else. */
static void *client(void *requests)
{
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char byte = 0;

	prctl(PR_SET_NAME, "client");
	if (connect(fd, (struct sockaddr *)&address, address_bytes))
		_exit(1);
	for (size_t i = (size_t)requests; i; i--) {
		nanosleep(&(struct timespec){ 0, PAUSE_NS }, NULL);
		if (write(fd, &byte, 1) != 1 || read(fd, &byte, 1) != 1)
			_exit(1);
	}
	/* The server waits for the next request by then, so the last one has ended. */
	nanosleep(&(struct timespec){ 0, 20 * PAUSE_NS }, NULL);
	close(fd);
	return NULL;
}

int main(int argc, char **argv)
{
	const size_t requests = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
	const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	uint64_t waited_ns = 0, begin_ns;
	pthread_t thread;
	char byte, line[16];
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	stages = mmap(NULL, sizeof(*stages) * STAGES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	address.sun_family = AF_UNIX;
	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "scope-chain-%d", getpid());
	address_bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(address.sun_path + 1));
	if (stages == MAP_FAILED || bind(listener, (struct sockaddr *)&address, address_bytes) || listen(listener, 1))
		return 1;
	for (size_t i = 0; i < STAGES; i++) {
		stages[i].means = order[i];
		stages[i].number = i;
		open_way(&stages[i].asked, order[i]);
		open_way(&stages[i].done, order[i]);
		if (order[i] != JOIN && order[i] != CHILD && pthread_create(&thread, NULL, serve, &stages[i]))
			return 1;
	}
	printf("pid %d\n", getpid());
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin) || pthread_create(&thread, NULL, client, (void *)requests))
		return 1;
	settle("front", 1);
	fd = accept(listener, NULL, NULL);
	while (read(fd, &byte, 1) == 1) {
		begin_ns = now_ns(CLOCK_MONOTONIC);
		hand_on(0);
		waited_ns += now_ns(CLOCK_MONOTONIC) - begin_ns;
		if (write(fd, &byte, 1) != 1)
			break;
	}
	printf("ledger waited=%llu", (unsigned long long)waited_ns);
	for (size_t i = 0; i < STAGES; i++)
		printf(" %s=%llu", names[order[i]], (unsigned long long)stages[i].run_ns);
	printf("\n");
	fflush(stdout);
	return !fgets(line, sizeof(line), stdin);
}
