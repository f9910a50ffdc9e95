// SPDX-License-Identifier: GPL-2.0-only
/* Words that the text form has for numbers. */
#include "trace/text_names.h"

#include <stddef.h>

#include "trace/format.h"

const struct scope_text_words scope_trace_text_states = {
	.count = SCOPE_STATE_OTHER + 1,
	.word = {
		[SCOPE_STATE_RUNNABLE] = "runnable",
		[SCOPE_STATE_SLEEPING] = "sleeping",
		[SCOPE_STATE_DISK] = "disk",
		[SCOPE_STATE_STOPPED] = "stopped",
		[SCOPE_STATE_DEAD] = "dead",
		[SCOPE_STATE_IDLE] = "idle",
		[SCOPE_STATE_OTHER] = "other",
	},
};

const struct scope_text_words scope_trace_text_contexts = {
	.count = SCOPE_CONTEXT_UNKNOWN + 1,
	.word = {
		[SCOPE_CONTEXT_TASK] = "task",
		[SCOPE_CONTEXT_SOFTIRQ] = "softirq",
		[SCOPE_CONTEXT_HARDIRQ] = "hardirq",
		[SCOPE_CONTEXT_NMI] = "nmi",
		[SCOPE_CONTEXT_UNKNOWN] = "unknown",
	},
};

const struct scope_text_words scope_trace_text_interrupts = {
	.count = SCOPE_INTERRUPTS,
	.word = {
		[SCOPE_INTERRUPT_UNKNOWN] = "unknown",
		[SCOPE_INTERRUPT_TIMER] = "timer",
		[SCOPE_INTERRUPT_NET] = "net",
		[SCOPE_INTERRUPT_BLOCK] = "block",
		[SCOPE_INTERRUPT_DEVICE] = "device",
		[SCOPE_INTERRUPT_TASKLET] = "tasklet",
		[SCOPE_INTERRUPT_RCU] = "rcu",
		[SCOPE_INTERRUPT_SCHED] = "sched",
		[SCOPE_INTERRUPT_OTHER] = "other",
	},
};

const struct scope_text_words scope_trace_text_block_ops = {
	.count = SCOPE_BLOCK_OTHER + 1,
	.word = {
		[SCOPE_BLOCK_READ] = "read",
		[SCOPE_BLOCK_WRITE] = "write",
		[SCOPE_BLOCK_FLUSH] = "flush",
		[SCOPE_BLOCK_DISCARD] = "discard",
		[SCOPE_BLOCK_OTHER] = "other",
	},
};

const struct scope_text_words scope_trace_text_outcomes = {
	.count = SCOPE_FILE_UNREADABLE + 1,
	.word = {
		[0] = "none",
		[SCOPE_FILE_READ] = "read",
		[SCOPE_FILE_DEBUG] = "debug",
		[SCOPE_FILE_OTHER] = "other",
		[SCOPE_FILE_UNREADABLE] = "unreadable",
	},
};

const struct scope_text_words scope_trace_text_fd_kinds = {
	.count = SCOPE_FD_KINDS,
	.word = {
		[SCOPE_FD_UNKNOWN] = "unknown",
		[SCOPE_FD_FILE] = "file",
		[SCOPE_FD_LISTEN] = "listen",
		[SCOPE_FD_ACCEPTED] = "accepted",
		[SCOPE_FD_CONNECTED] = "connected",
		[SCOPE_FD_DATAGRAM] = "datagram",
		[SCOPE_FD_PIPE] = "pipe",
		[SCOPE_FD_EPOLL] = "epoll",
		[SCOPE_FD_EVENT] = "event",
		[SCOPE_FD_TTY] = "tty",
	},
};

const struct scope_text_flag scope_trace_text_stack_flags[] = {
	{ "kernel", SCOPE_STACK_IN_KERNEL },
	{ "cut", SCOPE_STACK_CUT },
	{ "fault", SCOPE_STACK_FAULT },
	{ NULL, 0 },
};

const struct scope_text_flag scope_trace_text_ended_flags[] = {
	{ "unwound", SCOPE_FRAMES_COMPLETE },
	{ "unwound_cut", SCOPE_FRAMES_CUT },
	{ "unwound_broken", SCOPE_FRAMES_BROKEN },
	{ "guessed", SCOPE_FRAMES_GUESSED },
	{ NULL, 0 },
};

const struct scope_text_flag scope_trace_text_place_flags[] = {
	{ "function", SCOPE_PLACE_FUNCTION }, { "named", SCOPE_PLACE_NAMED },	  { "lined", SCOPE_PLACE_LINED },
	{ "libc", SCOPE_PLACE_LIBC },	      { "message", SCOPE_PLACE_MESSAGE }, { NULL, 0 },
};

const struct scope_text_flag scope_trace_text_state_flags[] = {
	{ "at_stop", SCOPE_STATE_AT_STOP },
	{ "on_cpu", SCOPE_STATE_ON_CPU },
	{ "iowait", SCOPE_STATE_IOWAIT },
	{ NULL, 0 },
};

const struct scope_text_flag scope_trace_text_block_flags[] = {
	{ "sync", SCOPE_BLOCK_SYNC },	      { "meta", SCOPE_BLOCK_META },   { "fua", SCOPE_BLOCK_FUA },
	{ "preflush", SCOPE_BLOCK_PREFLUSH }, { "ahead", SCOPE_BLOCK_AHEAD }, { "unmatched", SCOPE_BLOCK_UNMATCHED },
	{ "part", SCOPE_BLOCK_PART },	      { "bio", SCOPE_BLOCK_BIO },     { NULL, 0 },
};

const struct scope_text_flag scope_trace_text_probe_flags[] = {
	{ "return", SCOPE_PROBE_RETURN },
	{ "user", SCOPE_PROBE_USER },
	{ "interrupt", SCOPE_PROBE_INTERRUPT },
	{ NULL, 0 },
};

const struct scope_text_flag scope_trace_text_stall_flags[] = {
	{ "end", SCOPE_STALL_END },
	{ NULL, 0 },
};

const struct scope_text_flag scope_trace_text_delay_flags[] = {
	{ "spun", SCOPE_DELAYED_SPUN },
	{ "at_return", SCOPE_DELAYED_AT_RETURN },
	{ "cut", SCOPE_DELAYED_CUT },
	{ "capped", SCOPE_DELAYED_CAPPED },
	{ NULL, 0 },
};
