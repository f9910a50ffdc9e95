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
#define UNUSED __attribute__((unused))

const char *bug;
unsigned int place;

volatile uint64_t sink;

bool chance(double probability)
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

FUNCTION static void bug_cpu(UNUSED struct request *request)
{
	work(1500000);
}

FUNCTION static void bug_lock_run(UNUSED struct request *request)
{
	pthread_mutex_lock(&lock);
	work(chance(0.03) ? 2500000 : 800);
	pthread_mutex_unlock(&lock);
}

FUNCTION static void bug_lock_sleep(UNUSED struct request *request)
{
	pthread_mutex_lock(&lock);
	if (chance(0.03))
		usleep(6000);
	else
		work(800);
	pthread_mutex_unlock(&lock);
}

FUNCTION static void bug_rwlock(UNUSED struct request *request)
{
	const bool writes = chance(0.02);

	if (writes)
		pthread_rwlock_wrlock(&rwlock);
	else
		pthread_rwlock_rdlock(&rwlock);
	work(writes ? 3000000 : 800);
	pthread_rwlock_unlock(&rwlock);
}

FUNCTION static void bug_semaphore(UNUSED struct request *request)
{
	sem_wait(&one_at_a_time);
	if (chance(0.03))
		usleep(9000);
	else
		work(2000);
	sem_post(&one_at_a_time);
}

FUNCTION static void bug_calls(UNUSED struct request *request)
{
	struct stat status;

	for (int i = 0; i < 2500; i++)
		if (stat("/etc/hostname", &status))
			work(1);
}

FUNCTION static void bug_bytes(UNUSED struct request *request)
{
	const int fd = open("/etc/services", O_RDONLY | O_CLOEXEC);
	char byte;

	for (int i = 0; i < 3000 && read(fd, &byte, 1) == 1; i++)
		work(1);
	close(fd);
}

FUNCTION static void bug_sync(UNUSED struct request *request)
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

FUNCTION static void bug_sleep(UNUSED struct request *request)
{
	usleep(8000);
	work(1);
}

FUNCTION static void bug_child(UNUSED struct request *request)
{
	const pid_t child = vfork();

	if (!child) {
		execl("/bin/sleep", "sleep", "0.01", NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
}

FUNCTION static void bug_memory(UNUSED struct request *request)
{
	const size_t bytes = 24u << 20;
	char *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		abort();
	for (size_t i = 0; i < bytes; i += 4096)
		page[i] = 1;
	munmap(page, bytes);
}

FUNCTION static void bug_stall(UNUSED struct request *request)
{
	work(800000000);
}

FUNCTION static void bug_stall_sleep(UNUSED struct request *request)
{
	usleep(1500000);
	work(1);
}

FUNCTION static void bug_poll(UNUSED struct request *request)
{
	struct pollfd never = { peer[0], POLLIN, 0 };

	poll(&never, 1, 12);
	work(1);
}

FUNCTION static void bug_ask(UNUSED struct request *request)
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

FUNCTION static void take_lock(UNUSED struct request *request)
{
	pthread_mutex_lock(&lock);
	work(500);
	pthread_mutex_unlock(&lock);
}

FUNCTION static void bug_hang(UNUSED struct request *request)
{
	pthread_mutex_lock(&twice);
	pthread_mutex_lock(&twice);
	work(1);
}

FUNCTION static void bug_spin(UNUSED struct request *request)
{
	for (;;)
		work(100);
}

void begin_thread(void *(*run)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, NULL))
		abort();
}

static void begin_semaphore(void)
{
	if (sem_init(&one_at_a_time, 0, 1))
		abort();
}

static void begin_peer(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, peer))
		abort();
	if (has_bug("ask"))
		begin_thread(answer_asked);
}

static void begin_checkpoints(void)
{
	begin_thread(checkpoints);
}

const struct shapes_kind shapes_bugs[] = {
	{ "cpu", bug_cpu, MARKED, NULL },
	{ "lock_run", bug_lock_run, ALL, NULL },
	{ "lock_sleep", bug_lock_sleep, ALL, NULL },
	{ "rwlock", bug_rwlock, ALL, NULL },
	{ "semaphore", bug_semaphore, ALL, begin_semaphore },
	{ "calls", bug_calls, MARKED, NULL },
	{ "bytes", bug_bytes, MARKED, NULL },
	{ "sync", bug_sync, MARKED, NULL },
	{ "sleep", bug_sleep, MARKED, NULL },
	{ "child", bug_child, MARKED, NULL },
	{ "memory", bug_memory, MARKED, NULL },
	{ "poll", bug_poll, MARKED, begin_peer },
	{ "ask", bug_ask, ALL, begin_peer },
	{ "checkpoint", take_lock, ALL, begin_checkpoints },
	{ "stall", bug_stall, ONE_IN_RARE, NULL },
	{ "stall_sleep", bug_stall_sleep, ONE_IN_RARE, NULL },
	{ "hang", bug_hang, THE_LAST, NULL },
	{ "spin", bug_spin, THE_LAST, NULL },
	{ NULL, NULL, ALL, NULL },
};

/* The kind of this server; NULL: its requests do nothing beside the rest. */
static const struct shapes_kind *find_kind(void)
{
	static const struct shapes_kind *const tables[] = { shapes_bugs, shapes_more_bugs, shapes_slow, shapes_hangs,
							    shapes_healthy };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct shapes_kind *kind = tables[i]; kind->name; kind++)
			if (has_bug(kind->name))
				return kind;
	return NULL;
}

static const struct shapes_kind *kind;

void begin_bug(void)
{
	kind = find_kind();
	if (kind && kind->begin)
		kind->begin();
}

static void meet_bug(struct request *request, unsigned int here)
{
	if (!kind || here != place)
		return;
	if (kind->whose == MARKED	  ? request->marked
	    : kind->whose == ONE_IN_RARE  ? request->number % RARE == RARE - 1
	    : kind->whose == THE_LAST	  ? request->number == LAST
	    : kind->whose == THE_LAST_TWO ? request->number == LAST || request->number == LAST + 1
					  : true)
		kind->run(request);
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
