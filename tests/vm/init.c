// SPDX-License-Identifier: GPL-2.0-only
/*
 * First process of the test guest: turn a bare initramfs into the host's user land and run one
 * command in it.
 *
 * The initramfs holds /modules/NN-name.ko in loading order and /job, NUL-terminated strings:
 *	host directory of the kernel's modules, "tmpfs" or "keep" for /tmp, working directory, argv...
 * Two 9p shares are expected: "root", the host's root, and "out", where results go:
 *	output	what the command wrote to stdout and stderr, as it is written
 *	dmesg	the kernel's log at the end
 *	status	the command's exit status, written last
 * The guest then ends through QEMU's isa-debug-exit device. A kernel that panics never gets there,
 * which is how the host recognizes it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUT_DIR "/run/vm/out"
#define LEAKS "/sys/kernel/debug/kmemleak"
#define EXIT_PORT 0xf4
#define EXIT_CODE 0x10 /* QEMU exits with 2 * 0x10 + 1 */

/* Uncached writes of more than 128 KiB took up to 0.3 s each on 7.2. Smaller messages do not. */
#define P9_ROOT "trans=virtio,version=9p2000.L,msize=512000,cache=loose"
#define P9_OUT "trans=virtio,version=9p2000.L,msize=131072,cache=none"

enum { OPTIONAL = 1 };

struct mount_row {
	const char *source, *target, *type, *data;
	unsigned long flags;
	int optional;
};

/* The new root, before this process leaves the initramfs. */
static const struct mount_row root_mounts[] = {
	{ "root", "/lower", "9p", P9_ROOT, MS_RDONLY, 0 },
	{ "scratch", "/scratch", "tmpfs", "size=75%,mode=755", 0, 0 },
};

/* The file systems that a running system mounts on top of its root. */
static const struct mount_row system_mounts[] = {
	{ "proc", "/proc", "proc", NULL, 0, 0 },
	{ "sysfs", "/sys", "sysfs", NULL, 0, 0 },
	{ "devtmpfs", "/dev", "devtmpfs", NULL, 0, 0 },
	{ "devpts", "/dev/pts", "devpts", "mode=620,ptmxmode=666", 0, OPTIONAL },
	{ "shm", "/dev/shm", "tmpfs", "mode=1777", 0, 0 },
	{ "run", "/run", "tmpfs", "mode=755", 0, 0 },
	{ "debugfs", "/sys/kernel/debug", "debugfs", NULL, 0, OPTIONAL },
	{ "tracefs", "/sys/kernel/tracing", "tracefs", NULL, 0, OPTIONAL },
	{ "cgroup2", "/sys/fs/cgroup", "cgroup2", NULL, 0, OPTIONAL },
	{ "out", OUT_DIR, "9p", P9_OUT, 0, 0 },
};

static const struct {
	const char *path, *value;
} settings[] = {
	{ "/proc/sys/kernel/perf_event_paranoid", "-1" },
	{ "/proc/sys/kernel/kptr_restrict", "0" },
	{ "/proc/sys/kernel/dmesg_restrict", "0" },
};

static const struct {
	const char *target, *path;
} dev_links[] = {
	{ "/proc/self/fd", "/dev/fd" },
	{ "/proc/self/fd/0", "/dev/stdin" },
	{ "/proc/self/fd/1", "/dev/stdout" },
	{ "/proc/self/fd/2", "/dev/stderr" },
};

struct job {
	const char *modules, *tmp, *cwd;
	char **argv;
};

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The end of the first process panics the kernel: the host shows the tail of the log. */
__attribute__((format(printf, 1, 2))) static _Noreturn void die(const char *format, ...)
{
	int error = errno;
	va_list args;

	fprintf(stderr, "vm init: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, ": %s\n", strerror(error));
	exit(1);
}

static void make_path(const char *path)
{
	char part[256];

	for (const char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(at - path), path);
		mkdir(part, 0755);
	}
	mkdir(path, 0755);
}

static void mount_rows(const struct mount_row *rows, size_t nr_rows)
{
	for (const struct mount_row *row = rows; row < rows + nr_rows; row++) {
		make_path(row->target);
		if (mount(row->source, row->target, row->type, row->flags, row->data) && !row->optional)
			die("mount %s on %s", row->type, row->target);
	}
}

static void load_modules(void)
{
	struct dirent **names;
	char path[300];
	int nr_names = scandir("/modules", &names, NULL, alphasort);

	for (int i = 0; i < nr_names; i++) {
		int fd;

		if (names[i]->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/modules/%s", names[i]->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
			die("%s", path);
		close(fd);
	}
}

static void read_job(struct job *job)
{
	static char text[256 * 1024];
	static char *words[16 * 1024];
	int fd = open("/job", O_RDONLY | O_CLOEXEC);
	ssize_t length = 0, got;
	size_t nr_words = 0;

	if (fd < 0)
		die("/job");
	while ((got = read(fd, text + length, sizeof(text) - 1 - length)) > 0)
		length += got;
	close(fd);
	for (char *at = text; at < text + length && nr_words < ARRAY_SIZE(words) - 1; at += strlen(at) + 1)
		words[nr_words++] = at;
	if (nr_words < 4)
		die("/job names no command");
	job->modules = words[0];
	job->tmp = words[1];
	job->cwd = words[2];
	job->argv = words + 3;
}

/* Returns whether the kernel has an overlay that works on 9p. Mainline has one from 3.18 on. */
static int overlay_serves(void)
{
	char line[128];
	FILE *list;
	int found = 0;

	mkdir("/proc", 0755);
	if (mount("proc", "/proc", "proc", 0, NULL) || !(list = fopen("/proc/filesystems", "re")))
		die("/proc/filesystems");
	while (fgets(line, sizeof(line), list))
		found |= !strcmp(line, "nodev\toverlay\n");
	fclose(list);
	umount("/proc");
	return found;
}

/* Returns 0 if the kernel's overlay cannot work on 9p, as that of 3.18. */
static int mount_overlay(void)
{
	if (!mount("overlay", "/newroot", "overlay", 0,
		   "lowerdir=/lower,upperdir=/scratch/upper,workdir=/scratch/work"))
		return 1;
	if (errno != EINVAL)
		die("mount overlay");
	fprintf(stderr, "vm init: no overlay on 9p: files of the host are read-only\n");
	return 0;
}

/*
 * A file on the host's root can be changed here, and nobody else sees it. Without an overlay none can but in the
 * folders that have a file system of their own.
 */
static void enter_host_root(int without_overlay)
{
	mount_rows(root_mounts, ARRAY_SIZE(root_mounts));
	make_path("/scratch/upper");
	make_path("/scratch/work");
	make_path("/newroot");
	if (without_overlay || !overlay_serves() || !mount_overlay()) {
		if (mount("/lower", "/newroot", NULL, MS_BIND, NULL))
			die("stand on the host's root");
		/* A host that never had a kernel has no such folder, and none can be made. */
		if (mount("modules", "/newroot/lib/modules", "tmpfs", 0, NULL) && errno != ENOENT)
			die("cover the host's modules");
	}
	/* Moving, not only chroot: a chrooted process may not unshare its mounts. */
	if (chdir("/newroot") || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") || chdir("/"))
		die("enter the host's root");
}

/* A line without a newline is not complete for the kernel, and does not reach the console. */
static void log_mark(const char *text)
{
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die("/dev/kmsg");
	close(fd);
}

static void show_modules(const char *host_dir)
{
	struct utsname name;
	char path[256];

	uname(&name);
	snprintf(path, sizeof(path), "/lib/modules/%s", name.release);
	make_path(path);
	/* A kernel with everything built in has none. */
	if (!*host_dir)
		return;
	if (access(path, F_OK))
		log_mark("<6>scope-vm: no folder for modules: modprobe finds none\n");
	else if (mount(host_dir, path, NULL, MS_BIND, NULL))
		die("bind %s on %s", host_dir, path);
}

static void set_up_system(const struct job *job)
{
	struct rlimit files = { 65536, 65536 };
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int sock;

	mount_rows(system_mounts, ARRAY_SIZE(system_mounts));
	if (!strcmp(job->tmp, "tmpfs") && mount("tmp", "/tmp", "tmpfs", 0, "size=75%,mode=1777"))
		die("mount /tmp");
	show_modules(job->modules);
	for (size_t i = 0; i < ARRAY_SIZE(dev_links); i++)
		if (symlink(dev_links[i].target, dev_links[i].path) && errno != EEXIST)
			die("%s", dev_links[i].path);
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		int fd = open(settings[i].path, O_WRONLY | O_CLOEXEC);

		/* Kernels without perf have no such file. */
		if (fd >= 0) {
			if (write(fd, settings[i].value, strlen(settings[i].value)) < 0)
				die("%s", settings[i].path);
			close(fd);
		}
	}
	if (setrlimit(RLIMIT_NOFILE, &files))
		die("raise the number of files");
	if (sethostname("scope-vm", 8))
		die("sethostname");
	sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (sock < 0 || ioctl(sock, SIOCSIFFLAGS, &request))
		die("bring up lo");
	close(sock);
}

static int create_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0)
		die("%s", path);
	return fd;
}

static void write_all(int fd, const char *data, size_t length)
{
	while (length > 0) {
		ssize_t wrote = write(fd, data, length);

		if (wrote < 0)
			die("write to the shared directory");
		data += wrote;
		length -= wrote;
	}
}

static void no_action(int signo)
{
	(void)signo;
}

static pid_t start_command(const struct job *job, int output_fd, const sigset_t *mask)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid > 0)
		return pid;
	sigprocmask(SIG_SETMASK, mask, NULL);
	setsid();
	dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
	dup2(output_fd, STDOUT_FILENO);
	dup2(output_fd, STDERR_FILENO);
	if (chdir(job->cwd)) {
		fprintf(stderr, "vm: no directory %s in the guest\n", job->cwd);
		_exit(126);
	}
	execvp(job->argv[0], job->argv);
	fprintf(stderr, "vm: cannot run %s: %s\n", job->argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Reap whatever ended. True, with *ret_status as a shell would give it, once it was the command. */
static int reap(pid_t command, int *ret_status)
{
	int status, found = 0;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != command)
			continue;
		*ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		found = 1;
	}
	return found;
}

/* Copy up to limit bytes that are in the pipe by now. */
static void copy_output(int from, int to, int limit)
{
	static char data[64 * 1024];

	while (limit > 0) {
		size_t want = (size_t)limit < sizeof(data) ? (size_t)limit : sizeof(data);
		ssize_t got = read(from, data, want);

		if (got <= 0)
			return;
		write_all(to, data, got);
		limit -= got;
	}
}

/*
 * The command gets a pipe, not the shared file itself: programs may reopen /dev/stdout, and each
 * of their writes would wait for the host.
 */
static int run_command(const struct job *job)
{
	int output = create_file(OUT_DIR "/output");
	struct sigaction action = { .sa_handler = no_action };
	sigset_t blocked, before;
	int fds[2], waiting, status = 0;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) || fcntl(fds[0], F_SETFL, O_NONBLOCK))
		die("pipe");
	sigaction(SIGCHLD, &action, NULL);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	log_mark("<6>scope-vm: command starts\n");
	pid = start_command(job, fds[1], &before);
	do {
		struct pollfd wait = { .fd = fds[0], .events = POLLIN };

		if (ppoll(&wait, 1, NULL, &before) > 0)
			copy_output(fds[0], output, 64 * 1024);
	} while (!reap(pid, &status));
	/* All the command wrote is in the pipe; processes that outlive it may add to it for ever. */
	if (!ioctl(fds[0], FIONREAD, &waiting))
		copy_output(fds[0], output, waiting);
	log_mark("<6>scope-vm: command ended\n");
	close(output);
	return status;
}

/* Otherwise kmemleak's own thread would search for leaks while the command runs, and take a minute of its time. */
static void keep_leaks_for_later(void)
{
	int fd = open(LEAKS, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	/* The kernel refuses this if kmemleak=off has switched it off. */
	if (write(fd, "scan=off", 8) != 8 && errno != EPERM && errno != EBUSY)
		die(LEAKS);
	close(fd);
}

/*
 * Have a kernel with kmemleak look for memory that nothing points to any more; what it finds it
 * counts in its log, and its list goes to the host. Blocks younger than five seconds are left out,
 * and a single scan takes many a block that is in use for lost.
 */
static void look_for_leaks(void)
{
	static char text[64 * 1024];
	int fd = open(LEAKS, O_RDWR | O_CLOEXEC), out, i;
	ssize_t got;

	if (fd < 0)
		return;
	for (i = 0; i < 2; i++) {
		sleep(6);
		/* Switched off by kmemleak=off. */
		if (write(fd, "scan", 4) != 4) {
			close(fd);
			return;
		}
	}
	close(fd);
	fd = open(LEAKS, O_RDONLY | O_CLOEXEC);
	out = create_file(OUT_DIR "/leaks");
	while ((got = read(fd, text, sizeof(text))) > 0)
		write_all(out, text, got);
	close(out);
	close(fd);
}

static void save_kernel_log(void)
{
	int size = klogctl(10 /* SYSLOG_ACTION_SIZE_BUFFER */, NULL, 0);
	char *log = size > 0 ? malloc(size) : NULL;
	int length = log ? klogctl(3 /* SYSLOG_ACTION_READ_ALL */, log, size) : -1;
	int fd = create_file(OUT_DIR "/dmesg");

	if (length < 0)
		die("read the kernel log");
	write_all(fd, log, length);
	close(fd);
	free(log);
}

static _Noreturn void end_guest(int status)
{
	char text[16];
	int fd = create_file(OUT_DIR "/status");

	write_all(fd, text, snprintf(text, sizeof(text), "%d\n", status));
	close(fd);
	sync();
	outl(EXIT_CODE, EXIT_PORT);
	die("the exit device did not answer");
}

int main(void)
{
	static char *const environment[] = {
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME=/root",
		"USER=root",
		"LOGNAME=root",
		"SHELL=/bin/bash",
		"TERM=dumb",
		"LANG=C.UTF-8",
		"VM_OUT=" OUT_DIR,
		NULL,
	};
	/* The kernel passes arguments that it does not know as the environment. */
	const char *overlay = getenv("scope_overlay");
	const int without_overlay = overlay && !strcmp(overlay, "off");
	struct job job;
	int status;

	environ = (char **)environment;
	load_modules();
	read_job(&job);
	enter_host_root(without_overlay);
	set_up_system(&job);
	keep_leaks_for_later();
	/* At once: the command may lock the kernel down, which then opens no ports. */
	if (ioperm(EXIT_PORT, 4, 1))
		die("reach the exit device");
	status = run_command(&job);
	look_for_leaks();
	save_kernel_log();
	end_guest(status);
}
