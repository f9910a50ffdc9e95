// SPDX-License-Identifier: GPL-2.0-only
/* Wrong requests are refused with the right error, and leave the session usable. */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <netlink/attr.h>
#include "attributes.h"
#include "tests.h"

#define WANT(expression, want)                                                                                         \
	do {                                                                                                           \
		int got = (expression);                                                                                \
		CHECK(got == (want), "%s: %d, not %d: %s", #expression, got, want, text);                              \
	} while (0)

static char text[256];

/* CONFIGURE with what it must have, and one thing more. */
static int with(struct client *client, uint32_t pid, int name, const void *data, uint32_t bytes)
{
	struct attributes a = { 0 };

	attributes_u32(&a, SCOPE_ATTR_SESSION, client->info.session);
	attributes_u32(&a, SCOPE_ATTR_PROTOCOL, SCOPE_PROTOCOL);
	if (pid)
		attributes_targets(&a, pid, 1);
	if (name)
		attributes_add(&a, name, data, bytes);
	return client_raw(client, SCOPE_CMD_CONFIGURE, a.data, a.bytes, text, sizeof(text));
}

static int with_u32(struct client *client, int name, uint32_t value)
{
	return with(client, getpid(), name, &value, 4);
}

static int command_on(struct client *client, int command, uint32_t session)
{
	struct attributes a = { 0 };

	attributes_u32(&a, SCOPE_ATTR_SESSION, session);
	return client_raw(client, command, a.data, a.bytes, text, sizeof(text));
}

static void refuse_values(struct client *client)
{
	uint8_t bytes[SCOPE_SYSCALL_MAX] = { 0 }, mode = 4;

	WANT(with_u32(client, SCOPE_ATTR_SUBBUF_BYTES, 5000), -EINVAL);
	CHECK(client_told(text, "SUBBUF_BYTES"), "%s", text);
	WANT(with_u32(client, SCOPE_ATTR_SUBBUF_BYTES, 2048), -EINVAL);
	WANT(with_u32(client, SCOPE_ATTR_SUBBUF_BYTES, 0), -EINVAL);
	WANT(with_u32(client, SCOPE_ATTR_SUBBUF_BYTES, 1u << 31), -EINVAL);
	WANT(with_u32(client, SCOPE_ATTR_SUBBUF_COUNT, 3), -EINVAL);
	WANT(with_u32(client, SCOPE_ATTR_SUBBUF_COUNT, 1), -EINVAL);
	WANT(with_u32(client, SCOPE_ATTR_SUBBUF_COUNT, 2048), -EINVAL);
	WANT(with_u32(client, SCOPE_ATTR_SUBBUF_COUNT, 1024 * 4), -EINVAL);
	WANT(with_u32(client, SCOPE_ATTR_EVENTS, SCOPE_EVENTS_ALL + 1), -EINVAL);
	WANT(with_u32(client, SCOPE_ATTR_SAMPLE_PERIOD_NS, 1000), -EINVAL);
	WANT(with_u32(client, SCOPE_ATTR_SAMPLE_PERIOD_NS, 1000000), -EINVAL); /* without a mode */
	WANT(with_u32(client, SCOPE_ATTR_STACK_BYTES, 1 << 20), -EINVAL);
	WANT(with_u32(client, SCOPE_ATTR_STACK_BYTES, 12), -EINVAL);
	WANT(with(client, getpid(), SCOPE_ATTR_STACK_MODE, &mode, 1), -EINVAL);
	memset(bytes, 7, sizeof(bytes));
	WANT(with(client, getpid(), SCOPE_ATTR_ARG_COUNTS, bytes, sizeof(bytes)), -EINVAL);
	CHECK(client_told(text, "ARG_COUNTS"), "%s", text);
	CHECK(with(client, getpid(), SCOPE_ATTR_ARG_COUNTS, bytes, 100) < 0);
	CHECK(with(client, getpid(), SCOPE_ATTR_STACK_SYSCALLS, bytes, 65) < 0);
	CHECK(with(client, getpid(), SCOPE_ATTR_EVENTS, bytes, 2) < 0);
	CHECK(with(client, getpid(), SCOPE_ATTR_MAX + 1, bytes, 4) < 0);
	CHECK(with(client, getpid(), SCOPE_ATTR_RECORDS, bytes, 8) < 0); /* an answer, not a question */
}

static void refuse_targets(struct client *client)
{
	struct attributes a = { 0 };
	uint8_t bytes[8] = { 0 };
	pid_t gone = fork();

	if (!gone)
		_exit(0);
	waitpid(gone, NULL, 0);
	WANT(with(client, 0, 0, NULL, 0), -EINVAL);
	CHECK(client_told(text, "TARGETS"), "%s", text);
	WANT(with(client, 2, 0, NULL, 0), -EINVAL);
	CHECK(client_told(text, "kernel thread"), "%s", text);
	WANT(with(client, gone, 0, NULL, 0), -ESRCH);
	WANT(with(client, 0x7fffffff, 0, NULL, 0), -ESRCH);
	WANT(with(client, 0xffffffff, 0, NULL, 0), -ESRCH);
	CHECK(with(client, 0, SCOPE_ATTR_TARGETS | NLA_F_NESTED, bytes, 0) < 0);
	CHECK(with(client, 0, SCOPE_ATTR_TARGETS | NLA_F_NESTED, bytes, 3) < 0);
	CHECK(with(client, 0, SCOPE_ATTR_TARGETS | NLA_F_NESTED, bytes, 8) < 0);
	attributes_u32(&a, SCOPE_ATTR_SESSION, client->info.session);
	attributes_u32(&a, SCOPE_ATTR_PROTOCOL, SCOPE_PROTOCOL);
	attributes_targets(&a, getpid(), SCOPE_TARGET_MAX + 1);
	WANT(client_raw(client, SCOPE_CMD_CONFIGURE, a.data, a.bytes, text, sizeof(text)), -EINVAL);
	memset(&a, 0, sizeof(a));
	attributes_u32(&a, SCOPE_ATTR_SESSION, client->info.session);
	attributes_u32(&a, SCOPE_ATTR_PROTOCOL, SCOPE_PROTOCOL + 98);
	attributes_targets(&a, getpid(), 1);
	WANT(client_raw(client, SCOPE_CMD_CONFIGURE, a.data, a.bytes, text, sizeof(text)), -EPROTO);
}

static void refuse_memory(struct client *client)
{
	struct attributes a = { 0 };

	attributes_u32(&a, SCOPE_ATTR_SESSION, client->info.session);
	attributes_u32(&a, SCOPE_ATTR_PROTOCOL, SCOPE_PROTOCOL);
	attributes_targets(&a, getpid(), 1);
	attributes_u32(&a, SCOPE_ATTR_SUBBUF_BYTES, SCOPE_SUBBUF_BYTES_MAX);
	attributes_u32(&a, SCOPE_ATTR_SUBBUF_COUNT, SCOPE_SUBBUF_COUNT_MAX);
	WANT(client_raw(client, SCOPE_CMD_CONFIGURE, a.data, a.bytes, text, sizeof(text)), -ENOMEM);
}

/* The three that are said only with ioctl, mmap and the order of commands. */
static void refuse_order(struct client *client)
{
	uint32_t other = client->info.session + 1000;

	WANT(client_raw(client, SCOPE_CMD_START, NULL, 0, text, sizeof(text)), -EINVAL);
	WANT(command_on(client, SCOPE_CMD_START, other), -ENOENT);
	WANT(command_on(client, SCOPE_CMD_QUERY, other), -ENOENT);
	WANT(command_on(client, SCOPE_CMD_START, client->info.session), -EINVAL);
	WANT(command_on(client, SCOPE_CMD_STOP, client->info.session), -EALREADY);
	CHECK(command_on(client, SCOPE_CMD_MAX + 1, client->info.session) < 0);
	WANT(command_on(client, SCOPE_CMD_QUERY, client->info.session), 0);
}

static int try_map(struct client *client, size_t bytes, int protection, off_t offset)
{
	void *map = mmap(NULL, bytes, protection, MAP_SHARED, client->fd, offset);

	if (map == MAP_FAILED)
		return -errno;
	munmap(map, bytes);
	return 0;
}

static void refuse_maps(struct client *client)
{
	size_t bytes = client->info.region_bytes;
	struct scope_ioc_consume consume = { .cpu = 0, .position = 1000000 };

	WANT(try_map(client, bytes, PROT_READ, 0), 0);
	WANT(try_map(client, bytes, PROT_READ | PROT_WRITE, 0), -EPERM);
	WANT(try_map(client, 4096, PROT_READ, 0), -EINVAL);
	WANT(try_map(client, bytes * 2, PROT_READ, 0), -EINVAL);
	WANT(try_map(client, bytes, PROT_READ, 4096), -EINVAL);
	WANT(try_map(client, bytes, PROT_READ, bytes * client->info.cpus), -EINVAL);
	WANT(try_map(client, bytes, PROT_READ, 1ll << 62), -EINVAL);
	WANT(mprotect((void *)client->map[0], bytes, PROT_READ | PROT_WRITE), -1);
	WANT(ioctl(client->fd, SCOPE_IOC_CONSUME, &consume), -1);
	CHECK(errno == EINVAL);
	consume.position = ~0ull;
	WANT(ioctl(client->fd, SCOPE_IOC_CONSUME, &consume), -1);
	consume = (struct scope_ioc_consume){ .cpu = client->info.cpus };
	WANT(ioctl(client->fd, SCOPE_IOC_CONSUME, &consume), -1);
	consume = (struct scope_ioc_consume){ .zero = 1 };
	WANT(ioctl(client->fd, SCOPE_IOC_CONSUME, &consume), -1);
	WANT(ioctl(client->fd, SCOPE_IOC_CONSUME, NULL), -1);
	CHECK(errno == EFAULT);
	WANT(ioctl(client->fd, SCOPE_IOC_INFO, 1), -1);
	WANT(ioctl(client->fd, _IO('S', 99)), -1);
	CHECK(errno == ENOTTY);
	CHECK(read(client->fd, text, 1) < 0 && write(client->fd, text, 1) < 0);
}

/* A socket from before the change of user must not do either. */
static void refuse_users(struct client *client)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		CHECK(!setgid(65534) && !setuid(65534));
		WANT(client_raw(client, SCOPE_CMD_INFO, NULL, 0, text, sizeof(text)), -EPERM);
		WANT(command_on(client, SCOPE_CMD_QUERY, client->info.session), -EPERM);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status);
}

void test_refuse(void)
{
	struct client_config config = { .count = 1, .pids = { getpid() } };
	struct client client;

	client_open(&client);
	WANT(client_raw(&client, SCOPE_CMD_INFO, NULL, 0, text, sizeof(text)), 0);
	refuse_users(&client);
	WANT(try_map(&client, 4096, PROT_READ, 0), -EINVAL);
	refuse_order(&client);
	refuse_values(&client);
	refuse_targets(&client);
	refuse_memory(&client);
	WANT(client_configure(&client, &config), 0);
	WANT(client_configure(&client, &config), -EBUSY);
	client_map(&client);
	refuse_maps(&client);
	WANT(client_command(&client, SCOPE_CMD_START), 0);
	WANT(client_command(&client, SCOPE_CMD_START), -EALREADY);
	refuse_maps(&client);
	WANT(client_command(&client, SCOPE_CMD_STOP), 0);
	WANT(client_command(&client, SCOPE_CMD_STOP), -EALREADY);
	WANT(client_command(&client, SCOPE_CMD_START), -ESHUTDOWN);
	client_close(&client);
}
