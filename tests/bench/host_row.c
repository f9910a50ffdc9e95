// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measure the CPU time that a capture takes once a second to read the host's metrics of its target and to write the
 * row.
 *
 * Usage: host_row [PID]      of that process, else of its own
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "proc/host.h"
#include "trace/writer.h"

#define ROWS 1000

static double cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
	const uint32_t pid = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : (uint32_t)getpid();
	const int fd = memfd_create("trace", MFD_CLOEXEC);
	struct scope_writer *writer;
	struct scope_proc_host *host;
	double begin_us;

	if (fd < 0 || scope_trace_writer_create_fd(fd, "trace", NULL, &writer) ||
	    scope_proc_host_create("", pid, &host))
		return 1;
	begin_us = cpu_us();
	for (uint64_t i = 0; i < ROWS; i++)
		if (scope_proc_host_tick(host, i * 1000000000, writer))
			return 1;
	printf("host_row_cpu_us %.0f us\n", (cpu_us() - begin_us) / ROWS);
	scope_proc_host_destroy(host);
	scope_trace_writer_destroy(writer);
	return 0;
}
