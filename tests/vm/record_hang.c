// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that work under a lock; after SIGUSR2 one of them keeps it forever.
 *
 * Usage: record_hang [MS]      how long each of them has the lock (1)
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t keep;
static int channel[2];
static long held_ms = 1;

static void on_signal(int number)
{
	(void)number;
	keep = 1;
}

static void sleep_ms(long ms)
{
	const struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static void *work(void *argument)
{
	char byte = 0;

	for (;;) {
		pthread_mutex_lock(&lock);
		if (write(channel[1], &byte, 1) != 1 || read(channel[0], &byte, 1) != 1)
			exit(1);
		while (argument && keep)
			sleep_ms(100);
		sleep_ms(held_ms);
		pthread_mutex_unlock(&lock);
		sleep_ms(4);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[3];

	if (argc > 1)
		held_ms = atol(argv[1]);
	signal(SIGUSR2, on_signal);
	if (pipe(channel))
		return 1;
	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread[i], NULL, work, i ? NULL : channel))
			return 1;
	pause();
	for (;;)
		pause();
}
