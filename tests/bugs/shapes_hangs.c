// SPDX-License-Identifier: GPL-2.0-only
/* Bugs for shapes.c: ways in which one request never ends. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shapes.h"

#define UNUSED __attribute__((unused))

static int lock_file;

static int new_file(void)
{
	char name[] = "/var/tmp/shapes.XXXXXX";
	const int fd = mkostemp(name, O_CLOEXEC);

	if (fd < 0)
		abort();
	unlink(name);
	return fd;
}

/* Another process has a lock on the file, and keeps it. */
static void begin_kept_file(void)
{
	int ready[2];
	char byte;

	lock_file = new_file();
	if (pipe(ready))
		abort();
	if (!fork()) {
		char name[64];
		struct flock all = { .l_type = F_WRLCK };
		int own;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "backup");
		snprintf(name, sizeof(name), "/proc/self/fd/%d", lock_file);
		own = open(name, O_RDWR);
		if (own < 0 || flock(own, LOCK_EX) || fcntl(own, F_SETLKW, &all) || write(ready[1], "", 1) != 1)
			abort();
		for (;;)
			pause();
	}
	if (read(ready[0], &byte, 1) != 1)
		abort();
}

FUNCTION static void bug_kept_flock(UNUSED struct request *request)
{
	flock(lock_file, LOCK_EX);
	work(1);
}

FUNCTION static void bug_kept_fcntl(UNUSED struct request *request)
{
	struct flock all = { .l_type = F_WRLCK };

	fcntl(lock_file, F_SETLKW, &all);
	work(1);
}

FUNCTION static void bug_no_post(UNUSED struct request *request)
{
	sem_t never;

	sem_init(&never, 0, 0);
	sem_wait(&never);
	work(1);
}

FUNCTION static void bug_semop(UNUSED struct request *request)
{
	const int id = semget(IPC_PRIVATE, 1, 0600);
	struct sembuf take = { 0, -1, 0 };

	semop(id, &take, 1);
	work(1);
}

FUNCTION static void bug_upgrade(UNUSED struct request *request)
{
	static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

	pthread_rwlock_rdlock(&rwlock);
	work(100);
	pthread_rwlock_wrlock(&rwlock);
	work(1);
}

FUNCTION static void bug_twice(UNUSED struct request *request)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&mutex);
	work(100);
	pthread_mutex_lock(&mutex);
	work(1);
}

static pthread_mutex_t left_locked = PTHREAD_MUTEX_INITIALIZER;

static void *leave_locked(void *user)
{
	pthread_mutex_lock(&left_locked);
	return user;
}

FUNCTION static void bug_owner_gone(UNUSED struct request *request)
{
	pthread_t thread;

	pthread_create(&thread, NULL, leave_locked, NULL);
	pthread_join(thread, NULL);
	pthread_mutex_lock(&left_locked);
	work(1);
}

FUNCTION static void bug_event(UNUSED struct request *request)
{
	const int fd = eventfd(0, EFD_CLOEXEC);
	uint64_t value;

	if (read(fd, &value, sizeof(value)) > 0)
		work(1);
}

static int to_logger[2];

static void begin_logger(void)
{
	if (pipe(to_logger))
		abort();
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "logger");
		for (;;)
			pause();
	}
}

FUNCTION static void bug_full_pipe(UNUSED struct request *request)
{
	static char block[8192];

	while (write(to_logger[1], block, sizeof(block)) > 0)
		work(1);
}

FUNCTION static void bug_child_stays(UNUSED struct request *request)
{
	const pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl("/bin/sleep", "sleep", "1000", NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
	work(1);
}

static struct sockaddr_in crowded;

/* It listens, and never accepts. */
static void begin_crowded(void)
{
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t bytes = sizeof(crowded);

	crowded = (struct sockaddr_in){ AF_INET, 0, { htonl(INADDR_LOOPBACK) }, { 0 } };
	if (bind(fd, (const void *)&crowded, sizeof(crowded)) || listen(fd, 0) ||
	    getsockname(fd, (void *)&crowded, &bytes))
		abort();
}

FUNCTION static void bug_connect(UNUSED struct request *request)
{
	for (int i = 0; i < 10; i++)
		connect(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), (const void *)&crowded, sizeof(crowded));
	work(1);
}

FUNCTION static void bug_no_answer(UNUSED struct request *request)
{
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char byte;

	connect(fd, (const void *)&crowded, sizeof(crowded));
	if (send(fd, "ask", 3, 0) != 3 || recv(fd, &byte, 1, 0) > 0)
		work(1);
}

FUNCTION static void bug_no_reader(UNUSED struct request *request)
{
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	static char block[65536];

	connect(fd, (const void *)&crowded, sizeof(crowded));
	while (send(fd, block, sizeof(block), 0) > 0)
		work(1);
}

static void *pause_forever(void *user)
{
	for (;;)
		pause();
	return user;
}

FUNCTION static void bug_join(UNUSED struct request *request)
{
	pthread_t thread;

	pthread_create(&thread, NULL, pause_forever, NULL);
	pthread_join(thread, NULL);
	work(1);
}

static pthread_mutex_t forked_with = PTHREAD_MUTEX_INITIALIZER;

static void *use_lock(void *user)
{
	for (;;) {
		pthread_mutex_lock(&forked_with);
		usleep(20000);
		pthread_mutex_unlock(&forked_with);
		usleep(100);
	}
	return user;
}

static void begin_lock_user(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, use_lock, NULL);
	usleep(10000);
}

/* The child has the lock of a thread that it does not have. */
FUNCTION static void bug_fork_locked(UNUSED struct request *request)
{
	const pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_mutex_lock(&forked_with);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	work(1);
}

FUNCTION static void bug_barrier(UNUSED struct request *request)
{
	static pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_barrier_wait(&barrier);
	work(1);
}

FUNCTION static void bug_condition(UNUSED struct request *request)
{
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t never = PTHREAD_COND_INITIALIZER;

	pthread_mutex_lock(&own);
	pthread_cond_wait(&never, &own);
	work(1);
}

/* A time limit that is begun again. */
FUNCTION static void bug_condition_again(UNUSED struct request *request)
{
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t never = PTHREAD_COND_INITIALIZER;

	pthread_mutex_lock(&own);
	for (;;) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 50000000;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		if (pthread_cond_timedwait(&never, &own, &until) != ETIMEDOUT)
			work(1);
	}
}

FUNCTION static void bug_pause(UNUSED struct request *request)
{
	pause();
	work(1);
}

FUNCTION static void bug_signal(UNUSED struct request *request)
{
	sigset_t set;
	int got;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sigwait(&set, &got);
	work(1);
}

FUNCTION static void bug_message(UNUSED struct request *request)
{
	const int id = msgget(IPC_PRIVATE, 0600);
	struct {
		long type;
		char text[8];
	} message;

	if (msgrcv(id, &message, sizeof(message.text), 0, 0) > 0)
		work(1);
}

/* As a password that is asked for at a terminal. */
FUNCTION static void bug_terminal(UNUSED struct request *request)
{
	const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	char byte;
	int fd;

	grantpt(master);
	unlockpt(master);
	fd = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || read(fd, &byte, 1) > 0)
		work(1);
}

static volatile int flag;

FUNCTION static void bug_yield(UNUSED struct request *request)
{
	while (!flag)
		sched_yield();
	work(1);
}

FUNCTION static void bug_naps(UNUSED struct request *request)
{
	while (!flag)
		usleep(5000);
	work(1);
}

FUNCTION static void bug_try(UNUSED struct request *request)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&mutex);
	while (pthread_mutex_trylock(&mutex))
		work(10);
}

FUNCTION static void bug_poll_nothing(UNUSED struct request *request)
{
	poll(NULL, 0, -1);
	work(1);
}

/* As a data connection of FTP that the client does not open. */
FUNCTION static void bug_accept(UNUSED struct request *request)
{
	const struct sockaddr_in any = { AF_INET, 0, { htonl(INADDR_LOOPBACK) }, { 0 } };
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (bind(fd, (const void *)&any, sizeof(any)) || listen(fd, 1))
		abort();
	if (accept(fd, NULL, NULL) >= 0)
		work(1);
}

/* A client library's own loop. */
FUNCTION static void bug_inner_loop(UNUSED struct request *request)
{
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), epoll = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	connect(fd, (const void *)&crowded, sizeof(crowded));
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
	while (epoll_wait(epoll, &event, 1, 500) == 0)
		work(100);
}

FUNCTION static void bug_select(UNUSED struct request *request)
{
	int pipes[2];
	fd_set set;

	if (pipe(pipes))
		abort();
	FD_ZERO(&set);
	FD_SET(pipes[0], &set);
	select(pipes[0] + 1, &set, NULL, NULL, NULL);
	work(1);
}

FUNCTION static void bug_fifo(UNUSED struct request *request)
{
	char name[64];

	snprintf(name, sizeof(name), "/var/tmp/shapes.%d.fifo", getpid());
	if (mkfifo(name, 0600) || open(name, O_RDONLY) >= 0)
		work(1);
}

FUNCTION static void bug_futex(UNUSED struct request *request)
{
	static int word;

	while (!flag)
		syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
	work(1);
}

FUNCTION static void bug_spinlock_kept(UNUSED struct request *request)
{
	pthread_spinlock_t lock;

	pthread_spin_init(&lock, 0);
	pthread_spin_lock(&lock);
	pthread_spin_lock(&lock);
	work(1);
}

/* All that come later wait for the lock, which the one that left still holds. */
FUNCTION static void bug_error_path(struct request *request)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&mutex);
	work(100);
	if (request->number >= 700 && request->marked)
		return;
	pthread_mutex_unlock(&mutex);
}

/* A pool of three, of which some requests never give theirs back. */
FUNCTION static void bug_pool_leaks(struct request *request)
{
	static sem_t pool;
	static int made;

	if (!__atomic_exchange_n(&made, 1, __ATOMIC_SEQ_CST))
		sem_init(&pool, 0, 3);
	sem_wait(&pool);
	work(100);
	if (request->number < 600 || !request->marked)
		sem_post(&pool);
}

FUNCTION static void bug_two_files(struct request *request)
{
	static int file[2] = { -1, -1 };
	const int one = request->number % 2;

	for (int i = 0; i < 2; i++) {
		char name[64];

		snprintf(name, sizeof(name), "/var/tmp/shapes.%d.%d", getpgrp(), i);
		file[i] = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	}
	flock(file[one], LOCK_EX);
	usleep(one ? 20000 : 60000);
	flock(file[!one], LOCK_EX);
	work(1);
}

const struct shapes_kind shapes_hangs[] = {
	{ "kept_flock", bug_kept_flock, THE_LAST, begin_kept_file },
	{ "kept_fcntl", bug_kept_fcntl, THE_LAST, begin_kept_file },
	{ "no_post", bug_no_post, THE_LAST, NULL },
	{ "semop", bug_semop, THE_LAST, NULL },
	{ "upgrade", bug_upgrade, THE_LAST, NULL },
	{ "twice", bug_twice, THE_LAST, NULL },
	{ "owner_gone", bug_owner_gone, THE_LAST, NULL },
	{ "event", bug_event, THE_LAST, NULL },
	{ "full_pipe", bug_full_pipe, THE_LAST, begin_logger },
	{ "child_stays", bug_child_stays, THE_LAST, NULL },
	{ "connect", bug_connect, THE_LAST, begin_crowded },
	{ "no_answer", bug_no_answer, THE_LAST, begin_crowded },
	{ "no_reader", bug_no_reader, THE_LAST, begin_crowded },
	{ "join", bug_join, THE_LAST, NULL },
	{ "fork_locked", bug_fork_locked, THE_LAST, begin_lock_user },
	{ "barrier", bug_barrier, THE_LAST, NULL },
	{ "condition", bug_condition, THE_LAST, NULL },
	{ "condition_again", bug_condition_again, THE_LAST, NULL },
	{ "pause", bug_pause, THE_LAST, NULL },
	{ "signal", bug_signal, THE_LAST, NULL },
	{ "message", bug_message, THE_LAST, NULL },
	{ "terminal", bug_terminal, THE_LAST, NULL },
	{ "yield", bug_yield, THE_LAST, NULL },
	{ "naps", bug_naps, THE_LAST, NULL },
	{ "try", bug_try, THE_LAST, NULL },
	{ "poll_nothing", bug_poll_nothing, THE_LAST, NULL },
	{ "accept", bug_accept, THE_LAST, NULL },
	{ "inner_loop", bug_inner_loop, THE_LAST, begin_crowded },
	{ "select", bug_select, THE_LAST, NULL },
	{ "fifo", bug_fifo, THE_LAST, NULL },
	{ "futex", bug_futex, THE_LAST, NULL },
	{ "spinlock_kept", bug_spinlock_kept, THE_LAST, NULL },
	{ "error_path", bug_error_path, ALL, NULL },
	{ "pool_leaks", bug_pool_leaks, ALL, NULL },
	{ "two_files", bug_two_files, THE_LAST_TWO, NULL },
	{ NULL, NULL, ALL, NULL },
};
