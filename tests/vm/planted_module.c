// SPDX-License-Identifier: GPL-2.0-only
/* A module with the faults that a debug kernel can find: with fault=NAME it makes one while it loads. */
#include <linux/delay.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/vmalloc.h>

#define BYTES 40
#define LEAKS 8

static char *fault = "";
module_param(fault, charp, 0444);
MODULE_PARM_DESC(fault, "which one, see the table");

/* A volatile access, so that the compiler does not see the fault and change the code. */
static void touch(volatile u8 *at)
{
	*at = 1;
}

static void out_of_bounds(void)
{
	u8 *data = kmalloc(BYTES, GFP_KERNEL);

	if (data)
		touch(data + BYTES);
	kfree(data);
}

static void out_of_bounds_vmalloc(void)
{
	u8 *data = vmalloc(PAGE_SIZE - 8);

	if (data)
		touch(data + PAGE_SIZE - 8);
	vfree(data);
}

static void use_after_free(void)
{
	u8 *data = kmalloc(BYTES, GFP_KERNEL);

	kfree(data);
	if (data)
		touch(data);
}

static void sleep_in_atomic(void)
{
	static DEFINE_SPINLOCK(lock);

	spin_lock(&lock);
	msleep(1);
	spin_unlock(&lock);
}

static void leak(void)
{
	int i;

	for (i = 0; i < LEAKS; i++) {
		u8 *data = kmalloc(BYTES, GFP_KERNEL);

		if (data)
			touch(data);
	}
}

static void lock_inversion(void)
{
	static DEFINE_MUTEX(one);
	static DEFINE_MUTEX(two);

	mutex_lock(&one);
	mutex_lock(&two);
	mutex_unlock(&two);
	mutex_unlock(&one);
	mutex_lock(&two);
	mutex_lock(&one);
	mutex_unlock(&one);
	mutex_unlock(&two);
}

static void rcu_outside(void)
{
	static int __rcu *pointer;

	if (rcu_dereference(pointer))
		pr_info("planted: not reached\n");
}

struct timed {
	struct timer_list timer;
};

static void timer_fires(struct timer_list *timer)
{
}

static void free_armed_timer(void)
{
	struct timed *timed = kmalloc(sizeof(*timed), GFP_KERNEL);

	if (!timed)
		return;
	timer_setup(&timed->timer, timer_fires, 0);
	mod_timer(&timed->timer, jiffies + 100 * HZ);
	kfree(timed);
}

static const struct {
	const char *name;
	void (*commit)(void);
} rows[] = {
	{ "out_of_bounds", out_of_bounds },
	{ "out_of_bounds_vmalloc", out_of_bounds_vmalloc },
	{ "use_after_free", use_after_free },
	{ "sleep_in_atomic", sleep_in_atomic },
	{ "leak", leak },
	{ "lock_inversion", lock_inversion },
	{ "rcu_outside", rcu_outside },
	{ "free_armed_timer", free_armed_timer },
};

static int __init planted_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (strcmp(fault, rows[i].name))
			continue;
		rows[i].commit();
		return 0;
	}
	return *fault ? -EINVAL : 0;
}

static void __exit planted_exit(void)
{
}

module_init(planted_init);
module_exit(planted_exit);
MODULE_DESCRIPTION("Test of the debug kernel");
MODULE_LICENSE("GPL");
