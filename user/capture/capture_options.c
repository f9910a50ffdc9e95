// SPDX-License-Identifier: GPL-2.0-only
/* The default options of a capture on this machine. */
#include <unistd.h>

#include <scope/table.h>

#include "capture/capture.h"
#include "capture/defaults.h"

void scope_capture_options_init(struct scope_capture_options *options, uint32_t pid)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	*options = (struct scope_capture_options){
		.pid = pid,
		.duration_ns = SCOPE_DEFAULT_DURATION_NS,
		.follow = true,
		.stack_mode = (enum scope_stack_mode)SCOPE_STACK_TABLES,
		.stack_bytes = SCOPE_DEFAULT_STACK_BYTES,
		.stack_min_ns = SCOPE_DEFAULT_STACK_MIN_NS,
		.stacks_per_second = SCOPE_DEFAULT_STACKS_PER_SECOND,
		.stack_budget = SCOPE_STACK_BUDGET_DEFAULT,
		.sample_period_ns = scope_capture_default_sample_period_ns(cpus > 0 ? (uint32_t)cpus : 1),
		.subbuf_bytes = SCOPE_DEFAULT_SUBBUF_BYTES,
		.subbuf_count = SCOPE_DEFAULT_SUBBUF_COUNT,
		.overhead_max = SCOPE_DEFAULT_OVERHEAD_MAX,
	};
	options->sample_period_min_ns = options->sample_period_ns / SCOPE_DEFAULT_SAMPLE_TIMES;
	scope_capture_default_stack_syscalls(options->stack_syscalls);
	scope_capture_default_arg_counts(options->arg_counts);
}

void scope_capture_options_flight(struct scope_capture_options *options, uint32_t cpus)
{
	options->duration_ns = 0;
	options->stacks_per_second = SCOPE_DEFAULT_FLIGHT_STACKS_PER_SECOND;
	if (options->sample_period_ns)
		options->sample_period_ns = scope_capture_default_flight_period_ns(cpus);
	options->sample_period_min_ns = options->sample_period_ns;
}
