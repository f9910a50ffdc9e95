// SPDX-License-Identifier: GPL-2.0-only
/* What healthy servers of shapes.c do beside the same short requests: a report should find nothing in any of them. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "shapes.h"

#define PAGES 400	  /* of which the cache has no room for one in 20 */
#define WARM 1600	  /* requests, until caches are full */
#define ROTATE 400	  /* lines of a log file */
#define FLUSH 64	  /* lines of a log's buffer */
#define CRON_NS 100000000 /* from one housekeeping within requests to the next */

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

static int new_file(size_t bytes)
{
	char name[] = "/tmp/shapes.XXXXXX", block[4096] = "";
	const int fd = mkostemp(name, O_CLOEXEC);

	unlink(name);
	for (size_t done = 0; done < bytes; done += sizeof(block))
		if (write(fd, block, sizeof(block)) != sizeof(block))
			abort();
	return fd;
}

/* A kind of request that is rare and slow by design: it reads a table, and its answer is long. */
FUNCTION static void format_row(void)
{
	work(25000);
}

FUNCTION static void make_report(struct request *request)
{
	static int table = -1;
	char row[4096];

	if (table < 0)
		table = new_file(40 * sizeof(row));
	for (int i = 0; i < 40; i++) {
		if (pread(table, row, sizeof(row), i * (off_t)sizeof(row)) != sizeof(row))
			abort();
		format_row();
	}
	request->answer = 40000;
}

/* Work that grows with what the client asks for. */
FUNCTION static void render_items(struct request *request)
{
	work(12 * (uint64_t)request->answer);
}

/* One page in 20 is not in the cache. */
FUNCTION static void fill_cache(void)
{
	struct stat status;
	char page[8192];
	const int fd = open("/etc/services", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &status) || read(fd, page, sizeof(page)) <= 0)
		abort();
	close(fd);
	work(60000);
}

FUNCTION static void get_cached(struct request *request)
{
	if (request->number * 2654435761u % PAGES < PAGES / 20)
		fill_cache();
	else
		work(3000);
}

FUNCTION static void warm_up(struct request *request)
{
	if (request->number < WARM)
		fill_cache();
}

/* A change: written beside, and put into its place. */
FUNCTION static void store_item(struct request *request)
{
	char name[64], block[2048] = "";
	int fd;

	snprintf(name, sizeof(name), "/tmp/shapes.%d.%u", getpid(), request->number);
	fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, block, sizeof(block)) != sizeof(block))
		abort();
	close(fd);
	unlink(name);
	work(20000);
}

/* Keys are agreed on in the first request of a connection. */
FUNCTION static void agree_on_keys(struct request *request)
{
	if (request->first)
		work(500000);
}

FUNCTION static void log_rotated(struct request *request)
{
	static int fd = -1;
	char line[64] = "a line of the log of this server";

	pthread_mutex_lock(&table_lock);
	if (fd < 0 || request->number % ROTATE == 0) {
		if (fd >= 0)
			close(fd);
		fd = new_file(0);
	}
	if (write(fd, line, sizeof(line)) != sizeof(line))
		abort();
	pthread_mutex_unlock(&table_lock);
}

FUNCTION static void log_buffered(struct request *request)
{
	static int fd = -1;
	static char buffer[FLUSH][128];

	pthread_mutex_lock(&table_lock);
	if (fd < 0)
		fd = new_file(0);
	memset(buffer[request->number % FLUSH], 'x', sizeof(buffer[0]));
	if (request->number % FLUSH == 0 && write(fd, buffer, sizeof(buffer)) != sizeof(buffer))
		abort();
	pthread_mutex_unlock(&table_lock);
}

/* Housekeeping ten times a second, by the request that comes then. */
FUNCTION static void expire_some(void)
{
	work(300000);
}

FUNCTION static void run_cron(struct request *request)
{
	static uint64_t due;
	struct timespec now;
	uint64_t ns, was = __atomic_load_n(&due, __ATOMIC_RELAXED);

	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	if (ns >= was &&
	    __atomic_compare_exchange_n(&due, &was, ns + CRON_NS, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		expire_some();
	work(request->size);
}

/* A table that requests share with a thread which holds it shortly. */
FUNCTION static void read_table(struct request *request)
{
	pthread_mutex_lock(&table_lock);
	work(500 + request->size);
	pthread_mutex_unlock(&table_lock);
}

/* Nobody waits for most of it. */
FUNCTION static void compact(void)
{
	work(25000000);
	pthread_mutex_lock(&table_lock);
	work(20000);
	pthread_mutex_unlock(&table_lock);
}

FUNCTION static void collect_garbage(void)
{
	work(2000000);
	pthread_mutex_lock(&table_lock);
	work(100000);
	pthread_mutex_unlock(&table_lock);
}

static void *beside(void *user)
{
	const bool compacts = has_bug("compaction");

	prctl(PR_SET_NAME, compacts ? "compaction" : "gc");
	for (;;) {
		usleep(compacts ? 800000 : 150000);
		if (compacts)
			compact();
		else
			collect_garbage();
	}
	return user;
}

static void begin_beside(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, beside, NULL))
		abort();
}

/* Those without a function differ in their load alone, see shapes.c. */
const struct shapes_kind shapes_healthy[] = {
	{ "reports", make_report, MARKED, NULL },
	{ "sizes", render_items, ALL, NULL },
	{ "bimodal", render_items, ALL, NULL },
	{ "misses", get_cached, ALL, NULL },
	{ "warm_up", warm_up, ALL, NULL },
	{ "writes", store_item, MARKED, NULL },
	{ "keys", agree_on_keys, ALL, NULL },
	{ "rotation", log_rotated, ALL, NULL },
	{ "buffer", log_buffered, ALL, NULL },
	{ "cron", run_cron, ALL, NULL },
	{ "compaction", read_table, ALL, begin_beside },
	{ "gc", read_table, ALL, begin_beside },
	{ NULL, NULL, ALL, NULL },
};
