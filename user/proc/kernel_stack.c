// SPDX-License-Identifier: GPL-2.0-only
/* Reads /proc/TID/stack. */
#include "proc/kernel_stack.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "proc/file.h"
#include "proc/reader.h"

/* True for entry functions of system calls, which every call has. They are left out. */
static bool is_entry(const char *name, size_t bytes)
{
	static const char *const rows[] = {
		"entry_",	    "do_syscall_",	  "x64_sys_call",  "__x64_sys_",      "__ia32_sys_",
		"__do_sys_",	    "__se_sys_",	  "el0",	   "invoke_syscall",  "ret_from_",
		"do_el0_svc",	    "__arm64_sys_",	  "system_call_",  "__switch_to_asm", "do_int80_",
		"do_fast_syscall_", "__do_fast_syscall_", "ia32_sys_call",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (bytes >= strlen(rows[i]) && !strncmp(name, rows[i], strlen(rows[i])))
			return true;
	return false;
}

static size_t name_bytes(const char *name)
{
	size_t bytes = 0;

	while (isalnum((unsigned char)name[bytes]) || (name[bytes] && strchr("_.$", name[bytes])))
		bytes++;
	return bytes;
}

/* Names of the functions in the text of that file, which may be invalid: see scope_proc_kernel_stack_read(). */
static void parse(const char *text, char ret_names[SCOPE_KERNEL_STACK_BYTES])
{
	size_t used = 0;

	/* "[<0>] futex_wait+0x11a/0x2a0"; kernels before 4.15 have an address for the 0. */
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *name = line + strcspn(line, "]\n");
		size_t bytes;

		if (*name != ']')
			continue;
		name += 1 + strspn(name + 1, " ?");
		bytes = name_bytes(name);
		if (!bytes || name[bytes] != '+' || is_entry(name, bytes))
			continue;
		if (used + 1 + bytes + 1 > SCOPE_KERNEL_STACK_BYTES)
			break;
		if (used)
			ret_names[used++] = ' ';
		memcpy(ret_names + used, name, bytes);
		used += bytes;
	}
	ret_names[used] = '\0';
}

int scope_proc_kernel_stack_read(struct scope_proc_reader *reader, uint32_t tgid, uint32_t tid,
				 struct scope_error *error, char ret_names[SCOPE_KERNEL_STACK_BYTES])
{
	char *text;
	size_t bytes;
	int err = scope_proc_reader_text(reader, SCOPE_PROC_STACK, tgid, tid, &text, &bytes);

	if (err == -ENOENT) {
		err = scope_proc_file_read(&text, "/proc/%u/comm", tid);
		if (err)
			return -ESRCH;
		free(text);
		return scope_error_set(error, -ENOENT, "this kernel was built without CONFIG_STACKTRACE");
	}
	if (err == -EPERM || err == -EACCES)
		return scope_error_set(error, err,
				       "/proc/%u/stack may not be read: run as root of the "
				       "host (CAP_SYS_ADMIN and CAP_SYS_PTRACE)",
				       tid);
	if (err == -ETIMEDOUT) /* this reason may be true for this thread only */
		return -ESRCH;
	if (err)
		return err == -ESRCH ? err : scope_error_set(error, err, "/proc/%u/stack: %s", tid, strerror(-err));
	parse(text, ret_names);
	free(text);
	return 0;
}
