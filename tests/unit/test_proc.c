// SPDX-License-Identifier: GPL-2.0-only
/* Data of /proc about child processes of this test: pids, maps, threads. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/defaults.h"
#include "close_all.h"
#include "proc/proc.h"
#include "proc/target.h"

static void test_maps(void **state)
{
	struct scope_proc_maps maps;
	struct scope_proc *proc;
	int own = 0, vdso = 0;
	char exe[256];
	ssize_t length;
	size_t i;

	(void)state;
	length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	assert_true(length > 0);
	exe[length] = '\0';
	assert_int_equal(scope_proc_create(NULL, &proc), 0);
	assert_int_equal(scope_proc_maps_read(proc, (uint32_t)getpid(), &maps), 0);
	for (i = 0; i < maps.count; i++) {
		const struct scope_trace_map *map = &maps.map[i];

		assert_true(map->start < map->end);
		if (!strcmp(map->path, "[vdso]"))
			vdso += map->executable;
		if (strcmp(map->path, exe))
			continue;
		if (map->executable && map->start <= (uintptr_t)test_maps && (uintptr_t)test_maps < map->end)
			own++;
		/* gcc of Debian asks the linker for a build-id of 20 bytes. */
		assert_int_equal(strlen(map->build_id), 40);
		assert_int_equal(strspn(map->build_id, "0123456789abcdef"), 40);
	}
	assert_int_equal(own, 1);
	assert_int_equal(vdso, 1);
	scope_proc_maps_destroy(&maps);
	assert_int_not_equal(scope_proc_maps_read(proc, 4194303, &maps), 0);
	scope_proc_destroy(proc);
}

static void assert_refused(uint32_t pid, int code, const char *part)
{
	struct scope_error error = { 0 };
	struct scope_target target;

	assert_int_equal(scope_proc_target_find(pid, &error, &target), code);
	if (!strstr(error.text, part))
		fail_msg("'%s' does not say '%s'", error.text, part);
}

static void test_no_process(void **state)
{
	(void)state;
	assert_refused(0, -EINVAL, "no process number");
	assert_refused(4194304, -EINVAL, "no process number");
	assert_refused(4194303, -ESRCH, "no process 4194303");
}

static void test_kernel_thread(void **state)
{
	FILE *file = fopen("/proc/2/comm", "r");
	char name[32] = "";

	(void)state;
	if (file) {
		if (!fgets(name, sizeof(name), file))
			name[0] = '\0';
		fclose(file);
	}
	if (strcmp(name, "kthreadd\n"))
		skip(); /* in a container */
	assert_refused(2, -EINVAL, "kernel thread kthreadd");
}

static void test_zombie(void **state)
{
	siginfo_t info;
	const pid_t child = fork();

	(void)state;
	if (!child)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	assert_refused((uint32_t)child, -ESRCH, "zombie");
	waitpid(child, NULL, 0);
	assert_refused((uint32_t)child, -ESRCH, "no process");
}

static void *write_tid(void *argument)
{
	int *fd = argument, tid = (int)syscall(SYS_gettid);
	char byte;

	if (write(fd[1], &tid, sizeof(tid)) != sizeof(tid) || read(fd[2], &byte, 1) < 0)
		return NULL;
	return NULL;
}

static void test_thread(void **state)
{
	struct scope_target target;
	struct scope_error error;
	pthread_t thread;
	int fd[4], tid;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(pipe(fd + 2), 0);
	assert_int_equal(pthread_create(&thread, NULL, write_tid, fd), 0);
	assert_int_equal(read(fd[0], &tid, sizeof(tid)), sizeof(tid));
	assert_int_equal(scope_proc_target_find((uint32_t)tid, &error, &target), 0);
	assert_int_equal(target.tgid, getpid());
	assert_non_null(strstr(target.note, "is a thread of process"));
	assert_int_equal(scope_proc_target_find((uint32_t)getpid(), &error, &target), 0);
	assert_string_equal(target.note, "");
	close(fd[3]);
	pthread_join(thread, NULL);
	close_all(fd, 3);
}

/* The first thread of a process ends, another lives on: it can be traced, and has maps. */
static void *outlive(void *argument)
{
	char byte;

	if (read(*(int *)argument, &byte, 1) < 0)
		_exit(1);
	_exit(0);
}

static void run_headless(int fd)
{
	static int kept;
	pthread_t thread;

	kept = fd;
	if (pthread_create(&thread, NULL, outlive, &kept))
		_exit(1);
	pthread_exit(NULL);
}

static void wait_for_zombie_leader(pid_t child)
{
	char path[64], line[256], state = '?';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", child);
	while (state != 'Z') {
		file = fopen(path, "r");
		assert_non_null(file);
		if (fgets(line, sizeof(line), file) && strrchr(line, ')'))
			state = strrchr(line, ')')[2];
		fclose(file);
		usleep(1000);
	}
}

static void test_headless_process(void **state)
{
	struct scope_proc_maps maps;
	struct scope_target target;
	struct scope_error error;
	struct scope_proc *proc;
	pid_t child;
	int fd[2];

	(void)state;
	assert_int_equal(pipe(fd), 0);
	child = fork();
	if (!child) {
		close(fd[1]);
		run_headless(fd[0]);
	}
	wait_for_zombie_leader(child);
	assert_int_equal(scope_proc_target_find((uint32_t)child, &error, &target), 0);
	assert_int_equal(scope_proc_create(NULL, &proc), 0);
	assert_int_equal(scope_proc_maps_read(proc, (uint32_t)child, &maps), 0);
	assert_true(maps.count > 3);
	scope_proc_maps_destroy(&maps);
	scope_proc_destroy(proc);
	close_all(fd, 2);
	waitpid(child, NULL, 0);
}

/* A PID namespace of its own serves as a container; the child is number 1 in it. */
static void test_inner_pid(void **state)
{
	pid_t child;
	int fd[2];
	char byte;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	child = (pid_t)syscall(SYS_clone, SIGCHLD | CLONE_NEWPID, NULL, NULL, NULL, 0);
	if (child < 0) {
		close_all(fd, 2);
		skip(); /* needs root */
	}
	if (!child) {
		/* Number 2 is a kernel thread outside; here it is a process. */
		if (!fork() && write(fd[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(fd[0], &byte, 1), 1);
	assert_refused(2, -EINVAL, "inside the container of ");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close_all(fd, 2);
}

static void test_tree(void **state)
{
	uint32_t *tgids, grandchild = 0;
	size_t count, i;
	pid_t child, inner;
	bool seen = false;
	int fd[2];

	(void)state;
	assert_int_equal(pipe(fd), 0);
	child = fork();
	if (!child) {
		inner = fork();
		if (inner && write(fd[1], &inner, sizeof(inner)) != sizeof(inner))
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(fd[0], &grandchild, sizeof(grandchild)), sizeof(grandchild));
	assert_int_equal(scope_proc_target_tree((uint32_t)child, &tgids, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(tgids[0], child);
	assert_int_equal(tgids[1], grandchild);
	free(tgids);
	assert_int_equal(scope_proc_target_tree((uint32_t)getpid(), &tgids, &count), 0);
	for (i = 0; i < count; i++)
		seen |= tgids[i] == grandchild;
	assert_true(seen);
	free(tgids);
	kill((pid_t)grandchild, SIGKILL);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close_all(fd, 2);
}

static void test_defaults(void **state)
{
	uint8_t counts[SCOPE_SYSCALL_MAX];

	(void)state;
	scope_capture_default_arg_counts(counts);
	assert_int_equal(counts[SYS_read], 1);
	assert_int_equal(counts[SYS_futex], 3);
	assert_int_equal(counts[SYS_getpid], 0);
	assert_int_equal(scope_capture_default_sample_period_ns(1), 2003000);
	assert_int_equal(scope_capture_default_sample_period_ns(4), 2003000);
	/* 64 CPUs, one sample each in this time: at most 2000 a second. */
	assert_true(scope_capture_default_sample_period_ns(64) >= 32000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_maps),	      cmocka_unit_test(test_no_process),
		cmocka_unit_test(test_kernel_thread), cmocka_unit_test(test_zombie),
		cmocka_unit_test(test_thread),	      cmocka_unit_test(test_headless_process),
		cmocka_unit_test(test_inner_pid),     cmocka_unit_test(test_tree),
		cmocka_unit_test(test_defaults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
