// SPDX-License-Identifier: GPL-2.0-only
/* More bugs of shapes.c: of mechanisms that shapes_bugs.c does not have. Each is one function, which a report should name. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <regex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shapes.h"

#define UNUSED __attribute__((unused))
#define EVENT 3000  /* the request from which on the cache never hits */
#define CHAIN 30000 /* names that collide */
#define LEAKED 3000 /* descriptors */
#define CROWD 60    /* threads that wait for one condition */

/* Each request looks for itself among all before it. */
FUNCTION static void bug_grows(struct request *request)
{
	static unsigned int *seen;

	if (!seen)
		seen = calloc(1u << 20, sizeof(*seen));
	for (unsigned int i = 0; i < request->number; i++)
		for (int again = 0; again < 40; again++)
			sink += seen[i] == request->number + 1;
	seen[request->number] = request->number;
}

/* An event empties a cache, which nothing fills from then on. */
FUNCTION static void bug_cold(struct request *request)
{
	work(request->number < EVENT ? 3000 : 400000);
}

/* Nobody listens there: tried again and again, with longer and longer pauses. */
FUNCTION static void bug_retry(UNUSED struct request *request)
{
	const struct sockaddr_in nobody = { AF_INET, htons(9), { htonl(INADDR_LOOPBACK) }, { 0 } };

	for (useconds_t pause = 1000; pause <= 4000; pause *= 2) {
		const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (connect(fd, (const void *)&nobody, sizeof(nobody)))
			usleep(pause);
		close(fd);
	}
}

/* Two locks are taken in the wrong order: who finds the second one taken gives the first one back, and pauses. */
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

FUNCTION static void bug_order(UNUSED struct request *request)
{
	for (;;) {
		pthread_mutex_lock(&first);
		if (!pthread_mutex_trylock(&second))
			break;
		pthread_mutex_unlock(&first);
		usleep(3000);
	}
	work(1000);
	pthread_mutex_unlock(&second);
	pthread_mutex_unlock(&first);
}

static void *hold_second(void *user)
{
	prctl(PR_SET_NAME, "second");
	for (;;) {
		usleep(12000);
		pthread_mutex_lock(&second);
		work(500000);
		pthread_mutex_unlock(&second);
	}
	return user;
}

static void begin_order(void)
{
	begin_thread(hold_second);
}

/* All who wait are woken, though one would do. */
static pthread_mutex_t crowd_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t crowd = PTHREAD_COND_INITIALIZER;

FUNCTION static void bug_herd(UNUSED struct request *request)
{
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&crowd_lock);
		pthread_cond_broadcast(&crowd);
		work(20000);
		pthread_mutex_unlock(&crowd_lock);
		usleep(300);
		pthread_mutex_lock(&crowd_lock);
		pthread_mutex_unlock(&crowd_lock);
	}
}

FUNCTION static void look_for_work(void)
{
	work(30000);
}

static void *wait_in_crowd(void *user)
{
	prctl(PR_SET_NAME, "crowd");
	pthread_mutex_lock(&crowd_lock);
	for (;;) {
		pthread_cond_wait(&crowd, &crowd_lock);
		look_for_work();
	}
	return user;
}

static void begin_crowd(void)
{
	for (int i = 0; i < CROWD; i++)
		begin_thread(wait_in_crowd);
}

/* A copy of a process with much memory. */
FUNCTION static void bug_fork(UNUSED struct request *request)
{
	const pid_t child = fork();

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

static void begin_memory(void)
{
	const size_t bytes = 200u << 20;
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	memset(memory, 1, bytes);
}

/* What all requests put into a list is freed by one of them. */
FUNCTION static void bug_free(struct request *request)
{
	static __thread struct kept {
		struct kept *next;
		char data[40];
	} * all;

	for (int i = 0; i < 1000; i++) {
		struct kept *one = malloc(sizeof(*one));

		one->next = all;
		all = one;
	}
	while (request->marked && all) {
		struct kept *one = all;

		all = one->next;
		free(one);
	}
}

/* All names with some property are in one chain of a hash. */
static struct name {
	struct name *next;
	char text[56];
} chain[CHAIN];

FUNCTION static void bug_collide(UNUSED struct request *request)
{
	for (const struct name *name = &chain[0]; name; name = name->next)
		sink += name->text[5] == 'x';
}

static void begin_chain(void)
{
	/* No two neighbours are in one page. */
	for (size_t i = 0, at = 0; i < CHAIN - 1; i++, at = (at + 7919) % CHAIN)
		chain[at].next = &chain[(at + 7919) % CHAIN];
}

/* A pattern that backtracks. */
FUNCTION static void bug_regex(UNUSED struct request *request)
{
	static regex_t pattern;
	static int known = -1;
	char text[160];

	if (known < 0)
		known = regcomp(&pattern, "\\(a*\\)*\\1b", 0);
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	sink += (uint64_t)regexec(&pattern, text, 0, NULL, 0);
}

static char many[] = "/tmp/shapes.XXXXXX";

FUNCTION static void bug_scandir(UNUSED struct request *request)
{
	DIR *files = opendir(many);

	while (files && readdir(files))
		work(100);
	closedir(files);
}

static void begin_files(void)
{
	int dir;

	if (!mkdtemp(many))
		abort();
	dir = open(many, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < 5000; i++) {
		char name[8] = { 'a' + (char)(i % 10), 'a' + (char)(i / 10 % 10), 'a' + (char)(i / 100 % 10),
				 'a' + (char)(i / 1000) };

		close(openat(dir, name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	}
	close(dir);
}

/* Descriptors that nobody closes are polled with the others. */
static struct pollfd leaked[LEAKED];

FUNCTION static void bug_leaked(UNUSED struct request *request)
{
	for (int i = 0; i < 30; i++)
		poll(leaked, LEAKED, 0);
}

static void begin_leak(void)
{
	int pipes[2];

	if (pipe(pipes))
		abort();
	for (int i = 0; i < LEAKED; i++)
		leaked[i] = (struct pollfd){ i < 200 ? dup(pipes[0]) : pipes[0], POLLIN, 0 };
}

/* One of the threads is slow with each request it gets. */
FUNCTION static void bug_worker(UNUSED struct request *request)
{
	static int slow;
	int nobody = 0;

	__atomic_compare_exchange_n(&slow, &nobody, gettid(), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	work(slow == gettid() ? 900000 : 2000);
}

/* Memory goes back to the kernel at each step, and comes again. */
FUNCTION static void bug_trim(UNUSED struct request *request)
{
	for (int i = 0; i < 60; i++) {
		char *memory = malloc(400000);

		memset(memory, i, 400000);
		sink += (uint64_t)memory[i];
		free(memory);
	}
}

/* Nobody signals, and a time limit helps. */
FUNCTION static void bug_unsignalled(UNUSED struct request *request)
{
	static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	struct timespec until;

	pthread_mutex_lock(&own);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 10000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_timedwait(&never, &own, &until);
	pthread_mutex_unlock(&own);
}

/* The log's reader is slow from time to time, and requests wait until there is room. */
static int log_pipe[2];

FUNCTION static void bug_log(UNUSED struct request *request)
{
	static char line[400];

	if (write(log_pipe[1], line, sizeof(line)) != sizeof(line))
		abort();
}

FUNCTION static void ship_lines(void)
{
	usleep(25000);
}

static void *read_log(void *user)
{
	char lines[4000];
	unsigned int reads = 0;

	prctl(PR_SET_NAME, "log");
	while (read(log_pipe[0], lines, sizeof(lines)) > 0)
		if (++reads % 8 == 0)
			ship_lines();
	return user;
}

static void begin_log(void)
{
	if (pipe(log_pipe))
		abort();
	fcntl(log_pipe[1], F_SETPIPE_SZ, 4096);
	begin_thread(read_log);
}

/* A file's lock, which processes share as well. */
FUNCTION static void bug_flock(UNUSED struct request *request)
{
	static __thread int fd = -1;

	if (fd < 0)
		fd = open("/var/tmp/shapes.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	flock(fd, LOCK_EX);
	if (chance(0.03))
		usleep(7000);
	else
		work(800);
	flock(fd, LOCK_UN);
}

FUNCTION static void bug_copy(UNUSED struct request *request)
{
	static char *from, *to;
	const size_t bytes = 12u << 20;

	if (!from) {
		char *pages = malloc(bytes);

		memset(pages, 1, bytes);
		to = calloc(1, bytes);
		from = pages;
	}
	memcpy(to, from, bytes);
	sink += (uint64_t)to[request->number % bytes];
}

/* A lock whose waiters do not sleep. */
FUNCTION static void bug_spinlock(UNUSED struct request *request)
{
	static int taken;

	while (__atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE))
		sched_yield();
	work(chance(0.03) ? 2500000 : 800);
	__atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
}

/* Two requests wait for each other. */
FUNCTION static void bug_deadlock(struct request *request)
{
	const bool other = request->number % 2;

	pthread_mutex_lock(other ? &first : &second);
	usleep(other ? 20000 : 60000);
	pthread_mutex_lock(other ? &second : &first);
	pthread_mutex_unlock(&first);
	pthread_mutex_unlock(&second);
}

/* Nobody writes into that pipe. */
FUNCTION static void bug_silent(UNUSED struct request *request)
{
	int pipes[2];
	char byte;

	if (pipe(pipes) || read(pipes[0], &byte, 1) != 1)
		abort();
}

/* A socket is asked again and again. */
FUNCTION static void bug_asks_again(UNUSED struct request *request)
{
	int pair[2];
	char byte;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair))
		abort();
	while (recv(pair[0], &byte, 1, 0) < 0 && errno == EAGAIN)
		work(100);
}

const struct shapes_kind shapes_more_bugs[] = {
	{ "grows", bug_grows, ALL, NULL },
	{ "cold", bug_cold, ALL, NULL },
	{ "retry", bug_retry, MARKED, NULL },
	{ "order", bug_order, ALL, begin_order },
	{ "herd", bug_herd, MARKED, begin_crowd },
	{ "fork", bug_fork, MARKED, begin_memory },
	{ "free", bug_free, ALL, NULL },
	{ "collide", bug_collide, MARKED, begin_chain },
	{ "regex", bug_regex, MARKED, NULL },
	{ "scandir", bug_scandir, MARKED, begin_files },
	{ "leaked", bug_leaked, MARKED, begin_leak },
	{ "worker", bug_worker, ALL, NULL },
	{ "trim", bug_trim, MARKED, NULL },
	{ "unsignalled", bug_unsignalled, MARKED, NULL },
	{ "log", bug_log, ALL, begin_log },
	{ "flock", bug_flock, ALL, NULL },
	{ "copy", bug_copy, MARKED, NULL },
	{ "spinlock", bug_spinlock, ALL, NULL },
	{ "deadlock", bug_deadlock, THE_LAST_TWO, NULL },
	{ "silent", bug_silent, THE_LAST, NULL },
	{ "asks_again", bug_asks_again, THE_LAST, NULL },
	{ NULL, NULL, ALL, NULL },
};
