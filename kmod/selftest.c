// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests whether probes fire on the running kernel.
 *
 * At load this task gives up its CPU, and a probe on sched_switch must see a switch. No system call begins or ends
 * while a module loads. So those are tested when the first session has started: the request that started it returns,
 * and another one follows. Until both were seen, usually 100 ms, every call on the host passes a probe that sets a
 * flag.
 */
#include <linux/errno.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <trace/events/sched.h>
#include <trace/events/syscalls.h>
#include "arch.h"
#include "probe.h"
#include "selftest.h"
#include "tracepoint.h"

#define PATIENCE_NS 2000000000ull
#define SWITCH_TRIES 20

static bool switch_seen, enter_seen, exit_seen;
static DEFINE_MUTEX(test_lock);	     /* for the two below, and seen of system calls */
static struct scope_session *tester; /* whose probes are attached; NULL: none */
static enum scope_selftest result;

static void see_switch(SCOPE_COMPAT_SWITCH_PROTO(data))
{
	WRITE_ONCE(switch_seen, true);
}

static void see_enter(void *data, struct pt_regs *regs, long id)
{
	if (!READ_ONCE(enter_seen))
		WRITE_ONCE(enter_seen, true);
}

static void see_exit(void *data, struct pt_regs *regs, long ret)
{
	if (!READ_ONCE(exit_seen))
		WRITE_ONCE(exit_seen, true);
}

static int test_switch(void)
{
	struct tracepoint *tracepoint = scope_probe_tracepoint("sched_switch");
	int err = tracepoint_probe_register(tracepoint, see_switch, NULL);
	int i;

	if (err)
		return err;
	/*
	 * If a hypervisor takes the CPU until the time is over, and no other task wants to run, there is no switch to
	 * see.
	 */
	for (i = 0; i < SWITCH_TRIES && !READ_ONCE(switch_seen); i++)
		schedule_timeout_uninterruptible(1 + i);
	tracepoint_probe_unregister(tracepoint, see_switch, NULL);
	tracepoint_synchronize_unregister();
	if (READ_ONCE(switch_seen))
		return 0;
	pr_err("scope: a probe on sched_switch does not fire: another tracer or a live patch holds it, "
	       "or this kernel was built without CONFIG_TRACEPOINTS\n");
	return -ENODEV;
}

/* copy_from_user_nmi() of x86 returned what it copied until 3.12, and returns what it did not since. */
static void test_copy(void)
{
	const void __user *from;
	u8 right[8], got[8];
	unsigned long count;
	int i;

	if (!current->mm)
		return;
	from = (const void __user *)current->mm->arg_start;
	if (copy_from_user(right, from, sizeof(right)))
		return;
	for (i = 0; i < sizeof(got); i++)
		got[i] = ~right[i];
	count = scope_arch_copy_nmi(got, from, sizeof(got));
	if (!memcmp(got, right, sizeof(got)))
		scope_arch_copy_returns_copied = count == sizeof(got);
}

/* At load, in the context of the task that loads. */
int scope_selftest_load(void)
{
	test_copy();
	return test_switch();
}

static void detach(void)
{
	tracepoint_probe_unregister(scope_probe_tracepoint("sys_enter"), see_enter, NULL);
	tracepoint_probe_unregister(scope_probe_tracepoint("sys_exit"), see_exit, NULL);
	tracepoint_synchronize_unregister();
	tester = NULL;
}

/* The session starts. Does nothing if the result is known, or another session tests it. */
void scope_selftest_begin(struct scope_session *session)
{
	mutex_lock(&test_lock);
	if (tester || result == SCOPE_SELFTEST_OK)
		goto out;
	enter_seen = false;
	exit_seen = false;
	if (tracepoint_probe_register(scope_probe_tracepoint("sys_exit"), see_exit, NULL))
		goto out;
	if (tracepoint_probe_register(scope_probe_tracepoint("sys_enter"), see_enter, NULL)) {
		tracepoint_probe_unregister(scope_probe_tracepoint("sys_exit"), see_exit, NULL);
		tracepoint_synchronize_unregister();
		goto out;
	}
	tester = session;
out:
	mutex_unlock(&test_lock);
}

/* Called now and then while the session runs. Returns true once if probes on system calls do not fire. */
bool scope_selftest_look(struct scope_session *session, u64 passed_ns)
{
	bool failed = false;

	mutex_lock(&test_lock);
	if (tester != session)
		goto out;
	if (READ_ONCE(enter_seen) && READ_ONCE(exit_seen))
		result = SCOPE_SELFTEST_OK;
	else if (passed_ns < PATIENCE_NS)
		goto out;
	else
		failed = true;
	if (failed)
		result = SCOPE_SELFTEST_FAILED;
	detach();
out:
	mutex_unlock(&test_lock);
	return failed;
}

/* The session stops. */
void scope_selftest_end(struct scope_session *session)
{
	mutex_lock(&test_lock);
	if (tester == session) {
		if (READ_ONCE(enter_seen) && READ_ONCE(exit_seen))
			result = SCOPE_SELFTEST_OK;
		detach();
	}
	mutex_unlock(&test_lock);
}

enum scope_selftest scope_selftest_result(void)
{
	return READ_ONCE(result);
}

static int get_selftest(char *buffer, const struct kernel_param *unused)
{
	static const char *const texts[] = {
		[SCOPE_SELFTEST_NOT_YET] = "switches fire, system calls are not tested yet",
		[SCOPE_SELFTEST_OK] = "switches and system calls fire",
		[SCOPE_SELFTEST_FAILED] = "switches fire, system calls do not",
	};

	return scnprintf(buffer, PAGE_SIZE, "%s\n", texts[scope_selftest_result()]);
}

static const struct kernel_param_ops selftest_ops = {
	.get = get_selftest,
};
module_param_cb(selftest, &selftest_ops, NULL, 0444);
MODULE_PARM_DESC(selftest, "whether probes fire: tested at load and with the first session");

static void __maybe_unused check_types(void)
{
	check_trace_callback_type_sched_switch(see_switch);
	check_trace_callback_type_sys_enter(see_enter);
	check_trace_callback_type_sys_exit(see_exit);
}
