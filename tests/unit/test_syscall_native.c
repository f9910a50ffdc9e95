// SPDX-License-Identifier: GPL-2.0-only
/* Numbers of 32-bit system calls become those of the equivalent native calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>
#include <scope/event.h>

#include "base/syscall_name.h"

static void test_native(void **state)
{
	static const struct {
		uint16_t small, native;
	} rows[] = {
#ifdef __x86_64__
		/* arch/x86/entry/syscalls/syscall_32.tbl */
		{ 3, SYS_read },
		{ 4, SYS_write },
		{ 6, SYS_close },
		{ 7, SYS_wait4 },
		{ 29, SYS_pause },
		{ 142, SYS_select },
		{ 168, SYS_poll },
		{ 192, SYS_mmap },
		{ 195, SYS_stat },
		{ 221, SYS_fcntl },
		{ 240, SYS_futex },
		{ 256, SYS_epoll_wait },
		{ 300, SYS_newfstatat },
		{ 364, SYS_accept4 },
		{ 371, SYS_recvfrom },
		{ 407, SYS_clock_nanosleep },
		{ 414, SYS_ppoll },
		{ 422, SYS_futex },
		/* socketcall and ipc put their arguments elsewhere, _llseek in another order. */
		{ 102, SCOPE_SYSCALL_FOREIGN },
		{ 117, SCOPE_SYSCALL_FOREIGN },
		{ 140, SCOPE_SYSCALL_FOREIGN },
#endif
		{ 511, SCOPE_SYSCALL_FOREIGN },
		{ 1000, SCOPE_SYSCALL_FOREIGN },
		{ SCOPE_NR_NONE, SCOPE_NR_NONE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(scope_syscall_native(SCOPE_ABI_32, rows[i].small), rows[i].native);
	assert_int_equal(scope_syscall_native(SCOPE_ABI_NATIVE, 3), 3);
	assert_int_equal(scope_syscall_native(SCOPE_ABI_X32, 3), 3);
	assert_null(scope_syscall_name(SCOPE_SYSCALL_FOREIGN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_native),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
