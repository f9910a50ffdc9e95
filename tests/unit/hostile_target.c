// SPDX-License-Identifier: GPL-2.0-only
/*
 * A target that tries to block a tracer.
 *
 * Usage: hostile_target MODE
 *
 * Prints a line when its final state is reached, and ends when its standard input does.
 *
 *   stack   threads whose frames are below pages that userfaultfd would have to supply, which never
 *           happens; half of them sleep for good, the others again and again
 *   flip    the same, while these pages are added and removed, until a process waits for one
 *   turn    a thread that computes
 *   many_threads, forks   5,000 threads; 20,000 children, one after another
 *   exec_other   a second thread executes this program again, each second
 *   chroot  its root directory becomes an empty one, and it another user, a second later
 *   fuse    the same, and its program is a file of a FUSE server that stops answering
 *   fuse_alive   the same, with a server that answers
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hostile_fuse.h"

#define THREADS 4
#define PAGE 4096ul
#define ABOVE (64 * 1024)

static int faults = -1; /* nobody reads it */
static atomic_int ready;
static void *_Atomic watched[THREADS]; /* the first such page of each thread */
static const char *word;	       /* after MODE; NULL: none */

static void fail(const char *what)
{
	perror(what);
	exit(77);
}

static void watch_pages(void *from, size_t bytes)
{
	struct uffdio_register region = {
		.range = { (uintptr_t)from, bytes },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	if (ioctl(faults, UFFDIO_REGISTER, &region))
		fail("UFFDIO_REGISTER");
	/* They may be there already, as a part of a huge page. */
	if (madvise(from, bytes, MADV_DONTNEED))
		fail("madvise");
}

/* Whole pages of the frame that nobody wrote to. */
__attribute__((noinline)) static void sleeps_below(unsigned int thread)
{
	const bool for_good = thread % 2;
	volatile char never_written[ABOVE];
	uintptr_t first = ((uintptr_t)never_written + 2 * PAGE) & ~(PAGE - 1);

	watch_pages((void *)first, ABOVE - 4 * PAGE);
	watched[thread] = (void *)first;
	ready++;
	do
		usleep(for_good ? 3600u * 1000000u : 5000);
	while (!for_good);
	__asm__ volatile("" : : "r"(never_written) : "memory");
}

static void *sleeper(void *context)
{
	sleeps_below((unsigned int)(uintptr_t)context);
	return NULL;
}

static void open_faults(void)
{
	struct uffdio_api api = { .api = UFFD_API };

	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (faults < 0 || ioctl(faults, UFFDIO_API, &api))
		fail("userfaultfd");
}

static void begin_stacks(void)
{
	open_faults();
	for (uintptr_t i = 0; i < THREADS; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, sleeper, (void *)i))
			fail("pthread_create");
	}
	while (ready < THREADS)
		usleep(1000);
}

static void *flip(void *context)
{
	struct uffdio_zeropage zero;
	struct uffd_msg message;

	for (unsigned int i = 0; read(faults, &message, sizeof(message)) < 0; i++) {
		zero = (struct uffdio_zeropage){ .range = { (uintptr_t)watched[i % THREADS], PAGE } };
		ioctl(faults, UFFDIO_ZEROPAGE, &zero);
		madvise(watched[i % THREADS], PAGE, MADV_DONTNEED);
	}
	return context;
}

static void begin_flipping(void)
{
	pthread_t thread;

	begin_stacks();
	if (pthread_create(&thread, NULL, flip, NULL))
		fail("pthread_create");
}

static volatile unsigned int sum;

/* On the CPU most of the time, in a function of its own. */
__attribute__((noinline)) static void *turn(void *context)
{
	for (;;) {
		for (unsigned int i = 0; i < 2000000; i++)
			sum += i;
		usleep(1000);
	}
	return context;
}

static void begin_thread(void *(*work)(void *context))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, NULL))
		fail("pthread_create");
}

static void begin_turning(void)
{
	begin_thread(turn);
}

/* This program once more, from a file of a FUSE server of its own. */
static void begin_fuse(void)
{
	const char *where = getenv("TMPDIR");
	struct hostile_fuse fuse = { .bytes = 0 };
	char folder[256], path[300], server[16];
	const int own = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat status;
	pid_t pid;

	snprintf(folder, sizeof(folder), "%s/fuse-XXXXXX", where ? where : "/tmp");
	if (own < 0 || fstat(own, &status) || !mkdtemp(folder))
		fail("own file");
	fuse.bytes = (size_t)status.st_size;
	fuse.content = mmap(NULL, fuse.bytes, PROT_READ, MAP_PRIVATE, own, 0);
	if (fuse.content == MAP_FAILED || fuse_mount(&fuse, folder))
		fail("mount");
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fuse_serve(&fuse);
		_exit(0);
	}
	close(fuse.device);
	snprintf(path, sizeof(path), "%s/" FUSE_FILE_NAME, folder);
	snprintf(server, sizeof(server), "%d", (int)pid);
	execl(path, path, "from_fuse", server, NULL);
	fail("exec");
}

static void begin_silent_fuse(void)
{
	setenv("SILENT", "1", 1);
	begin_fuse();
}

/* As it was executed by begin_fuse(): word is the number of its server. */
static void begin_from_fuse(void)
{
	/* What this program needs of its own file is there before nobody answers any more. */
	if (mlockall(MCL_CURRENT))
		fail("mlockall");
	begin_turning();
	usleep(200000);
	if (getenv("SILENT"))
		kill(atoi(word), SIGSTOP);
}

#define MANY_THREADS 5000

static void *sleep_on(void *context)
{
	for (;;)
		usleep(500000);
	return context;
}

static void begin_many_threads(void)
{
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 * 1024);
	for (int i = 0; i < MANY_THREADS; i++) {
		pthread_t thread;

		if (pthread_create(&thread, &small, sleep_on, NULL))
			fail("5000 threads");
	}
}

#define FORKS 20000

/* As fast as they go, each child ending at once. */
static void *fork_on(void *context)
{
	for (int i = 0; i < FORKS; i++) {
		const pid_t pid = vfork();

		if (!pid)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
	return context;
}

static void begin_forks(void)
{
	begin_thread(fork_on);
}

/* By a thread that is not the first: it takes the number of that. Each second, so that one is in mid-capture. */
static void *exec_later(void *context)
{
	sleep(1);
	execl("/proc/self/exe", "hostile", "exec_other", NULL);
	return context;
}

static void begin_exec(void)
{
	begin_thread(exec_later);
}

/* In mid-capture it has another root directory, without anything in it, and is another user. */
static void *leave_later(void *context)
{
	const char *where = getenv("TMPDIR");
	char folder[256];

	snprintf(folder, sizeof(folder), "%s/root-XXXXXX", where ? where : "/tmp");
	sleep(1);
	if (!mkdtemp(folder) || chroot(folder))
		fail("chroot");
	if (setgid(65534) || setuid(65534))
		fail("setuid");
	for (;;) {
		syscall(SYS_setuid, 65534);
		usleep(1000);
	}
	return context;
}

static void begin_leaving(void)
{
	begin_thread(leave_later);
}

static const struct mode {
	const char *name;
	void (*begin)(void);
} modes[] = {
	{ "stack", begin_stacks },    { "flip", begin_flipping },
	{ "turn", begin_turning },    { "many_threads", begin_many_threads },
	{ "forks", begin_forks },     { "exec_other", begin_exec },
	{ "chroot", begin_leaving },  { "fuse", begin_silent_fuse },
	{ "fuse_alive", begin_fuse }, { "from_fuse", begin_from_fuse },
};

int main(int argc, char **argv)
{
	char byte;

	word = argc > 2 ? argv[2] : NULL;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (argc < 2 || strcmp(modes[i].name, argv[1]))
			continue;
		modes[i].begin();
		puts("ready");
		fflush(stdout);
		while (read(STDIN_FILENO, &byte, 1) > 0)
			;
		return 0;
	}
	fputs("hostile_target: which MODE?\n", stderr);
	return 2;
}
