// SPDX-License-Identifier: GPL-2.0-only
/*
 * A server with six threads, each with a client that asks at a steady rate, which goes wrong as it is asked to: for
 * watch_soak.sh.
 *
 * Usage: soak_work NAME RATE CPU      the server's name, requests a second, the CPU that the server is bound to
 * Lines on standard input:
 *   slow_wait PERCENT   of the requests take 12 ms more, asleep
 *   slow_cpu PERCENT    of the requests compute for 4 ms more
 *   slow_calls PERCENT  of the requests make 40 calls more
 *   hang_cond, hang_pipe, hang_flock  one thread waits for a condition, a byte in a pipe, the lock of a file
 *   spin                one thread loops without a call
 *   starve              a process "hungry" takes three quarters of the server's CPU
 *   calm                all is well again
 * Prints "ready PID", the server's; then "WORD SECONDS" when a request first goes wrong so, since 1970; of calm, when it came.
 * The server has other functions than its clients, which are in another process. One request in a hundred is ten
 * times as much work as the usual one.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CLIENTS 6
#define NS_PER_S 1000000000ll
#define SLOW_US 12000
#define COMPUTE_NS 4000000ll
#define CALLS 40
#define CALL_BYTES 65536
#define USUAL_NS 15000ll   /* of a request on a CPU */
#define HUNGRY_NS 60000000 /* at a time, and a third of that it pauses */

enum way {
	CALM,
	SLOW_WAIT,
	SLOW_CPU,
	SLOW_CALLS,
	HANG_COND,
	HANG_PIPE,
	HANG_FLOCK,
	SPIN,
	STARVE,
	WAYS,
};

static const char *const names[WAYS] = { "calm",      "slow_wait",  "slow_cpu", "slow_calls", "hang_cond",
					 "hang_pipe", "hang_flock", "spin",	"starve" };

struct shared {
	volatile int way;
	volatile int percent;
	volatile double change; /* 0: not yet */
};

static struct shared *shared;
static int listener, memory, fifo[2];
static char path[] = "/tmp/soak_work.XXXXXX"; /* the file that is locked */
static struct sockaddr_un address = { .sun_family = AF_UNIX };
static socklen_t length = sizeof(address);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answer = PTHREAD_COND_INITIALIZER;
static volatile unsigned sum;
static long rate, cpu;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static long long clock_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * NS_PER_S + time.tv_nsec;
}

static void begin(void)
{
	if (!shared->change)
		shared->change = now();
}

/* For that time of this thread's on a CPU. */
static void compute(long long ns)
{
	const long long end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (unsigned i = 0; i < 500; i++)
			sum += i;
}

/* Without any call: the clock of a thread is read by one. */
__attribute__((noinline)) static void sort_badly(void)
{
	const long long end = clock_ns(CLOCK_MONOTONIC) + COMPUTE_NS;

	begin();
	while (clock_ns(CLOCK_MONOTONIC) < end)
		for (unsigned i = 0; i < 500; i++)
			sum += i;
	sum++;
}

__attribute__((noinline)) static void render_slowly(void)
{
	begin();
	usleep(SLOW_US);
	sum++;
}

__attribute__((noinline)) static void look_up_again(void)
{
	static __thread char buffer[CALL_BYTES];

	begin();
	for (unsigned i = 0; i < CALLS; i++)
		sum += (unsigned)pread(memory, buffer, sizeof(buffer), 0);
}

__attribute__((noinline)) static void await_answer(void)
{
	begin();
	pthread_mutex_lock(&lock);
	while (shared->way == HANG_COND)
		pthread_cond_wait(&answer, &lock);
	pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static void read_reply(void)
{
	char byte;

	begin();
	sum += (unsigned)read(fifo[0], &byte, 1);
}

__attribute__((noinline)) static void open_journal(void)
{
	const int fd = open(path, O_RDWR | O_CLOEXEC);

	begin();
	flock(fd, LOCK_EX);
	close(fd);
}

__attribute__((noinline)) static void count_for_ever(void)
{
	begin();
	while (shared->way == SPIN)
		;
	sum++;
}

static bool chance(unsigned *seed)
{
	return rand_r(seed) % 100 < shared->percent;
}

static void go_wrong(int client, unsigned *seed)
{
	switch (shared->way) {
	case SLOW_WAIT:
		if (chance(seed))
			render_slowly();
		return;
	case SLOW_CPU:
		if (chance(seed))
			sort_badly();
		return;
	case SLOW_CALLS:
		if (chance(seed))
			look_up_again();
		return;
	case HANG_COND:
		if (client == 1)
			await_answer();
		return;
	case HANG_PIPE:
		if (client == 2)
			read_reply();
		return;
	case HANG_FLOCK:
		if (client == 3)
			open_journal();
		return;
	case SPIN:
		if (client == 4)
			count_for_ever();
		return;
	}
}

__attribute__((noinline)) static void serve(int client, char *byte, unsigned *seed)
{
	const long long end = clock_ns(CLOCK_MONOTONIC) + (rand_r(seed) % 100 ? USUAL_NS : 10 * USUAL_NS);

	while (clock_ns(CLOCK_MONOTONIC) < end)
		sum++;
	go_wrong(client, seed);
	(*byte)++;
}

static void *run(void *argument)
{
	struct epoll_event event = { .events = EPOLLIN };
	const int epoll = epoll_create1(EPOLL_CLOEXEC), fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	unsigned seed = (unsigned)(long)argument + 1;
	char byte;

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		exit(1);
	while (epoll_wait(epoll, &event, 1, -1) == 1 && read(fd, &byte, 1) == 1) {
		serve((int)(long)argument, &byte, &seed);
		if (write(fd, &byte, 1) != 1)
			break;
	}
	return NULL;
}

static void bind_to_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Ends what its threads wait for in this process, once all is well again. */
static void be_server(const char *name)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, name);
	bind_to_cpu();
	for (long i = 0; i < CLIENTS; i++)
		if (pthread_create(&thread, NULL, run, (void *)i))
			exit(1);
	for (;;) {
		usleep(200000);
		if (shared->way != HANG_COND)
			pthread_cond_broadcast(&answer);
	}
}

/* A request at each of its times; those that came too late are left out. */
static void *ask(void *argument)
{
	const long long period = NS_PER_S * CLIENTS / rate;
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	long long next = clock_ns(CLOCK_MONOTONIC) + period * (long)argument / CLIENTS;
	char byte = 0;

	prctl(PR_SET_TIMERSLACK, 1000);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, length))
		exit(1);
	while (write(fd, &byte, 1) == 1 && read(fd, &byte, 1) == 1) {
		const long long time = clock_ns(CLOCK_MONOTONIC);
		struct timespec at;

		next += period;
		if (next < time)
			next = time + period - (time - next) % period;
		at = (struct timespec){ next / NS_PER_S, next % NS_PER_S };
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
	}
	return NULL;
}

/* Before all that has no priority of real time. */
static pid_t be_hungry(void)
{
	const struct sched_param param = { .sched_priority = 1 };
	const struct timespec pause = { .tv_nsec = HUNGRY_NS / 3 };
	const pid_t child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "hungry");
	bind_to_cpu();
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		exit(1);
	for (;;) {
		begin();
		compute(HUNGRY_NS);
		nanosleep(&pause, NULL);
	}
}

/* Before a way begins (way), or after it has ended: what this process does for it. */
static void play(int way, int *journal, pid_t *hungry)
{
	if (way == HANG_FLOCK) {
		*journal = open(path, O_RDWR | O_CLOEXEC);
		flock(*journal, LOCK_EX);
	} else if (*journal >= 0) {
		close(*journal);
		*journal = -1;
	}
	if (way == STARVE) {
		*hungry = be_hungry();
	} else if (*hungry > 0) {
		kill(*hungry, SIGKILL);
		waitpid(*hungry, NULL, 0);
		*hungry = 0;
	}
}

static void take(const char *line)
{
	static int journal = -1;
	static pid_t hungry;
	char word[32];
	int percent = 100, way = 0;

	if (sscanf(line, "%31s %d", word, &percent) < 1)
		return;
	while (way < WAYS && strcmp(word, names[way]))
		way++;
	if (way == WAYS)
		exit(2);
	if (way == CALM && shared->way == HANG_PIPE && write(fifo[1], "x", 1) != 1)
		exit(1);
	shared->change = 0;
	shared->percent = percent;
	play(way, &journal, &hungry);
	shared->way = way;
	while (way != CALM && !shared->change)
		usleep(1000);
	printf("%s %.3f\n", names[way], way == CALM ? now() : shared->change);
	fflush(stdout);
}

static bool open_all(void)
{
	const int journal = mkstemp(path);

	signal(SIGPIPE, SIG_IGN);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memory = memfd_create("soak", MFD_CLOEXEC);
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (shared == MAP_FAILED || memory < 0 || listener < 0 || journal < 0 || pipe2(fifo, O_CLOEXEC))
		return false;
	close(journal);
	return !ftruncate(memory, CALL_BYTES) && !bind(listener, (struct sockaddr *)&address, sizeof(sa_family_t)) &&
	       !listen(listener, CLIENTS) && !getsockname(listener, (struct sockaddr *)&address, &length);
}

int main(int argc, char **argv)
{
	char line[64];
	pthread_t thread;
	pid_t server;

	if (argc != 4 || (rate = atol(argv[2])) <= 0 || !open_all())
		return 2;
	cpu = atol(argv[3]);
	server = fork();
	if (!server)
		be_server(argv[1]);
	for (long i = 0; i < CLIENTS; i++)
		if (pthread_create(&thread, NULL, ask, (void *)i))
			return 1;
	printf("ready %d\n", (int)server);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		take(line);
	kill(server, SIGKILL);
	unlink(path);
	return 0;
}
