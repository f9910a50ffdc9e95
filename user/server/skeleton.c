// SPDX-License-Identifier: GPL-2.0-only
/* How a server divides its work among threads. */
#include "server/skeleton.h"

#include "server/network.h"

const char *scope_server_skeleton_name(enum scope_skeleton_form form)
{
	static const char *const name[SCOPE_SKELETON_FORMS] = {
		[SCOPE_SKELETON_NONE] = "none",
		[SCOPE_SKELETON_EVENT_LOOP] = "event_loop",
		[SCOPE_SKELETON_THREAD_EACH] = "thread_per_connection",
		[SCOPE_SKELETON_PROCESS_EACH] = "process_per_connection",
		[SCOPE_SKELETON_QUEUE] = "connection_queue",
		[SCOPE_SKELETON_PREFORK] = "prefork",
		[SCOPE_SKELETON_PRETHREAD] = "prethread",
		[SCOPE_SKELETON_DATAGRAMS] = "datagrams",
	};

	return name[form];
}

static bool waits_for_all(uint8_t idle_in)
{
	return idle_in == SCOPE_IDLE_EPOLL || idle_in == SCOPE_IDLE_POLL || idle_in == SCOPE_IDLE_SELECT ||
	       idle_in == SCOPE_IDLE_URING;
}

const char *scope_server_skeleton_model(const struct scope_skeleton *skeleton)
{
	if (!skeleton->network)
		return "none";
	if (waits_for_all(skeleton->network->idle_in))
		return scope_server_idle_name((enum scope_server_idle)skeleton->network->idle_in);
	return skeleton->network->idle_in == SCOPE_IDLE_NONE ? "nonblocking" : "blocking";
}

/* A thread or process that served several connections is one of a pool. */
static enum scope_skeleton_form form_of(const struct scope_skeleton *skeleton, const struct scope_profile *profile)
{
	const struct scope_stage *network = skeleton->network;
	/*
	 * If a process forks as many processes as there are connections, each has one connection, whatever call it
	 * waits in.
	 */
	const bool each = network && network->processes > 1 && network->processes == network->threads &&
			  !network->accepts && skeleton->accept && profile->lives.count <= network->threads;

	if (!network)
		return SCOPE_SKELETON_NONE;
	if (waits_for_all(network->idle_in) && !each)
		return SCOPE_SKELETON_EVENT_LOOP;
	if (skeleton->datagrams)
		return SCOPE_SKELETON_DATAGRAMS;
	if (network->accepts || network->idle_in == SCOPE_IDLE_ACCEPT)
		return network->processes > 1 ? SCOPE_SKELETON_PREFORK : SCOPE_SKELETON_PRETHREAD;
	if (network->processes > 1)
		return each ? SCOPE_SKELETON_PROCESS_EACH : SCOPE_SKELETON_PREFORK;
	return profile->lives.count > network->threads ? SCOPE_SKELETON_QUEUE : SCOPE_SKELETON_THREAD_EACH;
}

static bool has_first_thread(const struct scope_server *server, const struct scope_stage *stage,
			     struct scope_threads *threads)
{
	for (size_t i = 0; i < server->threads; i++) {
		const struct scope_thread *thread = scope_timeline_threads_at(threads, i);

		if (&server->stage[server->of_thread[i]] == stage && thread->tid == thread->tgid)
			return true;
	}
	return false;
}

/* True if the stage's requests are read from sockets of datagrams. */
static bool reads_datagrams(const struct scope_profile *profile, uint32_t stage)
{
	uint64_t datagrams = 0, streams = 0;

	for (size_t i = 0; i < profile->paths; i++)
		for (size_t j = 0; profile->path[i].stage == stage && j < profile->path[i].steps; j++) {
			const struct scope_profile_step *step = &profile->path[i].step[j];

			datagrams += step->kind == SCOPE_FD_DATAGRAM ? step->calls : 0;
			streams += step->kind == SCOPE_FD_ACCEPTED ? step->calls : 0;
		}
	return datagrams > streams;
}

struct scope_skeleton scope_server_skeleton_of(const struct scope_server *server, const struct scope_profile *profile,
					       struct scope_threads *threads)
{
	struct scope_skeleton skeleton = {
		.network = scope_server_find(server, SCOPE_ROLE_NETWORK),
		.accept = scope_server_find(server, SCOPE_ROLE_ACCEPT),
	};
	const struct scope_stage *network = skeleton.network, *accepts = skeleton.accept;

	if (!network)
		return skeleton;
	if (!accepts && network->accepts)
		accepts = network;
	skeleton.datagrams = reads_datagrams(profile, (uint32_t)(network - server->stage));
	skeleton.form = form_of(&skeleton, profile);
	skeleton.accept_dispatch = accepts && !has_first_thread(server, accepts, threads);
	skeleton.network_dispatch = accepts && accepts != network;
	for (size_t i = 0; i < server->stages; i++)
		skeleton.work_dispatch |= scope_server_passes_on(server, network, &server->stage[i]) >=
					  SCOPE_SERVER_PASSED_ON;
	return skeleton;
}
