// SPDX-License-Identifier: GPL-2.0-only
/* Which sockets receive notices: those that subscribed, with the capability, and no others. */
#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include "tests.h"

#define NOBODY 65534

/* Without privileges: joins the group where there is one, asks, and hears what comes until the pipe is closed. */
static void __attribute__((noreturn)) eavesdrop(int ready, int until)
{
	struct nl_sock *sock = nl_socket_alloc();
	struct pollfd set;
	int group, err;
	char byte = 0;

	CHECK(!setgroups(0, NULL) && !setgid(NOBODY) && !setuid(NOBODY));
	CHECK(sock && !genl_connect(sock));
	nl_socket_disable_seq_check(sock);
	group = genl_ctrl_resolve_grp(sock, SCOPE_GENL_NAME, "notices");
	if (group > 0)
		printf("# there is a group: %s\n", nl_socket_add_membership(sock, group) ? "it refuses" : "joined");
	err = client_ask_to_listen(sock);
	CHECK(err == -NLE_PERM, "asked: %s", nl_geterror(err));
	CHECK(write(ready, &byte, 1) == 1);
	CHECK(!read(until, &byte, 1));
	set = (struct pollfd){ .fd = nl_socket_get_fd(sock), .events = POLLIN };
	CHECK(!poll(&set, 1, 0), "nobody has heard a notice");
	nl_socket_free(sock);
	fflush(stdout);
	_exit(0);
}

static pid_t start_eavesdropper(int *ret_until)
{
	int ready[2], until[2];
	pid_t pid;
	char byte;

	CHECK(!pipe(ready) && !pipe(until));
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		close(until[1]);
		eavesdrop(ready[1], until[0]);
	}
	close(ready[1]);
	close(until[0]);
	CHECK(read(ready[0], &byte, 1) == 1, "nobody has not asked");
	close(ready[0]);
	*ret_until = until[1];
	return pid;
}

static void notices_need_the_capability(void)
{
	struct workload_plan plan = { .getppid = 10 };
	struct client_config config = { .count = 1, .subbuf_bytes = 4096, .subbuf_count = 4 };
	struct nl_sock *sock = client_listen();
	struct client_notice notice;
	struct workload workload;
	struct client client;
	int until, status;
	pid_t nobody = start_eavesdropper(&until);

	workload_begin(&workload, &plan);
	config.pids[0] = workload.pid;
	client_begin(&client, &config);
	workload_go(&workload);
	workload_end(&workload);
	client_expect(sock, client.info.session, SCOPE_NOTICE_TARGET_GONE, &notice);
	close(until);
	CHECK(waitpid(nobody, &status, 0) == nobody && !status, "status %x", status);
	client_close(&client);
	nl_socket_free(sock);
}

/* A socket that is closed gives its place back. */
static void places_come_back(void)
{
	struct nl_sock *sock[SCOPE_LISTENERS_MAX + 1];
	int i, round, err;

	for (i = 0; i <= SCOPE_LISTENERS_MAX; i++) {
		sock[i] = nl_socket_alloc();
		CHECK(sock[i] && !genl_connect(sock[i]));
	}
	for (i = 0; i < SCOPE_LISTENERS_MAX; i++) {
		err = client_ask_to_listen(sock[i]);
		CHECK(!err, "%d: %s", i, nl_geterror(err));
	}
	CHECK(!client_ask_to_listen(sock[0]));
	CHECK(client_ask_to_listen(sock[i]) < 0);
	for (round = 0; round < 3; round++) {
		nl_socket_free(sock[round]);
		sock[round] = nl_socket_alloc();
		CHECK(sock[round] && !genl_connect(sock[round]));
		CHECK(!client_ask_to_listen(sock[round]));
		CHECK(client_ask_to_listen(sock[i]) < 0);
	}
	for (i = 0; i <= SCOPE_LISTENERS_MAX; i++)
		nl_socket_free(sock[i]);
}

void test_listen(void)
{
	notices_need_the_capability();
	places_come_back();
}
