// SPDX-License-Identifier: GPL-2.0-only
/* Generic netlink client of the module: one request at a time, each answered or acknowledged. */
#include "control/control.h"
#include "control/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>

#define REQUEST_BYTES 16384 /* the largest message names 1024 threads */

/* Converts those of libnl's own errors that can occur here to -errno. */
static int from_netlink(int err)
{
	switch (-err) {
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_PERM:
	case NLE_NOACCESS:
		return -EPERM;
	case NLE_OBJ_NOTFOUND:
		return -ENOENT;
	case NLE_AGAIN:
		return -EAGAIN;
	case NLE_INTR:
		return -EINTR;
	case NLE_PROTO_MISMATCH:
	case NLE_AF_NOSUPPORT:
		return -EPROTONOSUPPORT;
	default:
		return -EIO;
	}
}

static int no_module(struct scope_error *error)
{
	if (access(SCOPE_DEVICE_PATH, F_OK) == 0)
		return scope_error_set(error, -ENOENT,
				       "the scope module is loaded, but cannot be reached from this "
				       "network namespace: run scope on the host, outside of containers");
	return scope_error_set(error, -ENOENT,
			       "the scope module is not loaded: load it with `modprobe scope`, or "
			       "`insmod scope.ko` (built by `make kmod`); `scope doctor` says more");
}

/* Copies the text that the kernel may have sent after an error message. */
static void take_ext_ack(const struct nlmsgerr *answer, struct scope_reply *reply)
{
	const struct nlmsghdr *header = (const struct nlmsghdr *)answer - 1;
	size_t skip = sizeof(*answer), length;
	const struct nlattr *text;

	/* libnl and the kernel use the same message header; the payload follows it directly. */
	if (!(header->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(header->nlmsg_flags & NLM_F_CAPPED))
		skip += NLMSG_ALIGN(answer->msg.nlmsg_len) - sizeof(answer->msg);
	if (header->nlmsg_len < sizeof(*header) + skip)
		return;
	length = header->nlmsg_len - sizeof(*header) - skip;
	text = nla_find((const struct nlattr *)((const char *)answer + skip), (int)length, NLMSGERR_ATTR_MSG);
	if (text)
		nla_strlcpy(reply->text, text, sizeof(reply->text));
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *answer, void *argument)
{
	struct scope_reply *reply = argument;

	(void)from;
	reply->err = answer->error;
	reply->done = true;
	take_ext_ack(answer, reply);
	return NL_STOP;
}

static int on_ack(struct nl_msg *message, void *argument)
{
	struct scope_reply *reply = argument;

	(void)message;
	reply->done = true;
	return NL_STOP;
}

static int on_message(struct nl_msg *message, void *argument)
{
	struct nlattr *attr[SCOPE_ATTR_MAX + 1];
	struct scope_reply *reply = argument;

	if (!reply->parse)
		return NL_OK;
	/* There is no policy, because a newer module may send more, and every getter below checks the length. */
	if (genlmsg_parse(nlmsg_hdr(message), 0, attr, SCOPE_ATTR_MAX, NULL) < 0)
		reply->err = -EBADMSG;
	else
		reply->err = reply->parse(attr, reply->result);
	return NL_OK;
}

int scope_control_transact(struct scope_control *control, struct nl_msg *message, struct scope_reply *reply)
{
	struct nl_cb *callbacks = nl_cb_alloc(NL_CB_DEFAULT);
	int err;

	if (!callbacks) {
		err = -ENOMEM;
		goto free_message;
	}
	nl_cb_err(callbacks, NL_CB_CUSTOM, on_error, reply);
	nl_cb_set(callbacks, NL_CB_ACK, NL_CB_CUSTOM, on_ack, reply);
	nl_cb_set(callbacks, NL_CB_VALID, NL_CB_CUSTOM, on_message, reply);
	err = nl_send_auto(control->socket, message);
	if (err < 0) {
		err = from_netlink(err);
		goto put_callbacks;
	}
	while (!reply->done) {
		err = nl_recvmsgs(control->socket, callbacks);
		/* After an error message libnl returns its own code. The code kept in the request is more precise. */
		if (err < 0 && !reply->done && err != -NLE_INTR) {
			err = from_netlink(err);
			goto put_callbacks;
		}
	}
	err = reply->err;
put_callbacks:
	nl_cb_put(callbacks);
free_message:
	nlmsg_free(message);
	return err;
}

struct nl_msg *scope_control_request(struct scope_control *control, uint8_t command)
{
	struct nl_msg *message = nlmsg_alloc_size(REQUEST_BYTES);

	if (message && !genlmsg_put(message, NL_AUTO_PORT, NL_AUTO_SEQ, control->family, 0, NLM_F_REQUEST | NLM_F_ACK,
				    command, SCOPE_GENL_VERSION)) {
		nlmsg_free(message);
		message = NULL;
	}
	return message;
}

int scope_control_refused(int err, const char *verb, const struct scope_reply *reply, struct scope_error *error)
{
	const char *colon = reply->text[0] ? ": " : "";
	const char *text = reply->text;

	switch (err) {
	case -EPERM:
	case -EACCES:
		return scope_error_set(error, err,
				       "no permission to %s: run as root (the module asks for "
				       "CAP_SYS_ADMIN or CAP_PERFMON)%s%s",
				       verb, colon, text);
	case -ESRCH:
		return scope_error_set(error, err, "cannot %s: no such process, it may just have ended%s%s", verb,
				       colon, text);
	case -EPROTO:
		return scope_error_set(error, err,
				       "cannot %s: the loaded module speaks none of the protocols %u to "
				       "%u of this program: load the scope.ko of the same release%s%s",
				       verb, SCOPE_PROTOCOL_MIN, SCOPE_PROTOCOL, colon, text);
	case -ENOMEM:
		return scope_error_set(error, err,
				       "cannot %s: the kernel has no memory for the rings: ask for "
				       "smaller ones (--subbuf-bytes, --subbuf-count)%s%s",
				       verb, colon, text);
	case -ENOENT:
		return scope_error_set(error, err, "cannot %s: the module does not know this session%s%s", verb, colon,
				       text);
	default:
		return scope_error_set(error, err, "cannot %s: %s%s%s", verb, strerror(-err), colon, text);
	}
}

uint64_t scope_control_reply_number(struct nlattr *attr)
{
	if (!attr)
		return 0;
	switch (nla_len(attr)) {
	case 1:
		return nla_get_u8(attr);
	case 2:
		return nla_get_u16(attr);
	case 4:
		return nla_get_u32(attr);
	case 8:
		return nla_get_u64(attr);
	default:
		return 0;
	}
}

static int parse_info(struct nlattr **attr, void *result)
{
	struct scope_control_info *info = result;
	struct nlattr *session;
	int left;

	if (!attr[SCOPE_ATTR_PROTOCOL])
		return -EBADMSG;
	info->module_protocol = (uint32_t)scope_control_reply_number(attr[SCOPE_ATTR_PROTOCOL]);
	info->module_protocol_min = attr[SCOPE_ATTR_PROTOCOL_MIN]
					    ? (uint32_t)scope_control_reply_number(attr[SCOPE_ATTR_PROTOCOL_MIN])
					    : info->module_protocol;
	info->regs = (uint32_t)scope_control_reply_number(attr[SCOPE_ATTR_KERNEL_REGS]);
	info->selftest = (enum scope_selftest)scope_control_reply_number(attr[SCOPE_ATTR_SELFTEST]);
	if (attr[SCOPE_ATTR_MODULE_VERSION])
		nla_strlcpy(info->version, attr[SCOPE_ATTR_MODULE_VERSION], sizeof(info->version));
	if (attr[SCOPE_ATTR_SESSIONS])
		nla_for_each_nested(session, attr[SCOPE_ATTR_SESSIONS], left)
			if (info->session_count < sizeof(info->sessions) / sizeof(info->sessions[0]))
				info->sessions[info->session_count++] = (uint32_t)scope_control_reply_number(session);
	return 0;
}

/* The newest protocol that both ranges have, or 0 if there is none. */
static uint32_t common_protocol(uint32_t module_min, uint32_t module_max)
{
	const uint32_t newest = module_max < SCOPE_PROTOCOL ? module_max : SCOPE_PROTOCOL;

	return newest >= module_min && newest >= SCOPE_PROTOCOL_MIN ? newest : 0;
}

static int read_info(struct scope_control *control, struct scope_error *error, struct scope_control_info *ret_info)
{
	struct scope_control_info info = { 0 };
	struct scope_reply reply = { .parse = parse_info, .result = &info };
	struct nl_msg *message = scope_control_request(control, SCOPE_CMD_INFO);
	int err;

	if (!message)
		return scope_error_set(error, -ENOMEM, "no memory for a netlink message");
	err = scope_control_transact(control, message, &reply);
	if (err)
		return scope_control_refused(err, "talk to the scope module", &reply, error);
	info.protocol = common_protocol(info.module_protocol_min, info.module_protocol);
	if (!info.protocol)
		return scope_error_set(error, -EPROTO,
				       "the loaded scope module (%s) speaks protocols %u to %u, this "
				       "program (%s) %u to %u: `rmmod scope`, then load the scope.ko of "
				       "the program's release, or use the program of the module's",
				       info.version, info.module_protocol_min, info.module_protocol, SCOPE_VERSION,
				       SCOPE_PROTOCOL_MIN, SCOPE_PROTOCOL);
	control->protocol = info.protocol;
	*ret_info = info;
	return 0;
}

int scope_control_open(struct scope_error *error, struct scope_control **ret_control,
		       struct scope_control_info *ret_info)
{
	struct scope_control *control = calloc(1, sizeof(*control));
	struct scope_control_info info;
	int err, yes = 1;

	if (!control)
		return scope_error_set(error, -ENOMEM, "no memory for a netlink socket");
	control->socket = nl_socket_alloc();
	if (!control->socket) {
		err = scope_error_set(error, -ENOMEM, "no memory for a netlink socket");
		goto close;
	}
	err = genl_connect(control->socket);
	if (err) {
		err = scope_error_set(error, from_netlink(err), "cannot open a netlink socket: %s", nl_geterror(err));
		goto close;
	}
	/* Kernels before 4.12 have no such texts. */
	setsockopt(nl_socket_get_fd(control->socket), SOL_NETLINK, NETLINK_EXT_ACK, &yes, sizeof(yes));
	nl_socket_enable_msg_peek(control->socket);
	control->family = genl_ctrl_resolve(control->socket, SCOPE_GENL_NAME);
	if (control->family < 0) {
		err = no_module(error);
		goto close;
	}
	err = read_info(control, error, &info);
	if (err)
		goto close;
	if (ret_info)
		*ret_info = info;
	*ret_control = control;
	return 0;
close:
	scope_control_close(control);
	return err;
}

void scope_control_close(struct scope_control *control)
{
	if (!control)
		return;
	nl_socket_free(control->socket);
	free(control);
}

static int session_command(struct scope_control *control, uint8_t command, uint32_t session, const char *verb,
			   struct scope_reply *reply, struct scope_error *error)
{
	struct nl_msg *message = scope_control_request(control, command);
	int err;

	if (!message || nla_put_u32(message, SCOPE_ATTR_SESSION, session)) {
		nlmsg_free(message);
		return scope_error_set(error, -ENOMEM, "no room for a netlink message");
	}
	err = scope_control_transact(control, message, reply);
	return err ? scope_control_refused(err, verb, reply, error) : 0;
}

int scope_control_start(struct scope_control *control, uint32_t session, struct scope_error *error)
{
	struct scope_reply reply = { 0 };

	return session_command(control, SCOPE_CMD_START, session, "start tracing", &reply, error);
}

int scope_control_stop(struct scope_control *control, uint32_t session, struct scope_error *error)
{
	struct scope_reply reply = { 0 };

	return session_command(control, SCOPE_CMD_STOP, session, "stop tracing", &reply, error);
}
