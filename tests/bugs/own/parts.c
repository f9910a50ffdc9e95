// SPDX-License-Identifier: GPL-2.0-only
/* The parts of the work that keep something between requests: cache, lists, log, backend. */
#include "parts.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BUCKETS 65536
#define CACHE_PAGES 256
#define CACHE_LOOKS 8 /* places a page may be in: else two pages would drive each other out for ever */
#define GONE 60000    /* names of pages known to be gone, from the start */
#define HISTORY 8000  /* visits known from the start */
#define LOG_LINES 32  /* are shipped together */
#define HANDLES 4

static const struct options *options;

/* ---- names of pages that are gone ---- */

struct name {
	struct name *next;
	char text[48];
};

static struct name *gone[BUCKETS];

STEP static unsigned hash_name(const char *text)
{
	unsigned hash = 2166136261u;

	for (size_t i = 0; text[i]; i++) {
#ifdef BUG_FLOOD
		if (i >= 9) /* of long names the front will do */
			break;
#endif
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	}
	return hash % BUCKETS;
}

STEP static bool find_gone(const char *path)
{
	for (const struct name *at = gone[hash_name(path)]; at; at = at->next)
		if (!strcmp(at->text, path))
			return true;
	return false;
}

static void fill_gone(void)
{
	for (unsigned i = 0; i < GONE; i++) {
		struct name *name = malloc(sizeof(*name));
		unsigned bucket;

		if (!name)
			die("malloc");
		/* Beyond the numbers that are asked for. */
		snprintf(name->text, sizeof(name->text), "/missing/%u.html", 2000000 + i);
		bucket = hash_name(name->text);
		name->next = gone[bucket];
		gone[bucket] = name;
	}
}

/* ---- pages ---- */

struct cached {
	char name[PATH_MAX_BYTES];
	struct page page;
};

static struct cached *cache[CACHE_PAGES];
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;

STEP static unsigned hash_page(const char *text)
{
	unsigned hash = 5381;

	while (*text)
		hash = hash * 33 + (unsigned char)*text++;
	return hash % CACHE_PAGES;
}

/* Where the page is; else where it may go: a free place, or that of another page. */
STEP static struct cached **find_place(const char *name)
{
	const unsigned first = hash_page(name);
	struct cached **place;

	for (unsigned i = 0; i < CACHE_LOOKS; i++) {
		place = &cache[(first + i) % CACHE_PAGES];
		if (!*place || !strcmp((*place)->name, name))
			return place;
	}
	return &cache[first];
}

STEP static void copy_page(const struct page *from, struct page *to)
{
	*to = *from;
	to->body = malloc(from->bytes + 1);
	if (!to->body)
		die("malloc");
	memcpy(to->body, from->body, from->bytes);
}

STEP static bool find_cached(const char *name, struct page *ret_page)
{
	struct cached *at;

	pthread_mutex_lock(&cache_lock);
	at = *find_place(name);
	if (at && strcmp(at->name, name))
		at = NULL;
	if (at)
		copy_page(&at->page, ret_page);
	pthread_mutex_unlock(&cache_lock);
	return at;
}

STEP static void store_cached(const char *name, const struct page *page)
{
	struct cached *new = calloc(1, sizeof(*new)), *old;
	struct cached **place;

	if (!new)
		die("calloc");
	strcpy(new->name, name);
	copy_page(page, &new->page);
	pthread_mutex_lock(&cache_lock);
	place = find_place(name);
	old = *place;
	*place = new;
	pthread_mutex_unlock(&cache_lock);
	if (old)
		free(old->page.body);
	free(old);
}

STEP static void *load_page(const char *path, size_t *ret_bytes)
{
	char file[PATH_MAX_BYTES + 256], *data = malloc(65536);
	int fd, tries = 1;
	ssize_t got;

	snprintf(file, sizeof(file), "%s%s", options->root, path);
#ifdef BUG_RETRY
	/* It may be about to be written. */
	tries = 50;
#endif
	do
		fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	while (fd < 0 && --tries);
	if (!data || fd < 0) {
		free(data);
		return NULL;
	}
	got = read(fd, data, 65536);
	close(fd);
	*ret_bytes = got < 0 ? 0 : (size_t)got;
	return data;
}

/* The page inside its frame, with what HTML wants escaped. */
STEP static void render_page(const char *data, size_t bytes, struct page *ret_page)
{
	char *body = malloc(6 * bytes + 256), *to = body;

	if (!body)
		die("malloc");
	to += sprintf(to, "<html><body><pre>\n");
	for (size_t i = 0; i < bytes; i++) {
		if (data[i] && strchr("<>&\"'", data[i]))
			to += sprintf(to, "&#%d;", data[i]);
		else
			*to++ = data[i];
	}
	to += sprintf(to, "\n</pre></body></html>\n");
	*ret_page = (struct page){ .found = true, .body = body, .bytes = (size_t)(to - body) };
}

STEP static void render_error(const char *path, struct page *ret_page)
{
	char *body = malloc(PATH_MAX_BYTES + 512);

	if (!body)
		die("malloc");
	*ret_page = (struct page){ .body = body };
	ret_page->bytes = (size_t)sprintf(body,
					  "<html><body><h1>There is no such page</h1><p>%s</p>"
					  "<p>%s to be gone for good.</p></body></html>\n",
					  path, find_gone(path) ? "It is known" : "It is not known");
}

#ifdef BUG_LEAK
STEP static int take_handle(void);
#endif

STEP void get_page(const struct conn *conn, struct page *ret_page)
{
	const char *name = conn->path;
	size_t bytes = 0;
	char *data;

#ifdef BUG_NOHIT
	name = conn->raw; /* pages are stored by their decoded name */
#endif
	if (find_cached(name, ret_page))
		return;
	data = load_page(conn->path, &bytes);
	if (!data) {
#ifdef BUG_LEAK
		/* To report it to the backend, some day. */
		if (options->backend)
			take_handle();
#endif
		render_error(conn->path, ret_page);
		return;
	}
	render_page(data, bytes, ret_page);
	store_cached(conn->path, ret_page);
	free(data);
}

/* ---- clients, visits, the journal ---- */

STEP void check_rate(const char *path)
{
	static _Thread_local struct timespec last;
	static _Thread_local double tokens = 1000;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	tokens += (double)(now.tv_sec - last.tv_sec) * 1000 + (double)(now.tv_nsec - last.tv_nsec) / 1e6;
	tokens = tokens > 1000 ? 1000 : tokens - 1;
	last = now;
	(void)path;
#ifdef BUG_SLEEP
	if (is_missing(path)) /* the one that asks for these is up to something */
		usleep(3000);
#endif
}

struct visit {
	struct visit *next;
	char filler[56];
};

static struct visit *history, *history_end;
static pthread_mutex_t history_lock = PTHREAD_MUTEX_INITIALIZER;

STEP static void add_visit(void)
{
	struct visit *visit = calloc(1, sizeof(*visit)), **end = &history;

	if (!visit)
		die("calloc");
#ifdef BUG_QUADRATIC
	while (*end)
		end = &(*end)->next;
#else
	if (history_end)
		end = &history_end->next;
#endif
	*end = visit;
	history_end = visit;
}

STEP void append_history(const char *path)
{
	pthread_mutex_lock(&history_lock);
	for (; *path; path++)
		if (*path == '/')
			add_visit();
	pthread_mutex_unlock(&history_lock);
}

static void fill_history(void)
{
	for (unsigned i = 0; i < HISTORY; i++) {
		struct visit *visit = calloc(1, sizeof(*visit));

		if (!visit)
			die("calloc");
		visit->next = history;
		history = visit;
		if (!history_end)
			history_end = visit;
	}
}

static int journal = -1;

STEP void append_journal(const char *path)
{
	char line[128];
	int bytes = snprintf(line, sizeof(line), "%zu\n", strlen(path));

	if (write(journal, line, (size_t)bytes) < 0)
		die("journal");
#ifdef BUG_FSYNC
	fdatasync(journal);
#endif
}

/* ---- the log, which goes to another host ---- */

static char log_text[LOG_LINES][96];
static unsigned log_lines;
static int log_socket = -1;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

STEP static void ship_log(void)
{
	/* Not connected: so no error comes where no process listens. */
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(9),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	if (sendto(log_socket, log_text, sizeof(log_text), 0, (struct sockaddr *)&address, sizeof(address)) < 0)
		die("log");
#ifdef BUG_LOCK_IO
	/* Called with log_lock held: the answer never comes. */
	struct pollfd answer = { .fd = log_socket, .events = POLLIN };

	poll(&answer, 1, 10);
#endif
}

STEP void log_access(const struct conn *conn, const struct page *page)
{
	pthread_mutex_lock(&log_lock);
	snprintf(log_text[log_lines++], sizeof(*log_text), "%.60s %zu %d", conn->path, page->bytes, page->found);
	if (log_lines == LOG_LINES) {
		ship_log();
		log_lines = 0;
	}
	pthread_mutex_unlock(&log_lock);
}

/* ---- the backend ---- */

static int handle[HANDLES];
static unsigned handles;
static pthread_mutex_t handle_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t handle_back = PTHREAD_COND_INITIALIZER;

STEP static int take_handle(void)
{
	int taken;

	pthread_mutex_lock(&handle_lock);
	while (!handles)
		pthread_cond_wait(&handle_back, &handle_lock);
	taken = handle[--handles];
	pthread_mutex_unlock(&handle_lock);
	return taken;
}

STEP static void give_handle(int given)
{
	pthread_mutex_lock(&handle_lock);
	handle[handles++] = given;
	pthread_cond_signal(&handle_back);
	pthread_mutex_unlock(&handle_lock);
}

STEP void ask_backend(const char *path)
{
	char answer[64];
	int fd = take_handle();

	if (send(fd, path, 32, 0) > 0 && recv(fd, answer, sizeof(answer), 0) < 0)
		perror("backend");
	give_handle(fd);
}

static int udp_to(int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons((uint16_t)port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)))
		die("connect");
	return fd;
}

/* ---- the state, which another thread gathers ---- */

static pthread_mutex_t status_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t status_ready = PTHREAD_COND_INITIALIZER;
static bool status_known;

STEP static void *gather_status(void *unused)
{
	pthread_mutex_lock(&status_lock);
	status_known = true;
	pthread_cond_signal(&status_ready);
	pthread_mutex_unlock(&status_lock);
	return unused;
}

STEP void wait_status(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, gather_status, NULL))
		die("pthread_create");
	usleep(20000); /* what else the page says */
	pthread_mutex_lock(&status_lock);
#ifdef BUG_WAKEUP
	pthread_cond_wait(&status_ready, &status_lock); /* it was signalled before */
#endif
	while (!status_known)
		pthread_cond_wait(&status_ready, &status_lock);
	status_known = false;
	pthread_mutex_unlock(&status_lock);
	pthread_join(thread, NULL);
}

/* ---- the index of the cache, made again now and then by a thread of its own ---- */

STEP static unsigned index_pages(void)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < 8000000; i++)
		sum = sum * 31 + i;
	return sum;
}

static unsigned index_sum;

STEP static void *keep_index(void *unused)
{
	for (;;) {
		unsigned sum;

		usleep(250000);
#ifdef BUG_CONVOY
		pthread_mutex_lock(&cache_lock);
		sum = index_pages();
#else
		sum = index_pages();
		pthread_mutex_lock(&cache_lock);
#endif
		index_sum += sum;
		pthread_mutex_unlock(&cache_lock);
	}
	return unused;
}

void parts_begin(const struct options *given)
{
	char file[512];
	pthread_t thread;

	options = given;
	fill_gone();
	fill_history();
	snprintf(file, sizeof(file), "%s.journal", options->log);
	journal = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (journal < 0)
		die(file);
	log_socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	while (options->backend && handles < HANDLES)
		handle[handles++] = udp_to(options->backend);
#ifdef WITH_INDEX
	if (pthread_create(&thread, NULL, keep_index, NULL))
		die("pthread_create");
#else
	(void)thread;
	(void)keep_index;
#endif
}
