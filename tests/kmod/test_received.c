// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first bytes that calls receive from sockets: by each call that receives, with or without a sleep, from the first element of a
 * list, and up to the end of memory. Nothing is recorded for a pipe, and if it was not requested.
 */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include "tests.h"

#define ROUNDS 25

struct received {
	uint32_t asked;			/* SCOPE_EVENTS_* beyond the default */
	uint32_t records, whole, cut;	/* in all; shorter than the most, as sent; of the most bytes */
	uint32_t by[SCOPE_SYSCALL_MAX]; /* the call whose return is the record before, without stacks */
	uint32_t secrets;		/* of the pipe */
	uint32_t wrong;
	uint16_t last_nr; /* 0xffff: the record before is another one */
};

static int go[2];

/* "read 3 xxx…", of that many bytes. */
static void fill(char *text, const char *call, int round, size_t bytes)
{
	memset(text, 'x', bytes);
	memcpy(text, call, strlen(call));
	text[strlen(call)] = (char)('A' + round);
}

static void take(int fd, const char *call, char *room, size_t bytes)
{
	struct iovec list[2] = { { room, 40 }, { room + 40, bytes - 40 } };
	struct msghdr message = { .msg_iov = list, .msg_iovlen = 2 };
	ssize_t got;

	if (!strcmp(call, "read"))
		got = read(fd, room, bytes);
	else if (!strcmp(call, "recvfrom"))
		got = recv(fd, room, bytes, 0);
	else if (!strcmp(call, "readv"))
		got = readv(fd, list, 2);
	else
		got = recvmsg(fd, &message, 0);
	CHECK(got > 0, "%s got %zd", call, got);
}

static void target(void)
{
	static const char *const call[] = { "read", "recvfrom", "readv", "recvmsg" };
	static const size_t bytes[] = { 11, 60, SCOPE_RECEIVED_BYTES, 1000 };
	char byte, text[1000], room[1000];
	int ends[2], hose[2];

	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends) && !pipe(hose));
	CHECK(read(go[0], &byte, 1) == 1);
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < 4; i++) {
			fill(text, call[i], round, bytes[round % 4]);
			CHECK(write(ends[1], text, bytes[round % 4]) == (ssize_t)bytes[round % 4]);
			take(ends[0], call[i], room, sizeof(room));
			fill(text, "secret", round, 100);
			CHECK(write(hose[1], text, 100) == 100 && read(hose[0], room, 100) == 100);
		}
	/* Nothing to receive, and an end. */
	CHECK(recv(ends[0], room, 1, MSG_DONTWAIT) == -1);
	close(ends[1]);
	CHECK(!read(ends[0], room, 1));
	_exit(0);
}

static void on_received(struct received *received, const struct scope_record_received *record, uint32_t bytes)
{
	const char *data = (const char *)(record + 1);
	const bool list = received->last_nr == SYS_readv || received->last_nr == SYS_recvmsg;

	received->records++;
	CHECK(record->bytes && record->bytes <= SCOPE_RECEIVED_BYTES && !record->zero, "%u bytes", record->bytes);
	CHECK(bytes == sizeof(*record) + (record->bytes + 7u) / 8 * 8);
	for (uint32_t i = record->bytes; i < bytes - sizeof(*record); i++)
		CHECK(!data[i], "padding");
	received->secrets += record->bytes >= 6 && !memcmp(data, "secret", 6);
	if (received->last_nr < SCOPE_SYSCALL_MAX)
		received->by[received->last_nr]++;
	if (record->bytes == SCOPE_RECEIVED_BYTES)
		received->cut++;
	else if (record->bytes == 11 || (list ? record->bytes == 40 : record->bytes == 60))
		received->whole++;
	else
		received->wrong++;
}

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_exit *exit = record;
	struct received *received = data;
	const uint32_t type = scope_record_type(exit->word);

	(void)cpu, (void)tid, (void)now_ns;
	if (type == SCOPE_RECORD_RECEIVED)
		on_received(received, record, bytes);
	received->last_nr = type == SCOPE_RECORD_SYSCALL || type == SCOPE_RECORD_EXIT ? exit->nr : 0xffff;
}

static void trace(struct received *received)
{
	struct client_config config = { .count = 1, .events = SCOPE_EVENTS_DEFAULT | received->asked };
	struct client client;
	int status;
	pid_t pid;

	CHECK(!pipe(go));
	pid = fork();
	if (!pid)
		target();
	config.pids[0] = (uint32_t)pid;
	client_begin(&client, &config);
	CHECK(write(go[1], "g", 1) == 1);
	CHECK(waitpid(pid, &status, 0) == pid && !status, "status %x", status);
	client_finish(&client, on_record, received);
	close(go[0]);
	close(go[1]);
}

void test_received(void)
{
	struct received none = { 0 }, all = { .asked = SCOPE_EVENTS_RECEIVED };

	trace(&none);
	CHECK(!none.records, "%u RECEIVED records without being asked for", none.records);
	trace(&all);
	printf("# %u RECEIVED records: read %u, recvfrom %u, readv %u, recvmsg %u; %u as sent, %u cut\n", all.records,
	       all.by[SYS_read], all.by[SYS_recvfrom], all.by[SYS_readv], all.by[SYS_recvmsg], all.whole, all.cut);
	CHECK(all.records == 4 * ROUNDS, "%u", all.records);
	CHECK(all.by[SYS_read] == ROUNDS && all.by[SYS_recvfrom] == ROUNDS && all.by[SYS_readv] == ROUNDS &&
	      all.by[SYS_recvmsg] == ROUNDS);
	/* Of a list the first place is taken, which has 40 bytes. */
	CHECK(!all.wrong && !all.secrets, "%u of other lengths, %u from the pipe", all.wrong, all.secrets);
	/* By read and recvfrom, in half of the rounds. */
	CHECK(all.cut == 2 * (ROUNDS / 2), "%u cut", all.cut);
}
