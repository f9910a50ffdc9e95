// SPDX-License-Identifier: GPL-2.0-only
/*
 * A healthy server with one client, a process that takes the CPU from it, and one that keeps another CPU in soft interrupts.
 *
 * Usage: outside_work serve MICROSECONDS [EACH [poll]] | store FILE | burn | packets
 *   serve  a client asks, every 2 ms at most, a child that computes for some ms and answers. Prints the child's pid.
 *          With EACH the child also asks a process "backend" over the loopback in each request, which sleeps for 0.2 ms
 *          and each EACH-th time for 10 ms before it answers. With "poll" it waits for the answer in poll() and
 *          reads then, as clients with a time limit do.
 *   store  the same, but each request is written to FILE, and answered once that is on its device
 *   burn   computes until it is killed
 *   packets  sends itself packets over the loopback, in bursts, until it is killed. Each goes through the filters of 64
 *          sockets, in the soft interrupt of whichever CPU the loopback's packets are steered to; some hundred microseconds
 * The server is the child, so that a limit of its control group does not hold for its client.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REQUEST_BYTES 64
#define PAUSE_NS 2000000
#define QUICK_NS 200000
#define SLOW_NS 10000000
#define FILTERS 64
#define BURST 60
#define PORTS 64

static volatile uint64_t sum;

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static __attribute__((noinline)) void compute(uint64_t ns)
{
	const uint64_t end_ns = cpu_ns() + ns;

	while (cpu_ns() < end_ns)
		for (int i = 0; i < 1000; i++)
			sum += (uint64_t)i;
}

static struct sockaddr_un address_of(pid_t pid, socklen_t *ret_bytes)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	/* Of the abstract name space: no file to remove. */
	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "scope-outside-%d", pid);
	*ret_bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(address.sun_path + 1));
	return address;
}

static void answer(int listener, long each)
{
	char request[REQUEST_BYTES];
	const int client = accept(listener, NULL, NULL);

	prctl(PR_SET_NAME, "backend");
	for (long number = 1; client >= 0 && read(client, request, sizeof(request)) > 0; number++) {
		nanosleep(&(struct timespec){ 0, number % each == 0 ? SLOW_NS : QUICK_NS }, NULL);
		if (write(client, request, sizeof(request)) < 0)
			break;
	}
}

/* A connection to a new process that answers until it is closed. */
static int start_backend(long each)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t bytes = sizeof(address);
	const int listener = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
	pid_t child;

	if (bind(listener, (struct sockaddr *)&address, bytes) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &bytes))
		return -1;
	child = fork();
	if (!child) {
		/* Children of a process are traced with it, so the one that answers is no child of it. */
		close(fd);
		if (!fork())
			answer(listener, each);
		_exit(0);
	}
	close(listener);
	waitpid(child, NULL, 0);
	return connect(fd, (struct sockaddr *)&address, bytes) ? -1 : fd;
}

static __attribute__((noinline)) bool ask_backend(int backend, char request[REQUEST_BYTES], bool polls)
{
	struct pollfd answer = { .fd = backend, .events = POLLIN };

	return write(backend, request, REQUEST_BYTES) > 0 && (!polls || poll(&answer, 1, 5000) == 1) &&
	       read(backend, request, REQUEST_BYTES) > 0;
}

/* backend: a connection; -1: none. */
static int serve(int listener, uint64_t work_ns, int backend, bool polls)
{
	char request[REQUEST_BYTES];
	const int client = accept(listener, NULL, NULL);

	while (client >= 0 && read(client, request, sizeof(request)) > 0) {
		compute(work_ns);
		if (backend >= 0 && !ask_backend(backend, request, polls))
			break;
		if (write(client, request, sizeof(request)) < 0)
			break;
	}
	return 0;
}

static __attribute__((noinline)) bool store(int file, const char request[REQUEST_BYTES])
{
	return pwrite(file, request, REQUEST_BYTES, 0) > 0 && !fdatasync(file);
}

static int serve_store(int listener, const char *name)
{
	char request[REQUEST_BYTES];
	const int client = accept(listener, NULL, NULL), file = open(name, O_WRONLY | O_CREAT, 0600);

	while (client >= 0 && read(client, request, sizeof(request)) > 0)
		if (!store(file, request) || write(client, request, sizeof(request)) < 0)
			return 1;
	return 0;
}

static int ask(pid_t server, const struct sockaddr_un *address, socklen_t bytes)
{
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char request[REQUEST_BYTES] = "";

	printf("%d\n", server);
	fflush(stdout);
	if (connect(fd, (const struct sockaddr *)address, bytes))
		return 1;
	for (;;) {
		nanosleep(&(struct timespec){ 0, PAUSE_NS }, NULL);
		if (write(fd, request, sizeof(request)) < 0 || read(fd, request, sizeof(request)) <= 0)
			return 0;
	}
}

/* A socket that gets all packets, and drops each after a long look at it. */
static int open_filter(void)
{
	static struct sock_filter code[BPF_MAXINSNS];
	const struct sock_fprog program = { .len = BPF_MAXINSNS, .filter = code };
	const int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));

	for (int i = 0; i < BPF_MAXINSNS - 1; i++)
		code[i] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_ADD | BPF_K, (uint32_t)i);
	code[BPF_MAXINSNS - 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
	/* Those that are sent are not looked at by the sender. */
	return fd < 0 || setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) ||
			       setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &(int){ 1 }, sizeof(int))
		       ? -1
		       : fd;
}

static int send_packets(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const int from = socket(AF_INET, SOCK_DGRAM, 0);

	for (int i = 0; i < FILTERS; i++)
		if (open_filter() < 0)
			return 1;
	for (;;) {
		/* Of many connections, so that each CPU gets some. Nobody takes them. */
		for (int i = 0; i < BURST; i++) {
			address.sin_port = htons((uint16_t)(20000 + i % PORTS));
			sendto(from, "", 1, 0, (struct sockaddr *)&address, sizeof(address));
		}
		nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
	}
}

int main(int argc, char **argv)
{
	socklen_t bytes;
	struct sockaddr_un address;
	pid_t server;
	bool stores;
	int listener;

	if (argc == 2 && !strcmp(argv[1], "packets"))
		return send_packets();
	if (argc == 2 && !strcmp(argv[1], "burn"))
		for (;;)
			compute(1000000000);
	stores = argc == 3 && !strcmp(argv[1], "store");
	if (!stores && (argc < 3 || argc > 5 || strcmp(argv[1], "serve")))
		return 2;
	signal(SIGPIPE, SIG_IGN);
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	address = address_of(getpid(), &bytes);
	if (listener < 0 || bind(listener, (const struct sockaddr *)&address, bytes) || listen(listener, 4))
		return 1;
	server = fork();
	if (!server) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (stores)
			return serve_store(listener, argv[2]);
		return serve(listener, strtoull(argv[2], NULL, 10) * 1000,
			     argc > 3 ? start_backend(strtol(argv[3], NULL, 10)) : -1, argc > 4);
	}
	return server < 0 ? 1 : ask(server, &address, bytes);
}
