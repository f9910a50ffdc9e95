// SPDX-License-Identifier: GPL-2.0-only
/* Bugs for shapes.c: ways in which a request takes 5 to 15 ms longer, in the kernel, in libraries, in other threads and processes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shapes.h"

#define UNUSED __attribute__((unused))
#define WORDS 20000

/* The library calls the program back. */
FUNCTION static int compare_slowly(const void *left, const void *right)
{
	work(60);
	return *(const int *)left - *(const int *)right;
}

FUNCTION static void bug_sorts(UNUSED struct request *request)
{
	static __thread int word[4000];

	for (int i = 0; i < 4000; i++)
		word[i] = (i * 7919) % 4001;
	qsort(word, 4000, sizeof(word[0]), compare_slowly);
}

/* Each part is an allocation, copied to a larger one. */
FUNCTION static void bug_appends(UNUSED struct request *request)
{
	char *text = strdup("");
	size_t bytes = 1;

	for (int i = 0; i < 6000; i++) {
		char *longer = malloc(bytes + 10);

		memcpy(longer, text, bytes);
		strcat(longer, "0123456789");
		free(text);
		text = longer;
		bytes += 10;
	}
	sink += (uint64_t)text[3];
	free(text);
}

FUNCTION static void bug_formats(UNUSED struct request *request)
{
	char text[200];

	for (int i = 0; i < 12000; i++)
		sink += (uint64_t)snprintf(text, sizeof(text), "%f %s %08x", i / 3.0, "name", i);
}

FUNCTION static uint64_t bug_recurses(UNUSED struct request *request);

FUNCTION static uint64_t count_ways(int steps)
{
	return steps < 2 ? 1 : count_ways(steps - 1) + count_ways(steps - 2);
}

FUNCTION static uint64_t bug_recurses(UNUSED struct request *request)
{
	return sink += count_ways(30);
}

static void run_recurses(struct request *request)
{
	bug_recurses(request);
}

FUNCTION static void bug_maps(UNUSED struct request *request)
{
	for (int i = 0; i < 3; i++) {
		const size_t bytes = 6u << 20;
		char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		madvise(memory, bytes, MADV_NOHUGEPAGE);
		for (size_t at = 0; at < bytes; at += 4096)
			memory[at] = 1;
		munmap(memory, bytes);
	}
}

FUNCTION static void bug_protects(UNUSED struct request *request)
{
	static __thread char *memory;

	if (!memory)
		memory = mmap(NULL, 1u << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < 4000; i++) {
		mprotect(memory, 4096, PROT_READ);
		mprotect(memory, 4096, PROT_READ | PROT_WRITE);
		memory[0]++;
	}
}

FUNCTION static void bug_random(UNUSED struct request *request)
{
	static __thread char bytes[1u << 20];

	for (int i = 0; i < 4; i++)
		if (getrandom(bytes, sizeof(bytes), 0) < 0)
			abort();
}

FUNCTION static void bug_renames(UNUSED struct request *request)
{
	char from[64], to[64];

	snprintf(from, sizeof(from), "/tmp/shapes.%d.a", gettid());
	snprintf(to, sizeof(to), "/tmp/shapes.%d.b", gettid());
	for (int i = 0; i < 150; i++) {
		close(open(from, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
		rename(from, to);
		unlink(to);
	}
}

FUNCTION static void bug_truncates(UNUSED struct request *request)
{
	static __thread int fd;
	char block[65536] = "";

	if (!fd) {
		char name[] = "/tmp/shapes.XXXXXX";

		fd = mkostemp(name, O_CLOEXEC);
		unlink(name);
	}
	for (int i = 0; i < 100; i++)
		if (pwrite(fd, block, sizeof(block), i * 65536l) < 0)
			abort();
	if (ftruncate(fd, 0))
		abort();
}

/* A thread for each part of a request. */
static void *do_part(void *user)
{
	work(3000);
	return user;
}

FUNCTION static void bug_threads(UNUSED struct request *request)
{
	for (int i = 0; i < 100; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, do_part, NULL))
			abort();
		pthread_join(thread, NULL);
	}
}

/* A helper computes for requests, one after the other. */
static pthread_mutex_t helper_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t helper_asked = PTHREAD_COND_INITIALIZER, helper_done = PTHREAD_COND_INITIALIZER;
static unsigned int asked, done;

FUNCTION static void bug_helper(void)
{
	work(2500000);
}

static void *help(void *user)
{
	prctl(PR_SET_NAME, "helper");
	pthread_mutex_lock(&helper_lock);
	for (;;) {
		while (asked == done)
			pthread_cond_wait(&helper_asked, &helper_lock);
		pthread_mutex_unlock(&helper_lock);
		bug_helper();
		pthread_mutex_lock(&helper_lock);
		done++;
		pthread_cond_broadcast(&helper_done);
	}
	return user;
}

static void begin_helper(void)
{
	begin_thread(help);
}

FUNCTION static void ask_helper(UNUSED struct request *request)
{
	unsigned int mine;

	pthread_mutex_lock(&helper_lock);
	mine = ++asked;
	pthread_cond_signal(&helper_asked);
	while ((int)(done - mine) < 0)
		pthread_cond_wait(&helper_done, &helper_lock);
	pthread_mutex_unlock(&helper_lock);
}

/* Another program answers by a pipe, late. */
static int to_filter[2], from_filter[2];
static pthread_mutex_t filter_lock = PTHREAD_MUTEX_INITIALIZER;

static void begin_filter(void)
{
	if (pipe(to_filter) || pipe(from_filter))
		abort();
	if (!fork()) {
		char byte;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "filter");
		close(to_filter[1]);
		while (read(to_filter[0], &byte, 1) == 1) {
			usleep(8000);
			if (write(from_filter[1], &byte, 1) != 1)
				break;
		}
		_exit(0);
	}
}

FUNCTION static void bug_filter(UNUSED struct request *request)
{
	char byte = 'x';

	pthread_mutex_lock(&filter_lock);
	if (write(to_filter[1], &byte, 1) != 1 || read(from_filter[0], &byte, 1) != 1)
		abort();
	pthread_mutex_unlock(&filter_lock);
}

/* A question by a datagram is lost, and asked again after a time-out. */
FUNCTION static void bug_datagram(UNUSED struct request *request)
{
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const struct timeval limit = { 0, 4000 };
	struct sockaddr_in self = { AF_INET, 0, { htonl(INADDR_LOOPBACK) }, { 0 } };
	socklen_t bytes = sizeof(self);
	char text[16];

	bind(fd, (const void *)&self, sizeof(self));
	getsockname(fd, (void *)&self, &bytes);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	for (int i = 0; i < 2; i++)
		if (recv(fd, text, sizeof(text), 0) > 0)
			work(1);
	close(fd);
}

FUNCTION static void bug_timer(UNUSED struct request *request)
{
	const int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	const struct itimerspec after = { { 0, 0 }, { 0, 8000000 } };
	uint64_t times;

	timerfd_settime(fd, 0, &after, NULL);
	if (read(fd, &times, sizeof(times)) > 0)
		close(fd);
}

/* Signals that the process sends to itself. */
static void on_signal(UNUSED int number)
{
	work(2000);
}

static void begin_signals(void)
{
	signal(SIGUSR1, on_signal);
}

FUNCTION static void bug_signals(UNUSED struct request *request)
{
	for (int i = 0; i < 800; i++)
		pthread_kill(pthread_self(), SIGUSR1);
}

/* An exception far down is caught at the top, again and again. */
static __thread jmp_buf top;

FUNCTION static void go_down(int steps)
{
	char room[256];

	room[steps % 256] = (char)steps;
	sink += (uint64_t)room[0];
	if (steps > 0)
		go_down(steps - 1);
	else if (sink)
		longjmp(top, 1);
	sink += (uint64_t)room[1];
}

FUNCTION static void bug_jumps(UNUSED struct request *request)
{
	for (volatile int i = 0; i < 6000; i++)
		if (!setjmp(top))
			go_down(300);
}

FUNCTION static void bug_plugin(UNUSED struct request *request)
{
	for (int i = 0; i < 25; i++) {
		void *plugin = dlopen("libresolv.so.2", RTLD_NOW);

		if (plugin)
			dlclose(plugin);
	}
}

FUNCTION static void bug_shell(UNUSED struct request *request)
{
	FILE *from = popen("cat /etc/hostname", "r");
	char line[80];

	while (from && fgets(line, sizeof(line), from))
		work(1);
	if (from)
		pclose(from);
}

/* A configuration is read again, by stdio. */
FUNCTION static void bug_rereads(UNUSED struct request *request)
{
	for (int i = 0; i < 60; i++) {
		FILE *from = fopen("/etc/services", "re");
		char line[200];

		while (from && fgets(line, sizeof(line), from))
			sink += strlen(line);
		fclose(from);
	}
}

/* Two names in a table of many, looked for from its begin. */
static char *name[WORDS];

static void begin_names(void)
{
	for (int i = 0; i < WORDS; i++)
		if (asprintf(&name[i], "/var/lib/shapes/names/%d", i) < 0)
			abort();
}

FUNCTION static void bug_scans(UNUSED struct request *request)
{
	for (int i = 0; i < 20; i++)
		for (int at = 0; at < WORDS; at++)
			sink += !strcmp(name[at], "/var/lib/shapes/names/20001");
}

/* Its caller compares with all; the helper is used by others, too. */
FUNCTION static bool is_same(const char *left, const char *right)
{
	while (*left && *left == *right) {
		left++;
		right++;
	}
	return *left == *right;
}

FUNCTION static void bug_compares(struct request *request)
{
	const int times = request->marked ? 12 * WORDS : 600;

	for (int i = 0; i < times; i++)
		sink += is_same(name[i % WORDS], "/var/lib/shapes/names/20001");
}

/* A look-up by a table of functions. */
FUNCTION static void step_one(void)
{
	work(30);
}

FUNCTION static void step_two(void)
{
	work(30);
}

FUNCTION static void step_three(void)
{
	work(30);
}

FUNCTION static void bug_interprets(UNUSED struct request *request)
{
	static void (*const steps[])(void) = { step_one, step_two, step_three };

	for (int i = 0; i < 60000; i++)
		steps[i % 3]();
}

/* A file is sent through a pipe in small pieces. */
FUNCTION static void bug_splices(UNUSED struct request *request)
{
	const int fd = open("/etc/services", O_RDONLY | O_CLOEXEC);
	int pipes[2];
	char bytes[64];

	if (pipe(pipes))
		abort();
	for (int i = 0; i < 3000; i++) {
		off_t at = 0;

		if (sendfile(pipes[1], fd, &at, sizeof(bytes)) < 0 || read(pipes[0], bytes, sizeof(bytes)) < 0)
			abort();
	}
	close(pipes[0]);
	close(pipes[1]);
	close(fd);
}

const struct shapes_kind shapes_slow[] = {
	{ "sorts", bug_sorts, MARKED, NULL },
	{ "appends", bug_appends, MARKED, NULL },
	{ "formats", bug_formats, MARKED, NULL },
	{ "recurses", run_recurses, MARKED, NULL },
	{ "maps", bug_maps, MARKED, NULL },
	{ "protects", bug_protects, MARKED, NULL },
	{ "random", bug_random, MARKED, NULL },
	{ "renames", bug_renames, MARKED, NULL },
	{ "truncates", bug_truncates, MARKED, NULL },
	{ "threads", bug_threads, MARKED, NULL },
	{ "helper", ask_helper, MARKED, begin_helper },
	{ "filter", bug_filter, MARKED, begin_filter },
	{ "datagram", bug_datagram, MARKED, NULL },
	{ "timer", bug_timer, MARKED, NULL },
	{ "signals", bug_signals, MARKED, begin_signals },
	{ "jumps", bug_jumps, MARKED, NULL },
	{ "plugin", bug_plugin, MARKED, NULL },
	{ "shell", bug_shell, MARKED, NULL },
	{ "rereads", bug_rereads, MARKED, NULL },
	{ "scans", bug_scans, MARKED, begin_names },
	{ "compares", bug_compares, ALL, begin_names },
	{ "interprets", bug_interprets, MARKED, NULL },
	{ "splices", bug_splices, MARKED, NULL },
	{ NULL, NULL, ALL, NULL },
};
