/* SPDX-License-Identifier: GPL-2.0-only */
/* Causes outside the program, for the rules of the verdict: whether one applies, and its sentence. */
#ifndef SCOPE_RANK_VERDICT_OUTSIDE_H
#define SCOPE_RANK_VERDICT_OUTSIDE_H

#include "rank/rank.h"

#define SCOPE_RANK_UNEXPLAINED 0.05 /* unexplained excess, as a share of busy time, that is reported */

/* Excess that no finding explains, as a share of the busy time. */
double scope_rank_unexplained(const struct scope_ranking *ranking);

/* Without regard to findings. Each pair: if the cause applies, and its sentence with what to do. */
bool scope_rank_waits_for_runtime(const struct scope_rank_input *input, const struct scope_ranking *ranking);
void scope_rank_say_runtime(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			    size_t room);
bool scope_rank_clients_pause(const struct scope_rank_input *input, const struct scope_ranking *ranking);
void scope_rank_say_clients(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			    size_t room);
/* More threads of the program have work at once than there are CPUs: not outside, but no function's fault either. */
bool scope_rank_lacks_own_cpu(const struct scope_rank_input *input, const struct scope_ranking *ranking);
void scope_rank_say_own_cpu(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			    size_t room);
bool scope_rank_lacks_cpu(const struct scope_rank_input *input, const struct scope_ranking *ranking);
void scope_rank_say_cpu(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			size_t room);
/* Something in the machine or beyond it: a hypervisor, interrupts, memory, a device, a peer. */
bool scope_rank_host_is_slow(const struct scope_rank_input *input, const struct scope_ranking *ranking);
void scope_rank_say_host(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			 size_t room);

/* Causes that come before the functions that were found: each pair as above. */
bool scope_rank_clients_before_functions(const struct scope_rank_input *input, const struct scope_ranking *ranking);
bool scope_rank_cpu_before_functions(const struct scope_rank_input *input, const struct scope_ranking *ranking);
bool scope_rank_memory_before_functions(const struct scope_rank_input *input, const struct scope_ranking *ranking);
void scope_rank_say_memory(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			   size_t room);
bool scope_rank_device_before_functions(const struct scope_rank_input *input, const struct scope_ranking *ranking);
void scope_rank_say_device(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			   size_t room);
bool scope_rank_peer_before_functions(const struct scope_rank_input *input, const struct scope_ranking *ranking);
void scope_rank_say_peer(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			 size_t room);

#endif
