// SPDX-License-Identifier: GPL-2.0-only
/* A process that does one thing a requested number of times. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include "client.h"
#include "puppet.h"
#include "tests.h"

struct order {
	uint32_t act, times;
};

#define ORDER_FD 200
#define ANSWER_FD 201

__attribute__((noinline, noclone)) long puppet_function(long a, long b, long c);
long puppet_function(long a, long b, long c)
{
	/* Keeps the call: the compiler may not know what comes out. */
	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c));
	return a + b + c + a;
}

static void call_function(uint32_t times)
{
	uint32_t i;

	for (i = 0; i < times; i++)
		CHECK(puppet_function(i, 2l * i, 3l * i) == 7l * i);
}

/* A call from a place where the stack cannot be read, which the kernel has no need of. */
static void bad_stack(void)
{
	void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *nowhere = (char *)page + 2048;

	CHECK(page != MAP_FAILED);
#ifdef __x86_64__
	long nr = SYS_getppid;

	__asm__ volatile("mov %%rsp, %%r12\n\t"
			 "mov %1, %%rsp\n\t"
			 "syscall\n\t"
			 "mov %%r12, %%rsp"
			 : "+a"(nr)
			 : "r"(nowhere)
			 : "rcx", "r11", "r12", "memory");
#else
	(void)nowhere;
#endif
	munmap(page, 4096);
}

static void receive(uint32_t times)
{
	int pair[2];
	char byte;

	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	for (uint32_t i = 0; i < times; i++) {
		CHECK(send(pair[0], "", 1, 0) == 1);
		CHECK((i % 2 ? read(pair[1], &byte, 1) : recv(pair[1], &byte, 1, 0)) == 1);
		CHECK(recv(pair[1], &byte, 1, MSG_DONTWAIT) < 0);
	}
	close(pair[0]);
	close(pair[1]);
}

/* A thousand turns; the section's borders are those of the code. */
__attribute__((noinline, section("burn_code"))) static void burn(void)
{
	volatile uint32_t i;

	for (i = 0; i < 1000; i++)
		;
}

__attribute__((noinline)) static void work(void)
{
	volatile uint32_t i;

	for (i = 0; i < 1000; i++)
		;
}

static void pingpong(uint32_t times)
{
	int to[2], from[2];
	uint32_t i;
	char byte;

	CHECK(!pipe(to) && !pipe(from));
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(to[1]);
		while (read(to[0], &byte, 1) == 1) {
			work();
			if (write(from[1], "", 1) != 1)
				break;
		}
		_exit(0);
	}
	close(to[0]);
	for (i = 0; i < times; i++) {
		work();
		CHECK(write(to[1], "", 1) == 1 && read(from[0], &byte, 1) == 1);
	}
	close(to[1]);
	CHECK(wait(NULL) > 0);
}

static void spawn(uint32_t times)
{
	char number[16];
	int status;
	pid_t pid;

	snprintf(number, sizeof(number), "%u", times);
	pid = fork();
	if (!pid) {
		execl("/proc/self/exe", "puppet", "puppet", "function", number, NULL);
		_exit(127);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status, "status %x", status);
}

/* The address goes to the assembler alone: nothing touches the room. */
__attribute__((noinline)) static void nap_below_hole(const struct timespec *nap)
{
	char room[PUPPET_HOLE_BYTES];

	__asm__ volatile("" : : "r"(room) : "memory");
	syscall(SYS_nanosleep, nap, NULL);
	__asm__ volatile("" : : "r"(room) : "memory");
}

__attribute__((noinline)) static void nap_below_mark(const struct timespec *nap)
{
	volatile uint64_t mark[2] = { PUPPET_HOLE_MARK, PUPPET_HOLE_MARK };

	nap_below_hole(nap);
	mark[0] = mark[1];
}

static void act(const struct order *order)
{
	const struct timespec nap = { 0, 300000 };
	uint32_t i;

	if (order->act == PUPPET_FUNCTION)
		call_function(order->times);
	else if (order->act == PUPPET_SPAWN)
		spawn(order->times);
	else if (order->act == PUPPET_PINGPONG)
		pingpong(order->times);
	else if (order->act == PUPPET_RECEIVE)
		receive(order->times);
	else
		for (i = 0; i < order->times; i++) {
			if (order->act == PUPPET_BURN)
				burn();
			else if (order->act == PUPPET_WORK)
				work();
			else if (order->act == PUPPET_GETPPID)
				syscall(SYS_getppid);
			else if (order->act == PUPPET_NAP)
				syscall(SYS_nanosleep, &nap, NULL);
			else if (order->act == PUPPET_HOLE_NAP)
				nap_below_mark(&nap);
			else if (order->act == PUPPET_BAD_STACK)
				bad_stack();
			else
				CHECK(syscall(SYS_openat, AT_FDCWD, PUPPET_PATH, O_RDONLY) < 0);
		}
}

static void obey(void)
{
	struct order order;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CHECK(write(ANSWER_FD, "", 1) == 1);
	while (read(ORDER_FD, &order, sizeof(order)) == sizeof(order)) {
		act(&order);
		CHECK(write(ANSWER_FD, "", 1) == 1);
	}
	_exit(0);
}

void puppet_main(int argc, char **argv)
{
	if (argc == 2)
		obey();
	CHECK(argc == 4 && !strcmp(argv[2], "function"));
	call_function(atoi(argv[3]));
	_exit(0);
}

void puppet_begin(struct puppet *puppet, const char *path)
{
	int to[2], from[2];

	CHECK(!pipe2(to, O_CLOEXEC) && !pipe2(from, O_CLOEXEC));
	puppet->pid = fork();
	CHECK(puppet->pid >= 0);
	if (!puppet->pid) {
		dup2(to[0], ORDER_FD);
		dup2(from[1], ANSWER_FD);
		execl(path ? path : "/proc/self/exe", "puppet", "puppet", NULL);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	puppet->to_fd = to[1];
	puppet->from_fd = from[0];
	puppet_wait(puppet);
}

void puppet_start(struct puppet *puppet, enum puppet_act what, uint32_t times)
{
	struct order order = { what, times };

	CHECK(write(puppet->to_fd, &order, sizeof(order)) == sizeof(order));
}

void puppet_wait(struct puppet *puppet)
{
	char byte;

	CHECK(read(puppet->from_fd, &byte, 1) == 1, "the puppet is gone");
}

void puppet_do(struct puppet *puppet, enum puppet_act what, uint32_t times)
{
	puppet_start(puppet, what, times);
	puppet_wait(puppet);
}

void puppet_end(struct puppet *puppet)
{
	close(puppet->to_fd);
	close(puppet->from_fd);
	kill(puppet->pid, SIGKILL);
	waitpid(puppet->pid, NULL, 0);
}

static uint64_t own_offset(uint64_t address)
{
	uint64_t start, end, offset, found = 0;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	CHECK(maps);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && address >= start && address < end)
			found = address - start + offset;
	fclose(maps);
	CHECK(found);
	return found;
}

uint64_t puppet_function_offset(void)
{
	return own_offset((uint64_t)puppet_function);
}

extern const char __start_burn_code[], __stop_burn_code[];

void puppet_burn_range(const struct puppet *puppet, struct scope_delay_range *ret_range)
{
	uint64_t wanted = own_offset((uint64_t)__start_burn_code), start, end, offset;
	char line[512], mode[8], path[64];
	FILE *maps;

	memset(ret_range, 0, sizeof(*ret_range));
	snprintf(path, sizeof(path), "/proc/%d/maps", puppet->pid);
	maps = fopen(path, "r");
	CHECK(maps);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %7s %lx", &start, &end, mode, &offset) == 4 && mode[2] == 'x' &&
		    wanted >= offset && wanted < offset + (end - start) && strstr(line, "scopetest"))
			ret_range->begin = start + (wanted - offset);
	fclose(maps);
	CHECK(ret_range->begin);
	ret_range->end = ret_range->begin + (__stop_burn_code - __start_burn_code);
	ret_range->tgid = puppet->pid;
}
