// SPDX-License-Identifier: GPL-2.0-only
/* A process whose threads repeatedly call close() with their own number, negative, and take requested names. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests.h"
#include "worker.h"

static void *worker_thread(void *data)
{
	struct worker *worker = *(struct worker **)data;
	long index = *((long *)data + 1), turn;
	int32_t tid = syscall(SYS_gettid);
	struct timespec nap = { 0, 50000 };

	worker->tid[index] = tid;
	for (turn = 0;; turn++) {
		syscall(SYS_close, -tid);
		if (turn % 16 == 15)
			syscall(SYS_nanosleep, &nap, NULL);
		if (!worker->name[index][0])
			continue;
		prctl(PR_SET_NAME, worker->name[index]);
		worker->name[index][0] = 0;
	}
	return NULL;
}

static void worker_main(struct worker *worker)
{
	static struct {
		struct worker *worker;
		long index;
	} arguments[WORKER_THREADS];
	pthread_t thread;
	long i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (i = 0; i < WORKER_THREADS; i++) {
		arguments[i].worker = worker;
		arguments[i].index = i;
		if (i)
			pthread_create(&thread, NULL, worker_thread, &arguments[i]);
	}
	worker_thread(&arguments[0]);
}

struct worker *worker_begin(void)
{
	struct worker *worker = mmap(NULL, sizeof(*worker), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = fork();
	int i;

	CHECK(worker != MAP_FAILED);
	if (!pid)
		worker_main(worker);
	worker->pid = pid;
	for (i = 0; i < WORKER_THREADS; i++)
		while (!worker->tid[i])
			usleep(1000);
	return worker;
}

void worker_end(struct worker *worker)
{
	kill(worker->pid, SIGKILL);
	waitpid(worker->pid, NULL, 0);
	munmap(worker, sizeof(*worker));
}

void worker_rename(struct worker *worker, int index, const char *name)
{
	strcpy((char *)worker->name[index], name);
	while (worker->name[index][0])
		usleep(500);
}
