// SPDX-License-Identifier: GPL-2.0-only
/* Which users may trace: with each capability alone; root of a user namespace only; no capability. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/capability.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include "client_delay.h"
#include "tests.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

static int last_capability(void)
{
	FILE *file = fopen("/proc/sys/kernel/cap_last_cap", "r");
	int last = 0;

	CHECK(file && fscanf(file, "%d", &last) == 1);
	fclose(file);
	return last;
}

static void keep_only(int capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (capability >= 0) {
		data[capability / 32].permitted = 1u << capability % 32;
		data[capability / 32].effective = 1u << capability % 32;
	}
	CHECK(!syscall(SYS_capset, &header, data), "capset %d: %s", capability, strerror(errno));
}

/* What the device and the netlink family say to this process: 0 or -errno each. */
static void ask(int *ret_open, int *ret_info)
{
	struct client client = { 0 };
	char text[256];
	int fd = open(SCOPE_DEVICE_PATH, O_RDWR | O_CLOEXEC);

	*ret_open = fd < 0 ? -errno : 0;
	if (fd >= 0)
		close(fd);
	client.sock = nl_socket_alloc();
	CHECK(client.sock && !genl_connect(client.sock));
	nl_socket_disable_auto_ack(client.sock);
	client.family = genl_ctrl_resolve(client.sock, SCOPE_GENL_NAME);
	CHECK(client.family > 0);
	*ret_info = client_raw(&client, SCOPE_CMD_INFO, NULL, 0, text, sizeof(text));
	nl_socket_free(client.sock);
}

/* In a child, since privileges do not come back. prepare takes them away. */
static void expect(const char *who, void (*prepare)(int), int argument, bool allowed)
{
	int opened, info, status;
	pid_t pid = fork();

	if (!pid) {
		prepare(argument);
		ask(&opened, &info);
		CHECK(!opened == allowed && !info == allowed, "%s %d: open %d, netlink %d", who, argument, opened,
		      info);
		CHECK(allowed || ((opened == -EPERM || opened == -EACCES) && info == -EPERM),
		      "%s %d: open %d, netlink %d", who, argument, opened, info);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status, "%s %d", who, argument);
}

static void become_user(int unused)
{
	(void)unused;
	CHECK(!setgid(65534) && !setuid(65534));
}

static void enter_user_namespace(int unused)
{
	(void)unused;
	CHECK(!unshare(CLONE_NEWUSER), "%s", strerror(errno));
}

/* EL7 allows none before somebody says how many. */
static void allow_user_namespaces(void)
{
	FILE *file = fopen("/proc/sys/user/max_user_namespaces", "r+e");
	int allowed;

	if (!file)
		return;
	if (fscanf(file, "%d", &allowed) == 1 && !allowed) {
		rewind(file);
		CHECK(fprintf(file, "16") > 0);
	}
	CHECK(!fclose(file));
}

/* A user who may trace, and no more, gets no address of the kernel: the same session without them is allowed. */
static void kernel_addresses(void)
{
	struct client_config config = {
		.count = 1, .stack_mode = SCOPE_STACK_CHAIN, .sample_period_ns = 1000000, .kernel_base = 1
	};
	struct client client;
	int status, err;
	pid_t pid = fork();

	if (!pid) {
		keep_only(CAP_PERFMON);
		config.pids[0] = (uint32_t)getpid();
		client_open(&client);
		err = client_configure(&client, &config);
		CHECK(err == -EPERM, "%s", strerror(-err));
		config.kernel_base = 0;
		err = client_configure(&client, &config);
		CHECK(!err, "%s", strerror(-err));
		client_close(&client);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status);
}

/* The right to trace gives no right to hold others up: the same session sets a rule with CAP_SYS_ADMIN. */
static void hold_up(int capability)
{
	struct client_config config = { .count = 1 };
	const struct client_delay rule = { .site = SCOPE_DELAY_RECEIVE, .ns = 1 };
	struct client client;
	int status, err;
	pid_t pid = fork();

	if (!pid) {
		keep_only(capability);
		config.pids[0] = (uint32_t)getpid();
		client_open(&client);
		CHECK(!client_configure(&client, &config));
		err = client_delay_set(&client, &rule);
		if (capability == CAP_SYS_ADMIN)
			CHECK(!err, "%d %s", err, client_delay_text);
		else
			CHECK(err == -EPERM && client_told(client_delay_text, "takes CAP_SYS_ADMIN"), "%d %s", err,
			      client_delay_text);
		client_close(&client);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status, "capability %d", capability);
}

void test_privileges(void)
{
	const int last = last_capability();
	int capability;

	for (capability = 0; capability <= last; capability++)
		expect("capability", keep_only, capability, capability == CAP_SYS_ADMIN || capability == CAP_PERFMON);
	expect("no capability", keep_only, -1, false);
	expect("user", become_user, 0, false);
	allow_user_namespaces();
	if (!access("/proc/self/ns/user", F_OK))
		expect("user namespace", enter_user_namespace, 0, false);
	/* Before 5.8 a user that may trace may do everything. */
	if (last >= CAP_PERFMON) {
		kernel_addresses();
		hold_up(CAP_PERFMON);
	}
	hold_up(CAP_SYS_ADMIN);
	printf("# %d capabilities\n", last + 1);
}
