// SPDX-License-Identifier: GPL-2.0-only
/*
 * A server, a thread for each connection: elsewhere_work PROGRAM prints "port PID" and waits for a line, then a child executes PROGRAM,
 * which is another name of this program and serves. A request is a letter: c computes, s sleeps, d sleeps in a library that was loaded by then, l
 * waits for a lock whose holder sleeps, h starts a thread that never ends; then an order is added.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t ledger = PTHREAD_MUTEX_INITIALIZER, lost = PTHREAD_MUTEX_INITIALIZER;
static void (*load_prices)(void);
static volatile unsigned long sum;

static void doze(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

/* Its code is in that of its caller. */
static inline __attribute__((always_inline)) void add_up(unsigned long end)
{
	for (unsigned long i = 0; i < end; i++)
		sum += i * i;
}

static __attribute__((noinline)) void count_stock(void)
{
	add_up(20000000);
	sum++;
}

static __attribute__((noinline)) void take_nap(void)
{
	doze(30);
	sum++;
}

static __attribute__((noinline)) void add_order(void)
{
	pthread_mutex_lock(&ledger);
	sum++;
	pthread_mutex_unlock(&ledger);
}

static void *write_ledger(void *unused)
{
	pthread_mutex_lock(&ledger);
	doze(30);
	pthread_mutex_unlock(&ledger);
	return unused;
}

static void *lose_order(void *unused)
{
	pthread_mutex_lock(&lost);
	sum++;
	return unused;
}

static void begin(void *(*function)(void *))
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, function, NULL))
		pthread_detach(thread);
}

static void *serve(void *argument)
{
	const int fd = (int)(long)argument;
	char kind;

	while (read(fd, &kind, 1) == 1) {
		if (kind == 'c')
			count_stock();
		else if (kind == 's')
			take_nap();
		else if (kind == 'd')
			load_prices();
		else if (kind == 'h')
			begin(lose_order);
		else if (kind == 'l')
			begin(write_ledger), doze(1);
		add_order();
		if (write(fd, &kind, 1) != 1)
			break;
	}
	return NULL;
}

static int begin_child(const char *program)
{
	char line[8];

	printf("port %d\n", getpid());
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		execl(program, program, NULL);
		_exit(1);
	}
	wait(NULL);
	return 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t bytes = sizeof(address);
	const int listener = socket(AF_INET, SOCK_STREAM, 0);
	void *library;

	if (argc > 1)
		return begin_child(argv[1]);
	/* By then the maps of this program are known, and the library is not in them. */
	doze(500);
	library = dlopen("libprices.so", RTLD_NOW);
	load_prices = library ? (void (*)(void))dlsym(library, "load_prices") : NULL;
	pthread_mutex_lock(&lost);
	if (!load_prices || bind(listener, (void *)&address, bytes) || listen(listener, 16) ||
	    getsockname(listener, (void *)&address, &bytes))
		return 2;
	printf("%d\n", ntohs(address.sin_port));
	fflush(stdout);
	for (;;) {
		pthread_t thread;

		pthread_create(&thread, NULL, serve, (void *)(long)accept(listener, NULL, NULL));
	}
}
