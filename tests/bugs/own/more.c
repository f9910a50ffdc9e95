// SPDX-License-Identifier: GPL-2.0-only
/* More steps of a request, whose bugs are those of the sealed cases. */
#include "more.h"

#include <dirent.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "parts.h"

/* ---- words of the name ---- */

STEP static unsigned trim_words(const char *path)
{
	char text[PATH_MAX_BYTES], *at = text;
	unsigned words = 0;

	strcpy(text, path);
	while (*at) {
		words += *at == '/';
#ifdef BUG_TRIM
		memmove(at, at + 1, strlen(at)); /* the front goes, the rest moves up */
		if (!*at && words < 9)
			strcpy(text, path), words += 4;
#else
		at++;
#endif
	}
	return words;
}

/* ---- the letters of the name in order, as a key ---- */

static int compare_letters(const void *left, const void *right)
{
	return *(const unsigned char *)left - *(const unsigned char *)right;
}

STEP static unsigned sort_letters(const char *path)
{
	unsigned char text[PATH_MAX_BYTES];
	size_t bytes = strlen(path);

	memcpy(text, path, bytes);
#ifdef BUG_SORT
	for (size_t i = 0; i < bytes; i++)
		for (size_t j = 0; j + 1 < bytes; j++)
			if (text[j] > text[j + 1]) {
				unsigned char other = text[j];

				text[j] = text[j + 1];
				text[j + 1] = other;
			}
#else
	qsort(text, bytes > 16 ? 16 : bytes, 1, compare_letters);
#endif
	(void)compare_letters;
	return text[0];
}

/* ---- other names of a page ---- */

STEP static bool find_alias(const char *path)
{
	static const char *const alias[] = { "/index.html", "/home.html", "/start.html" };
	bool found = false;

#ifdef BUG_SCANDIR
	/* A missing page may have appeared under the name in capitals, with an ending, … */
	for (int i = 0; i < 8 && is_missing(path); i++) {
		DIR *directory = opendir("/etc");

		while (directory && readdir(directory))
			;
		if (directory)
			closedir(directory);
	}
#endif
	for (size_t i = 0; i < sizeof(alias) / sizeof(*alias); i++)
		found |= !strcmp(path, alias[i]);
	return found;
}

/* ---- what a client may use ---- */

static pthread_mutex_t quota_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long quota = 1000000;

STEP static void charge_quota(const char *path)
{
	pthread_mutex_lock(&quota_lock);
	quota -= is_long(path) ? 2 : 1;
#ifdef BUG_QUOTA
	if (is_missing(path))
		usleep(4000); /* one charge per tick */
#endif
	pthread_mutex_unlock(&quota_lock);
}

/* ---- the audit, and a sweep of it ---- */

static pthread_mutex_t audit_lock = PTHREAD_MUTEX_INITIALIZER, sweep_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long audited;

STEP static void *sweep_audit(void *unused)
{
#ifdef BUG_DEADLOCK
	pthread_mutex_lock(&sweep_lock);
	usleep(20000);
	pthread_mutex_lock(&audit_lock);
#else
	pthread_mutex_lock(&audit_lock);
	usleep(2000);
	pthread_mutex_lock(&sweep_lock);
#endif
	audited = 0;
	pthread_mutex_unlock(&sweep_lock);
	pthread_mutex_unlock(&audit_lock);
	return unused;
}

STEP static void audit_page(const char *path)
{
	pthread_t thread;

	if (strncmp(path, "/status", 7))
		return;
	if (pthread_create(&thread, NULL, sweep_audit, NULL))
		die("pthread_create");
	pthread_mutex_lock(&audit_lock);
	usleep(20000);
	pthread_mutex_lock(&sweep_lock);
	audited++;
	pthread_mutex_unlock(&sweep_lock);
	pthread_mutex_unlock(&audit_lock);
	pthread_join(thread, NULL);
}

/* ---- turns, so that state pages are made one after the other ---- */

static volatile unsigned turn, next_turn;

STEP static void wait_turn(const char *path)
{
	unsigned mine;

	if (strncmp(path, "/status", 7))
		return;
	mine = __sync_fetch_and_add(&next_turn, 1);
#ifdef BUG_SPIN
	mine++; /* numbers are given from 1 elsewhere */
#endif
	while (turn != mine)
		;
	turn = mine + 1;
}

/* ---- the client's name ---- */

STEP static void resolve_client(const char *path)
{
#ifdef BUG_RESOLVE
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(5353),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct pollfd answer = { .fd = -1, .events = POLLIN };

	if (!is_long(path))
		return;
	answer.fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (sendto(answer.fd, path, 16, 0, (struct sockaddr *)&address, sizeof(address)) == 16)
		poll(&answer, 1, 5); /* the resolver is gone */
	close(answer.fd);
#endif
	(void)path;
}

/* ---- where other servers are ---- */

static time_t refreshed;

STEP static void refresh_peers(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(5353),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const time_t now = time(NULL);
	int fd;

	if (now - __atomic_load_n(&refreshed, __ATOMIC_RELAXED) < 4)
		return;
	__atomic_store_n(&refreshed, now, __ATOMIC_RELAXED);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
#ifdef BUG_REFRESH
	{
		const struct timeval limit = { 0, 400000 };
		char answer[64];

		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
		if (sendto(fd, "?", 1, 0, (struct sockaddr *)&address, sizeof(address)) == 1)
			(void)!recv(fd, answer, sizeof(answer), 0); /* nobody answers */
	}
#else
	(void)!sendto(fd, "?", 1, MSG_DONTWAIT, (struct sockaddr *)&address, sizeof(address));
#endif
	close(fd);
}

STEP void more_steps(const struct conn *conn)
{
	resolve_client(conn->path);
	refresh_peers();
	trim_words(conn->raw);
	sort_letters(conn->path);
	find_alias(conn->path);
	charge_quota(conn->path);
	wait_turn(conn->path);
	audit_page(conn->path);
}
