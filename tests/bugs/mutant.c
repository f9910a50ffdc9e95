// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes one function of a program slow at times: a library for LD_PRELOAD, for mutants.py on x86-64.
 *
 * The first instructions of the function are moved, and replaced with a jump to slow_part(). It makes the call slow if one is due, then
 * runs what was moved and goes on in the function. In a stack slow_part() stands where a callee of the function's caller would.
 *
 * Environment: MUTANT=PROGRAM,OFFSET,BYTES,KIND,LENGTH_US,MEAN_US,CONTROL
 *   PROGRAM  path of the executable: other programs that inherit the environment are left alone
 *   OFFSET   of the function from where the program is loaded, hexadecimal; BYTES: of the instructions to move
 *   KIND     see works; LENGTH_US: of a slow call; MEAN_US: between two, exponentially distributed
 *   CONTROL  a file of 4 KiB that the caller has made, see struct control
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define THUNK_MOVED 32 /* where the moved instructions are in the page between program and library */
#define JUMP_BYTES 5

/* Shared with mutants.py, which knows the offsets. */
struct control {
	uint32_t enabled, calls, slow, zero;
	uint64_t next_ns; /* when the next slow call is due; 0: never */
};

struct mutant {
	struct control *control;
	void (*work)(uint64_t ns);
	bool locks; /* each call takes one lock */
	uint64_t length_ns, mean_ns;
};

static struct mutant mutant;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile uint64_t sum;
__attribute__((visibility("hidden"))) void *slow_part_continue;
void slow_part(void);

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* In (0, 1]. */
static double uniform(void)
{
	static __thread uint64_t chance;

	if (!chance)
		chance = now_ns() ^ (uintptr_t)&chance;
	chance ^= chance << 13;
	chance ^= chance >> 7;
	chance ^= chance << 17;
	return (double)((chance >> 11) + 1) / 9007199254740992.0;
}

static void compute(uint64_t ns)
{
	const uint64_t end_ns = now_ns() + ns;

	while (now_ns() < end_ns)
		for (int i = 0; i < 200; i++)
			sum += (uint64_t)i * sum + 1;
}

static void pause_for(uint64_t ns)
{
	const struct timespec length = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	nanosleep(&length, NULL);
}

static void read_files(uint64_t ns)
{
	const uint64_t end_ns = now_ns() + ns;
	char text[64];

	while (now_ns() < end_ns) {
		const int fd = open("/etc/hostname", O_RDONLY | O_CLOEXEC);

		if (fd >= 0) {
			sum += (uint64_t)read(fd, text, sizeof(text));
			close(fd);
		}
	}
}

/* Asks a peer that does not answer. */
static void ask_peer(uint64_t ns)
{
	struct sockaddr_in own = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct pollfd answer = { .fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), .events = POLLIN };
	socklen_t bytes = sizeof(own);

	if (answer.fd < 0)
		return;
	/* It sends to itself, reads that, and nothing more comes. */
	if (!bind(answer.fd, (struct sockaddr *)&own, sizeof(own)) &&
	    !getsockname(answer.fd, (struct sockaddr *)&own, &bytes) &&
	    sendto(answer.fd, "?", 1, 0, (struct sockaddr *)&own, bytes) == 1) {
		char text[8];

		sum += (uint64_t)recv(answer.fd, text, sizeof(text), MSG_DONTWAIT);
		poll(&answer, 1, (int)(ns / 1000000));
	}
	close(answer.fd);
}

static void spin(uint64_t ns)
{
	(void)ns;
	for (;;)
		sum++;
}

static void hang(uint64_t ns)
{
	int ends[2];
	char byte;

	(void)ns;
	if (!pipe(ends))
		sum += (uint64_t)read(ends[0], &byte, 1);
}

static const struct {
	const char *kind;
	void (*work)(uint64_t ns);
	bool locks;
} works[] = {
	{ "cpu", compute, false },   { "sleep", pause_for, false }, { "calls", read_files, false },
	{ "peer", ask_peer, false }, { "lock", pause_for, true },   { "freeze", pause_for, false },
	{ "spin", spin, false },     { "hang", hang, false },
};

/* True if a slow call is due, for one thread alone. */
static bool is_due(struct control *control)
{
	uint64_t due_ns = __atomic_load_n(&control->next_ns, __ATOMIC_RELAXED);
	const uint64_t time_ns = now_ns();

	if (!due_ns || time_ns < due_ns)
		return false;
	return __atomic_compare_exchange_n(&control->next_ns, &due_ns,
					   time_ns + (uint64_t)(-log(uniform()) * (double)mutant.mean_ns), false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

__attribute__((noinline, used, visibility("hidden"))) void slow_work(void)
{
	struct control *control = mutant.control;
	const int saved = errno;

	if (!__atomic_load_n(&control->enabled, __ATOMIC_RELAXED))
		return;
	__atomic_add_fetch(&control->calls, 1, __ATOMIC_RELAXED);
	if (mutant.locks)
		pthread_mutex_lock(&lock);
	if (is_due(control)) {
		__atomic_add_fetch(&control->slow, 1, __ATOMIC_RELAXED);
		mutant.work((uint64_t)((double)mutant.length_ns * (0.75 + uniform() / 2)));
	}
	if (mutant.locks)
		pthread_mutex_unlock(&lock);
	errno = saved;
}

#define SAVE(register) "push %" #register "\n.cfi_adjust_cfa_offset 8\n"
#define RESTORE(register) "pop %" #register "\n.cfi_adjust_cfa_offset -8\n"

/* Arguments in registers stay as they are. */
asm(".text\n.globl slow_part\n.type slow_part,@function\nslow_part:\n.cfi_startproc\n" SAVE(rax) SAVE(rcx) SAVE(
	rdx) SAVE(rsi) SAVE(rdi) SAVE(r8) SAVE(r9) SAVE(r10)
	    SAVE(r11) "sub $128,%rsp\n.cfi_adjust_cfa_offset 128\n"
		      "movups %xmm0,(%rsp)\nmovups %xmm1,16(%rsp)\nmovups %xmm2,32(%rsp)\nmovups %xmm3,48(%rsp)\n"
		      "movups %xmm4,64(%rsp)\nmovups %xmm5,80(%rsp)\nmovups %xmm6,96(%rsp)\nmovups %xmm7,112(%rsp)\n"
		      "call slow_work\n"
		      "movups (%rsp),%xmm0\nmovups 16(%rsp),%xmm1\nmovups 32(%rsp),%xmm2\nmovups 48(%rsp),%xmm3\n"
		      "movups 64(%rsp),%xmm4\nmovups 80(%rsp),%xmm5\nmovups 96(%rsp),%xmm6\nmovups 112(%rsp),%xmm7\n"
		      "add $128,%rsp\n.cfi_adjust_cfa_offset -128\n" RESTORE(r11) RESTORE(r10) RESTORE(r9) RESTORE(r8)
			      RESTORE(rdi) RESTORE(rsi) RESTORE(rdx) RESTORE(rcx) RESTORE(
				      rax) "jmp *slow_part_continue(%rip)\n.cfi_endproc\n.size slow_part,.-slow_part\n");

static int first_object(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uintptr_t *)base = info->dlpi_addr;
	return 1;
}

/* jmp *0(%rip), with the address after it. */
static uint8_t *put_jump(uint8_t *at, const void *to)
{
	static const uint8_t jump[] = { 0xff, 0x25, 0, 0, 0, 0 };

	memcpy(at, jump, sizeof(jump));
	memcpy(at + sizeof(jump), &to, sizeof(to));
	return at + sizeof(jump) + sizeof(to);
}

/* A page that a jump of 32 bits reaches. */
static uint8_t *page_near(const uint8_t *function)
{
	for (uintptr_t distance = 1 << 20; distance < 1 << 30; distance += 1 << 20) {
		void *page = mmap((void *)(((uintptr_t)function - distance) & ~4095ul), 4096,
				  PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
				  -1, 0);

		if (page != MAP_FAILED)
			return page;
	}
	return NULL;
}

static void patch(uint8_t *function, size_t bytes)
{
	const uintptr_t begin = (uintptr_t)function & ~4095ul, end = ((uintptr_t)function + bytes + 4095) & ~4095ul;
	uint8_t *thunk = page_near(function);
	int32_t distance;

	if (!thunk || mprotect((void *)begin, end - begin, PROT_READ | PROT_WRITE | PROT_EXEC))
		return;
	put_jump(thunk, slow_part);
	memcpy(thunk + THUNK_MOVED, function, bytes);
	put_jump(thunk + THUNK_MOVED + bytes, function + bytes);
	slow_part_continue = thunk + THUNK_MOVED;
	distance = (int32_t)(thunk - (function + JUMP_BYTES));
	memset(function, 0x90, bytes);
	function[0] = 0xe9;
	memcpy(function + 1, &distance, sizeof(distance));
	mprotect((void *)begin, end - begin, PROT_READ | PROT_EXEC);
}

/* Before main(), while there is one thread. */
__attribute__((constructor)) static void begin(void)
{
	const char *text = getenv("MUTANT");
	char program[4096], own[4096], file[4096], kind[16];
	unsigned long offset, length_us, mean_us;
	const ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
	uintptr_t base = 0;
	unsigned bytes;
	int fd;

	if (!text || length < 0)
		return;
	own[length] = '\0';
	if (sscanf(text, "%4095[^,],%lx,%u,%15[^,],%lu,%lu,%4095s", program, &offset, &bytes, kind, &length_us,
		   &mean_us, file) != 7 ||
	    strcmp(program, own))
		return;
	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		if (!strcmp(works[i].kind, kind)) {
			mutant.work = works[i].work;
			mutant.locks = works[i].locks;
		}
	mutant.length_ns = length_us * 1000;
	mutant.mean_ns = mean_us * 1000;
	fd = open(file, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	mutant.control = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (mutant.control == MAP_FAILED || !mutant.work || bytes < JUMP_BYTES)
		return;
	dl_iterate_phdr(first_object, &base);
	patch((uint8_t *)base + offset, bytes);
}
