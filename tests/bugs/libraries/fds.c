// SPDX-License-Identifier: GPL-2.0-only
/* A web server whose loop polls descriptors only: a signalfd, a timerfd, and an eventfd by which two threads give answers back. They wait
 * for requests in another eventfd, which is a semaphore. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "kinds.h"

struct job {
	STAILQ_ENTRY(job) next;
	int fd;
	size_t bytes;
	char text[1024];
};

STAILQ_HEAD(jobs, job);

static struct jobs requests = STAILQ_HEAD_INITIALIZER(requests), answers = STAILQ_HEAD_INITIALIZER(answers);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int poller, signals, timer, work_ready, answers_ready;

static void put(struct jobs *jobs, struct job *job, int ready)
{
	const uint64_t one = 1;

	pthread_mutex_lock(&lock);
	STAILQ_INSERT_TAIL(jobs, job, next);
	pthread_mutex_unlock(&lock);
	if (write(ready, &one, sizeof(one)) != sizeof(one))
		abort();
}

static struct job *get(struct jobs *jobs)
{
	struct job *job;

	pthread_mutex_lock(&lock);
	job = STAILQ_FIRST(jobs);
	if (job)
		STAILQ_REMOVE_HEAD(jobs, next);
	pthread_mutex_unlock(&lock);
	return job;
}

static void *work(void *user)
{
	uint64_t count;

	while (read(work_ready, &count, sizeof(count)) == sizeof(count)) {
		struct job *job = get(&requests);
		char answer[ANSWER_MAX];

		job->bytes = kinds_answer(job->text, job->bytes, answer);
		for (size_t i = 0; i < job->bytes; i++)
			job->text[i] = answer[i];
		put(&answers, job, answers_ready);
	}
	return user;
}

static void send_answers(void)
{
	uint64_t count;

	if (read(answers_ready, &count, sizeof(count)) < 0)
		return;
	for (struct job *job; (job = get(&answers));) {
		send(job->fd, job->text, job->bytes, MSG_NOSIGNAL);
		free(job);
	}
}

static void add(int fd)
{
	struct epoll_event event = { EPOLLIN, { .fd = fd } };

	if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event))
		abort();
}

static void take_request(int fd)
{
	struct job *job = malloc(sizeof(*job));
	const ssize_t bytes = job ? recv(fd, job->text, sizeof(job->text), 0) : -1;

	if (bytes <= 0) {
		close(fd);
		free(job);
		return;
	}
	job->fd = fd;
	job->bytes = (size_t)bytes;
	put(&requests, job, work_ready);
}

static void on_event(int listener, int fd)
{
	struct signalfd_siginfo info;
	uint64_t count;

	if (fd == listener) {
		fd = accept(listener, NULL, NULL);
		kinds_accepted(fd);
		add(fd);
	} else if (fd == answers_ready) {
		send_answers();
	} else if (fd == timer) {
		if (read(timer, &count, sizeof(count)) != sizeof(count))
			abort();
	} else if (fd == signals) {
		exit(read(signals, &info, sizeof(info)) < 0);
	} else {
		take_request(fd);
	}
}

int main(int argc, char **argv)
{
	const struct itimerspec often = { { 0, 50000000 }, { 0, 50000000 } };
	const int listener = kinds_listen(kinds_begin(argc, argv));
	struct epoll_event event;
	pthread_t thread;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	poller = epoll_create1(EPOLL_CLOEXEC);
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	timerfd_settime(timer, 0, &often, NULL);
	work_ready = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	answers_ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	add(listener);
	add(signals);
	add(timer);
	add(answers_ready);
	for (int i = 0; i < 2; i++)
		pthread_create(&thread, NULL, work, NULL);
	for (;;)
		if (epoll_wait(poller, &event, 1, -1) > 0)
			on_event(listener, event.data.fd);
}
