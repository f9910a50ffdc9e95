// SPDX-License-Identifier: GPL-2.0-only
/* Where members are in the structures of each version of CRuby, on machines of 64 bits. */
#include "interpreter/ruby_offsets.h"

#include <stddef.h>

/*
 * By offsetof(), from vm_core.h, ractor_core.h, thread_pthread.h, internal/class.h and rstring.h of these versions.
 * Offsets do not change between the releases of a version. On arm64 a mutex of glibc is 8 bytes longer, and there are
 * mutexes before these lists.
 */
#ifdef __aarch64__
#define MUTEX_MORE 8u
#else
#define MUTEX_MORE 0u
#endif

static const struct {
	uint32_t version;
	struct scope_ruby_offsets offsets;
} rows[] = {
	{ 0x207,
	  { .vm_list = 312 + 2 * MUTEX_MORE,
	    .thread_vm = 24,
	    .thread_context = 32,
	    .thread_handle = 72,
	    .context_thread = 56,
	    .frame_bytes = 56,
	    .string_embedded = 16,
	    .class_extension = 24,
	    .extension_variables = 8,
	    .singleton = 1u << 12 } },
	{ 0x300,
	  { .vm_list = 8,
	    .ractor_node = 568 + 2 * MUTEX_MORE,
	    .ractor_threads = 304 + MUTEX_MORE,
	    .thread_vm = 32,
	    .thread_context = 40,
	    .thread_handle = 80,
	    .context_thread = 56,
	    .frame_bytes = 56,
	    .string_embedded = 16,
	    .class_extension = 24,
	    .extension_variables = 8,
	    .singleton = 1u << 12 } },
	{ 0x301,
	  { .vm_list = 8,
	    .ractor_node = 568 + 2 * MUTEX_MORE,
	    .ractor_threads = 304 + MUTEX_MORE,
	    .thread_vm = 32,
	    .thread_context = 40,
	    .thread_handle = 80,
	    .thread_number = 88,
	    .context_thread = 48,
	    .frame_bytes = 64,
	    .string_embedded = 16,
	    .class_extension = 24,
	    .extension_variables = 8,
	    .singleton = 1u << 12 } },
	{ 0x302,
	  { .vm_list = 8,
	    .ractor_node = 568 + 2 * MUTEX_MORE,
	    .ractor_threads = 304 + MUTEX_MORE,
	    .thread_vm = 32,
	    .thread_context = 48,
	    .thread_native = 40,
	    .thread_handle = 8,
	    .thread_number = 16,
	    .context_thread = 48,
	    .frame_bytes = 64,
	    .string_embedded = 24,
	    .singleton = 1u << 12 } },
	{ 0x303,
	  { .vm_list = 8,
	    .ractor_node = 432 + 2 * MUTEX_MORE,
	    .ractor_threads = 256 + MUTEX_MORE,
	    .thread_vm = 32,
	    .thread_context = 48,
	    .thread_native = 40,
	    .thread_handle = 16,
	    .thread_number = 24,
	    .context_thread = 48,
	    .frame_bytes = 56,
	    .string_embedded = 24,
	    .class_path = 152,
	    .class_attached = 128,
	    .singleton = 1u << 12 } },
	{ 0x304,
	  { .vm_list = 8,
	    .ractor_node = 432 + 2 * MUTEX_MORE,
	    .ractor_threads = 256 + MUTEX_MORE,
	    .thread_vm = 32,
	    .thread_context = 48,
	    .thread_native = 40,
	    .thread_handle = 16,
	    .thread_number = 24,
	    .context_thread = 48,
	    .frame_bytes = 56,
	    .string_embedded = 24,
	    .class_path = 152,
	    .class_attached = 128,
	    .singleton = 1u << 13 } },
};

bool scope_interpreter_ruby_offsets(uint32_t version, struct scope_ruby_offsets *ret_offsets)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].version == version) {
			*ret_offsets = rows[i].offsets;
			return true;
		}
	return false;
}
