/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Test build SCOPE_FAULTS=1: every call of the kernel that may fail can be made to.
 *
 * It is included before every source file, and adds a check before each such call. The calls are counted. So fail_at=N
 * (a parameter of the module, at load or later) makes the Nth call from then on fail, in any file, and the source files
 * need no change. There is a row for each function of the kernel whose failure the module has to survive. The
 * function's own header comes first, so that the macro does not change the declaration. The probes that are attached to
 * tracepoints are counted (the parameter probes).
 */
#ifndef SCOPE_KUNIT_FAULTS_H
#define SCOPE_KUNIT_FAULTS_H

#include <linux/cpuhotplug.h>
#include <linux/idr.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <linux/uprobes.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>
#include <net/genetlink.h>

bool scope_fault_due(const char *what);
int scope_fault_attached(int err);
int scope_fault_detached(int err);

#define SCOPE_FAULT(function, failure, ...) (scope_fault_due(#function) ? (failure) : function(__VA_ARGS__))

/* Up to 5.7, compat has already defined this. */
#undef kvzalloc
#undef vmap
#undef __alloc_percpu

#define kzalloc(...) SCOPE_FAULT(kzalloc, NULL, __VA_ARGS__)
#define kcalloc(...) SCOPE_FAULT(kcalloc, NULL, __VA_ARGS__)
#define kmalloc(...) SCOPE_FAULT(kmalloc, NULL, __VA_ARGS__)
#define kmalloc_array(...) SCOPE_FAULT(kmalloc_array, NULL, __VA_ARGS__)
#define kmemdup(...) SCOPE_FAULT(kmemdup, NULL, __VA_ARGS__)
#define kvzalloc(...) SCOPE_FAULT(kvzalloc, NULL, __VA_ARGS__)
#define kvmalloc(...) SCOPE_FAULT(kvmalloc, NULL, __VA_ARGS__)
#define kvcalloc(...) SCOPE_FAULT(kvcalloc, NULL, __VA_ARGS__)
#define kvmalloc_array(...) SCOPE_FAULT(kvmalloc_array, NULL, __VA_ARGS__)
#define vmalloc_user(...) SCOPE_FAULT(vmalloc_user, NULL, __VA_ARGS__)
#define vmap(...) SCOPE_FAULT(vmap, NULL, __VA_ARGS__)
#define get_zeroed_page(...) SCOPE_FAULT(get_zeroed_page, 0, __VA_ARGS__)
#define vzalloc(...) SCOPE_FAULT(vzalloc, NULL, __VA_ARGS__)
#define __alloc_percpu(...) SCOPE_FAULT(__alloc_percpu, NULL, __VA_ARGS__)
#define genlmsg_new(...) SCOPE_FAULT(genlmsg_new, NULL, __VA_ARGS__)
#define idr_alloc(...) SCOPE_FAULT(idr_alloc, -ENOMEM, __VA_ARGS__)
#define idr_alloc_cyclic(...) SCOPE_FAULT(idr_alloc_cyclic, -ENOMEM, __VA_ARGS__)
#define misc_register(...) SCOPE_FAULT(misc_register, -EBUSY, __VA_ARGS__)
#define genl_register_family(...) SCOPE_FAULT(genl_register_family, -EEXIST, __VA_ARGS__)
#define cpuhp_setup_state_multi(...) SCOPE_FAULT(cpuhp_setup_state_multi, -ENOSPC, __VA_ARGS__)
#define cpuhp_state_add_instance(...) SCOPE_FAULT(cpuhp_state_add_instance, -EIO, __VA_ARGS__)
#define tracepoint_probe_register(...)                                                                                 \
	scope_fault_attached(SCOPE_FAULT(tracepoint_probe_register, -EEXIST, __VA_ARGS__))
#define tracepoint_probe_unregister(...) scope_fault_detached(tracepoint_probe_unregister(__VA_ARGS__))
#define remap_vmalloc_range(...) SCOPE_FAULT(remap_vmalloc_range, -EAGAIN, __VA_ARGS__)
#define register_kprobe(...) SCOPE_FAULT(register_kprobe, -EINVAL, __VA_ARGS__)
#define register_kretprobe(...) SCOPE_FAULT(register_kretprobe, -EINVAL, __VA_ARGS__)
#define uprobe_register(...) SCOPE_FAULT(uprobe_register, -EIO, __VA_ARGS__)
#undef alloc_workqueue
#define alloc_workqueue(...) SCOPE_FAULT(alloc_workqueue, NULL, __VA_ARGS__)

#endif
