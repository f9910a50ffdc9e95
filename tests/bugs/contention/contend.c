// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs that contend with a server for what it needs.
 *
 * Usage: contend cpu N CPU     N processes compute on that CPU
 *        contend disk N DIR    N processes write a MiB to a file in DIR and wait until the disk has it, again and again
 *        contend memory N MIB  N processes write to MIB of their own, page by page, again and again
 * They end with their parent.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCK (1 << 20)
#define BLOCKS 64 /* of a file, which is written from its begin then */
#define PAGE 4096
#define PAGES 32 /* between two pauses of a millisecond */

static void compute(void)
{
	volatile unsigned long turns = 0;

	for (;;)
		turns++;
}

static void write_out(const char *dir, int number)
{
	static char block[BLOCK];
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/contend.%d", dir, number);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	for (off_t i = 0; fd >= 0; i++) {
		memset(block, (int)i, sizeof(block));
		if (pwrite(fd, block, BLOCK, BLOCK * (i % BLOCKS)) != BLOCK || fdatasync(fd))
			break;
	}
	perror("contend");
	exit(1);
}

static void touch(size_t bytes)
{
	volatile char *memory = malloc(bytes);

	if (!memory)
		exit(1);
	for (size_t i = 1;; i++) {
		memory[i * PAGE % bytes] = (char)i;
		if (i % PAGES == 0)
			usleep(1000);
	}
}

int main(int argc, char **argv)
{
	cpu_set_t cpus;

	if (argc != 4 || (strcmp(argv[1], "cpu") && strcmp(argv[1], "disk") && strcmp(argv[1], "memory"))) {
		fputs("usage: contend cpu N CPU | disk N DIR | memory N MIB\n", stderr);
		return 2;
	}
	CPU_ZERO(&cpus);
	CPU_SET((unsigned int)atoi(argv[3]), &cpus);
	if (!strcmp(argv[1], "cpu") && sched_setaffinity(0, sizeof(cpus), &cpus)) {
		perror("contend: sched_setaffinity");
		return 1;
	}
	for (int i = 0; i < atoi(argv[2]); i++) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!strcmp(argv[1], "cpu"))
			compute();
		if (!strcmp(argv[1], "memory"))
			touch((size_t)atoi(argv[3]) << 20);
		write_out(argv[3], i);
	}
	while (wait(NULL) > 0)
		;
	return 1;
}
