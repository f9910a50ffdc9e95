// SPDX-License-Identifier: GPL-2.0-only
/*
 * The addresses of connections that calls open: both ends of one over IPv4 and over IPv6, accepted and connected, a socket of
 * datagrams, and the peer of a connect that goes to sleep. Nothing is recorded for a unix socket, for a connect that fails, and if it
 * was not requested.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include "tests.h"

#define CONNECTIONS_MAX 16

/* As the target's own getsockname() and getpeername() have it. */
struct end {
	int32_t fd;
	uint32_t own_port, peer_port;
	uint64_t own[2], peer[2];
};

struct peers {
	uint32_t asked; /* SCOPE_EVENTS_* beyond the default */
	struct end expected[CONNECTIONS_MAX];
	uint32_t count; /* of expected */
	uint32_t records, wrong;
	uint32_t sleeps;  /* records of connects that went to sleep */
	uint16_t last_nr; /* 0xffff: the record before is another one */
	uint32_t entered; /* the call of that ENTER, if the record before is one; else 0 */
};

static int go[2], found[2];

static void take_address(const struct sockaddr_storage *from, uint64_t *to, uint32_t *ret_port)
{
	const struct sockaddr_in6 *v6 = (const void *)from;
	const struct sockaddr_in *v4 = (const void *)from;
	uint8_t bytes[16] = { [10] = 0xff, [11] = 0xff };

	if (from->ss_family == AF_INET)
		memcpy(bytes + 12, &v4->sin_addr, 4);
	else
		memcpy(bytes, &v6->sin6_addr, 16);
	*ret_port = ntohs(from->ss_family == AF_INET ? v4->sin_port : v6->sin6_port);
	for (int i = 0; i < 2; i++) {
		to[i] = 0;
		for (int j = 0; j < 8; j++)
			to[i] = to[i] << 8 | bytes[8 * i + j];
	}
}

/* Writes to the test what the descriptor is connected to. */
static void tell(int fd)
{
	struct sockaddr_storage own = { 0 }, peer = { 0 };
	socklen_t own_bytes = sizeof(own), peer_bytes = sizeof(peer);
	struct end end = { .fd = fd };

	CHECK(!getsockname(fd, (void *)&own, &own_bytes) && !getpeername(fd, (void *)&peer, &peer_bytes));
	take_address(&own, end.own, &end.own_port);
	take_address(&peer, end.peer, &end.peer_port);
	CHECK(write(found[1], &end, sizeof(end)) == sizeof(end));
}

/* A listener, or a socket of datagrams, on the loopback. Returns -1: the kernel has no such family. */
static int serve(int family, int type, struct sockaddr_storage *ret_at, socklen_t *ret_bytes)
{
	const int fd = socket(family, type, 0);

	if (fd < 0)
		return -1;
	memset(ret_at, 0, sizeof(*ret_at));
	ret_at->ss_family = (sa_family_t)family;
	if (family == AF_INET)
		((struct sockaddr_in *)ret_at)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		((struct sockaddr_in6 *)ret_at)->sin6_addr = in6addr_loopback;
	*ret_bytes = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
	if (bind(fd, (void *)ret_at, *ret_bytes) || (type == SOCK_STREAM && listen(fd, 4)) ||
	    getsockname(fd, (void *)ret_at, ret_bytes)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void connect_both(int family, bool later)
{
	struct sockaddr_storage at;
	socklen_t bytes;
	int listener = serve(family, SOCK_STREAM, &at, &bytes), client, accepted;

	if (listener < 0)
		return;
	client = socket(family, SOCK_STREAM | (later ? SOCK_NONBLOCK : 0), 0);
	CHECK(!connect(client, (void *)&at, bytes) || (later && errno == EINPROGRESS));
	accepted = later ? accept4(listener, NULL, NULL, SOCK_CLOEXEC) : accept(listener, NULL, NULL);
	CHECK(accepted >= 0);
	tell(client);
	tell(accepted);
	/* Refused: nothing listens there any more. */
	close(listener);
	listener = socket(family, SOCK_STREAM, 0);
	CHECK(connect(listener, (void *)&at, bytes) == -1 && errno == ECONNREFUSED);
	close(listener);
}

/* The listener has room for one client, so that the next one sleeps: here until its patience is over. */
static void connect_slowly(int family)
{
	const struct timeval patience = { .tv_usec = 100000 };
	struct sockaddr_storage at;
	socklen_t bytes;
	int listener = serve(family, SOCK_STREAM, &at, &bytes), first, second, accepted;
	struct pollfd poll_of = { .events = POLLOUT };

	if (listener < 0)
		return;
	CHECK(!listen(listener, 0));
	first = socket(family, SOCK_STREAM, 0);
	second = poll_of.fd = socket(family, SOCK_STREAM, 0);
	CHECK(!connect(first, (void *)&at, bytes));
	CHECK(!setsockopt(second, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)));
	CHECK(connect(second, (void *)&at, bytes) == -1 && errno == EINPROGRESS);
	accepted = accept(listener, NULL, NULL);
	CHECK(accepted >= 0);
	CHECK(poll(&poll_of, 1, 30000) == 1);
	tell(first);
	tell(second);
	tell(accepted);
}

static void connect_datagrams(void)
{
	struct sockaddr_storage at;
	socklen_t bytes;
	int server = serve(AF_INET, SOCK_DGRAM, &at, &bytes), client = socket(AF_INET, SOCK_DGRAM, 0);

	CHECK(server >= 0 && client >= 0 && !connect(client, (void *)&at, bytes));
	tell(client);
}

static void connect_unix(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX, .sun_path = "\0scope-test-peer" };
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);

	CHECK(!bind(listener, (void *)&at, sizeof(at)) && !listen(listener, 4) &&
	      !connect(client, (void *)&at, sizeof(at)) && accept(listener, NULL, NULL) >= 0);
}

/* On one CPU, because the records of each CPU are read in their order. */
static void target(void)
{
	cpu_set_t set;
	char byte;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	CHECK(!sched_setaffinity(0, sizeof(set), &set));
	CHECK(read(go[0], &byte, 1) == 1);
	connect_both(AF_INET, false);
	connect_both(AF_INET, true);
	connect_both(AF_INET6, false);
	connect_slowly(AF_INET);
	connect_slowly(AF_INET6);
	connect_datagrams();
	connect_unix();
	CHECK(connect(12345, NULL, 0) == -1 && errno == EBADF);
	_exit(0);
}

static bool is_expected(const struct peers *peers, const struct scope_record_peer *record)
{
	const struct end *end = &peers->expected[peers->records];

	return peers->records < peers->count && record->fd == end->fd && record->own_port == end->own_port &&
	       record->peer_port == end->peer_port && !memcmp(record->own, end->own, sizeof(end->own)) &&
	       !memcmp(record->peer, end->peer, sizeof(end->peer));
}

/* Of a connect that has not returned yet: the next record is of the same connection, with its own address. */
static bool is_awaited(const struct peers *peers, const struct scope_record_peer *record)
{
	static const uint64_t none[2];
	const struct end *end = &peers->expected[peers->records];

	return peers->entered == SYS_connect && peers->records < peers->count && record->fd == end->fd &&
	       !record->own_port && !memcmp(record->own, none, sizeof(none)) && record->peer_port == end->peer_port &&
	       !memcmp(record->peer, end->peer, sizeof(end->peer));
}

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_exit *exit = record;
	struct peers *peers = data;
	const uint32_t type = scope_record_type(exit->word);

	(void)cpu, (void)tid, (void)now_ns;
	if (type == SCOPE_RECORD_PEER) {
		CHECK(bytes == sizeof(struct scope_record_peer));
		if (peers->last_nr == 0xffff) {
			peers->wrong += !is_awaited(peers, record);
			peers->sleeps++;
		} else {
			peers->wrong += !is_expected(peers, record) ||
					(peers->last_nr != SYS_connect && peers->last_nr != SYS_accept &&
					 peers->last_nr != SYS_accept4);
			peers->records++;
		}
	}
	peers->entered = type == SCOPE_RECORD_ENTER ? ((const struct scope_record_enter *)record)->nr : 0;
	peers->last_nr = type == SCOPE_RECORD_SYSCALL || type == SCOPE_RECORD_EXIT ? exit->nr : 0xffff;
}

static void trace(struct peers *peers)
{
	struct client_config config = { .count = 1, .events = SCOPE_EVENTS_DEFAULT | peers->asked };
	struct client client;
	int status;
	pid_t pid;

	CHECK(!pipe(go) && !pipe(found));
	pid = fork();
	if (!pid)
		target();
	close(found[1]);
	config.pids[0] = (uint32_t)pid;
	client_begin(&client, &config);
	CHECK(write(go[1], "g", 1) == 1);
	CHECK(waitpid(pid, &status, 0) == pid && !status, "status %x", status);
	while (peers->count < CONNECTIONS_MAX &&
	       read(found[0], &peers->expected[peers->count], sizeof(struct end)) == sizeof(struct end))
		peers->count++;
	client_finish(&client, on_record, peers);
	close(go[0]);
	close(go[1]);
	close(found[0]);
}

void test_peer(void)
{
	struct peers none = { 0 }, all = { .asked = SCOPE_EVENTS_PEER };

	trace(&none);
	CHECK(!none.records, "%u PEER records without being asked for", none.records);
	trace(&all);
	printf("# %u PEER records of %u connections' ends, %u of connects that slept\n", all.records, all.count,
	       all.sleeps);
	CHECK(all.sleeps >= 1 && all.sleeps <= 2, "%u records of connects that slept", all.sleeps);
	CHECK(all.count >= 5 && all.records == all.count && !all.wrong, "%u of %u, %u wrong", all.records, all.count,
	      all.wrong);
}
