// SPDX-License-Identifier: GPL-2.0-only
/*
 * A server made from a profile (scope model --profile), and its clients.
 *
 * Usage: synthetic server PROFILE                                   says "ready PID PORT", and serves until it is killed
 *        synthetic load PROFILE PORT REQUESTS [CONNECTIONS [RATE]]  says "done N" when N requests were answered
 *
 * CONNECTIONS and RATE (a second; 0: as fast as answers come) are the profile's, if they are left out. If the profile
 * has calls that the server does not make, standard error lists them.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "load.h"
#include "skeleton.h"

static int listen_to(const struct profile *profile, uint16_t *ret_port)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t length = sizeof(address);
	const int fd = socket(AF_INET, profile->datagrams ? SOCK_DGRAM : SOCK_STREAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    (!profile->datagrams && listen(fd, SOMAXCONN)) || getsockname(fd, (struct sockaddr *)&address, &length)) {
		perror("synthetic: listen");
		exit(1);
	}
	*ret_port = ntohs(address.sin_port);
	return fd;
}

static int serve(const struct profile *profile)
{
	uint16_t port;
	const int listener = listen_to(profile, &port);

	steps_print_missing(profile);
	steps_prepare();
	printf("ready %d %u\n", (int)getpid(), port);
	fflush(stdout);
	skeleton_run(profile, listener);
	return 1;
}

int main(int argc, char **argv)
{
	const struct profile *profile;
	unsigned connections;

	if (argc < 3 || (strcmp(argv[1], "server") != 0 && (strcmp(argv[1], "load") != 0 || argc < 5 || argc > 7))) {
		fputs("usage: synthetic server PROFILE\n"
		      "       synthetic load PROFILE PORT REQUESTS [CONNECTIONS [RATE]]\n",
		      stderr);
		return 2;
	}
	profile = plan_read(argv[2]);
	if (!strcmp(argv[1], "server"))
		return serve(profile);
	connections = argc > 5 ? (unsigned)atoi(argv[5]) : profile->connections;
	printf("done %" PRIu64 "\n",
	       load_run(profile, (uint16_t)atoi(argv[3]), strtoull(argv[4], NULL, 10), connections ? connections : 1,
			argc > 6 ? atof(argv[6]) : profile->reqs_per_sec));
	return 0;
}
