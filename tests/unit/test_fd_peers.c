// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of connections that were opened during the trace: a descriptor has the name only while it belongs to that
 * connection.
 */
#include "trace_fixture.h"

#include <sys/syscall.h>

#include "timeline/fds.h"
#include "trace/peer.h"

#define TGID 100

static struct scope_fds *begin(struct scope_trace **ret_trace)
{
	struct fixture file = fixture_begin();
	struct scope_fds *fds;

	*ret_trace = fixture_open(&file);
	assert_int_equal(scope_timeline_fds_create(*ret_trace, &fds), 0);
	return fds;
}

static void end(struct scope_fds *fds, struct scope_trace *trace)
{
	scope_timeline_fds_destroy(fds);
	scope_trace_close(trace);
}

/* The descriptor is connected to 10.0.0.LAST. */
static void open_to(struct scope_fds *fds, int32_t fd, uint8_t last)
{
	const uint64_t arg[1] = { (uint64_t)fd };
	const struct scope_event event = {
		.kind = SCOPE_EVENT_PEER,
		.peer = { .fd = fd, .peer_port = 5432, .peer = { 0, 0xffff0a000000ull | last } },
	};

	assert_int_equal(scope_timeline_fds_learn(fds, TGID, SYS_socket, NULL, 0, fd, 10, 20), 0);
	assert_int_equal(scope_timeline_fds_learn(fds, TGID, SYS_connect, arg, 1, 0, 30, 40), 0);
	assert_int_equal(scope_timeline_fds_peer(fds, TGID, &event), 0);
}

static void close_at(struct scope_fds *fds, int32_t fd)
{
	const uint64_t arg[1] = { (uint64_t)fd };

	assert_int_equal(scope_timeline_fds_learn(fds, TGID, SYS_close, arg, 1, 0, 50, 60), 0);
}

static const char *name_of(struct scope_fds *fds, uint32_t tgid, int32_t fd)
{
	const struct scope_trace_fd *row = scope_timeline_fds_peer_row(fds, scope_timeline_fds_named(fds, tgid, fd));

	return row ? row->name : "";
}

static void a_descriptor_is_named_after_its_peer(void **state)
{
	const uint64_t nine[1] = { 9 };
	struct scope_trace_peer peer;
	struct scope_trace *trace;
	struct scope_fds *fds = begin(&trace);
	int32_t first;

	(void)state;
	assert_int_equal(scope_timeline_fds_named(fds, TGID, 9), 9);
	open_to(fds, 9, 5);
	first = scope_timeline_fds_named(fds, TGID, 9);
	assert_true(first >= SCOPE_FD_PEERS_FIRST);
	assert_true(scope_trace_peer_of(scope_timeline_fds_peer_row(fds, first), &peer));
	assert_string_equal(peer.address, "10.0.0.5:5432");
	assert_int_equal(peer.pid, 0);
	/* Another connection to the same peer has the same number, the copy of a descriptor too, and a child's. */
	open_to(fds, 10, 5);
	assert_int_equal(scope_timeline_fds_named(fds, TGID, 10), first);
	assert_int_equal(scope_timeline_fds_learn(fds, TGID, SYS_dup, nine, 1, 11, 45, 46), 0);
	assert_int_equal(scope_timeline_fds_named(fds, TGID, 11), first);
	assert_int_equal(scope_timeline_fds_fork(fds, TGID, TGID + 1), 0);
	assert_string_equal(name_of(fds, TGID + 1, 9), "socket:[?] to 10.0.0.5:5432");
	/* Once closed it has no name; then it is another connection's. */
	close_at(fds, 9);
	assert_int_equal(scope_timeline_fds_named(fds, TGID, 9), 9);
	assert_int_equal(scope_timeline_fds_named(fds, TGID, 11), first);
	open_to(fds, 9, 6);
	assert_string_equal(name_of(fds, TGID, 9), "socket:[?] to 10.0.0.6:5432");
	end(fds, trace);
}

static void clients_have_no_names(void **state)
{
	const struct scope_event event = {
		.kind = SCOPE_EVENT_PEER,
		.peer = { .fd = 9, .peer_port = 40000, .peer = { 0, 0xffff0a000001ull } },
	};
	struct scope_trace *trace;
	struct scope_fds *fds = begin(&trace);

	(void)state;
	assert_int_equal(scope_timeline_fds_learn(fds, TGID, SYS_accept, NULL, 0, 9, 10, 20), 0);
	assert_int_equal(scope_timeline_fds_peer(fds, TGID, &event), 0);
	assert_int_equal(scope_timeline_fds_named(fds, TGID, 9), 9);
	end(fds, trace);
}

static void further_peers_have_no_names(void **state)
{
	struct scope_fd_peers peers = { 0 };
	struct scope_event event = { .kind = SCOPE_EVENT_PEER, .peer = { .fd = 9, .peer_port = 1 } };
	int32_t number;

	(void)state;
	for (uint32_t i = 0; i < SCOPE_FD_PEERS_MAX; i++) {
		event.peer.peer[1] = 0xffff0a000000ull | i;
		assert_int_equal(scope_timeline_fd_peers_add(&peers, TGID, &event, &number), 0);
		assert_int_equal(number, SCOPE_FD_PEERS_FIRST + (int32_t)i);
	}
	event.peer.peer[1]++;
	assert_int_equal(scope_timeline_fd_peers_add(&peers, TGID, &event, &number), 0);
	assert_int_equal(number, 0);
	event.peer.peer[1] = 0xffff0a000000ull | 7;
	assert_int_equal(scope_timeline_fd_peers_add(&peers, TGID, &event, &number), 0);
	assert_int_equal(number, SCOPE_FD_PEERS_FIRST + 7);
	event.peer.peer_port = 0;
	assert_int_equal(scope_timeline_fd_peers_add(&peers, TGID, &event, &number), 0);
	assert_int_equal(number, 0);
	scope_timeline_fd_peers_free(&peers);
}

#define LOOPBACK 0xffff7f000001ull /* 127.0.0.1 */
#define OF_HOST 0xffff0a000001ull  /* 10.0.0.1 */

/* Connects descriptor fd of a process from an address to a port at another. */
static void connect_from(struct scope_fds *fds, uint32_t tgid, int32_t fd, uint64_t from, uint64_t to, uint32_t port)
{
	const uint64_t arg[1] = { (uint64_t)fd };
	const struct scope_event event = {
		.kind = SCOPE_EVENT_PEER,
		.peer = { .fd = fd, .peer_port = port, .own = { 0, from }, .peer = { 0, to } },
	};

	assert_int_equal(scope_timeline_fds_learn(fds, tgid, SYS_socket, NULL, 0, fd, 10, 20), 0);
	assert_int_equal(scope_timeline_fds_learn(fds, tgid, SYS_connect, arg, 1, 0, 30, 40), 0);
	assert_int_equal(scope_timeline_fds_peer(fds, tgid, &event), 0);
}

static void a_listener_is_the_process_of_its_peer(void **state)
{
	static const char *const meta[][2] = {
		{ "listener.0.127.0.0.1:5432", "600 old" },
		{ "listener.0.127.0.0.1:5432", "700 post gres" },
		{ "listener.0.[::]:6379", "800 redis-server" },
		{ "listener.0.0.0.0.0:80", "900 nginx" },
		{ "listener.0.[::]:80", "901 other" },
		{ "listener.0.10.0.0.1:443", "902 haproxy" },
		{ "listener.0.127.0.0.1:11211", "not a number" },
		{ "listener.x.127.0.0.1:1", "903 none" },
	};
	static const struct {
		uint64_t from, to;
		uint32_t port;
		const char *name;
	} expected[] = {
		{ LOOPBACK, LOOPBACK, 5432, "127.0.0.1:5432 (pid 700 post gres)" }, /* the last row counts */
		{ 0, LOOPBACK, 6379, "127.0.0.1:6379 (pid 800 redis-server)" },	    /* its own end is not known yet */
		{ OF_HOST, OF_HOST, 80, "10.0.0.1:80 (pid 900 nginx)" },
		{ 0, OF_HOST, 443, "10.0.0.1:443 (pid 902 haproxy)" },
		{ OF_HOST, OF_HOST + 4, 80, "10.0.0.5:80" }, /* of another host */
		{ LOOPBACK, LOOPBACK, 11211, "127.0.0.1:11211" },
		{ LOOPBACK, LOOPBACK, 543, "127.0.0.1:543" },
	};
	const size_t count = sizeof(expected) / sizeof(expected[0]);
	struct fixture file = fixture_begin();
	struct scope_trace *trace;
	struct scope_fds *fds;

	(void)state;
	for (size_t i = 0; i < sizeof(meta) / sizeof(meta[0]); i++)
		assert_int_equal(scope_trace_writer_meta(file.writer, meta[i][0], meta[i][1]), 0);
	trace = fixture_open(&file);
	assert_int_equal(scope_timeline_fds_create(trace, &fds), 0);
	for (size_t i = 0; i < count; i++)
		connect_from(fds, TGID, 10 + (int32_t)i, expected[i].from, expected[i].to, expected[i].port);
	/* Again, as a trace goes on: what has a name keeps its number. */
	for (int again = 0; again < 2; again++) {
		assert_int_equal(scope_timeline_fds_find_listeners(fds, trace), 0);
		for (size_t i = 0; i < count; i++) {
			assert_string_equal(name_of(fds, TGID, 10 + (int32_t)i) + strlen("socket:[?] to "),
					    expected[i].name);
			connect_from(fds, TGID, 30 + (int32_t)i, expected[i].from, expected[i].to, expected[i].port);
			assert_string_equal(name_of(fds, TGID, 30 + (int32_t)i), name_of(fds, TGID, 10 + (int32_t)i));
		}
	}
	assert_int_equal(fds->peers.count, count);
	end(fds, trace);
}

/* One address is that of different hosts in different network namespaces. */
static void listeners_are_of_a_namespace(void **state)
{
	static const char *const meta[][2] = {
		{ "listener.0.127.0.0.1:80", "700 web" },
		{ "listener.1.127.0.0.1:80", "800 inner" },
		{ "network.100", "0" },
		{ "network.101", "1" },
	};
	static const char *const expected[] = {
		"127.0.0.1:80 (pid 700 web)", "127.0.0.1:80 (pid 800 inner)",
		"127.0.0.1:80", /* its namespace is not known */
	};
	struct fixture file = fixture_begin();
	struct scope_trace *trace;
	struct scope_fds *fds;

	(void)state;
	for (size_t i = 0; i < sizeof(meta) / sizeof(meta[0]); i++)
		assert_int_equal(scope_trace_writer_meta(file.writer, meta[i][0], meta[i][1]), 0);
	trace = fixture_open(&file);
	assert_int_equal(scope_timeline_fds_create(trace, &fds), 0);
	for (uint32_t i = 0; i < 3; i++)
		connect_from(fds, TGID + i, 9, LOOPBACK, LOOPBACK, 80);
	assert_int_equal(scope_timeline_fds_find_listeners(fds, trace), 0);
	for (uint32_t i = 0; i < 3; i++)
		assert_string_equal(name_of(fds, TGID + i, 9) + strlen("socket:[?] to "), expected[i]);
	end(fds, trace);
}

static void addresses_are_written_as_usual(void **state)
{
	char text[SCOPE_TRACE_ADDRESS_TEXT];

	(void)state;
	scope_trace_address_text((uint64_t[]){ 0xfd00ull << 48, 1 }, 80, text);
	assert_string_equal(text, "[fd00::1]:80");
	scope_trace_address_text((uint64_t[]){ 0, 0xffffc0a80001ull }, 65535, text);
	assert_string_equal(text, "192.168.0.1:65535");
	scope_trace_address_text((uint64_t[]){ UINT64_MAX, UINT64_MAX }, 65535, text);
	assert_string_equal(text, "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_descriptor_is_named_after_its_peer),
		cmocka_unit_test(clients_have_no_names),
		cmocka_unit_test(further_peers_have_no_names),
		cmocka_unit_test(a_listener_is_the_process_of_its_peer),
		cmocka_unit_test(listeners_are_of_a_namespace),
		cmocka_unit_test(addresses_are_written_as_usual),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
