/* SPDX-License-Identifier: GPL-2.0-only */
/* The module's tests that are programs: each ends the process with status 1 if it fails. */
#ifndef SCOPE_TESTS_KMOD_TESTS_H
#define SCOPE_TESTS_KMOD_TESTS_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "client.h"
#include "workload.h"

void test_smoke(void);
void test_stack_copy(void);
void test_stack_chain(void);
void test_stack_begin(void);
void test_stack_limit(void);
void test_sessions(void);
void test_writers(void);
void test_reader_killed(void);
void test_target_gone(void);
void test_refuse(void);
void test_family(void);
void test_exec_of_thread(void);
void test_odd_calls(void);
void test_flush_open_call(void);
void test_calls_alone(void);
void test_rename(void);
void test_block(void);
void test_bio(void);
void test_counted(void);
void test_stall(void);
void test_causes(void);
void test_peer(void);
void test_received(void);
void test_flight_wraps(void);
void test_snapshot(void);
void test_listen(void);
void test_flush(void);
void test_memory(void);
void test_snapshot_small(void);
void test_notices(void);
void test_probe_time(void);
void test_guard(void);
void test_guard_traps(void);
void test_guard_delays(void);
void test_cpu_comes(void);
void test_protocol(void);
void test_attributes(void);
void test_random(void);
void test_privileges(void);
void test_pid_namespaces(void);
void test_family_ways(void);
void test_leader_gone(void);
void test_pid_reuse(void);
void test_odd_arguments(void);
void test_rewritten_call(void);
void test_filter_thread(void);
void test_filter_process_changes(void);
void test_filter_removes_descendants(void);
void test_filter_names(void);
void test_filter_cgroup(void);
void test_filter_syscalls(void);
void test_stack_change(void);
void test_stack_hole(void);
void test_stack_kernel(void);
void test_table_walk(void);
void test_table_copies(void);
void test_table_fork(void);
void test_table_refuse(void);
void test_table_shared(void);
void test_table_random(void);
void test_probe_kernel(void);
void test_probe_user(void);
void test_probe_deleted(void);
void test_probe_stack(void);
void test_probe_refuse(void);
void test_probe_churn(void);
void test_delay_sleep(void);
void test_delay_spin(void);
void test_delay_together(void);
void test_delay_caps(void);
void test_delay_debts(void);
void test_delay_choice(void);
void test_delay_threads(void);
void test_delay_replace(void);
void test_delay_ends(void);
void test_delay_owner_killed(void);
void test_delay_refuse(void);
void test_delay_off(void);
void test_coexist_entry(void);
void test_coexist_kernel(void);
void test_coexist_user(void);
void test_coexist_sessions(void);
void test_coexist_refuse(void);
void test_speedup(void);
void test_speedup_blocked(void);
void test_speedup_peers(void);
void test_speedup_ends(void);
void test_speedup_caps(void);
void test_nmi(void);
void test_zombies(void);
void test_state_of_many(void);
void test_maps(void);
void test_buffers(void);
void test_unload_in_use(void);
void test_failing_calls(void);
void test_failing_starts(void);
void test_failing_allocations(void);

void test_soak(uint32_t for_seconds, uint64_t seed);
void test_load(void);
void test_probe_hold(int pid);
void test_delay_hold(int pid);
void test_delay_play(void);
void test_trace_briefly(int pid);
void test_cost(const char *who);

#endif
