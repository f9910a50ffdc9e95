// SPDX-License-Identifier: GPL-2.0-only
/*
 * A server whose latency varies in a known place, for tests of scope explore, and the clients that keep it busy.
 *
 *   explore_work stages    five stages of eight functions, a call between each two; check_7 takes 5 ms more for one
 *                          request in ten
 *   explore_work slow      one request in fifty is of another kind and always takes 8 ms, in count_all
 *   explore_work two       two kinds of threads: check_7 of the threads "alpha", and merge_3 of the threads "beta"
 *   explore_work keys      load() sleeps as long as its first argument says, with noise: R of both is 0.85; four more
 *                          arguments are decoys; they are arguments of calls as well: pread64's arg2, and its arg3,
 *                          fadvise64's arg1 and arg2, lseek's arg1
 *   explore_work hot       tick() is called a million times by each request
 *   explore_work sleeps    doze() sleeps for 50 ms more in one request of ten: the time is in a call
 *   explore_work even      nothing varies
 *   explore_work flood     as stages; one more thread makes as many calls as fill the buffers of a tracer in half a second
 *   explore_work library   as stages, but the time goes to work_item() of the library LIBRARY, the second argument
 *
 * Prints the number of the process to trace; ends when its standard input does. EXPLORE_THREADS= is the number of its
 * threads, EXPLORE_SEED= changes what chance decides. EXPLORE_LEDGER= is a file for what "stages" did: for each request
 * its begin, and the ends of the five stages and of the answer (CLOCK_MONOTONIC), seven numbers of 8 bytes each.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ull
#define US 1000ull

static const char *mode;
static void (*volatile work_item)(uint64_t ns);
static int file;
static volatile uint64_t sink;
static double scale = 1;

#define LEDGER_REQUESTS 1000000u

struct request {
	uint64_t begin_ns, stage_ns[5], end_ns;
};

static struct request *ledger; /* NULL: none is asked for */
static _Atomic uint32_t requests;
static uint64_t seed;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

static inline __attribute__((always_inline)) void spin(uint64_t ns)
{
	const uint64_t end = now() + ns;

	while (now() < end)
		sink++;
}

static __thread uint64_t state;

static double chance(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) / 9007199254740992.0;
}

static double normal(void)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += chance();
	return sum - 6;
}

/* What the request at hand has to do beside its usual work. */
static __thread uint64_t extra_ns;

#define FUNCTION(name, ns)                                                                                             \
	__attribute__((noinline)) void name(void);                                                                     \
	__attribute__((noinline)) void name(void)                                                                      \
	{                                                                                                              \
		spin((uint64_t)((ns)*scale));                                                                          \
		__asm__ volatile("");                                                                                  \
	}
#define EIGHT(stage, ns)                                                                                               \
	FUNCTION(stage##_0, ns)                                                                                        \
	FUNCTION(stage##_1, ns)                                                                                        \
	FUNCTION(stage##_2, ns)                                                                                        \
	FUNCTION(stage##_4, ns)                                                                                        \
	FUNCTION(stage##_5, ns)                                                                                        \
	FUNCTION(stage##_6, ns)

EIGHT(parse, 20 * US)
FUNCTION(parse_3, 20 * US)
FUNCTION(parse_7, 20 * US)
EIGHT(check, 20 * US)
FUNCTION(check_3, 20 * US)
EIGHT(fetch, 20 * US)
FUNCTION(fetch_3, 20 * US)
FUNCTION(fetch_7, 20 * US)
EIGHT(merge, 20 * US)
FUNCTION(merge_7, 20 * US)
EIGHT(render, 20 * US)
FUNCTION(render_3, 20 * US)
FUNCTION(render_7, 20 * US)

__attribute__((noinline)) void check_7(void);
__attribute__((noinline)) void check_7(void)
{
	if (extra_ns && work_item)
		work_item(extra_ns);
	else
		spin((uint64_t)(20 * US * scale) + (strcmp(mode, "two") || extra_ns & 1 ? extra_ns : 0));
	__asm__ volatile("");
}

__attribute__((noinline)) void merge_3(void);
__attribute__((noinline)) void merge_3(void)
{
	spin((uint64_t)(20 * US * scale) + (!strcmp(mode, "two") && !(extra_ns & 1) ? extra_ns : 0));
	__asm__ volatile("");
}

#define STAGE(stage, ...)                                                                                              \
	__attribute__((noinline)) void stage(void);                                                                    \
	__attribute__((noinline)) void stage(void)                                                                     \
	{                                                                                                              \
		stage##_0();                                                                                           \
		stage##_1();                                                                                           \
		stage##_2();                                                                                           \
		stage##_3();                                                                                           \
		stage##_4();                                                                                           \
		stage##_5();                                                                                           \
		stage##_6();                                                                                           \
		stage##_7();                                                                                           \
		__asm__ volatile("");                                                                                  \
	}

STAGE(parse)
STAGE(check)
STAGE(fetch)
STAGE(merge)
STAGE(render)

static void read_file(void)
{
	char text[16];

	if (pread(file, text, sizeof(text), 0) < 0)
		abort();
}

static void write_file(void)
{
	if (pwrite(file, "x", 1, 0) < 0)
		abort();
}

__attribute__((noinline)) void count_all(void);
__attribute__((noinline)) void count_all(void)
{
	read_file();
	spin(8 * MS);
	__asm__ volatile("");
}

__attribute__((noinline)) void load(uint64_t size, uint64_t a, uint64_t b, uint64_t c, uint64_t d, double noise);
__attribute__((noinline)) void load(uint64_t size, uint64_t a, uint64_t b, uint64_t c, uint64_t d, double noise)
{
	/* A sleep is as long as it should be on a busy host, too. */
	usleep((useconds_t)((double)size + noise));
	sink += a + b + c + d;
	__asm__ volatile("");
}

__attribute__((noinline)) void tick(void);
__attribute__((noinline)) void tick(void)
{
	sink++;
	__asm__ volatile("");
}

__attribute__((noinline)) void doze(void);
__attribute__((noinline)) void doze(void)
{
	usleep((useconds_t)((1 * MS + 10 * extra_ns) / 1000));
	__asm__ volatile("");
}

static void write_down(const struct request *request)
{
	const uint32_t at = requests++;

	if (at < LEDGER_REQUESTS)
		ledger[at] = *request;
}

static void note(uint64_t *time)
{
	if (ledger)
		*time = now();
}

static void serve_keys(uint64_t size, double noise)
{
	uint64_t decoy[4];
	char text[16384];

	for (int i = 0; i < 4; i++)
		decoy[i] = (uint64_t)(1000 * chance());
	if (pread(file, text, size < sizeof(text) ? size : sizeof(text), (off_t)decoy[0]) < 0 ||
	    posix_fadvise(file, (off_t)decoy[1], (off_t)decoy[2], POSIX_FADV_NORMAL) ||
	    lseek(file, (off_t)decoy[3], SEEK_SET) < 0)
		abort();
	load(size, decoy[0], decoy[1], decoy[2], decoy[3], noise);
}

__attribute__((noinline)) void serve(struct request *request);
__attribute__((noinline)) void serve(struct request *request)
{
	if (!strcmp(mode, "keys")) {
		/*
		 * Time = size + noise: R = sd(size) / sqrt(sd(size)² + sd(noise)²) = 0.85. A host that wakes a thread 0.1 ms
		 * late now and then changes R by less than 0.01. Few requests are large, so the largest differ most.
		 */
		const double size = -800 * log(1 - chance()), noise = 2000 + 800 * sqrt(1 / 0.85 / 0.85 - 1) * normal();

		serve_keys((uint64_t)size, noise > 0 ? noise : 0);
		return;
	}
	if (!strcmp(mode, "hot")) {
		const int times = chance() < 0.1 ? 400000 : 40000;

		for (int i = 0; i < times; i++)
			tick();
		return;
	}
	if (!strcmp(mode, "sleeps")) {
		doze();
		return;
	}
	parse();
	note(&request->stage_ns[0]);
	read_file();
	check();
	note(&request->stage_ns[1]);
	write_file();
	fetch();
	note(&request->stage_ns[2]);
	read_file();
	merge();
	note(&request->stage_ns[3]);
	write_file();
	if (!strcmp(mode, "slow") && chance() < 0.02)
		count_all();
	render();
	note(&request->stage_ns[4]);
}

static void *make_calls(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "flood");
	for (;;) {
		for (int i = 0; i < 100; i++)
			getppid();
		usleep(1000);
	}
	return NULL;
}

static void name_thread(int number)
{
	char name[16] = "stage";

	if (!strcmp(mode, "two"))
		strcpy(name, number % 2 ? "alpha" : "beta");
	prctl(PR_SET_NAME, name);
}

struct connection {
	int fd, number;
};

static void *serve_all(void *context)
{
	const struct connection *connection = context;
	const int odd = connection->number % 2;
	char text[64];

	state = (88172645463325252ull + 7919u * (unsigned)connection->number) ^ seed * 0x9e3779b97f4a7c15ull;
	name_thread(connection->number);
	while (recv(connection->fd, text, sizeof(text), 0) > 0) {
		struct request request = { 0 };

		note(&request.begin_ns);
		extra_ns = 0;
		if (strcmp(mode, "slow") && strcmp(mode, "even") && chance() < 0.1)
			extra_ns = (5 * MS & ~1ull) | (unsigned)odd;
		if (!strcmp(mode, "stages"))
			extra_ns |= extra_ns ? 1 : 0;
		serve(&request);
		if (send(connection->fd, "done", 4, MSG_NOSIGNAL) < 0)
			break;
		note(&request.end_ns);
		if (ledger)
			write_down(&request);
	}
	return NULL;
}

static void *ask_all(void *context)
{
	const int fd = *(int *)context;
	char text[64];

	state = (1181783497276652981ull + 104729u * (unsigned)fd) ^ seed * 0x9e3779b97f4a7c15ull;
	for (;;) {
		usleep((useconds_t)(1000 + 2000 * chance()));
		if (send(fd, "ask", 3, MSG_NOSIGNAL) < 0 || recv(fd, text, sizeof(text), 0) <= 0)
			return NULL;
	}
}

static int run_server(int listener, int threads)
{
	static struct connection connection[16];
	pthread_t thread[16], flood;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!strcmp(mode, "flood") && pthread_create(&flood, NULL, make_calls, NULL))
		return 1;
	for (int i = 0; i < threads; i++) {
		connection[i].fd = accept(listener, NULL, NULL);
		connection[i].number = i;
		if (pthread_create(&thread[i], NULL, serve_all, &connection[i]))
			return 1;
	}
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

/* Maps the file for what the server did. False: it cannot be had. */
static bool open_ledger(const char *path)
{
	const size_t bytes = LEDGER_REQUESTS * sizeof(*ledger);
	const int fd = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	void *map;

	if (!path)
		return true;
	if (fd < 0 || ftruncate(fd, (off_t)bytes))
		return false;
	map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	ledger = map == MAP_FAILED ? NULL : map;
	return ledger;
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	const char *count = getenv("EXPLORE_THREADS");
	const int threads = count ? atoi(count) : 2;
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd[16];
	char byte;
	pid_t server;

	if (argc < 2 || threads < 1 || threads > 16)
		return 2;
	if (getenv("EXPLORE_SEED"))
		seed = strtoull(getenv("EXPLORE_SEED"), NULL, 10);
	if (!open_ledger(getenv("EXPLORE_LEDGER")))
		return 1;
	mode = argv[1];
	if (!strcmp(mode, "library")) {
		void *library = argc > 2 ? dlopen(argv[2], RTLD_NOW) : NULL;

		*(void **)&work_item = library ? dlsym(library, "entry") : NULL;
		if (!work_item)
			return 2;
	}
	file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	if (file < 0 || write(file, "0123456789abcdef", 16) != 16 || listener < 0 ||
	    bind(listener, (struct sockaddr *)&address, sizeof(address)) || listen(listener, threads) ||
	    getsockname(listener, (struct sockaddr *)&address, &length))
		return 1;
	server = fork();
	if (!server)
		return run_server(listener, threads);
	for (int i = 0; i < threads; i++) {
		pthread_t thread;

		fd[i] = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(fd[i], (struct sockaddr *)&address, length) ||
		    pthread_create(&thread, NULL, ask_all, &fd[i]))
			return 1;
	}
	printf("%d\n", (int)server);
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	kill(server, SIGKILL);
	return 0;
}
