// SPDX-License-Identifier: GPL-2.0-only
/* Finds for how long the host's CPUs idled, from /proc/uptime. */
#include "capture/spare.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define NS_PER_HUNDREDTH 10000000ull

/* Parses "UP IDLE", seconds with two decimals. 0 or -EINVAL. */
static int parse(const char *text, uint64_t *ret_idle_ns)
{
	unsigned long long up, idle;
	unsigned int up_part, idle_part;

	if (sscanf(text, "%llu.%2u %llu.%2u", &up, &up_part, &idle, &idle_part) != 4)
		return -EINVAL;
	*ret_idle_ns = (idle * 100 + idle_part) * NS_PER_HUNDREDTH;
	return 0;
}

static int read_uptime(char *text, size_t size)
{
	const int fd = open("/proc/uptime", O_RDONLY | O_CLOEXEC);
	const ssize_t length = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	if (length <= 0)
		return -EIO;
	text[length] = '\0';
	return 0;
}

void scope_capture_spare_look(struct scope_spare *spare, uint64_t now_ns, const char *text)
{
	const uint64_t passed_ns = now_ns - spare->look_ns;
	uint64_t idle_ns, before_ns = spare->idle_ns;
	char read[64];

	spare->left_ns = 0;
	if (!text && !read_uptime(read, sizeof(read)))
		text = read;
	if (!text || parse(text, &idle_ns)) {
		spare->look_ns = 0;
		return;
	}
	if (spare->look_ns && idle_ns > before_ns) {
		spare->left_ns = (idle_ns - before_ns) / 2;
		if (spare->left_ns > passed_ns / 2)
			spare->left_ns = passed_ns / 2;
	}
	spare->look_ns = now_ns;
	spare->idle_ns = idle_ns;
}

void scope_capture_spare_use(struct scope_spare *spare, uint64_t used_ns)
{
	spare->left_ns -= used_ns < spare->left_ns ? used_ns : spare->left_ns;
}
