// SPDX-License-Identifier: GPL-2.0-only
/* A small user of the module for its tests: control through libnl. client_rings.c reads the records. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include "client.h"

static bool tells_reasons;

bool client_told(const char *text, const char *words)
{
	return !tells_reasons || strstr(text, words);
}

void client_open(struct client *client)
{
	int one = 1;

	memset(client, 0, sizeof(*client));
	client->fd = open(SCOPE_DEVICE_PATH, O_RDWR | O_CLOEXEC);
	CHECK(client->fd >= 0, "%s: %s", SCOPE_DEVICE_PATH, strerror(errno));
	client->sock = nl_socket_alloc();
	CHECK(client->sock && !genl_connect(client->sock));
	nl_socket_disable_auto_ack(client->sock);
	tells_reasons = !setsockopt(nl_socket_get_fd(client->sock), SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(nl_socket_get_fd(client->sock), SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	client->family = genl_ctrl_resolve(client->sock, SCOPE_GENL_NAME);
	CHECK(client->family > 0, "family: %s", nl_geterror(client->family));
	CHECK(!ioctl(client->fd, SCOPE_IOC_INFO, &client->info));
	CHECK(client->info.cpus <= CLIENT_CPUS);
}

void client_close(struct client *client)
{
	uint32_t cpu;

	for (cpu = 0; cpu < client->info.cpus; cpu++)
		if (client->map[cpu])
			munmap((void *)client->map[cpu], client->info.region_bytes);
	nl_socket_free(client->sock);
	close(client->fd);
}

struct answer {
	uint32_t sequence; /* of the request */
	int error;
	char *message;
	uint32_t message_bytes;
	struct client_counts *counts;
	client_reply reply; /* gets the attributes instead; NULL: none */
	void *data;
};

static void parse_message(struct nlmsghdr *header, struct answer *answer)
{
	struct nlmsgerr *error = nlmsg_data(header);
	struct nlattr *attribute;
	int rest, offset = sizeof(*error);

	if (!answer->message || !(header->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(header->nlmsg_flags & NLM_F_CAPPED))
		offset += error->msg.nlmsg_len - sizeof(struct nlmsghdr);
	nla_for_each_attr(attribute, (struct nlattr *)((char *)error + offset), nlmsg_datalen(header) - offset,
			  rest) if (nla_type(attribute) == NLMSGERR_ATTR_MSG)
		snprintf(answer->message, answer->message_bytes, "%s", nla_get_string(attribute));
}

static void parse_cpu(struct nlattr *cpu, struct client_counts *counts)
{
	struct nlattr *a[SCOPE_ATTR_MAX + 1];

	CHECK(!nla_parse_nested(a, SCOPE_ATTR_MAX, cpu, NULL));
	counts->records += nla_get_u64(a[SCOPE_ATTR_RECORDS]);
	counts->lost[0] += nla_get_u64(a[SCOPE_ATTR_LOST_FULL]);
	counts->lost[1] += nla_get_u64(a[SCOPE_ATTR_LOST_NESTED]);
	counts->lost[2] += nla_get_u64(a[SCOPE_ATTR_LOST_TOO_BIG]);
	counts->stacks += nla_get_u64(a[SCOPE_ATTR_STACKS]);
	counts->skipped += nla_get_u64(a[SCOPE_ATTR_STACKS_SKIPPED]);
	counts->overwritten += nla_get_u64(a[SCOPE_ATTR_OVERWRITTEN]);
	counts->probe_ns += nla_get_u64(a[SCOPE_ATTR_PROBE_NS]);
	counts->cpus++;
}

static int on_valid(struct nl_msg *msg, void *data)
{
	struct answer *answer = data;
	struct nlattr *a[SCOPE_ATTR_MAX + 1], *cpu;
	int rest;

	/* A notice, where this socket has asked for them. */
	if (!nlmsg_hdr(msg)->nlmsg_seq)
		return NL_OK;
	CHECK(!genlmsg_parse(nlmsg_hdr(msg), 0, a, SCOPE_ATTR_MAX, NULL));
	if (answer->reply)
		answer->reply(a, answer->data);
	if (!answer->counts || !a[SCOPE_ATTR_CPUS])
		return NL_OK;
	memset(answer->counts, 0, sizeof(*answer->counts));
	answer->counts->processes = nla_get_u32(a[SCOPE_ATTR_PROCESSES]);
	answer->counts->run_state = nla_get_u8(a[SCOPE_ATTR_RUN_STATE]);
	answer->counts->filter_full = nla_get_u64(a[SCOPE_ATTR_FILTER_FULL]);
	answer->counts->memory = nla_get_u64(a[SCOPE_ATTR_MEMORY_BYTES]);
	answer->counts->run_ns = nla_get_u64(a[SCOPE_ATTR_RUN_NS]);
	answer->counts->stop_reason = nla_get_u8(a[SCOPE_ATTR_STOP_REASON]);
	answer->counts->owner = nla_get_u32(a[SCOPE_ATTR_OWNER]);
	nla_for_each_nested(cpu, a[SCOPE_ATTR_CPUS], rest)
		parse_cpu(cpu, answer->counts);
	return NL_OK;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *error, void *data)
{
	struct answer *answer = data;

	(void)from;
	answer->error = error->error;
	parse_message((struct nlmsghdr *)((char *)error - NLMSG_HDRLEN), answer);
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *data)
{
	(void)msg;
	((struct answer *)data)->error = 0;
	return NL_STOP;
}

static int on_sequence(struct nl_msg *msg, void *data)
{
	const uint32_t number = nlmsg_hdr(msg)->nlmsg_seq;

	CHECK(!number || number == ((struct answer *)data)->sequence, "%u", number);
	return NL_OK;
}

/* Frees msg. */
static int transact(struct client *client, struct nl_msg *msg, struct answer *answer)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int err;

	nlmsg_hdr(msg)->nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
	nl_complete_msg(client->sock, msg);
	if (client->arm)
		client->arm(true);
	err = sendto(nl_socket_get_fd(client->sock), nlmsg_hdr(msg), nlmsg_hdr(msg)->nlmsg_len, 0,
		     (struct sockaddr *)&(struct sockaddr_nl){ .nl_family = AF_NETLINK }, sizeof(struct sockaddr_nl));
	if (err < 0)
		err = -errno;
	if (client->arm)
		client->arm(false);
	if (err < 0) {
		nl_cb_put(cb);
		nlmsg_free(msg);
		return err;
	}
	answer->sequence = nlmsg_hdr(msg)->nlmsg_seq;
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, on_sequence, answer);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, answer);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, answer);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, answer);
	answer->error = 1;
	do {
		err = nl_recvmsgs(client->sock, cb);
		/* The kernel had no memory for its answer. */
		if (err == -NLE_NOMEM && answer->error > 0)
			answer->error = -ENOBUFS;
		CHECK(err >= 0 || answer->error <= 0, "%s", nl_geterror(err));
	} while (answer->error > 0);
	nl_cb_put(cb);
	nlmsg_free(msg);
	return answer->error;
}

static struct nl_msg *message(struct client *client, int command)
{
	struct nl_msg *msg = nlmsg_alloc_size(16384);

	CHECK(genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, client->family, 0, 0, command, SCOPE_GENL_VERSION));
	return msg;
}

struct nl_msg *client_message(struct client *client, int command)
{
	struct nl_msg *msg = message(client, command);

	CHECK(!nla_put_u32(msg, SCOPE_ATTR_SESSION, client->info.session));
	return msg;
}

int client_send(struct client *client, struct nl_msg *msg, client_reply reply, void *data, char *ret_message,
		uint32_t message_bytes)
{
	struct answer answer = { .message = ret_message, .message_bytes = message_bytes, .reply = reply, .data = data };

	if (message_bytes)
		ret_message[0] = 0;
	return transact(client, msg, &answer);
}

int client_raw(struct client *client, int command, const void *attributes, uint32_t bytes, char *ret_message,
	       uint32_t message_bytes)
{
	struct answer answer = { .message = ret_message, .message_bytes = message_bytes };
	struct nl_msg *msg = message(client, command);

	if (message_bytes)
		ret_message[0] = 0;
	if (bytes)
		CHECK(!nlmsg_append(msg, (void *)attributes, bytes, NLMSG_ALIGNTO));
	return transact(client, msg, &answer);
}

/* Descriptors and mappings of all programs, as the kernel counts them. */
int client_module_users(void)
{
	FILE *file = fopen("/sys/module/scope/refcnt", "r");
	int count = -1;

	CHECK(file && fscanf(file, "%d", &count) == 1);
	fclose(file);
	return count;
}

/* A process that was killed closes its files a little later. */
void client_wait_unused(void)
{
	int i;

	for (i = 0; client_module_users() && i < 500; i++)
		usleep(10000);
	CHECK(!client_module_users(), "still in use: %d", client_module_users());
}

static void put_nonzero(struct nl_msg *msg, int name, uint32_t value)
{
	if (value)
		nla_put_u32(msg, name, value);
}

int client_configure(struct client *client, const struct client_config *config)
{
	struct nl_msg *msg = message(client, SCOPE_CMD_CONFIGURE);
	char text[256] = "";
	struct answer answer = { .message = text, .message_bytes = sizeof(text) };
	struct nlattr *nest;
	uint32_t i;
	int err;

	nla_put_u32(msg, SCOPE_ATTR_SESSION, client->info.session);
	nla_put_u32(msg, SCOPE_ATTR_PROTOCOL, SCOPE_PROTOCOL);
	nest = nla_nest_start(msg, SCOPE_ATTR_TARGETS);
	for (i = 0; i < config->count; i++)
		nla_put_u32(msg, SCOPE_ATTR_TARGET, config->pids[i]);
	nla_nest_end(msg, nest);
	if (config->follow)
		nla_put_flag(msg, SCOPE_ATTR_FOLLOW);
	put_nonzero(msg, SCOPE_ATTR_EVENTS, config->events);
	put_nonzero(msg, SCOPE_ATTR_SUBBUF_BYTES, config->subbuf_bytes);
	put_nonzero(msg, SCOPE_ATTR_SUBBUF_COUNT, config->subbuf_count);
	nla_put(msg, SCOPE_ATTR_ARG_COUNTS, SCOPE_SYSCALL_MAX, config->arg_counts);
	nla_put_u8(msg, SCOPE_ATTR_STACK_MODE, config->stack_mode);
	put_nonzero(msg, SCOPE_ATTR_STACK_BYTES, config->stack_bytes);
	put_nonzero(msg, SCOPE_ATTR_STACK_MIN_NS, config->stack_min_ns);
	put_nonzero(msg, SCOPE_ATTR_STACKS_PER_SECOND, config->stacks_per_second);
	put_nonzero(msg, SCOPE_ATTR_SAMPLE_PERIOD_NS, config->sample_period_ns);
	/* On an emulated processor shares cannot be measured. */
	nla_put_u32(msg, SCOPE_ATTR_OVERHEAD_MAX, config->overhead_max);
	if (config->kernel_base)
		nla_put_u64(msg, SCOPE_ATTR_KERNEL_BASE, config->kernel_base);
	if (config->flight)
		nla_put_u8(msg, SCOPE_ATTR_RING_MODE, SCOPE_RING_FLIGHT);
	err = transact(client, msg, &answer);
	if (err)
		printf("# configure: %s: %s\n", strerror(-err), text);
	return err;
}

int client_command(struct client *client, int command)
{
	struct nl_msg *msg = message(client, command);
	struct answer answer = { 0 };

	nla_put_u32(msg, SCOPE_ATTR_SESSION, client->info.session);
	return transact(client, msg, &answer);
}

int client_snapshot(struct client *client, bool hold)
{
	struct nl_msg *msg = message(client, SCOPE_CMD_SNAPSHOT);
	struct answer answer = { 0 };

	nla_put_u32(msg, SCOPE_ATTR_SESSION, client->info.session);
	if (hold)
		nla_put_flag(msg, SCOPE_ATTR_HOLD);
	return transact(client, msg, &answer);
}

int client_query(struct client *client, struct client_counts *ret_counts)
{
	struct nl_msg *msg = message(client, SCOPE_CMD_QUERY);
	struct answer answer = { .counts = ret_counts };

	nla_put_u32(msg, SCOPE_ATTR_SESSION, client->info.session);
	return transact(client, msg, &answer);
}

/* 0, or the error in the answer, as libnl numbers it. */
int client_ask_to_listen(struct nl_sock *sock)
{
	const int family = genl_ctrl_resolve(sock, SCOPE_GENL_NAME);
	struct nl_msg *msg = nlmsg_alloc();

	CHECK(family > 0, "%s", nl_geterror(family));
	CHECK(genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, NLM_F_ACK, SCOPE_CMD_LISTEN, SCOPE_GENL_VERSION));
	return nl_send_sync(sock, msg);
}

/* A socket that hears notices; give it back with nl_socket_free(). */
struct nl_sock *client_listen(void)
{
	struct timeval patience = { .tv_sec = 10 };
	struct nl_sock *sock = nl_socket_alloc();
	int err;

	CHECK(sock && !genl_connect(sock));
	nl_socket_disable_seq_check(sock);
	err = client_ask_to_listen(sock);
	CHECK(!err, "%s", nl_geterror(err));
	setsockopt(nl_socket_get_fd(sock), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return sock;
}

static int on_notice(struct nl_msg *msg, void *data)
{
	struct client_notice *notice = data;
	struct nlattr *a[SCOPE_ATTR_MAX + 1];

	CHECK(!genlmsg_parse(nlmsg_hdr(msg), 0, a, SCOPE_ATTR_MAX, NULL));
	CHECK(genlmsg_hdr(nlmsg_hdr(msg))->cmd == SCOPE_CMD_NOTICE);
	notice->session = nla_get_u32(a[SCOPE_ATTR_SESSION]);
	notice->notice = nla_get_u8(a[SCOPE_ATTR_NOTICE]);
	notice->cpu = nla_get_u32(a[SCOPE_ATTR_CPU_ID]);
	notice->value = nla_get_u64(a[SCOPE_ATTR_VALUE]);
	return NL_STOP;
}

/* Waits, up to 10 s each, until this session's notice of this kind comes. */
void client_expect(struct nl_sock *sock, uint32_t session, uint8_t kind, struct client_notice *ret_notice)
{
	struct client_notice notice = { 0 };
	int err;

	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, on_notice, &notice);
	do {
		err = nl_recvmsgs_default(sock);
		CHECK(err >= 0, "no notice %u: %s", kind, nl_geterror(err));
	} while (notice.session != session || notice.notice != kind);
	*ret_notice = notice;
}

/* Everything up to a running session. */
void client_begin(struct client *client, const struct client_config *config)
{
	client_open(client);
	CHECK(!client_configure(client, config));
	client_map(client);
	CHECK(!client_command(client, SCOPE_CMD_START));
}
