// SPDX-License-Identifier: GPL-2.0-only
/*
 * Drive a memcached server with a steady, seeded mix of gets and sets at a given rate.
 *
 * The generators that exist send as fast as they can and never hold a rate; under emulation they
 * leave the server no share of the processors. Arrivals here are a Poisson process. A request that
 * finds every connection busy waits, and its latency counts from when it should have been sent.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_CONNS 64
#define BUF_BYTES 16384
#define LONG_KEY_LEN 96
#define WARM_BATCH 32
#define HIST_BINS 600 /* 20 per doubling, from 1 us */
#define MAX_LAG_NS 1000000000LL
#define SLOW_NS 2000000LL

struct conn {
	int fd;
	bool busy;
	bool is_set;
	int64_t due_ns; /* when the request should have been sent */
	size_t got;
	char in[BUF_BYTES];
};

struct load {
	int port, n_conns, seconds, keys, long_keys;
	double rate, set_share, long_share;
	uint32_t min_value, max_value;
	uint64_t rng;
	struct conn *conns; /* n_conns of them */
	uint64_t hist[HIST_BINS], done, misses, dropped, slow;
	int64_t max_ns;
};

/* The one thing a signal handler can reach. */
static volatile sig_atomic_t asked_to_stop;

static void ask_to_stop(int signal)
{
	(void)signal;
	asked_to_stop = 1;
}

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* splitmix64: small, seedable, good enough for a mix of requests. */
static uint64_t random_u64(struct load *load)
{
	uint64_t z = load->rng += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static double random_unit(struct load *load)
{
	return (double)(random_u64(load) >> 11) / (double)(1ULL << 53);
}

/* Key number i: short ones first, then the long ones, padded to LONG_KEY_LEN. */
static void key_name(const struct load *load, int i, char *key, size_t key_bytes)
{
	if (i < load->keys)
		snprintf(key, key_bytes, "user:%d:profile", i);
	else
		snprintf(key, key_bytes, "session:/frontend/eu-west/cart/%0*d", LONG_KEY_LEN - 31, i - load->keys);
}

static size_t set_request(struct load *load, int key_index, char *out, size_t out_bytes)
{
	char key[128];
	uint32_t span = load->max_value - load->min_value + 1;
	uint32_t value_bytes = load->min_value + (uint32_t)(random_u64(load) % span);
	int head;

	key_name(load, key_index, key, sizeof(key));
	head = snprintf(out, out_bytes, "set %s 0 0 %u\r\n", key, value_bytes);
	memset(out + head, 'v', value_bytes);
	memcpy(out + head + value_bytes, "\r\n", 2);
	return (size_t)head + value_bytes + 2;
}

static int write_all(int fd, const char *data, size_t bytes)
{
	while (bytes) {
		ssize_t n = write(fd, data, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -EIO;
		data += n;
		bytes -= (size_t)n;
	}
	return 0;
}

static int dial(int port, int *ret_fd)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int one = 1, err, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
		err = -errno;
		close(fd);
		return err;
	}
	*ret_fd = fd;
	return 0;
}

/* Stores every key once, in batches on one connection, so that the measured gets hit. */
static int warm(struct load *load)
{
	struct conn *c = &load->conns[0];
	char out[BUF_BYTES];
	int total = load->keys + load->long_keys, in_flight = 0;

	for (int i = 0; i < total; i++) {
		if (write_all(c->fd, out, set_request(load, i, out, sizeof(out))))
			return -EIO;
		in_flight++;
		while (in_flight >= WARM_BATCH || (i == total - 1 && in_flight)) {
			ssize_t n = read(c->fd, c->in, sizeof(c->in));

			if (n <= 0)
				return -EIO;
			for (ssize_t j = 0; j < n; j++)
				in_flight -= c->in[j] == '\n';
		}
	}
	return 0;
}

static int send_next(struct load *load, struct conn *c, int64_t due_ns)
{
	char out[BUF_BYTES], key[128];
	bool use_long = load->long_keys && random_unit(load) < load->long_share;
	uint64_t draw = random_u64(load);
	int i = use_long ? load->keys + (int)(draw % (uint64_t)load->long_keys) : (int)(draw % (uint64_t)load->keys);
	size_t bytes;

	c->is_set = random_unit(load) < load->set_share;
	if (c->is_set) {
		bytes = set_request(load, i, out, sizeof(out));
	} else {
		key_name(load, i, key, sizeof(key));
		bytes = (size_t)snprintf(out, sizeof(out), "get %s\r\n", key);
	}
	c->busy = true;
	c->due_ns = due_ns;
	c->got = 0;
	return write_all(c->fd, out, bytes);
}

static void count(struct load *load, int64_t ns)
{
	double us = ns > 1000 ? (double)ns / 1000 : 1;
	int bin = (int)(log2(us) * 20);

	load->hist[bin < HIST_BINS ? bin : HIST_BINS - 1]++;
	load->done++;
	load->slow += ns > SLOW_NS;
	if (ns > load->max_ns)
		load->max_ns = ns;
}

/* Reads what came; an answer is whole when it ends as its kind of request ends. */
static int receive(struct load *load, struct conn *c)
{
	ssize_t n = read(c->fd, c->in + c->got, sizeof(c->in) - c->got);

	if (n <= 0)
		return -EIO;
	c->got += (size_t)n;
	if (c->is_set ? c->in[c->got - 1] != '\n' : c->got < 5 || memcmp(c->in + c->got - 5, "END\r\n", 5))
		return 0;
	load->misses += !c->is_set && c->got == 5;
	c->busy = false;
	count(load, now_ns() - c->due_ns);
	return 0;
}

static struct conn *idle_conn(struct load *load)
{
	int first = (int)(random_u64(load) % (uint64_t)load->n_conns);

	for (int i = 0; i < load->n_conns; i++) {
		struct conn *c = &load->conns[(first + i) % load->n_conns];

		if (!c->busy)
			return c;
	}
	return NULL;
}

static int wait_and_receive(struct load *load, int64_t until_ns)
{
	struct pollfd fds[MAX_CONNS];
	int64_t left = until_ns - now_ns();
	struct timespec ts;

	if (left < 0)
		left = 0;
	ts = (struct timespec){ .tv_sec = left / 1000000000LL, .tv_nsec = left % 1000000000LL };
	for (int i = 0; i < load->n_conns; i++)
		fds[i] = (struct pollfd){ .fd = load->conns[i].fd, .events = POLLIN };
	if (ppoll(fds, (nfds_t)load->n_conns, &ts, NULL) < 0)
		return errno == EINTR ? 0 : -errno;
	for (int i = 0; i < load->n_conns; i++)
		if (fds[i].revents && receive(load, &load->conns[i]))
			return -EIO;
	return 0;
}

static int run(struct load *load)
{
	int64_t due = now_ns(), end = due + load->seconds * 1000000000LL, now = due;

	while (!asked_to_stop && (now = now_ns()) < end) {
		struct conn *c = NULL;
		int64_t until = end;

		if (now - due > MAX_LAG_NS) {
			load->dropped += (uint64_t)((double)(now - due) * 1e-9 * load->rate);
			due = now;
		}
		if (due <= now)
			c = idle_conn(load);
		if (c) {
			if (send_next(load, c, due))
				return -EIO;
			due += (int64_t)(-log(1 - random_unit(load)) / load->rate * 1e9);
		}
		if (due > now && due < end)
			until = due;
		if (c && due <= now)
			until = now;
		if (wait_and_receive(load, until))
			return -EIO;
	}
	return 0;
}

static double percentile_us(const struct load *load, double share)
{
	uint64_t seen = 0;

	for (int i = 0; i < HIST_BINS; i++) {
		seen += load->hist[i];
		if ((double)seen >= share * (double)load->done)
			return exp2((i + 0.5) / 20);
	}
	return 0;
}

static int option(struct load *load, int opt, const char *arg)
{
	switch (opt) {
	case 'p':
		load->port = atoi(arg);
		return 0;
	case 'c':
		load->n_conns = atoi(arg);
		return 0;
	case 't':
		load->seconds = atoi(arg);
		return 0;
	case 'r':
		load->rate = atof(arg);
		return 0;
	case 'k':
		load->keys = atoi(arg);
		return 0;
	case 'K':
		load->long_keys = atoi(arg);
		return 0;
	case 's':
		load->set_share = atof(arg);
		return 0;
	case 'l':
		load->long_share = atof(arg);
		return 0;
	case 'v':
		return sscanf(arg, "%u-%u", &load->min_value, &load->max_value) == 2 ? 0 : -EINVAL;
	case 'S':
		load->rng = strtoull(arg, NULL, 10);
		return 0;
	}
	return -EINVAL;
}

int main(int argc, char **argv)
{
	static struct load load = {
		.n_conns = 8,
		.seconds = 10,
		.keys = 4000,
		.long_keys = 8000,
		.rate = 800,
		.set_share = 0.2,
		.long_share = 0.08,
		.min_value = 64,
		.max_value = 512,
		.rng = 1,
	};
	bool bad = false;
	int opt;

	while ((opt = getopt(argc, argv, "p:c:t:r:k:K:s:l:v:S:")) != -1)
		bad |= option(&load, opt, optarg) != 0;
	if (bad || load.port <= 0 || load.n_conns < 1 || load.n_conns > MAX_CONNS || load.rate <= 0 || load.keys < 1 ||
	    load.min_value > load.max_value || load.max_value > 8192) {
		fprintf(stderr, "usage: mcload -p PORT [-c CONNECTIONS] [-t SECONDS] [-r PER_SECOND] "
				"[-k KEYS] [-K LONG_KEYS] [-s SET_SHARE] [-l LONG_SHARE] [-v MIN-MAX] "
				"[-S SEED]\n");
		return 2;
	}
	load.conns = calloc((size_t)load.n_conns, sizeof(*load.conns));
	if (!load.conns)
		return 1;
	for (int i = 0; i < load.n_conns; i++) {
		int err = dial(load.port, &load.conns[i].fd);

		if (err) {
			fprintf(stderr, "mcload: port %d: %s\n", load.port, strerror(-err));
			return 1;
		}
	}
	if (warm(&load)) {
		fprintf(stderr, "mcload: the server closed a connection while the keys were stored\n");
		return 1;
	}
	/* Background jobs of scripts start with SIGINT ignored. */
	sigaction(SIGINT, &(struct sigaction){ .sa_handler = ask_to_stop }, NULL);
	sigaction(SIGTERM, &(struct sigaction){ .sa_handler = ask_to_stop }, NULL);
	puts("warm");
	fflush(stdout);
	if (run(&load))
		fprintf(stderr, "mcload: the server closed a connection\n");
	printf("requests %llu misses %llu dropped %llu over_2ms %llu p50_us %.0f p90_us %.0f p99_us %.0f "
	       "p999_us %.0f max_us %.0f\n",
	       (unsigned long long)load.done, (unsigned long long)load.misses, (unsigned long long)load.dropped,
	       (unsigned long long)load.slow, percentile_us(&load, 0.5), percentile_us(&load, 0.9),
	       percentile_us(&load, 0.99), percentile_us(&load, 0.999), (double)load.max_ns / 1000);
	return 0;
}
