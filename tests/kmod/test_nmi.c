// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events from non-maskable interrupts, which interrupt the module's own code: each is
 * a record or is counted as lost, and the records around it are complete.
 *
 * tests/vm/test_nmi.sh causes the interrupts after the line that requests them. It loads a module for this; without that module
 * the test is skipped. The interrupts occur on the first CPU only.
 */
#include <sched.h>
#include <sys/syscall.h>
#include "client_probe.h"
#include "puppet.h"
#include "tests.h"

#define HANDLED "/sys/module/nmi_module/parameters/handled"
#define CALLS 100000
/* Else the kernel may make jumps of breakpoints, and no longer distinguish their interrupts from threads. */
#define OPTIMIZE "/proc/sys/debug/kprobes-optimization"
#define PROBES 2

struct seen {
	uint64_t probes, calls;
	uint64_t last_ns[CLIENT_CPUS];
	uint64_t last_number[PROBES + 1];
	int32_t tid;
};

static uint64_t handled(void)
{
	FILE *file = fopen(HANDLED, "re");
	unsigned long count = 0;

	if (!file)
		return 0;
	CHECK(fscanf(file, "%lu", &count) == 1);
	fclose(file);
	return count;
}

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_probe *probe = record;
	const struct scope_record_syscall *call = record;
	const uint64_t *number = (const uint64_t *)(probe + 1);
	struct seen *seen = data;

	(void)bytes;
	CHECK(now_ns >= seen->last_ns[cpu]);
	seen->last_ns[cpu] = now_ns;
	switch (scope_record_type(probe->word)) {
	case SCOPE_RECORD_PROBE:
		CHECK((int32_t)tid == seen->tid && probe->args == 1);
		CHECK(probe->id && probe->id <= PROBES && probe->flags == SCOPE_PROBE_INTERRUPT, "probe %u, flags %x",
		      probe->id, probe->flags);
		CHECK(*number > seen->last_number[probe->id], "%lu after %lu", *number, seen->last_number[probe->id]);
		seen->last_number[probe->id] = *number;
		seen->probes++;
		break;
	case SCOPE_RECORD_SYSCALL:
	case SCOPE_RECORD_EXIT:
		seen->calls += call->nr == SYS_getppid;
		break;
	}
}

/* The puppet calls on the CPU that the interrupts come to, until enough came. */
static void run(struct client *client, struct puppet *puppet, struct seen *seen, uint64_t *ret_calls)
{
	uint64_t begin = handled(), now = begin;
	int round;

	*ret_calls = 0;
	for (round = 0; round < 200 && now < begin + 2000; round++) {
		puppet_do(puppet, PUPPET_GETPPID, CALLS);
		*ret_calls += CALLS;
		client_drain(client, on_record, seen);
		now = handled();
	}
	CHECK(now > begin + 100, "%lu interrupts came", now - begin);
}

static void keep_breakpoints(void)
{
	FILE *file = fopen(OPTIMIZE, "we");

	CHECK(file && fputs("0", file) >= 0 && !fclose(file));
}

void test_nmi(void)
{
	static const struct client_probe probe[PROBES] = {
		{ .id = 1, .kind = SCOPE_PROBE_KPROBE, .symbol = "scope_test_nmi", .args = 1 },
		{ .id = 2, .kind = SCOPE_PROBE_KPROBE, .symbol = "scope_test_nmi_untraced", .args = 1 },
	};
	struct client_config config = { .count = 1, .subbuf_count = 64 };
	struct client_counts pages;
	struct seen seen = { 0 };
	struct puppet puppet;
	struct client client;
	uint64_t hits = 0, calls;
	cpu_set_t first;
	int i;

	if (access(HANDLED, F_OK)) {
		printf("# skipped: nobody sends interrupts here (tests/vm/test_nmi.sh does)\n");
		return;
	}
	keep_breakpoints();
	puppet_begin(&puppet, NULL);
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	CHECK(!sched_setaffinity(puppet.pid, sizeof(first), &first));
	seen.tid = puppet.pid;
	config.pids[0] = puppet.pid;
	client_begin(&client, &config);
	for (i = 0; i < PROBES; i++)
		CHECK(!client_probe_add(&client, &probe[i]), "%s", client_probe_text);
	printf("# scope-vm: nmi\n");
	fflush(stdout);
	run(&client, &puppet, &seen, &calls);
	/* Taken out, it cannot be hit while the counts are read. */
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	for (i = 0; i < PROBES; i++)
		hits += client_probe_hits(&client, probe[i].id);
	client_drain(&client, on_record, &seen);
	client_pages(&client, &pages);
	printf("# %lu interrupts, %lu hits in the traced thread: %lu records + %lu in the middle of "
	       "one; %lu calls of %lu, %lu lost\n",
	       handled(), hits, seen.probes, pages.lost[SCOPE_LOST_NESTED], seen.calls, calls,
	       pages.lost[SCOPE_LOST_FULL]);
	CHECK(seen.last_number[1] && seen.last_number[2]);
	CHECK(!pages.lost[SCOPE_LOST_FULL] && !pages.lost[SCOPE_LOST_TOO_BIG]);
	CHECK(hits == seen.probes + pages.lost[SCOPE_LOST_NESTED]);
	CHECK(seen.calls == calls);
	client_close(&client);
	puppet_end(&puppet);
}
