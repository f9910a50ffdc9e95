// SPDX-License-Identifier: GPL-2.0-only
/*
 * The overload guard counts the CPU time of probes that are set at run time, and of delays, which have few records:
 * traps of threads that are not traced, and delays that spin. Delays that sleep take no CPU.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <netlink/socket.h>
#include "client_probe.h"
#include "delay_ways.h"
#include "tests.h"

#define FOR_EVER 2000000000u
#define LITTLE 20 /* thousandths: far more than an idle process makes probes cost */
#define SPIN_NS (SCOPE_DELAY_SPIN_NS - 1)

/* The guard has to stop the session, or must not within 3 s. */
static void expect_guard(struct client *client, struct nl_sock *sock, const char *what, uint32_t limit, bool stops)
{
	struct client_notice notice = { 0 };
	struct client_counts counts;

	if (stops)
		client_expect(sock, client->info.session, SCOPE_NOTICE_GUARD, &notice);
	else
		sleep(3);
	CHECK(!client_query(client, &counts));
	printf("# %s: %.1f %% of a CPU by %lu records%s\n", what, 100.0 * counts.probe_ns / counts.run_ns,
	       counts.records, stops ? ", stopped" : "");
	CHECK((counts.stop_reason == SCOPE_STOP_GUARD) == stops, "%s", what);
	CHECK(!stops || notice.value > limit, "%s: %lu", what, notice.value);
}

/* One process is traced and idle, another calls getppid without end. */
void test_guard_traps(void)
{
	static const char *const names[] = { "kprobe", "kretprobe", "kernel delay", "entry delay" };
	const char *symbol = client_probe_function(CLIENT_GETPPID);
	struct puppet traced, other;
	int i, err;

	puppet_begin(&other, NULL);
	puppet_start(&other, PUPPET_GETPPID, FOR_EVER);
	for (i = 0; i < 4; i++) {
		struct client_config config = { .count = 1, .overhead_max = LITTLE };
		struct client_probe probe = { .kind = i, .symbol = symbol }; /* kprobe 0, kretprobe 1 */
		struct client_delay rule = { .site = SCOPE_DELAY_KERNEL, .symbol = symbol };
		struct nl_sock *sock = client_listen();
		struct client client;

		puppet_begin(&traced, NULL);
		config.pids[0] = traced.pid;
		client_begin(&client, &config);
		if (i == 3)
			rule = delay_ways[0].rule;
		err = i < 2 ? client_probe_add(&client, &probe) : client_delay_set(&client, &rule);
		CHECK(!err || (i == 3 && err == -EOPNOTSUPP), "%s: %s", names[i], strerror(-err));
		if (!err)
			expect_guard(&client, sock, names[i], LITTLE, true);
		client_close(&client);
		puppet_end(&traced);
		nl_socket_free(sock);
	}
	puppet_end(&other);
}

/* Of a process that does nothing but come to the site. */
void test_guard_delays(void)
{
	static const struct {
		const char *name;
		size_t way;
		uint64_t ns;
		uint32_t limit; /* in thousandths, above what the records cost */
		bool stops;
	} rows[] = {
		{ "spins as calls return", 1, SPIN_NS, 100, true },
		{ "spins at a user function", 3, SPIN_NS, 50, true },
		{ "sleeps as calls return", 1, 2 * MS, 100, false },
		{ "sleeps at a user function", 3, 2 * MS, 50, false },
	};
	size_t i;

	delay_find_places();
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct delay_way *way = &delay_ways[rows[i].way];
		struct client_config config = { .count = 1, .overhead_max = rows[i].limit };
		struct client_delay rule = way->rule;
		struct nl_sock *sock = client_listen();
		struct puppet puppet;
		struct client client;

		puppet_begin(&puppet, NULL);
		config.pids[0] = puppet.pid;
		client_begin(&client, &config);
		rule.ns = rows[i].ns;
		delay_must(&client, &rule);
		puppet_start(&puppet, way->act, FOR_EVER);
		expect_guard(&client, sock, rows[i].name, rows[i].limit, rows[i].stops);
		client_close(&client);
		puppet_end(&puppet);
		nl_socket_free(sock);
	}
}
