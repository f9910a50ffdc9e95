// SPDX-License-Identifier: GPL-2.0-only
/* Says what a cause outside the program is, and what to do. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rank/outside.h"

#define ID_WHOLE 16 /* no rule: more hexadecimal digits in a row are an id */
#define ID_SHOWN 12 /* no rule: of an id */

/* "3.2 s", "147 ms". */
struct text {
	char text[96];
};

static const char *time_of(struct text *buffer, double ns)
{
	const double value = ns >= 1e9 ? ns / 1e9 : ns >= 1e5 ? ns / 1e6 : ns / 1e3;

	snprintf(buffer->text, sizeof(buffer->text), "%.*f %s",
		 value >= 100 || value == 0 ? 0
		 : value >= 1		    ? 1
					    : 2,
		 value,
		 ns >= 1e9   ? "s"
		 : ns >= 1e5 ? "ms"
			     : "µs");
	return buffer->text;
}

/* The path of a control group, with ids in hexadecimal as short as tools for containers take them. */
static const char *short_group(struct text *buffer, const char *group)
{
	size_t used = 0;

	while (*group && used + ID_SHOWN + sizeof("…") < sizeof(buffer->text)) {
		const size_t id = strspn(group, "0123456789abcdef");
		const size_t taken = id ? id : 1;
		const bool cut = id > ID_WHOLE;

		if (!cut && used + taken >= sizeof(buffer->text))
			break;
		used += (size_t)snprintf(buffer->text + used, sizeof(buffer->text) - used, "%.*s%s",
					 (int)(cut ? ID_SHOWN : taken), group, cut ? "…" : "");
		group += taken;
	}
	buffer->text[used] = '\0';
	return buffer->text;
}

static void say_taken(const struct scope_outside_cause *cause, char *text, size_t room)
{
	struct text group;

	if (!cause->name)
		snprintf(text, room,
			 "CPU taken: processes that ended before their names could be read ran during %.0f %% of the "
			 "waits for a CPU.",
			 100 * cause->share);
	else
		snprintf(text, room,
			 "CPU taken: other processes ran during %.0f %% of the waits for a CPU, %s (pid %" PRIu32
			 "%s%s) during %.0f %% of that.",
			 100 * cause->share, cause->name, cause->tgid, cause->group ? ", control group " : "",
			 cause->group ? short_group(&group, cause->group) : "", 100 * cause->most);
}

static void say_device(const struct scope_outside_cause *cause, char *text, size_t room)
{
	const struct scope_device *device = &cause->device;
	const double requests = (double)device->requests;
	struct text queue, took;

	snprintf(text, room,
		 "Slow device: %.0f %% of the time with work to do was spent asleep for a disk. %" PRIu64
		 " requests to block device %u:%u%s%.60s%s took %s each on it, after %s in its queue%s%.60s.",
		 100 * cause->share, device->requests, device->dev >> SCOPE_BLOCK_MINOR_BITS,
		 device->dev & ((1u << SCOPE_BLOCK_MINOR_BITS) - 1), cause->device_name ? " (" : "",
		 cause->device_name ? cause->device_name : "", cause->device_name ? ")" : "",
		 time_of(&took, device->device_ns / requests), time_of(&queue, device->queue_ns / requests),
		 cause->at.file ? ", most for " : "", cause->at.file ? cause->at.file : "");
}

/* "10.0.0.5:5432", "127.0.0.1:6379, which is redis (pid 4711)" */
static void say_peer(const struct scope_outside_cause *cause, char *text, size_t room)
{
	const struct scope_fd_time *time = &cause->at.time;
	const struct scope_trace_peer *peer = &cause->at.peer;
	const double usual_ns = scope_waits_fd_time_mean(time->others_ns, time->others);
	struct text slow, usual;
	size_t used = (size_t)snprintf(
		text, room, "Slow peer: %.0f %% of the time of slow requests was spent waiting for %s",
		100 * cause->share, peer->address[0] ? peer->address : "a peer whose address the capture did not find");

	if (peer->pid && used < room)
		used += (size_t)snprintf(text + used, room - used, ", which is %.40s (pid %" PRIu32 ")", peer->name,
					 peer->pid);
	if (used < room)
		used += (size_t)snprintf(text + used, room - used, ": %s each",
					 time_of(&slow, scope_waits_fd_time_mean(time->slow_ns, time->slow)));
	if (usual_ns > 0 && used < room)
		used += (size_t)snprintf(text + used, room - used, " instead of %s", time_of(&usual, usual_ns));
	if (used < room)
		snprintf(text + used, room - used, ".");
}

static void say_memory(const struct scope_outside_cause *cause, const char *time, const char *window, char *text,
		       size_t room)
{
	static const char *const what[SCOPE_STALL_KINDS] = {
		[SCOPE_STALL_RECLAIM] = "making room because this machine is short of it",
		[SCOPE_STALL_GROUP] = "making room for the limit of control group ",
		[SCOPE_STALL_COMPACT] = "moving pages together for large ones",
		[SCOPE_STALL_PAGE] = "waiting for pages that were swapped out or evicted",
	};
	const bool group = cause->stall == SCOPE_STALL_GROUP;

	if (cause->stall == SCOPE_STALL_KINDS) {
		snprintf(
			text, room,
			"Memory is short: for %.0f %% of the time, %s in %s, a thread of control group %.80s waited for it.",
			100 * cause->share, time, window, cause->group);
		return;
	}
	snprintf(
		text, room,
		"Memory is short: %.0f %% of the time with work to do, %s in %s, went into that, %.0f %% of it into %s%.80s.",
		100 * cause->share, time, window, 100 * cause->stall_most, what[cause->stall],
		group ? cause->group ? cause->group : "that it is in" : "");
}

static const char *memory_remedy(const struct scope_outside_cause *cause)
{
	static const char *const remedy[SCOPE_STALL_KINDS + 1] = {
		[SCOPE_STALL_RECLAIM] =
			"Give the machine more memory, move other programs away, or raise vm.watermark_scale_factor.",
		[SCOPE_STALL_GROUP] =
			"Raise the limit (memory.high, memory.max), or make the program's caches smaller.",
		[SCOPE_STALL_COMPACT] =
			"Set /sys/kernel/mm/transparent_hugepage/defrag to defer or madvise, or free memory.",
		[SCOPE_STALL_PAGE] = "Give it more memory, make its caches smaller, or lower vm.swappiness.",
		[SCOPE_STALL_KINDS] =
			"Give it more memory (memory.high, memory.max, or the machine), or make its caches smaller.",
	};

	return remedy[cause->stall];
}

static void peer_remedy(const struct scope_outside_cause *cause, char *text, size_t room)
{
	if (cause->at.peer.pid)
		snprintf(text, room, "Look at that process first (scope-report -p %" PRIu32 "), or ask it less often.",
			 cause->at.peer.pid);
	else
		snprintf(
			text, room,
			"Look at that machine and the way to it first (ss -ti), set a time limit, or ask it less often.");
}

void scope_rank_outside_say(const struct scope_outside_cause *cause, char *text, size_t room)
{
	struct text time, window, quota, period, group;

	time_of(&time, cause->ns);
	time_of(&window, (double)cause->window_ns);
	switch (cause->kind) {
	case SCOPE_OUTSIDE_THROTTLED:
		snprintf(text, room,
			 "Throttled: in %" PRIu64 " of %" PRIu64
			 " periods, %s in %s, by the limit of %s of CPU time per %s of control group %s.",
			 cause->throttled, cause->periods, time.text, window.text,
			 time_of(&quota, (double)cause->quota_us * 1e3),
			 time_of(&period, (double)cause->period_us * 1e3), short_group(&group, cause->group));
		return;
	case SCOPE_OUTSIDE_TAKEN:
		say_taken(cause, text, room);
		return;
	case SCOPE_OUTSIDE_STOLEN:
		snprintf(
			text, room,
			"Stolen by the hypervisor: %.0f %% of the time in which this machine wanted its CPUs, %s in %s.",
			100 * cause->share, time.text, window.text);
		return;
	case SCOPE_OUTSIDE_DEVICE:
		say_device(cause, text, room);
		return;
	case SCOPE_OUTSIDE_PEER:
		say_peer(cause, text, room);
		return;
	case SCOPE_OUTSIDE_MEMORY:
		say_memory(cause, time.text, window.text, text, room);
		return;
	default:
		snprintf(text, room, "Interrupts: %.0f %% of the time in which CPUs were busy, %s in %s.",
			 100 * cause->share, time.text, window.text);
	}
}

void scope_rank_outside_remedy(const struct scope_outside_cause *cause, char *text, size_t room)
{
	static const char *const remedy[] = {
		[SCOPE_OUTSIDE_THROTTLED] =
			"Raise the limit (cpu.max, or cpu.cfs_quota_us), or make what runs cheaper.",
		[SCOPE_OUTSIDE_TAKEN] =
			"Move them to another machine or other CPUs, or give them less weight (cpu.weight, nice).",
		[SCOPE_OUTSIDE_STOLEN] = "Ask for dedicated CPUs, or move this machine to a host with less load.",
		[SCOPE_OUTSIDE_INTERRUPTS] =
			"Look at /proc/interrupts and /proc/softirqs, and spread them over more CPUs, or coalesce them.",
		[SCOPE_OUTSIDE_DEVICE] =
			"Look at the device (lsblk, iostat -x, its health), give it fewer requests, or move its files.",
	};

	if (cause->kind == SCOPE_OUTSIDE_PEER)
		peer_remedy(cause, text, room);
	else
		snprintf(text, room, "%s",
			 cause->kind == SCOPE_OUTSIDE_MEMORY ? memory_remedy(cause) : remedy[cause->kind]);
}
