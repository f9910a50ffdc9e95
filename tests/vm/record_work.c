// SPDX-License-Identifier: GPL-2.0-only
/* A process that does a little of everything that a capture should record, until a signal ends it. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int channel[2], silent[2];

static void sleep_ms(long ms)
{
	const struct timespec time = { .tv_nsec = ms * 1000000 };

	nanosleep(&time, NULL);
}

/* Holds the lock while it sleeps: the one that wants it waits in futex. */
static void *hold(void *argument)
{
	(void)argument;
	for (;;) {
		pthread_mutex_lock(&lock);
		sleep_ms(3);
		pthread_mutex_unlock(&lock);
		sleep_ms(1);
	}
	return NULL;
}

static void *produce(void *argument)
{
	(void)argument;
	for (;;) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		if (write(channel[1], "x", 1) != 1)
			exit(1);
		sleep_ms(2);
	}
	return NULL;
}

static void *consume(void *argument)
{
	char byte;

	(void)argument;
	while (read(channel[0], &byte, 1) == 1)
		;
	return NULL;
}

/* This thread never runs during the capture: only its stack shows where it waits. */
static void *stand_still(void *argument)
{
	char byte;

	(void)argument;
	if (read(silent[0], &byte, 1) < 0)
		exit(1);
	return NULL;
}

static void *spin(void *argument)
{
	volatile unsigned long count = 0;

	(void)argument;
	for (;;)
		if (!(++count % 3000000))
			sleep_ms(5);
	return NULL;
}

static void start(void *(*function)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, NULL))
		exit(1);
}

static void run_child(void)
{
	const pid_t child = fork();

	if (!child) {
		execl("/bin/sleep", "sleep", "0.3", NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1000000;

	if (pipe(channel) || pipe(silent))
		return 1;
	start(stand_still);
	start(consume);
	start(hold);
	start(produce);
	start(spin);
	while (rounds-- > 0) {
		run_child();
		sleep_ms(50);
	}
	return 0;
}
