// SPDX-License-Identifier: GPL-2.0-only
/*
 * text_changed PID [until|gone PROCESS]: prints how many bytes of a process's code differ from the files that it maps.
 * Each breakpoint of a probe is one, by any tool and in any way. With "until" it waits until there is one, as
 * long as PROCESS, which is to set it, lives. With "gone" it waits until the program's own file has none, without sleeping,
 * so that a moment without any is seen as well, and prints for how many ms it waited.
 *
 * Exit status: 0; 1 the process or a file cannot be read, or PROCESS ended before that; 2 wrong usage.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BLOCK 65536u

static char in_file[BLOCK], in_memory[BLOCK];

/* The bytes of one mapping that differ; -1: it cannot be read. */
static long compare(pid_t pid, int memory, uint64_t start, uint64_t end, uint64_t offset)
{
	char path[96];
	long count = 0;
	int file;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, start, end);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return -1;
	for (uint64_t at = start; at < end; at += BLOCK) {
		const size_t want = end - at < BLOCK ? (size_t)(end - at) : BLOCK;
		const ssize_t had = pread(file, in_file, want, (off_t)(offset + at - start));

		if (had <= 0)
			break;
		if (pread(memory, in_memory, (size_t)had, (off_t)at) != had) {
			count = -1;
			break;
		}
		for (ssize_t i = 0; i < had; i++)
			count += in_file[i] != in_memory[i];
	}
	close(file);
	return count;
}

/* Of all executable mappings of files, or of that file alone if it is not 0; -1: they cannot be read. */
static long compare_all(pid_t pid, uint64_t alone)
{
	char path[64], line[4096], rights[8];
	uint64_t start, end, offset, inode;
	long all = 0, one;
	FILE *maps;
	int memory;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	memory = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	if (memory < 0 || !maps)
		return -1;
	while (all >= 0 && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %" SCNu64, &start, &end, rights, &offset,
			   &inode) != 5 ||
		    !strchr(rights, 'x') || !inode || (alone && inode != alone))
			continue;
		one = compare(pid, memory, start, end, offset);
		all = one < 0 ? -1 : all + one;
	}
	fclose(maps);
	close(memory);
	return all;
}

static double now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* Waits until the program has its own code again. Returns the exit status. */
static int wait_until_gone(pid_t pid, pid_t setter)
{
	const double begin_ms = now_ms();
	struct stat file;
	char path[64];
	long count;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (stat(path, &file))
		return 1;
	do {
		count = compare_all(pid, file.st_ino);
	} while (count > 0 && !kill(setter, 0));
	printf("%.1f\n", now_ms() - begin_ms);
	return count != 0;
}

int main(int argc, char **argv)
{
	const pid_t pid = argc > 1 ? atoi(argv[1]) : 0, setter = argc > 3 ? atoi(argv[3]) : 0;
	const bool gone = argc > 2 && !strcmp(argv[2], "gone");
	long count;

	if (pid <= 0 || (argc != 2 && (argc != 4 || (!gone && strcmp(argv[2], "until") != 0) || setter <= 0)))
		return 2;
	if (gone)
		return wait_until_gone(pid, setter);
	do {
		count = compare_all(pid, 0);
		if (setter && !count)
			usleep(2000);
	} while (setter && !count && !kill(setter, 0));
	if (count < 0) {
		perror("text_changed");
		return 1;
	}
	printf("%ld\n", count);
	return setter && !count;
}
