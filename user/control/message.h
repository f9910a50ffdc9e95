/* SPDX-License-Identifier: GPL-2.0-only */
/* A request to the module and its answer; used in this folder. */
#ifndef SCOPE_CONTROL_MESSAGE_H
#define SCOPE_CONTROL_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <netlink/msg.h>
#include <netlink/netlink.h>

#include "base/error.h"

struct scope_control {
	struct nl_sock *socket;
	int family;
	uint32_t protocol; /* the newest protocol that both know */
};

/* The answer to a request, filled by the callbacks of libnl. */
struct scope_reply {
	int (*parse)(struct nlattr **attr, void *result);
	void *result;
	int err; /* result of the acknowledgement or of parse: 0 or -errno */
	bool done;
	char text[256]; /* the kernel's message for a refusal, "" if it sent none */
};

/* NULL: no memory. */
struct nl_msg *scope_control_request(struct scope_control *control, uint8_t command);

/* Sends message (always freed) and waits for its acknowledgement. 0 or -errno. */
int scope_control_transact(struct scope_control *control, struct nl_msg *message, struct scope_reply *reply);

/* Makes the sentence for a refusal; verb names the request ("start tracing"). Returns err. */
int scope_control_refused(int err, const char *verb, const struct scope_reply *reply, struct scope_error *error);

/* A number of one, two, four or eight bytes; 0 if it is absent or has another length. */
uint64_t scope_control_reply_number(struct nlattr *attr);

#endif
