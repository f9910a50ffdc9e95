// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit: which attributes the netlink family accepts, and how it interprets them.
 *
 * It reads the family's own table of commands and their policies. So an attribute that is added there is tested without
 * a change here. It is compiled instead of netlink.c, because the tables of that file are static.
 */
#include <kunit/test.h>
#include "../netlink.c"
#include "../probe.h"
#include "../region.h"
#include "suites.h"

#define MESSAGE_BYTES 8192

/* A message, and the last result of the policy. Together with the session it is too large for a stack. */
struct message {
	struct nlattr *attrs[SCOPE_ATTR_MAX + 1];
	struct netlink_ext_ack extack;
	u32 bytes;
	struct nlmsghdr head; /* the data follow without a gap */
	struct genlmsghdr genl;
	u8 data[MESSAGE_BYTES] __aligned(4);
};

/* The module's own init has not run yet. The part of it that sessions need is done here. */
static int message_init(struct kunit *test)
{
	int err = scope_probe_init();

	if (err)
		return err;
	test->priv = kunit_kzalloc(test, sizeof(struct message), GFP_KERNEL);
	return test->priv ? scope_region_init() : -ENOMEM;
}

static void message_exit(struct kunit *test)
{
	if (test->priv)
		scope_region_exit();
}

static void add(struct message *m, u16 type, const void *data, u16 bytes)
{
	struct nlattr *attribute = (struct nlattr *)(m->data + m->bytes);

	attribute->nla_type = type;
	attribute->nla_len = NLA_HDRLEN + bytes;
	memset(attribute + 1, 0, NLA_ALIGN(bytes));
	if (data)
		memcpy(attribute + 1, data, bytes);
	m->bytes += NLA_HDRLEN + NLA_ALIGN(bytes);
}

static void add_u32(struct message *m, u16 type, u32 value)
{
	add(m, type, &value, sizeof(value));
}

static int validate(struct message *m, const struct scope_op *op)
{
	memset(&m->extack, 0, sizeof(m->extack));
	return __nla_parse(m->attrs, op->maxattr, (const struct nlattr *)m->data, m->bytes, op->policy,
			   NL_VALIDATE_STRICT, &m->extack);
}

/* -1: of no fixed length */
static int wanted_bytes(const struct nla_policy *policy)
{
	switch (policy->type) {
	case NLA_FLAG:
		return 0;
	case NLA_U8:
		return 1;
	case NLA_U16:
		return 2;
	case NLA_U32:
		return 4;
	case NLA_U64:
		return 8;
	case NLA_BINARY:
		return policy->min && policy->min == policy->max ? policy->max : -1;
	default:
		return -1;
	}
}

static void each_attribute_has_one_length(struct kunit *test)
{
	static const int off_by[] = { -4, -1, 0, 1, 4, 100 };
	struct message *m = test->priv;
	u32 op, name, i, tried = 0;

	for (op = 0; op < ARRAY_SIZE(ops); op++)
		for (name = 1; name <= ops[op].maxattr; name++) {
			int want = wanted_bytes(&ops[op].policy[name]), err;

			for (i = 0; want >= 0 && i < ARRAY_SIZE(off_by); i++) {
				if (want + off_by[i] < 0)
					continue;
				m->bytes = 0;
				add(m, name, NULL, want + off_by[i]);
				err = validate(m, &ops[op]);
				KUNIT_EXPECT_EQ_MSG(test, !err, !off_by[i], "command %u, attribute %u, %d bytes", op,
						    name, want + off_by[i]);
				if (err)
					KUNIT_EXPECT_PTR_EQ(test, (const void *)m->extack.bad_attr,
							    (const void *)m->data);
				tried++;
			}
		}
	KUNIT_EXPECT_GT(test, tried, 50u);
}

/* Attributes beyond the table, attributes of other commands, and attributes of answers. */
static void unknown_attributes_are_refused(struct kunit *test)
{
	struct message *m = test->priv;
	u32 op, name, tried = 0;

	for (op = 0; op < ARRAY_SIZE(ops); op++)
		for (name = 1; name <= SCOPE_ATTR_MAX + 3; name++) {
			if (name <= ops[op].maxattr && ops[op].policy[name].type != NLA_UNSPEC)
				continue;
			m->bytes = 0;
			add_u32(m, name, 1);
			KUNIT_EXPECT_NE_MSG(test, validate(m, &ops[op]), 0, "command %u, attribute %u", op, name);
			tried++;
		}
	KUNIT_EXPECT_GT(test, tried, 20u);
}

/* A nested attribute without its flag, and attributes that are cut off. */
static void broken_frames_are_refused(struct kunit *test)
{
	struct message *m = test->priv;
	u32 op, name, tried = 0;

	for (op = 0; op < ARRAY_SIZE(ops); op++)
		for (name = 1; name <= ops[op].maxattr; name++) {
			if (ops[op].policy[name].type != NLA_NESTED)
				continue;
			m->bytes = 0;
			add_u32(m, name, 1);
			KUNIT_EXPECT_NE(test, validate(m, &ops[op]), 0);
			tried++;
		}
	KUNIT_EXPECT_GT(test, tried, 0u);
	for (op = 0; op < ARRAY_SIZE(ops); op++) {
		if (ops[op].maxattr < SCOPE_ATTR_SESSION)
			continue;
		m->bytes = 0;
		add_u32(m, SCOPE_ATTR_SESSION, 1);
		KUNIT_EXPECT_EQ(test, validate(m, &ops[op]), 0);
		for (m->bytes = 1; m->bytes < 8; m->bytes++)
			KUNIT_EXPECT_NE_MSG(test, validate(m, &ops[op]), 0, "command %u cut to %u bytes", op, m->bytes);
	}
}

/* Only the module's own check, like on a kernel that does not read the policy. */
static int check_alone(struct message *m, const struct scope_op *op)
{
	struct genl_info info = { .nlhdr = &m->head, .genlhdr = &m->genl, .extack = &m->extack };

	m->head.nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN + m->bytes;
	m->genl.cmd = op->cmd;
	return check_attributes(&info);
}

static void texts_end_within_their_attribute(struct kunit *test)
{
	struct message *m = test->priv;
	static char text[SCOPE_PROBE_NAME_BYTES + 1];
	u32 op, name, tried = 0;

	for (op = 0; op < ARRAY_SIZE(ops); op++)
		for (name = 1; name <= ops[op].maxattr; name++) {
			u16 most = ops[op].policy[name].len + 1, bytes;

			if (ops[op].policy[name].type != NLA_NUL_STRING)
				continue;
			KUNIT_ASSERT_LT(test, most, sizeof(text));
			for (bytes = 0; bytes <= most + 1; bytes++) {
				memset(text, 'x', sizeof(text));
				m->bytes = 0;
				add(m, name, text, bytes);
				KUNIT_EXPECT_EQ(test, check_alone(m, &ops[op]), -EINVAL);
				if (!bytes)
					continue;
				text[bytes - 1] = 0;
				m->bytes = 0;
				add(m, name, text, bytes);
				KUNIT_EXPECT_EQ(test, check_alone(m, &ops[op]), bytes <= most ? 0 : -EINVAL);
			}
			tried++;
		}
	KUNIT_EXPECT_GT(test, tried, 2u);
}

static void add_targets(struct message *m, u32 pid, u32 count)
{
	struct nlattr *nest = (struct nlattr *)(m->data + m->bytes);
	u32 before = m->bytes;

	add(m, SCOPE_ATTR_TARGETS | NLA_F_NESTED, NULL, 0);
	while (count--)
		add_u32(m, SCOPE_ATTR_TARGET, pid);
	nest->nla_len = m->bytes - before;
}

/*
 * Applies CONFIGURE to a new session, after the policy has accepted the message. On success *ret_config and
 * *ret_processes are the result.
 */
static int configure_by(struct kunit *test, struct message *m, struct scope_config *ret_config, int *ret_processes)
{
	struct scope_session *session;
	struct genl_info info = { .attrs = m->attrs, .extack = &m->extack };
	int err;

	KUNIT_ASSERT_EQ(test, validate(m, op_of(SCOPE_CMD_CONFIGURE)), 0);
	KUNIT_ASSERT_EQ(test, scope_session_create(&session), 0);
	err = scope_configure(session, &info);
	KUNIT_EXPECT_EQ(test, scope_session_configured(session), !err);
	if (!err && ret_config) {
		*ret_config = session->config;
		*ret_processes = atomic_read(&session->filter.count);
	}
	scope_session_close(session);
	return err;
}

static int configure_answer(struct kunit *test, struct message *m)
{
	return configure_by(test, m, NULL, NULL);
}

static void begin(struct message *m, u32 pid, u32 targets)
{
	m->bytes = 0;
	add_u32(m, SCOPE_ATTR_SESSION, 1);
	add_u32(m, SCOPE_ATTR_PROTOCOL, SCOPE_PROTOCOL);
	add_targets(m, pid, targets);
}

/* The test runs in a kernel thread: the first process of user space is the target. */
static void configure_fills_in_defaults(struct kunit *test)
{
	struct scope_config *config = kunit_kzalloc(test, sizeof(*config), GFP_KERNEL);
	struct message *m = test->priv;
	int processes;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, config);
	begin(m, 1, 2);
	KUNIT_ASSERT_EQ(test, configure_by(test, m, config, &processes), 0);
	KUNIT_EXPECT_EQ(test, processes, 1);
	KUNIT_EXPECT_EQ(test, config->subbuf_bytes, SCOPE_SUBBUF_BYTES_DEFAULT);
	KUNIT_EXPECT_EQ(test, config->subbuf_count, SCOPE_SUBBUF_COUNT_DEFAULT);
	KUNIT_EXPECT_EQ(test, config->stack_bytes, SCOPE_STACK_BYTES_DEFAULT);
	KUNIT_EXPECT_EQ(test, config->events, SCOPE_EVENTS_DEFAULT);
	KUNIT_EXPECT_EQ(test, config->stack_mode, SCOPE_STACK_NONE);
}

static void configure_refuses_values(struct kunit *test)
{
	static const struct {
		u16 name;
		u32 value;
		int want;
	} rows[] = {
		{ SCOPE_ATTR_SUBBUF_BYTES, 0, -EINVAL },
		{ SCOPE_ATTR_SUBBUF_BYTES, SCOPE_SUBBUF_BYTES_MIN / 2, -EINVAL },
		{ SCOPE_ATTR_SUBBUF_BYTES, SCOPE_SUBBUF_BYTES_MIN + 8, -EINVAL },
		{ SCOPE_ATTR_SUBBUF_BYTES, SCOPE_SUBBUF_BYTES_MAX * 2, -EINVAL },
		{ SCOPE_ATTR_SUBBUF_BYTES, ~0u, -EINVAL },
		{ SCOPE_ATTR_SUBBUF_COUNT, 0, -EINVAL },
		{ SCOPE_ATTR_SUBBUF_COUNT, 1, -EINVAL },
		{ SCOPE_ATTR_SUBBUF_COUNT, 3, -EINVAL },
		{ SCOPE_ATTR_SUBBUF_COUNT, SCOPE_SUBBUF_COUNT_MAX * 2, -EINVAL },
		{ SCOPE_ATTR_STACK_BYTES, 12, -EINVAL },
		{ SCOPE_ATTR_STACK_BYTES, SCOPE_STACK_BYTES_MAX + 8, -EINVAL },
		{ SCOPE_ATTR_SAMPLE_PERIOD_NS, 1, -EINVAL },
		{ SCOPE_ATTR_SAMPLE_PERIOD_NS, 1000000, -EINVAL }, /* without stacks */
		{ SCOPE_ATTR_SUBBUF_BYTES, SCOPE_SUBBUF_BYTES_MIN, 0 },
		{ SCOPE_ATTR_SUBBUF_COUNT, SCOPE_SUBBUF_COUNT_MIN, 0 },
	};
	struct message *m = test->priv;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		begin(m, 1, 1);
		add_u32(m, rows[i].name, rows[i].value);
		KUNIT_EXPECT_EQ_MSG(test, configure_answer(test, m), rows[i].want, "attribute %u = %u", rows[i].name,
				    rows[i].value);
	}
}

static void configure_refuses_targets(struct kunit *test)
{
	struct message *m = test->priv;

	begin(m, 1, 0);
	KUNIT_EXPECT_EQ(test, configure_answer(test, m), -EINVAL);
	begin(m, 1, SCOPE_TARGET_MAX);
	KUNIT_EXPECT_EQ(test, configure_answer(test, m), 0);
	begin(m, 1, SCOPE_TARGET_MAX + 1);
	KUNIT_EXPECT_EQ(test, configure_answer(test, m), -EINVAL);
	begin(m, 2, 1); /* kthreadd */
	KUNIT_EXPECT_EQ(test, configure_answer(test, m), -EINVAL);
	begin(m, 0x7fffffff, 1);
	KUNIT_EXPECT_EQ(test, configure_answer(test, m), -ESRCH);
	begin(m, ~0u, 1);
	KUNIT_EXPECT_EQ(test, configure_answer(test, m), -ESRCH);
	m->bytes = 0;
	add_u32(m, SCOPE_ATTR_PROTOCOL, SCOPE_PROTOCOL + 99);
	add_targets(m, 1, 1);
	KUNIT_EXPECT_EQ(test, configure_answer(test, m), -EPROTO);
	m->bytes = 0;
	add_targets(m, 1, 1);
	KUNIT_EXPECT_EQ(test, configure_answer(test, m), -EINVAL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(each_attribute_has_one_length), KUNIT_CASE(unknown_attributes_are_refused),
	KUNIT_CASE(broken_frames_are_refused),	   KUNIT_CASE(texts_end_within_their_attribute),
	KUNIT_CASE(configure_fills_in_defaults),   KUNIT_CASE(configure_refuses_values),
	KUNIT_CASE(configure_refuses_targets),	   {}
};

struct kunit_suite scope_kunit_netlink = {
	.name = "scope_netlink",
	.init = message_init,
	.exit = message_exit,
	.test_cases = cases,
};
