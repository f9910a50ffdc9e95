// SPDX-License-Identifier: GPL-2.0-only
/*
 * A server of a thread that accepts and a pool of workers, with one lock, a journal and a table in memory.
 *
 * Usage: pool PORT DIR MIB
 * It speaks the protocol of Redis, as far as arrays of words go:
 *   GET KEY            reads some of the table of MIB, and computes under the lock
 *   SET KEY VALUE      the same, then writes VALUE to a journal in DIR and waits until the disk has it
 *   DEBUG SLEEP TIME   keeps the lock for TIME seconds
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define WORKERS 16
#define WORDS 4
#define READS 32     /* of the table, for each request */
#define ROUNDS 20000 /* of computing, for each request */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queued = PTHREAD_COND_INITIALIZER;
static int queue[64];
static unsigned int first, last; /* of the queue */
static unsigned char *table;
static size_t table_bytes;
static int journal;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t look_up(const char *key)
{
	uint64_t hash = strtoull(key + strcspn(key, "0123456789"), NULL, 10) * 0x9e3779b97f4a7c15ull + 1;

	for (unsigned int i = 0; i < READS; i++) {
		hash ^= hash << 13;
		hash ^= hash >> 7;
		hash ^= hash << 17;
		table[hash % table_bytes]++;
	}
	return hash;
}

static uint64_t compute(uint64_t hash)
{
	for (unsigned int i = 0; i < ROUNDS; i++)
		hash = hash * 6364136223846793005ull + 1442695040888963407ull;
	return hash;
}

static void serve(FILE *client, char *const word[WORDS], int words)
{
	const bool keeps = words == 3 && !strcasecmp(word[0], "DEBUG");
	uint64_t result = words > 1 ? look_up(word[1]) : 0;

	pthread_mutex_lock(&lock);
	if (keeps)
		usleep((useconds_t)(1e6 * atof(word[2])));
	else
		result = compute(result);
	pthread_mutex_unlock(&lock);
	if (words == 3 && !strcasecmp(word[0], "SET") &&
	    (write(journal, word[2], strlen(word[2])) < 0 || fdatasync(journal)))
		die("pool: journal");
	fprintf(client, "+%llx\r\n", (unsigned long long)result);
	fflush(client);
}

/* Returns the number of words of a request, 0 at the end. The caller frees them. */
static int read_request(FILE *client, char *word[WORDS])
{
	char line[32];
	int words, bytes;

	if (!fgets(line, sizeof(line), client) || sscanf(line, "*%d", &words) != 1 || words < 1 || words > WORDS)
		return 0;
	for (int i = 0; i < words; i++) {
		if (!fgets(line, sizeof(line), client) || sscanf(line, "$%d", &bytes) != 1 || bytes < 0 ||
		    bytes > 1 << 20)
			return 0;
		word[i] = calloc(1, (size_t)bytes + 3);
		if (!word[i] || fread(word[i], 1, (size_t)bytes + 2, client) != (size_t)bytes + 2)
			return 0;
		word[i][bytes] = 0;
	}
	return words;
}

static int pop(void)
{
	int fd;

	pthread_mutex_lock(&queue_lock);
	while (first == last)
		pthread_cond_wait(&queued, &queue_lock);
	fd = queue[first++ % 64];
	pthread_mutex_unlock(&queue_lock);
	return fd;
}

static void *work(void *unused)
{
	for (;;) {
		const int fd = pop();
		FILE *client = fdopen(fd, "r+");
		char *word[WORDS];
		int words;

		while (client && (words = read_request(client, word))) {
			serve(client, word, words);
			while (words)
				free(word[--words]);
		}
		if (client)
			fclose(client);
	}
	return unused;
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
	pthread_t thread;
	char path[512];
	int fd;

	if (argc != 4) {
		fputs("usage: pool PORT DIR MIB\n", stderr);
		return 2;
	}
	snprintf(path, sizeof(path), "%s/journal", argv[2]);
	journal = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	table_bytes = (size_t)atoi(argv[3]) << 20;
	table = malloc(table_bytes);
	address.sin_port = htons((uint16_t)atoi(argv[1]));
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (journal < 0 || !table || bind(listener, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(listener, 64))
		die("pool");
	memset(table, 1, table_bytes);
	for (int i = 0; i < WORKERS; i++)
		if (pthread_create(&thread, NULL, work, NULL))
			die("pool: pthread_create");
	while ((fd = accept(listener, NULL, NULL)) >= 0) {
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		pthread_mutex_lock(&queue_lock);
		queue[last++ % 64] = fd;
		pthread_cond_signal(&queued);
		pthread_mutex_unlock(&queue_lock);
	}
	die("pool: accept");
}
