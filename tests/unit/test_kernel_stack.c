// SPDX-License-Identifier: GPL-2.0-only
/* Kernel functions in which threads sleep: from a given text, and from a thread that sleeps now. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "proc/kernel_stack.c"

static void test_parse(void **state)
{
	static const struct {
		const char *text, *names;
	} rows[] = {
		{ "", "" },
		{ "\n", "" },
		{ "[<0>] futex_wait_queue+0x60/0x90\n[<0>] futex_wait+0x185/0x270\n"
		  "[<0>] do_futex+0x106/0x1b0\n[<0>] __x64_sys_futex+0x8e/0x1d0\n"
		  "[<0>] do_syscall_64+0x55/0xb0\n[<0>] entry_SYSCALL_64_after_hwframe+0x6e/0xd8\n",
		  "futex_wait_queue futex_wait do_futex" },
		/* Before 4.15, with a mark at the end. */
		{ "[<ffffffff811f2a0b>] pipe_wait+0x6b/0x90\n[<ffffffffffffffff>] 0xffffffffffffffff\n", "pipe_wait" },
		/* Of a module, and one that the compiler made. */
		{ "[<0>] nfs4_wait.isra.0+0x1/0x2 [nfsv4]\n[<0>] io.part$1+0x1/0x2", "nfs4_wait.isra.0 io.part$1" },
		{ "[<0>] no_offset\n[<0>]\n]+\n[<0>] +0x1\n[<0>] 0x12+0x1\nno bracket+0x1/0x2\n", "0x12" },
	};
	char names[SCOPE_KERNEL_STACK_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		parse(rows[i].text, names);
		assert_string_equal(names, rows[i].names);
	}
}

/* What does not fit is left out as whole names, from the outer end. */
static void test_long(void **state)
{
	char text[64 * 40] = "", names[SCOPE_KERNEL_STACK_BYTES];

	(void)state;
	for (int i = 0; i < 64; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "[<0>] name_%02d+0x1/0x2\n", i);
	parse(text, names);
	assert_in_range(strlen(names), SCOPE_KERNEL_STACK_BYTES - 9, SCOPE_KERNEL_STACK_BYTES - 1);
	assert_int_equal(strncmp(names, "name_00 name_01 ", 16), 0);
	assert_int_equal(strlen(names) % 8, 7);
}

static void test_asleep(void **state)
{
	struct scope_error error = { "" };
	char names[SCOPE_KERNEL_STACK_BYTES];
	int code = 0, ends[2];
	pid_t child;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child)
		_exit(read(ends[0], names, 1) == 1);
	for (int turn = 0; turn < 1000 && !code; turn++) {
		code = scope_proc_kernel_stack_read(NULL, (uint32_t)child, (uint32_t)child, &error, names);
		if (!code && strstr(names, "pipe_"))
			break;
		usleep(1000);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(ends[0]);
	close(ends[1]);
	if (code) {
		assert_true(code == -EACCES || code == -EPERM || code == -ENOENT);
		assert_true(error.text[0] != '\0');
		print_message("left out: %s\n", error.text);
	} else {
		assert_non_null(strstr(names, "pipe_"));
	}
	assert_int_equal(scope_proc_kernel_stack_read(NULL, (uint32_t)child, (uint32_t)child, &error, names), -ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_asleep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
