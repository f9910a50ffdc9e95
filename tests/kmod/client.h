/* SPDX-License-Identifier: GPL-2.0-only */
/* A small user of the module for its tests: a session, its mappings, every record of its stream. */
#ifndef SCOPE_TESTS_KMOD_CLIENT_H
#define SCOPE_TESTS_KMOD_CLIENT_H

#include <stdbool.h>
#include <stdint.h>
#include <scope/control.h>
#include <scope/event.h>
#include <scope/ring.h>

struct nl_msg;
struct nlattr;

#define CLIENT_CPUS 64

/* The registers a record of this machine holds, and which of them is the stack pointer. */
#ifdef __aarch64__
#define CLIENT_REGS SCOPE_REG_COUNT_ARM64
#define CLIENT_REG_SP 31
#else
#define CLIENT_REGS SCOPE_REG_COUNT_X86_64
#define CLIENT_REG_SP 7
#endif

struct client_config {
	uint32_t pids[SCOPE_TARGET_MAX];
	uint32_t count;
	bool follow, flight;
	uint32_t events;		     /* 0: default */
	uint32_t subbuf_bytes, subbuf_count; /* 0: default */
	uint8_t arg_counts[SCOPE_SYSCALL_MAX];
	uint8_t stack_mode;
	uint32_t stack_bytes, stack_min_ns, stacks_per_second, sample_period_ns; /* 0: default */
	uint32_t overhead_max;							 /* 0: any, not the default */
	uint64_t kernel_base; /* 0: samples do not say where in the kernel */
};

struct client_counts {
	uint64_t records, lost[SCOPE_LOST_REASONS], stacks, skipped, overwritten, memory;
	uint64_t run_ns, probe_ns;
	uint32_t stop_reason, owner, cpus;
	uint32_t processes, run_state;
	uint64_t filter_full;
};

struct client_notice {
	uint32_t session, cpu;
	uint8_t notice; /* enum scope_notice */
	uint64_t value;
};

struct client {
	int fd;
	struct nl_sock *sock;
	int family;
	struct scope_ioc_info info;
	const uint8_t *map[CLIENT_CPUS];
	/* as decoding goes on */
	uint32_t tid[CLIENT_CPUS];
	uint64_t now_ns[CLIENT_CPUS], last_number[CLIENT_CPUS], seen[CLIENT_CPUS];
	uint64_t received;
	/* called with true just before the kernel serves a control message, and with false after */
	void (*arm)(bool on);
};

/* word: the record, at least its fixed bytes; tid: its thread, 0 for none that is traced. */
typedef void (*client_record)(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record,
			      uint32_t bytes);

/* All return 0 or -errno, or end the program with a message if the test cannot continue. */
void client_open(struct client *client);
/* True if these words are in the reason of a refusal. Also true before 4.12, where answers have no reasons. */
bool client_told(const char *text, const char *words);
void client_close(struct client *client);
int client_configure(struct client *client, const struct client_config *config);
int client_command(struct client *client, int command);
void client_map(struct client *client);
void client_begin(struct client *client, const struct client_config *config);
int client_query(struct client *client, struct client_counts *ret_counts);
void client_pages(const struct client *client, struct client_counts *ret_counts);
uint64_t client_drain(struct client *client, client_record record, void *data);
/* Stops it, reads the rest, and closes it: all that was recorded has come, and nothing was lost. */
void client_finish(struct client *client, client_record record, void *data);
int client_module_users(void);
void client_wait_unused(void);
struct nl_sock *client_listen(void);
int client_ask_to_listen(struct nl_sock *sock);
void client_expect(struct nl_sock *sock, uint32_t session, uint8_t kind, struct client_notice *ret_notice);
int client_snapshot(struct client *client, bool hold);
uint64_t client_drain_flight(struct client *client, bool snapshot, client_record record, void *data,
			     uint64_t *ret_stale);
/* A request that names the session; client_send() frees it and returns the kernel's answer. */
typedef void (*client_reply)(struct nlattr **attributes, void *data);
struct nl_msg *client_message(struct client *client, int command);
int client_send(struct client *client, struct nl_msg *msg, client_reply reply, void *data, char *ret_message,
		uint32_t message_bytes);
/* bytes of unchanged netlink attributes, for wrong messages; returns the kernel's answer */
int client_raw(struct client *client, int command, const void *attributes, uint32_t bytes, char *ret_message,
	       uint32_t message_bytes);

#define FAIL(...)                                                                                                      \
	do {                                                                                                           \
		printf("# %s:%d: ", __FILE__, __LINE__);                                                               \
		printf(__VA_ARGS__);                                                                                   \
		printf("\n");                                                                                          \
		fflush(stdout);                                                                                        \
		_exit(1);                                                                                              \
	} while (0)
#define CHECK(condition, ...)                                                                                          \
	do {                                                                                                           \
		if (!(condition))                                                                                      \
			FAIL(#condition " " __VA_ARGS__);                                                              \
	} while (0)

#endif
