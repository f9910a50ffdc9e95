// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "kinds.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <regex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#define TEXT_BYTES 300000
#define ROWS 20000
#define LINE 512

/* Processes share it. */
static struct shared {
	pthread_mutex_t ledger;	 /* that usual requests take for some microseconds */
	pthread_mutex_t tickets; /* that the keeper takes often */
	pthread_mutex_t kept;	 /* that it never gives back */
} * shared;

static char folder[200], text[TEXT_BYTES];
static const char *variant = "";
static uint16_t peer_port;
static int log_pipe[2];
static volatile bool flag;
static volatile unsigned long sink;

KIND static long usual(void)
{
	pthread_mutex_lock(&shared->ledger);
	for (unsigned long i = 0; i < 20000; i++)
		sink = sink + i * i;
	pthread_mutex_unlock(&shared->ledger);
	return (long)sink;
}

KIND static long count_primes(void)
{
	long n = 0;

	for (unsigned int i = 2; i < 12000; i++) {
		unsigned int j = 2;

		while (j < i && i % j)
			j++;
		n += j == i;
	}
	return n;
}

KIND static long read_bytes(void)
{
	const int fd = open("/etc/services", O_RDONLY | O_CLOEXEC);
	char byte;
	long n = 0;

	for (int i = 0; i < 6000 && read(fd, &byte, 1) == 1; i++)
		n += byte == '\n';
	close(fd);
	return n;
}

KIND static long take_nap(void)
{
	usleep(20000);
	return (long)++sink;
}

static int open_peer(void)
{
	const struct sockaddr_in at = { AF_INET, htons(peer_port), { htonl(INADDR_LOOPBACK) }, { 0 } };
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (const void *)&at, sizeof(at)))
		abort();
	return fd;
}

/* The peer answers after 20 ms. */
KIND static long ask_peer(void)
{
	const int fd = open_peer();
	char answer[16];
	const long bytes = write(fd, "slow\n", 5) == 5 ? read(fd, answer, sizeof(answer)) : -1;

	close(fd);
	return bytes;
}

/* The keeper has the lock most of the time. */
KIND static long take_ticket(void)
{
	pthread_mutex_lock(&shared->tickets);
	sink++;
	pthread_mutex_unlock(&shared->tickets);
	return (long)sink;
}

KIND static void keep_ticket(void)
{
	pthread_mutex_lock(&shared->tickets);
	usleep(25000);
	pthread_mutex_unlock(&shared->tickets);
}

KIND static long save_note(void)
{
	char name[256];
	int fd;

	snprintf(name, sizeof(name), "%s/note.%d", folder, gettid());
	fd = open(name, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
	for (int i = 0; i < 20; i++)
		if (write(fd, "note\n", 5) < 0 || fsync(fd))
			break;
	close(fd);
	return fd;
}

KIND static long make_copies(void)
{
	long n = 0;

	for (int i = 0; i < 150; i++) {
		char *copy = malloc(TEXT_BYTES);

		memcpy(copy, text, TEXT_BYTES);
		copy[i] = (char)i;
		n += copy[i * 3];
		free(copy);
	}
	return n;
}

KIND static long run_hook(void)
{
	return system("sleep 0.02");
}

static int compare_rows(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Each row is the rest of the text from a place on. */
KIND static long sort_rows(void)
{
	const char **rows = malloc(ROWS * sizeof(*rows));
	long n;

	for (unsigned long i = 0; i < ROWS; i++)
		rows[i] = text + i * 7919 % (TEXT_BYTES - 1000);
	qsort(rows, ROWS, sizeof(*rows), compare_rows);
	n = rows[0] - text;
	free(rows);
	return n;
}

KIND static long match_rules(void)
{
	regmatch_t match;
	regex_t rule;
	long n = 0;

	if (regcomp(&rule, "\\(quick\\|lazy\\)[a-z ]*cat$", 0))
		abort();
	for (int i = 0; i < 30; i++) {
		char line[400];

		snprintf(line, sizeof(line), "%.390s", text + i * 10);
		n += !regexec(&rule, line, 1, &match, 0);
	}
	regfree(&rule);
	return n;
}

KIND static long pack_text(void)
{
	uLongf bytes = TEXT_BYTES + 1000;
	Bytef *packed = malloc(bytes);

	compress2(packed, &bytes, (const Bytef *)text, TEXT_BYTES, 9);
	free(packed);
	return (long)bytes;
}

/* The pipe has room for some lines, and its reader takes one each ms. */
KIND static long write_log(void)
{
	char line[LINE];

	memset(line, 'l', sizeof(line));
	for (int i = 0; i < 25; i++)
		if (write(log_pipe[1], line, sizeof(line)) < 0)
			break;
	return (long)++sink;
}

static void drain_log(void)
{
	char line[LINE];

	while (read(log_pipe[0], line, sizeof(line)) > 0)
		usleep(1000);
}

KIND static long take_lock(void)
{
	pthread_mutex_lock(&shared->kept);
	sink++;
	pthread_mutex_unlock(&shared->kept);
	return (long)sink;
}

KIND static long poll_peer(void)
{
	struct pollfd answer = { open_peer(), POLLIN, 0 };

	if (write(answer.fd, "never\n", 6) != 6)
		abort();
	poll(&answer, 1, -1);
	return (long)++sink;
}

KIND static long spin_on(void)
{
	while (!flag)
		;
	return (long)sink;
}

KIND static long wait_signal(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

	pthread_mutex_lock(&lock);
	while (!flag)
		pthread_cond_wait(&never, &lock);
	pthread_mutex_unlock(&lock);
	return (long)sink;
}

/* Nobody reads from it. */
KIND static long fill_pipe(void)
{
	static char block[8192];
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		abort();
	while (write(ends[1], block, sizeof(block)) > 0)
		sink++;
	return (long)sink;
}

KIND static long wait_child(void)
{
	return system("sleep 1000");
}

static const struct {
	const char *name;
	long (*run)(void);
} kinds[] = {
	{ "count_primes", count_primes }, { "read_bytes", read_bytes },	  { "take_nap", take_nap },
	{ "ask_peer", ask_peer },	  { "take_ticket", take_ticket }, { "save_note", save_note },
	{ "make_copies", make_copies },	  { "run_hook", run_hook },	  { "sort_rows", sort_rows },
	{ "match_rules", match_rules },	  { "pack_text", pack_text },	  { "write_log", write_log },
	{ "take_lock", take_lock },	  { "poll_peer", poll_peer },	  { "spin_on", spin_on },
	{ "wait_signal", wait_signal },	  { "fill_pipe", fill_pipe },	  { "wait_child", wait_child },
};

long kinds_run(const char *path)
{
	long n = usual();

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(path, kinds[i].name))
			n += kinds[i].run();
	return n;
}

void kinds_path(const char *request, size_t bytes, char *path)
{
	size_t i = 0;

	while (i < 31 && i + 5 < bytes && request[i + 5] != ' ') {
		path[i] = request[i + 5];
		i++;
	}
	path[i] = 0;
}

size_t kinds_print(long number, char *answer)
{
	char body[32];
	const int bytes = snprintf(body, sizeof(body), "%ld\n", number);

	return (size_t)snprintf(answer, ANSWER_MAX, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", bytes, body);
}

size_t kinds_answer(const char *request, size_t bytes, char *answer)
{
	char path[32];

	kinds_path(request, bytes, path);
	return kinds_print(kinds_run(path), answer);
}

static void *keep_tickets(void *user)
{
	prctl(PR_SET_NAME, "keeper");
	pthread_mutex_lock(&shared->kept);
	for (;;) {
		keep_ticket();
		usleep(2000);
	}
	return user;
}

static void begin_shared(void)
{
	pthread_mutexattr_t attributes;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		abort();
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->ledger, &attributes);
	pthread_mutex_init(&shared->tickets, &attributes);
	pthread_mutex_init(&shared->kept, &attributes);
}

static void begin_logger(void)
{
	if (pipe2(log_pipe, O_CLOEXEC) || fcntl(log_pipe[1], F_SETPIPE_SZ, 4096) < 0)
		abort();
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "logger");
		close(log_pipe[1]);
		drain_log();
		_exit(0);
	}
}

uint16_t kinds_begin(int argc, char **argv)
{
	pthread_t keeper;

	if (argc < 4)
		exit(2);
	peer_port = (uint16_t)atoi(strchr(argv[2], ':') + 1);
	snprintf(folder, sizeof(folder), "%s", argv[3]);
	if (argc > 4)
		variant = argv[4];
	for (size_t i = 0; i < TEXT_BYTES - 1; i++)
		text[i] = "the quick brown fox jumps over the lazy dog "[(i + i / 1000) % 44];
	begin_shared();
	begin_logger();
	if (pthread_create(&keeper, NULL, keep_tickets, NULL))
		abort();
	return (uint16_t)atoi(argv[1]);
}

const char *kinds_variant(void)
{
	return variant;
}

uint16_t kinds_peer(void)
{
	return peer_port;
}

static int bound(uint16_t port, int type)
{
	const struct sockaddr_in at = { AF_INET, htons(port), { htonl(INADDR_LOOPBACK) }, { 0 } };
	const int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0), on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (const void *)&at, sizeof(at)))
		exit(1);
	return fd;
}

int kinds_listen(uint16_t port)
{
	const int fd = bound(port, SOCK_STREAM);

	if (listen(fd, 64))
		exit(1);
	return fd;
}

int kinds_datagrams(uint16_t port)
{
	return bound(port, SOCK_DGRAM);
}

void kinds_accepted(int fd)
{
	const int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}
