// SPDX-License-Identifier: GPL-2.0-only
/* Finds the kernel's load address, and the names of its functions that samples hit. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "capture/capture_internal.h"
#include "proc/kernel_names.h"

#define KALLSYMS "/proc/kallsyms"

int scope_capture_find_kernel(struct scope_capture_run *capture)
{
	struct scope_capture_options *options = &capture->options;
	FILE *kallsyms;
	int err;

	if (!options->sample_period_ns || options->stack_mode == SCOPE_STACK_NONE)
		return 0;
	kallsyms = fopen(KALLSYMS, "re");
	if (!kallsyms) {
		scope_error_set(&capture->no_kernel, -errno, KALLSYMS ": %s", strerror(errno));
		return 0;
	}
	err = scope_proc_kernel_base(kallsyms, &capture->no_kernel, &options->kernel_base);
	fclose(kallsyms);
	options->kernel_ips = !err;
	return err ? 0 : scope_proc_kernel_names_create(options->kernel_base, &capture->kernel_names);
}

int scope_capture_write_kernel(struct scope_capture_run *capture, int (*while_waiting)(void *context))
{
	FILE *kallsyms = capture->kernel_names ? fopen(KALLSYMS, "re") : NULL;
	int err;

	if (!kallsyms)
		return 0;
	err = scope_proc_kernel_names_write(capture->kernel_names, kallsyms, while_waiting, capture, capture->writer);
	fclose(kallsyms);
	return err;
}
