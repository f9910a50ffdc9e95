// SPDX-License-Identifier: GPL-2.0-only
/* Mappings of a session's rings are misused: nothing becomes writable, and nothing is left. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "tests.h"

static int map_error(int fd, size_t bytes, int protection, int flags, off_t offset)
{
	void *map = mmap(NULL, bytes, protection, flags, fd, offset);

	if (map == MAP_FAILED)
		return errno;
	munmap(map, bytes);
	return 0;
}

static void check_refused(const struct client *client)
{
	static const int kinds[] = { MAP_SHARED, MAP_PRIVATE };
	size_t bytes = client->info.region_bytes;
	int fd = client->fd, i;

	for (i = 0; i < 2; i++) {
		CHECK(map_error(fd, bytes, PROT_READ, kinds[i], 0) == 0);
		CHECK(map_error(fd, bytes, PROT_READ | PROT_WRITE, kinds[i], 0) == EPERM);
		CHECK(map_error(fd, bytes, PROT_WRITE, kinds[i], 0) == EPERM);
		CHECK(map_error(fd, bytes, PROT_READ | PROT_EXEC, kinds[i], 0) == EPERM);
		CHECK(map_error(fd, bytes - 4096, PROT_READ, kinds[i], 0) == EINVAL);
		CHECK(map_error(fd, bytes + 4096, PROT_READ, kinds[i], 0) == EINVAL);
		CHECK(map_error(fd, bytes, PROT_READ, kinds[i], 4096) == EINVAL);
		CHECK(map_error(fd, bytes, PROT_READ, kinds[i], client->info.cpus * bytes) == EINVAL);
		CHECK(map_error(fd, bytes, PROT_READ, kinds[i], 1ll << 62) != 0);
	}
	CHECK(map_error(fd, bytes * client->info.cpus, PROT_READ, MAP_SHARED, 0) ==
	      (client->info.cpus > 1 ? EINVAL : 0));
}

/* By mprotect() or through /proc/self/mem, which forces writes where it may. */
static void check_never_writable(const struct client *client, int flags)
{
	size_t bytes = client->info.region_bytes;
	uint8_t *map = mmap(NULL, bytes, PROT_READ, flags, client->fd, 0);
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	struct scope_ring_page before;

	CHECK(map != MAP_FAILED && mem >= 0);
	before = *(const struct scope_ring_page *)map;
	CHECK(mprotect(map, bytes, PROT_READ | PROT_WRITE) && errno == EACCES);
	CHECK(mprotect(map, bytes, PROT_READ | PROT_EXEC) && errno == EACCES);
	CHECK(mprotect(map + 4096, 4096, PROT_WRITE) && errno == EACCES);
	CHECK(pwrite(mem, "overwritten", 11, (off_t)(uintptr_t)map) < 0);
	CHECK(((const struct scope_ring_page *)map)->magic == before.magic);
	CHECK(!mprotect(map, bytes, PROT_NONE) && !mprotect(map, bytes, PROT_READ));
	CHECK(((const struct scope_ring_page *)map)->magic == before.magic);
	close(mem);
	munmap(map, bytes);
}

/* Twice, in part, moved, larger, smaller. */
static void check_reshaped(const struct client *client)
{
	size_t bytes = client->info.region_bytes;
	uint8_t *one = mmap(NULL, bytes, PROT_READ, MAP_SHARED, client->fd, 0);
	uint8_t *two = mmap(NULL, bytes, PROT_READ, MAP_SHARED, client->fd, 0);
	uint8_t *room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(one != MAP_FAILED && two != MAP_FAILED && room != MAP_FAILED);
	CHECK(!memcmp(one, two, 16));
	CHECK(mremap(one, bytes, bytes * 2, MREMAP_MAYMOVE) == MAP_FAILED);
	CHECK(mremap(one, 0, bytes, MREMAP_MAYMOVE) == MAP_FAILED);
	CHECK(mremap(one, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, room) == room);
	CHECK(!memcmp(room, two, 16));
	CHECK(!munmap(room + 4096, 4096));
	CHECK(!memcmp(room, two, 16) && room[8192] == two[8192]);
	CHECK(mremap(room, 4096, 8192, 0) == MAP_FAILED);
	CHECK(mremap(two, bytes, 4096, 0) == two && !memcmp(room, two, 16));
	munmap(two, 4096);
	munmap(room, bytes);
}

/* A page thrown away does not come back: the reader gets a signal, the kernel no trouble. */
static void check_thrown_away(const struct client *client)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		volatile uint8_t *map = mmap(NULL, client->info.region_bytes, PROT_READ, MAP_SHARED, client->fd, 0);

		madvise((void *)map, client->info.region_bytes, MADV_DONTNEED);
		_exit(map[0] == 0x53 ? 0 : 1);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK((WIFEXITED(status) && !WEXITSTATUS(status)) || (WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS), "%x",
	      status);
}

/* The child has nothing but the mapping, and that keeps the session. */
static void check_forked(struct client *client)
{
	int go[2];
	pid_t pid;
	char byte;
	int status;

	CHECK(!pipe(go));
	pid = fork();
	if (!pid) {
		const struct scope_ring_page *page = (const void *)client->map[0];

		close(client->fd);
		close(go[1]);
		CHECK(read(go[0], &byte, 1) == 0);
		_exit(page->magic != SCOPE_RING_MAGIC);
	}
	close(go[0]);
	client_close(client);
	usleep(50000);
	CHECK(client_module_users() > 0);
	close(go[1]);
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	client_wait_unused();
}

void test_maps(void)
{
	struct client_config config = { .count = 1, .pids = { getpid() }, .subbuf_bytes = 4096, .subbuf_count = 2 };
	struct client client;

	client_open(&client);
	CHECK(map_error(client.fd, 4096, PROT_READ, MAP_SHARED, 0) == EINVAL);
	CHECK(!client_configure(&client, &config));
	client_map(&client);
	check_refused(&client);
	CHECK(!client_command(&client, SCOPE_CMD_START));
	check_refused(&client);
	check_never_writable(&client, MAP_SHARED);
	check_never_writable(&client, MAP_PRIVATE);
	check_reshaped(&client);
	check_thrown_away(&client);
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	check_never_writable(&client, MAP_SHARED);
	check_forked(&client);
}
