// SPDX-License-Identifier: GPL-2.0-only
/* What requests of shapes.c run, and the bugs among it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shapes.h"

#define RARE 1500 /* one request of that many stalls the server */
#define LAST 700  /* the request that never ends */

const char *bug;
unsigned int place;

static volatile uint64_t sink;

/* About 400 rounds are a microsecond. */
static inline __attribute__((always_inline)) void work(uint64_t rounds)
{
	uint64_t x = rounds | 1;

	for (uint64_t i = 0; i < rounds; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	sink += x;
}

static bool chance(double probability)
{
	static __thread unsigned int state;

	if (!state)
		state = (unsigned int)gettid();
	return rand_r(&state) < probability * RAND_MAX;
}

bool has_bug(const char *name)
{
	return !strcmp(bug, name);
}

/* Bugs: each is one function, which a report should name. */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t twice = PTHREAD_MUTEX_INITIALIZER;
static sem_t one_at_a_time;
static int peer[2]; /* a thread of the process answers at the second */
static pthread_mutex_t peer_lock = PTHREAD_MUTEX_INITIALIZER;

FUNCTION static void bug_cpu(void)
{
	work(1500000);
}

FUNCTION static void bug_lock_run(void)
{
	pthread_mutex_lock(&lock);
	work(chance(0.03) ? 2500000 : 800);
	pthread_mutex_unlock(&lock);
}

FUNCTION static void bug_lock_sleep(void)
{
	pthread_mutex_lock(&lock);
	if (chance(0.03))
		usleep(6000);
	else
		work(800);
	pthread_mutex_unlock(&lock);
}

FUNCTION static void bug_rwlock(void)
{
	const bool writes = chance(0.02);

	if (writes)
		pthread_rwlock_wrlock(&rwlock);
	else
		pthread_rwlock_rdlock(&rwlock);
	work(writes ? 3000000 : 800);
	pthread_rwlock_unlock(&rwlock);
}

FUNCTION static void bug_semaphore(void)
{
	sem_wait(&one_at_a_time);
	if (chance(0.03))
		usleep(9000);
	else
		work(2000);
	sem_post(&one_at_a_time);
}

FUNCTION static void bug_calls(void)
{
	struct stat status;

	for (int i = 0; i < 2500; i++)
		if (stat("/etc/hostname", &status))
			work(1);
}

FUNCTION static void bug_bytes(void)
{
	const int fd = open("/etc/services", O_RDONLY | O_CLOEXEC);
	char byte;

	for (int i = 0; i < 3000 && read(fd, &byte, 1) == 1; i++)
		work(1);
	close(fd);
}

FUNCTION static void bug_sync(void)
{
	static int fd = -1;
	char block[8192] = "";

	if (fd < 0) {
		char name[] = "/var/tmp/shapes.XXXXXX";

		fd = mkostemp(name, O_CLOEXEC);
		unlink(name);
	}
	if (write(fd, block, sizeof(block)) != sizeof(block) || fsync(fd))
		abort();
}

FUNCTION static void bug_sleep(void)
{
	usleep(8000);
	work(1);
}

FUNCTION static void bug_child(void)
{
	const pid_t child = vfork();

	if (!child) {
		execl("/bin/sleep", "sleep", "0.01", NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
}

FUNCTION static void bug_memory(void)
{
	const size_t bytes = 24u << 20;
	char *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		abort();
	for (size_t i = 0; i < bytes; i += 4096)
		page[i] = 1;
	munmap(page, bytes);
}

FUNCTION static void bug_stall(void)
{
	work(800000000);
}

FUNCTION static void bug_stall_sleep(void)
{
	usleep(1500000);
	work(1);
}

FUNCTION static void bug_poll(void)
{
	struct pollfd never = { peer[0], POLLIN, 0 };

	poll(&never, 1, 12);
	work(1);
}

FUNCTION static void bug_ask(void)
{
	char byte = chance(0.05) ? 's' : 'q';

	pthread_mutex_lock(&peer_lock);
	if (write(peer[0], &byte, 1) != 1 || read(peer[0], &byte, 1) != 1)
		abort();
	pthread_mutex_unlock(&peer_lock);
}

FUNCTION static void peer_slow(void)
{
	work(3000000);
}

FUNCTION static void peer_quick(void)
{
	work(10000);
}

static void *answer_asked(void *user)
{
	char byte;

	prctl(PR_SET_NAME, "peer");
	while (read(peer[1], &byte, 1) == 1) {
		if (byte == 's')
			peer_slow();
		else
			peer_quick();
		if (write(peer[1], &byte, 1) != 1)
			break;
	}
	return user;
}

FUNCTION static void checkpoint(void)
{
	pthread_mutex_lock(&lock);
	work(24000000);
	pthread_mutex_unlock(&lock);
}

static void *checkpoints(void *user)
{
	prctl(PR_SET_NAME, "checkpoint");
	for (;;) {
		usleep(400000);
		checkpoint();
	}
	return user;
}

FUNCTION static void take_lock(void)
{
	pthread_mutex_lock(&lock);
	work(500);
	pthread_mutex_unlock(&lock);
}

FUNCTION static void bug_hang(void)
{
	pthread_mutex_lock(&twice);
	pthread_mutex_lock(&twice);
	work(1);
}

FUNCTION static void bug_spin(void)
{
	for (;;)
		work(100);
}

void begin_bug(void)
{
	pthread_t thread;

	if (sem_init(&one_at_a_time, 0, 1) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, peer))
		abort();
	if ((has_bug("ask") && pthread_create(&thread, NULL, answer_asked, NULL)) ||
	    (has_bug("checkpoint") && pthread_create(&thread, NULL, checkpoints, NULL)))
		abort();
}

enum whose {
	MARKED, /* requests that a client marks */
	ALL,
	ONE_IN_RARE,
	THE_LAST,
};

static const struct {
	const char *name;
	void (*run)(void);
	enum whose whose;
} bugs[] = {
	{ "cpu", bug_cpu, MARKED },
	{ "lock_run", bug_lock_run, ALL },
	{ "lock_sleep", bug_lock_sleep, ALL },
	{ "rwlock", bug_rwlock, ALL },
	{ "semaphore", bug_semaphore, ALL },
	{ "calls", bug_calls, MARKED },
	{ "bytes", bug_bytes, MARKED },
	{ "sync", bug_sync, MARKED },
	{ "sleep", bug_sleep, MARKED },
	{ "child", bug_child, MARKED },
	{ "memory", bug_memory, MARKED },
	{ "poll", bug_poll, MARKED },
	{ "ask", bug_ask, ALL },
	{ "checkpoint", take_lock, ALL },
	{ "stall", bug_stall, ONE_IN_RARE },
	{ "stall_sleep", bug_stall_sleep, ONE_IN_RARE },
	{ "hang", bug_hang, THE_LAST },
	{ "spin", bug_spin, THE_LAST },
};

static void meet_bug(const struct request *request, unsigned int here)
{
	if (here != place)
		return;
	for (size_t i = 0; i < sizeof(bugs) / sizeof(bugs[0]); i++) {
		const bool meets = bugs[i].whose == MARKED	  ? request->marked
				   : bugs[i].whose == ONE_IN_RARE ? request->number % RARE == RARE - 1
				   : bugs[i].whose == THE_LAST	  ? request->number == LAST
								  : true;

		if (has_bug(bugs[i].name) && meets)
			bugs[i].run();
	}
}

/* What all requests run. */

FUNCTION static void parse_header(const struct request *request)
{
	work(4000 + 10 * (uint64_t)request->size);
}

FUNCTION static void check_access(void)
{
	work(3000);
}

FUNCTION static void look_up(void)
{
	work(5000);
}

FUNCTION static void render(void)
{
	work(5000);
}

FUNCTION static void compress(const struct request *request)
{
	work(8000 + 20 * (uint64_t)request->size);
}

FUNCTION static void write_log(const struct request *request)
{
	static int fd = -1;
	char line[64];
	const int bytes = snprintf(line, sizeof(line), "%u\n", request->number);

	if (fd < 0)
		fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (write(fd, line, (size_t)bytes) != bytes)
		abort();
	work(500);
}

FUNCTION static void do_get(struct request *request)
{
	meet_bug(request, 0);
	look_up();
	render();
	meet_bug(request, 1);
	compress(request);
}

FUNCTION static void do_put(struct request *request)
{
	look_up();
	meet_bug(request, 0);
	compress(request);
	meet_bug(request, 1);
	render();
}

FUNCTION void stage_one(struct request *request)
{
	parse_header(request);
	meet_bug(request, 2);
	check_access();
}

FUNCTION void stage_two(struct request *request)
{
	if (request->number % 3)
		do_get(request);
	else
		do_put(request);
	meet_bug(request, 3);
	write_log(request);
}

FUNCTION void serve_request(struct request *request)
{
	stage_one(request);
	stage_two(request);
}
