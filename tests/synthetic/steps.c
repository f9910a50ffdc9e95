// SPDX-License-Identifier: GPL-2.0-only
/* Makes the system calls of a unit, and uses the CPU in between. */
#define _GNU_SOURCE
#include "steps.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define BUFFER (16u << 20)
#define FILE_BYTES (1ll << 30)
#define AWAY_NS 20000 /* a longer time between two looks at the clock was not spent on the CPU */
#define TIMES_AT 512  /* numbers of times are drawn from that place on, so that clients need not draw them */

/* All threads share it: the contents of the buffer do not matter. */
static char *buffer;
static int file = -1;
static __thread int opened = -1;
static __thread void *mapped;

uint64_t steps_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Runs until the thread has used that much CPU time since then. */
static void burn(uint64_t since_ns, uint64_t ns)
{
	uint64_t last_ns = since_ns, used_ns = 0;

	while (used_ns < ns) {
		const uint64_t now_ns = steps_now_ns(), passed_ns = now_ns - last_ns;

		used_ns += passed_ns < AWAY_NS ? passed_ns : 0;
		last_ns = now_ns;
	}
}

void steps_prepare(void)
{
	buffer = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	file = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (buffer == MAP_FAILED || file < 0 || ftruncate(file, FILE_BYTES)) {
		perror("synthetic: a buffer or a file in /tmp");
		exit(1);
	}
}

/* ---- calls on the client's connection: exactly that many bytes ---- */

static ssize_t receive(const char *call, struct client *client, char *to, size_t bytes)
{
	struct iovec part = { .iov_base = to, .iov_len = bytes };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (!strcmp(call, "recvfrom"))
		return recv(client->fd, to, bytes, 0);
	if (!strcmp(call, "recvmsg"))
		return recvmsg(client->fd, &message, 0);
	if (!strcmp(call, "readv"))
		return readv(client->fd, &part, 1);
	return read(client->fd, to, bytes);
}

static ssize_t give(const char *call, struct client *client, char *from, size_t bytes)
{
	struct iovec part = { .iov_base = from, .iov_len = bytes };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	const bool datagram = client->address.sin_family == AF_INET;
	off_t at = 0;

	if (datagram) {
		message.msg_name = &client->address;
		message.msg_namelen = sizeof(client->address);
	}
	if (!strcmp(call, "sendmsg"))
		return sendmsg(client->fd, &message, MSG_NOSIGNAL);
	if (!strcmp(call, "sendto"))
		return sendto(client->fd, from, bytes, MSG_NOSIGNAL, message.msg_name, message.msg_namelen);
	if (!strcmp(call, "writev"))
		return writev(client->fd, &part, 1);
	if (!strcmp(call, "sendfile"))
		return sendfile(client->fd, file, &at, bytes);
	return write(client->fd, from, bytes);
}

static void move(const struct step *step, struct client *client, uint64_t bytes, bool writes)
{
	bytes = bytes < BUFFER ? bytes : BUFFER;
	while (bytes && !client->gone) {
		const ssize_t moved = writes ? give(step->call, client, buffer, bytes)
					     : receive(step->call, client, buffer, bytes);
		struct pollfd one = { .fd = client->fd, .events = writes ? POLLOUT : POLLIN };

		if (moved > 0)
			bytes -= (uint64_t)moved;
		else if (moved < 0 && (errno == EAGAIN || errno == EINTR))
			poll(&one, 1, -1);
		else
			client->gone = true;
	}
}

static void client_read(const struct step *step, struct client *client, uint64_t bytes, uint64_t ns)
{
	(void)ns;
	move(step, client, bytes, false);
}

static void client_write(const struct step *step, struct client *client, uint64_t bytes, uint64_t ns)
{
	(void)ns;
	move(step, client, bytes, true);
}

/* It finds nothing: the loop's descriptors do not block. */
static void client_again(const struct step *step, struct client *client, uint64_t bytes, uint64_t ns)
{
	(void)bytes, (void)ns;
	if (!client->gone && receive(step->call, client, buffer, 1) == 0)
		client->gone = true;
}

/* ---- calls on a file, sleeps, and others ---- */

static void on_file(const struct step *step, struct client *client, uint64_t bytes, uint64_t ns)
{
	const size_t count = bytes < BUFFER ? bytes : BUFFER;
	const off_t at = (off_t)(mapped ? 4096 : 0);

	(void)client, (void)ns;
	if (!strncmp(step->call, "pread", 5))
		bytes = (uint64_t)pread(file, buffer, count, at);
	else if (!strncmp(step->call, "pwrite", 6))
		bytes = (uint64_t)pwrite(file, buffer, count, at);
	else if (!strncmp(step->call, "read", 4))
		bytes = (uint64_t)read(file, buffer, count);
	else
		bytes = (uint64_t)write(file, buffer, count);
	/* Starts at its begin again before it grows too large, or when it has no more data. */
	if (bytes != count || lseek(file, 0, SEEK_CUR) > FILE_BYTES / 2)
		lseek(file, 0, SEEK_SET);
}

static void sync_file(const struct step *step, struct client *client, uint64_t bytes, uint64_t ns)
{
	(void)client, (void)bytes, (void)ns;
	if (!strcmp(step->call, "fsync") ? fsync(file) : fdatasync(file))
		perror("synthetic: fsync");
}

static void sleep_for(const struct step *step, struct client *client, uint64_t bytes, uint64_t ns)
{
	const struct timespec time = { .tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u) };

	(void)client, (void)bytes;
	if (!strcmp(step->call, "nanosleep"))
		syscall(SYS_nanosleep, &time, NULL);
	else
		clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static void plain(const struct step *step, struct client *client, uint64_t bytes, uint64_t ns)
{
	static const struct {
		const char *name;
		long nr;
	} rows[] = {
		{ "getpid", SYS_getpid },   { "getppid", SYS_getppid }, { "gettid", SYS_gettid },
		{ "getuid", SYS_getuid },   { "geteuid", SYS_geteuid }, { "sched_yield", SYS_sched_yield },
		{ "getegid", SYS_getegid }, { "getgid", SYS_getgid },
	};

	(void)client, (void)bytes, (void)ns;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].name, step->call))
			syscall(rows[i].nr);
}

static void other(const struct step *step, struct client *client, uint64_t bytes, uint64_t ns)
{
	struct timespec time;
	struct stat status;
	uint64_t mask = 0;
	int on = 1;

	(void)ns;
	if (!strcmp(step->call, "clock_gettime"))
		syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
	else if (!strcmp(step->call, "gettimeofday"))
		syscall(SYS_gettimeofday, &time, NULL);
	else if (!strcmp(step->call, "rt_sigprocmask"))
		syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &mask, sizeof(mask));
	else if (!strcmp(step->call, "getrandom"))
		syscall(SYS_getrandom, buffer, bytes < 256 ? bytes : 256, 0);
	else if (!strcmp(step->call, "fstat") || !strcmp(step->call, "newfstatat"))
		syscall(SYS_newfstatat, AT_FDCWD, "/", &status, 0);
	else if (!strcmp(step->call, "lseek"))
		lseek(file, 0, SEEK_CUR);
	else if (!strcmp(step->call, "fcntl"))
		fcntl(client->fd, F_GETFL);
	else if (!strcmp(step->call, "setsockopt"))
		setsockopt(client->fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
}

static void open_file(const struct step *step, struct client *client, uint64_t bytes, uint64_t ns)
{
	(void)step, (void)client, (void)bytes, (void)ns;
	if (opened >= 0)
		close(opened);
	opened = open("/dev/null", O_RDWR | O_CLOEXEC);
}

static void close_file(const struct step *step, struct client *client, uint64_t bytes, uint64_t ns)
{
	(void)step, (void)client, (void)bytes, (void)ns;
	if (opened >= 0)
		close(opened);
	opened = -1;
}

static void map(const struct step *step, struct client *client, uint64_t bytes, uint64_t ns)
{
	(void)client, (void)bytes, (void)ns;
	if (mapped && !strcmp(step->call, "munmap")) {
		munmap(mapped, 4096);
		mapped = NULL;
	} else if (!mapped && !strcmp(step->call, "mmap")) {
		mapped = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
}

/* What follows from how the server is built (skeleton.c). */
static void by_skeleton(const struct step *step, struct client *client, uint64_t bytes, uint64_t ns)
{
	(void)step, (void)client, (void)bytes, (void)ns;
}

typedef void maker(const struct step *step, struct client *client, uint64_t bytes, uint64_t ns);

static const struct {
	const char *calls; /* their names, with a blank before and after each */
	enum object on;	   /* ON_OTHER: any */
	const char *error;
	maker *make;
} rows[] = {
	{ " read recvfrom recvmsg readv ", ON_CLIENT, "EAGAIN", client_again },
	{ " read recvfrom recvmsg readv ", ON_CLIENT, "", client_read },
	{ " write sendto sendmsg writev sendfile ", ON_CLIENT, "", client_write },
	{ " read write pread64 pwrite64 readv writev ", ON_FILE, "", on_file },
	{ " fsync fdatasync ", ON_FILE, "", sync_file },
	{ " close ", ON_CLIENT, "", by_skeleton },
	{ " read write ", ON_EVENT, "", by_skeleton },
	{ " close ", ON_OTHER, "", close_file },
	{ " open openat ", ON_OTHER, "", open_file },
	{ " nanosleep clock_nanosleep ", ON_OTHER, "", sleep_for },
	{ " getpid getppid gettid getuid geteuid sched_yield getegid getgid ", ON_OTHER, "", plain },
	{ " clock_gettime gettimeofday rt_sigprocmask getrandom fstat newfstatat lseek fcntl setsockopt ", ON_OTHER, "",
	  other },
	{ " mmap munmap ", ON_OTHER, "", map },
	{ " accept accept4 epoll_ctl shutdown clone clone3 fork vfork rseq set_robust_list exit madvise mprotect brk prctl "
	  "rt_sigaction epoll_wait epoll_pwait poll ppoll select pselect6 ",
	  ON_OTHER, "", by_skeleton },
};

int steps_find(const struct step *step)
{
	char word[NAME_BYTES + 2];

	/* The end of a connection. */
	if (step->on == ON_CLIENT && steps_reads(step) && !step->error[0] && step->bytes.n &&
	    !step->bytes.row[step->bytes.rows - 1].high)
		snprintf(word, sizeof(word), " shutdown ");
	else
		snprintf(word, sizeof(word), " %s ", step->call);
	for (int i = 0; i < (int)(sizeof(rows) / sizeof(rows[0])); i++)
		if (strstr(rows[i].calls, word) && (rows[i].on == step->on || rows[i].on == ON_OTHER) &&
		    !strcmp(rows[i].error, step->error))
			return i;
	return -1;
}

static bool is_one_of(const struct step *step, const char *calls)
{
	char word[NAME_BYTES + 2];

	snprintf(word, sizeof(word), " %s ", step->call);
	return step->on == ON_CLIENT && !step->error[0] && strstr(calls, word);
}

bool steps_reads(const struct step *step)
{
	return is_one_of(step, rows[1].calls);
}

bool steps_writes(const struct step *step)
{
	return is_one_of(step, rows[2].calls);
}

uint64_t steps_times(const struct step *step, struct unit *unit)
{
	return plan_draw(unit, &step->times);
}

uint64_t steps_bytes(const struct step *step, struct unit *unit)
{
	return plan_draw(unit, &step->bytes);
}

void steps_make(struct unit unit, struct client *client, uint64_t since_ns, bool taken)
{
	struct unit times = unit;
	uint64_t program_ns;
	double left = 1;

	times.at += TIMES_AT;
	program_ns = plan_draw(&times, &unit.path->program_ns);
	for (size_t i = 0; i < unit.path->steps; i++) {
		const struct step *step = &unit.path->step[i];

		burn(since_ns, (uint64_t)((double)program_ns * step->before_share));
		left -= step->before_share;
		for (uint64_t n = steps_times(step, &unit); n; n--) {
			const uint64_t bytes = steps_bytes(step, &unit);

			if (taken && steps_reads(step))
				taken = false;
			else if (step->made_by >= 0)
				rows[step->made_by].make(step, client, bytes, plan_draw(&times, &step->slept_ns));
			if (client->gone)
				return;
		}
		since_ns = steps_now_ns();
	}
	burn(since_ns, (uint64_t)((double)program_ns * (left > 0 ? left : 0)));
}

void steps_print_missing(const struct profile *profile)
{
	for (size_t i = 0; i < profile->stages; i++)
		for (size_t j = 0; j < profile->stage[i].paths; j++)
			for (size_t k = 0; k < profile->stage[i].path[j].steps; k++) {
				const struct step *step = &profile->stage[i].path[j].step[k];

				if (step->made_by < 0)
					fprintf(stderr, "synthetic: not made: %s%s%s of %llu units of %s\n", step->call,
						step->error[0] ? " with " : "", step->error,
						(unsigned long long)profile->stage[i].path[j].units,
						profile->stage[i].name);
			}
}
