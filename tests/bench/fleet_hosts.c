// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes summaries of invented hosts, of which one is slow.
 *
 * Usage: fleet_hosts HOSTS SECONDS DIR      each host's file is DIR/HOST.scopesum; a summary has 60 seconds
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit/fleet_hosts.h"
#include "fleet/summary_file.h"

#define PART_S 60

static int write_host(unsigned number, unsigned sick, uint64_t seconds, const char *directory)
{
	char name[32], rack[16], path[4096];
	struct fleet_host host = { .host = name,
				   .build_id = number % 7 ? "aa01" : "bb02",
				   .rack = rack,
				   .random = number * 0x9e3779b97f4a7c15ull + 1,
				   .rate = 50 };
	int fd, err = 0;

	snprintf(name, sizeof(name), "web-%05u", number);
	snprintf(rack, sizeof(rack), "r%u", number / 40);
	snprintf(path, sizeof(path), "%s/%s.scopesum", directory, name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	for (uint64_t at = 0; fd >= 0 && !err && at < seconds; at += PART_S, host.number++) {
		struct scope_fleet_summary *summary;

		host.begin_s = FLEET_BEGIN_S + at;
		host.seconds = seconds - at < PART_S ? seconds - at : PART_S;
		if (number == sick) {
			host.slow = "flush_log";
			host.share = 0.05;
			host.excess_us = 5000;
		}
		summary = fleet_summary(&host);
		err = scope_fleet_file_append(fd, summary);
		scope_fleet_summary_destroy(summary);
	}
	return fd < 0 || close(fd) ? -1 : err;
}

int main(int argc, char **argv)
{
	const unsigned hosts = argc == 4 ? (unsigned)atoi(argv[1]) : 0;

	if (!hosts) {
		fprintf(stderr, "Usage: fleet_hosts HOSTS SECONDS DIR\n");
		return 2;
	}
	mkdir(argv[3], 0755);
	for (unsigned i = 0; i < hosts; i++)
		if (write_host(i, hosts / 3, strtoull(argv[2], NULL, 10), argv[3])) {
			fprintf(stderr, "fleet_hosts: %s cannot be written\n", argv[3]);
			return 1;
		}
	return 0;
}
