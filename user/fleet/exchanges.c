// SPDX-License-Identifier: GPL-2.0-only
/* Finds requests and their answers on the connections of a trace, and adds them to a summary by link. */
#include "fleet/exchanges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "fleet/exchanges_internal.h"
#include "timeline/timeline.h"
#include "trace/peer.h"

#define LINKS_MAX                                                                                                      \
	4096 /* no rule: links with sums of their own during the pass; others count for the link without addresses */
#define NO_LINK UINT32_MAX /* no rule: of the end of a pipe or of a unix socket */

enum turn { TURN_REST, TURN_ASKED, TURN_ANSWERED };

/* A connection, found by its descriptor. */
struct connection {
	uint64_t key; /* scope_timeline_fd_key(); 0: empty */
	uint32_t link;
	uint16_t port;
	uint8_t turn;
	bool mixed;
	uint32_t sender;
	uint64_t first_ns, reply_ns, last_ns;
	uint64_t rest_ns; /* before this exchange; 0: not known */
};

static struct connection *slot_of(struct connection *slot, size_t slots, uint64_t key)
{
	size_t at = (key * 0x9e3779b97f4a7c15u >> 20) & (slots - 1);

	while (slot[at].key && slot[at].key != key)
		at = (at + 1) & (slots - 1);
	return &slot[at];
}

static int widen(struct finding *finding)
{
	const size_t slots = finding->slots ? 2 * finding->slots : 256;
	struct connection *slot = calloc(slots, sizeof(*slot));

	if (!slot)
		return -ENOMEM;
	for (size_t i = 0; i < finding->slots; i++)
		if (finding->slot[i].key)
			*slot_of(slot, slots, finding->slot[i].key) = finding->slot[i];
	free(finding->slot);
	finding->slot = slot;
	finding->slots = slots;
	return 0;
}

/* NULL: no memory. */
static struct connection *connection_of(struct finding *finding, uint64_t key)
{
	struct connection *one;

	if (2 * finding->used >= finding->slots && widen(finding))
		return NULL;
	one = slot_of(finding->slot, finding->slots, key);
	if (!one->key) {
		*one = (struct connection){ .key = key, .link = NO_LINK };
		finding->used++;
	}
	return one;
}

int scope_fleet_exchanges_link(struct finding *finding, bool answers, const char *client, const char *server,
			       uint32_t *ret_link)
{
	struct scope_fleet_summary *summary = finding->summarizer->summary;
	struct scope_fleet_link row = { .answers = answers };
	int err = scope_fleet_names_add(&finding->names, client, &row.client);

	if (!err)
		err = scope_fleet_names_add(&finding->names, server, &row.server);
	if (err)
		return err;
	for (size_t i = 0; i < summary->links; i++)
		if (summary->link[i].answers == row.answers && summary->link[i].client == row.client &&
		    summary->link[i].server == row.server) {
			*ret_link = (uint32_t)i;
			return 0;
		}
	if (summary->links >= LINKS_MAX && *client)
		return scope_fleet_exchanges_link(finding, answers, "", "", ret_link);
	if (scope_grow(&summary->link, &summary->link_capacity, summary->links + 1, sizeof(row)) ||
	    scope_grow(&finding->sums, &finding->sums_capacity, summary->links + 1, sizeof(*finding->sums)))
		return -ENOMEM;
	finding->sums[summary->links] = (struct sums){ 0 };
	*ret_link = (uint32_t)summary->links;
	summary->link[summary->links++] = row;
	return 0;
}

/* Cuts the port from an address. Returns it; 0: there is none. */
static uint16_t cut_port(char *address)
{
	char *colon = strrchr(address, ':');
	const unsigned long port = colon ? strtoul(colon + 1, NULL, 10) : 0;

	if (!colon || !port || port > UINT16_MAX)
		return 0;
	*colon = '\0';
	return (uint16_t)port;
}

/* Adds a connection from "socket:[123] from OWN to PEER", the form of user/proc/descriptors.c. */
static int add_open(struct finding *finding, const struct scope_trace_fd *row)
{
	const char *own = strstr(row->name, SCOPE_TRACE_FD_OWN), *peer = own ? strstr(own, SCOPE_TRACE_FD_PEER) : NULL;
	const bool answers = row->kind == SCOPE_FD_ACCEPTED;
	struct connection *one;
	char client[128], server[128];
	uint16_t port;
	int err;

	if (row->fd < 0 || (!answers && row->kind != SCOPE_FD_CONNECTED))
		return 0;
	one = connection_of(finding, scope_timeline_fd_key(row->tgid, row->fd));
	if (!one)
		return -ENOMEM;
	if (!peer)
		return 0;
	own += strlen(SCOPE_TRACE_FD_OWN);
	snprintf(answers ? server : client, sizeof(client), "%.*s", (int)(peer - own), own);
	peer += strlen(SCOPE_TRACE_FD_PEER);
	/* The peer's process may follow. */
	snprintf(answers ? client : server, sizeof(client), "%.*s", (int)strcspn(peer, " "), peer);
	port = cut_port(client);
	if (!port)
		return 0;
	/* The row may be there twice, if the descriptors were read twice. */
	if (one->link != NO_LINK)
		finding->summarizer->summary->link[one->link].connections--;
	err = scope_fleet_exchanges_link(finding, answers, client, server, &one->link);
	if (err)
		return err;
	one->port = port;
	finding->summarizer->summary->link[one->link].connections++;
	return 0;
}

static void keep(struct kept *kept, uint64_t measure, const struct connection *one)
{
	struct kept *least = kept;

	for (size_t i = 1; i < SCOPE_FLEET_KEPT_EACH; i++)
		if (kept[i].measure < least->measure)
			least = &kept[i];
	if (measure > least->measure)
		*least = (struct kept){ measure, one->first_ns, one->reply_ns - one->first_ns, one->port };
}

static int finish(struct finding *finding, struct connection *one)
{
	const struct scope_fleet_summarizer *summarizer = finding->summarizer;
	struct scope_fleet_link *link = one->link == NO_LINK ? NULL : &summarizer->summary->link[one->link];
	const bool over = one->turn == TURN_ANSWERED;

	one->turn = TURN_REST;
	if (!over || !link || one->last_ns < summarizer->from_ns || one->last_ns >= summarizer->to_ns)
		return 0;
	link->exchanges++;
	link->mixed += one->mixed;
	finding->sums[one->link].ns += one->last_ns - one->first_ns;
	if (one->port) {
		keep(finding->sums[one->link].kept[0], one->reply_ns - one->first_ns + 1, one);
		keep(finding->sums[one->link].kept[1], one->rest_ns, one);
	}
	return scope_fleet_coarse_add(&link->wall, scope_fleet_coarse_bucket(one->last_ns - one->first_ns), 1);
}

/* Bytes of a request. */
static int ask(struct finding *finding, struct connection *one, uint32_t thread, uint64_t at_ns)
{
	int err = 0;

	if (one->turn == TURN_ASKED) {
		one->mixed |= thread != one->sender;
		return 0;
	}
	if (one->turn == TURN_ANSWERED)
		err = finish(finding, one);
	one->rest_ns = one->last_ns && at_ns > one->last_ns ? at_ns - one->last_ns : 0;
	one->turn = TURN_ASKED;
	one->mixed = false;
	one->sender = thread;
	one->first_ns = at_ns;
	return err;
}

/* Bytes of an answer: its begin, and its end so far. */
static void answer(struct connection *one, uint64_t at_ns, uint64_t end_ns)
{
	if (one->turn == TURN_REST)
		return;
	if (one->turn == TURN_ASKED)
		one->reply_ns = at_ns > one->first_ns ? at_ns : one->first_ns;
	one->turn = TURN_ANSWERED;
	one->last_ns = end_ns > one->reply_ns ? end_ns : one->reply_ns;
}

/* From now on the descriptor means another object. */
static int forget(struct finding *finding, uint32_t tgid, int64_t fd)
{
	struct connection *one = slot_of(finding->slot, finding->slots, scope_timeline_fd_key(tgid, fd));
	int err = one->key ? finish(finding, one) : 0;

	/* It stays empty until a later use shows what it is. */
	if (one->key)
		*one = (struct connection){ .key = one->key, .link = NO_LINK };
	return err;
}

static int opened_later(struct finding *finding, uint32_t tgid, int64_t fd, enum scope_fd_kind kind)
{
	struct connection *one = connection_of(finding, scope_timeline_fd_key(tgid, fd));
	int err = one ? scope_fleet_exchanges_link(finding, kind == SCOPE_FD_ACCEPTED, "", "", &one->link) : -ENOMEM;

	if (!err)
		finding->summarizer->summary->link[one->link].connections++;
	return err;
}

/* The connection that opened_later() added has these addresses. */
static int take_peer(void *user, uint32_t thread, const struct scope_event *event)
{
	struct finding *finding = user;
	const struct scope_thread *of = scope_timeline_threads_at(finding->timeline->threads, thread);
	struct connection *one =
		slot_of(finding->slot, finding->slots, scope_timeline_fd_key(of->tgid, event->peer.fd));
	struct scope_fleet_summary *summary = finding->summarizer->summary;
	char client[SCOPE_TRACE_ADDRESS_TEXT], server[SCOPE_TRACE_ADDRESS_TEXT];
	uint32_t before = one->link;
	bool answers;
	int err;

	/* Perf events do not report the port of a client at its own end. */
	if (!one->key || before == NO_LINK || !event->peer.own[1] || !event->peer.peer_port ||
	    (summary->link[before].answers && !event->peer.own_port))
		return 0;
	answers = summary->link[before].answers;
	one->port = (uint16_t)(answers ? event->peer.peer_port : event->peer.own_port);
	scope_trace_address_text(answers ? event->peer.peer : event->peer.own, one->port, client);
	*strrchr(client, ':') = '\0';
	scope_trace_address_text(answers ? event->peer.own : event->peer.peer,
				 answers ? event->peer.own_port : event->peer.peer_port, server);
	err = scope_fleet_exchanges_link(finding, answers, client, server, &one->link);
	if (err)
		return err;
	summary->link[before].connections--;
	summary->link[one->link].connections++;
	return 0;
}

static int take_bytes(struct finding *finding, const struct scope_thread *thread, const struct scope_open_call *call,
		      uint64_t exit_ns)
{
	const int64_t fd = (int32_t)call->arg[0];
	const bool sends = call->role == SCOPE_CALL_WRITE;
	struct connection *one = slot_of(finding->slot, finding->slots, scope_timeline_fd_key(thread->tgid, fd));
	bool answers;

	if (!one->key || one->link == NO_LINK)
		return 0;
	answers = finding->summarizer->summary->link[one->link].answers;
	/*
	 * Times are bounds for the clocks: nothing was sent before the send began, and all had come when the receive
	 * returned.
	 */
	if (sends != answers)
		return ask(finding, one, thread->index, sends ? call->enter_ns : exit_ns);
	answer(one, sends ? call->enter_ns : exit_ns, exit_ns);
	return 0;
}

static int take_call(void *user, const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
		     uint64_t exit_ns)
{
	struct finding *finding = user;
	const uint8_t effect = call->nr < SCOPE_SYSCALL_MAX ? scope_timeline_call_effects[call->nr].of
							    : (uint8_t)SCOPE_FD_CHANGE_NONE;
	int err;

	if ((call->role == SCOPE_CALL_READ || call->role == SCOPE_CALL_WRITE) && call->args && ret > 0)
		return take_bytes(finding, thread, call, exit_ns);
	if (effect == SCOPE_FD_CHANGE_CLOSED && call->args)
		return forget(finding, thread->tgid, (int32_t)call->arg[0]);
	if (effect == SCOPE_FD_CHANGE_RESULT && ret >= 0) {
		err = forget(finding, thread->tgid, ret);
		return err || call->role != SCOPE_CALL_ACCEPT
			       ? err
			       : opened_later(finding, thread->tgid, ret, SCOPE_FD_ACCEPTED);
	}
	/* The connect may still be under way. The connection exists once bytes come. */
	if (call->role != SCOPE_CALL_CONNECT || !call->args || (ret && ret != -EINPROGRESS))
		return 0;
	err = forget(finding, thread->tgid, (int32_t)call->arg[0]);
	return err ? err : opened_later(finding, thread->tgid, (int32_t)call->arg[0], SCOPE_FD_CONNECTED);
}

static int run(struct finding *finding)
{
	static const struct scope_timeline_ops ops = { .exit = take_call, .peer = take_peer };
	struct scope_trace *trace = finding->summarizer->analysis->trace;
	int err = scope_timeline_create(trace, &finding->timeline);

	if (err)
		return err;
	err = scope_timeline_run(finding->timeline, trace, &ops, finding);
	scope_timeline_destroy(finding->timeline);
	/* Answers that were complete when the trace ended. */
	for (size_t i = 0; !err && i < finding->slots; i++)
		if (finding->slot[i].key)
			err = finish(finding, &finding->slot[i]);
	return err;
}

int scope_fleet_exchanges_find(struct scope_fleet_summarizer *summarizer)
{
	struct finding finding = { .summarizer = summarizer };
	size_t count;
	const struct scope_trace_fd *row = scope_trace_fds(summarizer->analysis->trace, &count);
	int err = widen(&finding);

	for (size_t i = 0; !err && i < count; i++)
		err = add_open(&finding, &row[i]);
	if (!err)
		err = run(&finding);
	if (!err)
		err = scope_fleet_exchanges_choose(&finding);
	scope_fleet_names_free(&finding.names);
	free(finding.slot);
	free(finding.sums);
	return err;
}
