// SPDX-License-Identifier: GPL-2.0-only
/* /dev/scope: an open file is a session; mmap gives its rings, poll and ioctl pace their reader. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/poll.h>
#include <linux/uaccess.h>
#include "chardev.h"
#include "lockdown.h"
#include "lifetime.h"
#include "region.h"
#include "table.h"
#include "tracing.h"

static bool disable;
module_param(disable, bool, 0644);
MODULE_PARM_DESC(disable, "refuse to open sessions (scope.disable=1 on the kernel's command line)");

static int device_open(struct inode *inode, struct file *file)
{
	struct scope_session *session;
	int err;

	if (!capable(CAP_PERFMON) && !capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (READ_ONCE(disable))
		return -ECANCELED;
	/* Access is refused where the kernel refuses it to its own tracers (lockdown). */
	if (security_locked_down(LOCKDOWN_TRACEFS))
		return -EPERM;
	err = scope_session_create(&session);
	if (err)
		return err;
	file->private_data = session;
	return nonseekable_open(inode, file);
}

/* Called after the last descriptor and the last mapping are gone. */
static int device_release(struct inode *inode, struct file *file)
{
	scope_session_close(file->private_data);
	return 0;
}

static int device_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct scope_session *session = file->private_data;

	return scope_session_configured(session) ? scope_region_map(session, vma) : -EINVAL;
}

static bool any_readable(struct scope_session *session)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (scope_ring_readable(&per_cpu_ptr(session->cpu, cpu)->ring))
			return true;
	return false;
}

static __poll_t device_poll(struct file *file, poll_table *table)
{
	struct scope_session *session = file->private_data;
	bool stopped;

	poll_wait(file, &session->readers, table);
	if (!scope_session_configured(session))
		return 0;
	/* The state is read before the rings, so that rings found empty after the stop stay empty. */
	stopped = smp_load_acquire(&session->run_state) == SCOPE_RUN_STOPPED;
	if (any_readable(session))
		return EPOLLIN | EPOLLRDNORM;
	return stopped ? EPOLLHUP : 0;
}

static long ioctl_info(struct scope_session *session, void __user *to)
{
	struct scope_ioc_info info = {
		.protocol = SCOPE_PROTOCOL,
		.session = session->id,
		.cpus = nr_cpu_ids,
	};

	if (scope_session_configured(session)) {
		info.subbuf_bytes = session->config.subbuf_bytes;
		info.subbuf_count = session->config.subbuf_count;
		info.header_bytes = SCOPE_HEADER_BYTES;
		info.region_bytes = session->region_bytes;
	}
	return copy_to_user(to, &info, sizeof(info)) ? -EFAULT : 0;
}

static long ioctl_consume(struct scope_session *session, const void __user *from)
{
	struct scope_ioc_consume consume;
	long err;

	if (copy_from_user(&consume, from, sizeof(consume)))
		return -EFAULT;
	if (!scope_session_configured(session) || consume.zero || consume.cpu >= nr_cpu_ids ||
	    !cpu_possible(consume.cpu))
		return -EINVAL;
	mutex_lock(&session->consume_lock);
	err = scope_ring_consume(&per_cpu_ptr(session->cpu, consume.cpu)->ring, consume.position);
	mutex_unlock(&session->consume_lock);
	return err;
}

static long ioctl_table(struct scope_session *session, const void __user *from)
{
	struct scope_ioc_table request;

	return copy_from_user(&request, from, sizeof(request)) ? -EFAULT : scope_table_add(session, &request);
}

static long ioctl_maps(struct scope_session *session, const void __user *from)
{
	struct scope_ioc_maps request;

	return copy_from_user(&request, from, sizeof(request)) ? -EFAULT : scope_table_set_maps(session, &request);
}

static long device_ioctl(struct file *file, unsigned int command, unsigned long arg)
{
	struct scope_session *session = file->private_data;

	switch (command) {
	case SCOPE_IOC_INFO:
		return ioctl_info(session, (void __user *)arg);
	case SCOPE_IOC_CONSUME:
		return ioctl_consume(session, (const void __user *)arg);
	case SCOPE_IOC_FLUSH:
		return scope_tracing_flush(session);
	case SCOPE_IOC_TABLE_ADD:
		return ioctl_table(session, (const void __user *)arg);
	case SCOPE_IOC_MAPS_SET:
		return ioctl_maps(session, (const void __user *)arg);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = device_open,
	.release = device_release,
	.mmap = device_mmap,
	.poll = device_poll,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = device_ioctl, /* layouts and numbers are the same for 32-bit programs */
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = SCOPE_DEVICE_NAME,
	.fops = &operations,
	.mode = 0600,
};

int scope_chardev_init(void)
{
	return misc_register(&device);
}

void scope_chardev_exit(void)
{
	misc_deregister(&device);
}
