// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs one of the module's tests by name; without a name, lists them. There are also other commands: `load` makes
 * system calls forever, `trace PID` traces that process for a short time, `cost none|other|self` times a call,
 * `soak SECONDS SEED` makes sessions at random, `probe_hold`, `delay_hold` and `delay_play` serve run.sh.
 */
#include <string.h>
#include "puppet.h"
#include "tests.h"

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
	{ "smoke", test_smoke },
	{ "stack_copy", test_stack_copy },
	{ "stack_chain", test_stack_chain },
	{ "stack_begin", test_stack_begin },
	{ "stack_limit", test_stack_limit },
	{ "stack_kernel", test_stack_kernel },
	{ "table_walk", test_table_walk },
	{ "table_copies", test_table_copies },
	{ "table_fork", test_table_fork },
	{ "table_refuse", test_table_refuse },
	{ "table_shared", test_table_shared },
	{ "table_random", test_table_random },
	{ "sessions", test_sessions },
	{ "writers", test_writers },
	{ "reader_killed", test_reader_killed },
	{ "target_gone", test_target_gone },
	{ "refuse", test_refuse },
	{ "family", test_family },
	{ "exec_of_thread", test_exec_of_thread },
	{ "odd_calls", test_odd_calls },
	{ "flush_open_call", test_flush_open_call },
	{ "calls_alone", test_calls_alone },
	{ "rename", test_rename },
	{ "block", test_block },
	{ "bio", test_bio },
	{ "counted", test_counted },
	{ "stall", test_stall },
	{ "causes", test_causes },
	{ "peer", test_peer },
	{ "received", test_received },
	{ "flight_wraps", test_flight_wraps },
	{ "snapshot", test_snapshot },
	{ "snapshot_small", test_snapshot_small },
	{ "notices", test_notices },
	{ "listen", test_listen },
	{ "flush", test_flush },
	{ "memory", test_memory },
	{ "probe_time", test_probe_time },
	{ "guard", test_guard },
	{ "guard_traps", test_guard_traps },
	{ "guard_delays", test_guard_delays },
	{ "cpu_comes", test_cpu_comes },
	{ "protocol", test_protocol },
	{ "attributes", test_attributes },
	{ "random", test_random },
	{ "privileges", test_privileges },
	{ "pid_namespaces", test_pid_namespaces },
	{ "family_ways", test_family_ways },
	{ "leader_gone", test_leader_gone },
	{ "pid_reuse", test_pid_reuse },
	{ "odd_arguments", test_odd_arguments },
	{ "rewritten_call", test_rewritten_call },
	{ "filter_thread", test_filter_thread },
	{ "filter_process_changes", test_filter_process_changes },
	{ "filter_removes_descendants", test_filter_removes_descendants },
	{ "filter_names", test_filter_names },
	{ "filter_cgroup", test_filter_cgroup },
	{ "filter_syscalls", test_filter_syscalls },
	{ "stack_change", test_stack_change },
	{ "stack_hole", test_stack_hole },
	{ "probe_kernel", test_probe_kernel },
	{ "probe_user", test_probe_user },
	{ "probe_deleted", test_probe_deleted },
	{ "probe_stack", test_probe_stack },
	{ "probe_refuse", test_probe_refuse },
	{ "probe_churn", test_probe_churn },
	{ "delay_sleep", test_delay_sleep },
	{ "delay_spin", test_delay_spin },
	{ "delay_together", test_delay_together },
	{ "delay_caps", test_delay_caps },
	{ "delay_debts", test_delay_debts },
	{ "delay_choice", test_delay_choice },
	{ "delay_threads", test_delay_threads },
	{ "delay_replace", test_delay_replace },
	{ "delay_ends", test_delay_ends },
	{ "delay_owner_killed", test_delay_owner_killed },
	{ "delay_refuse", test_delay_refuse },
	{ "delay_off", test_delay_off },
	{ "coexist_entry", test_coexist_entry },
	{ "coexist_kernel", test_coexist_kernel },
	{ "coexist_user", test_coexist_user },
	{ "coexist_sessions", test_coexist_sessions },
	{ "coexist_refuse", test_coexist_refuse },
	{ "speedup", test_speedup },
	{ "speedup_blocked", test_speedup_blocked },
	{ "speedup_peers", test_speedup_peers },
	{ "speedup_ends", test_speedup_ends },
	{ "speedup_caps", test_speedup_caps },
	{ "nmi", test_nmi },
	{ "zombies", test_zombies },
	{ "state_of_many", test_state_of_many },
	{ "maps", test_maps },
	{ "buffers", test_buffers },
	{ "unload_in_use", test_unload_in_use },
	{ "failing_calls", test_failing_calls },
	{ "failing_starts", test_failing_starts },
	{ "failing_allocations", test_failing_allocations },
};

int main(int argc, char **argv)
{
	size_t i;

	if (argc >= 2 && !strcmp(argv[1], "puppet"))
		puppet_main(argc, argv);
	if (argc == 3 && !strcmp(argv[1], "probe_hold"))
		test_probe_hold(atoi(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "delay_hold"))
		test_delay_hold(atoi(argv[2]));
	if (argc == 2 && !strcmp(argv[1], "load"))
		test_load();
	if (argc == 3 && !strcmp(argv[1], "trace"))
		return test_trace_briefly(atoi(argv[2])), 0;
	if (argc == 3 && !strcmp(argv[1], "cost"))
		return test_cost(argv[2]), 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 2 && !strcmp(argv[1], "delay_play"))
		return test_delay_play(), 0;
	if (argc == 4 && !strcmp(argv[1], "soak"))
		return test_soak(atoi(argv[2]), strtoull(argv[3], NULL, 0)), 0;
	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		if (argc < 2)
			puts(tests[i].name);
		else if (!strcmp(argv[1], tests[i].name))
			return tests[i].run(), 0;
	}
	return argc < 2 ? 0 : 2;
}
