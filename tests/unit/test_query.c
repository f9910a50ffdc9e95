// SPDX-License-Identifier: GPL-2.0-only
/* Counts of a host with more CPUs than fit into one answer of the module. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <netlink/attr.h>
#include <netlink/genl/genl.h>

#include "control/control.h"
#include "control/message.h"

#define ONE_ANSWER 200

/* A module, in place of user/control/control.c: some CPUs, each with records of its number. */
static struct {
	uint32_t cpus, asked;
	bool circle; /* it always says that there is more from CPU 1 on */
} module;

struct nl_msg *scope_control_request(struct scope_control *control, uint8_t command)
{
	(void)control;
	assert_int_equal(command, SCOPE_CMD_QUERY);
	return nlmsg_alloc_size(64);
}

int scope_control_refused(int code, const char *verb, const struct scope_reply *reply, struct scope_error *error)
{
	(void)reply;
	return scope_error_set(error, code, "cannot %s", verb);
}

uint64_t scope_control_reply_number(struct nlattr *attr)
{
	if (!attr)
		return 0;
	return nla_len(attr) == 8 ? nla_get_u64(attr) : nla_len(attr) == 4 ? nla_get_u32(attr) : nla_get_u8(attr);
}

static void put_cpus(struct nl_msg *answer, uint32_t first)
{
	struct nlattr *all = nla_nest_start(answer, SCOPE_ATTR_CPUS), *one;
	uint32_t cpu;

	for (cpu = first; cpu < module.cpus && cpu < first + ONE_ANSWER; cpu++) {
		one = nla_nest_start(answer, SCOPE_ATTR_CPU);
		assert_int_equal(nla_put_u32(answer, SCOPE_ATTR_CPU_ID, cpu), 0);
		assert_int_equal(nla_put_u64(answer, SCOPE_ATTR_RECORDS, cpu), 0);
		assert_int_equal(nla_put_u64(answer, SCOPE_ATTR_LOST_FULL, 2), 0);
		nla_nest_end(answer, one);
	}
	nla_nest_end(answer, all);
	if (cpu < module.cpus || module.circle)
		assert_int_equal(nla_put_u32(answer, SCOPE_ATTR_CPU_NEXT, module.circle ? 1 : cpu), 0);
}

int scope_control_transact(struct scope_control *control, struct nl_msg *message, struct scope_reply *reply)
{
	struct nlattr *attr[SCOPE_ATTR_MAX + 1], *first;
	struct nl_msg *answer = nlmsg_alloc_size(65536);
	int code;

	(void)control;
	first = nlmsg_find_attr(nlmsg_hdr(message), 0, SCOPE_ATTR_CPU_FIRST);
	assert_int_equal(nla_put_u32(answer, SCOPE_ATTR_SESSION, 7), 0);
	put_cpus(answer, first ? nla_get_u32(first) : 0);
	assert_int_equal(nlmsg_parse(nlmsg_hdr(answer), 0, attr, SCOPE_ATTR_MAX, NULL), 0);
	code = reply->parse(attr, reply->result);
	nlmsg_free(answer);
	nlmsg_free(message);
	module.asked++;
	return code;
}

static void expect(uint32_t cpus, uint32_t answers)
{
	struct scope_session_status status;
	struct scope_error error = { 0 };
	uint32_t i;

	module.cpus = cpus;
	module.asked = 0;
	module.circle = false;
	assert_int_equal(scope_control_query(NULL, 7, &error, &status), 0);
	assert_int_equal(module.asked, answers);
	assert_int_equal(status.session, 7);
	assert_int_equal(status.cpus, cpus);
	for (i = 0; i < cpus; i++) {
		assert_int_equal(status.cpu[i].cpu, i);
		assert_int_equal(status.cpu[i].records, i);
	}
	assert_int_equal(status.total.records, (uint64_t)cpus * (cpus - 1) / 2);
	assert_int_equal(status.total.lost[SCOPE_LOST_FULL], 2 * cpus);
	scope_control_session_status_destroy(&status);
}

static void test_one_answer(void **state)
{
	(void)state;
	expect(1, 1);
	expect(ONE_ANSWER, 1);
}

static void test_more_answers(void **state)
{
	(void)state;
	expect(ONE_ANSWER + 1, 2);
	expect(2 * ONE_ANSWER, 2);
	expect(8192, 41);
}

/* A module that sends its reader back must not keep it for ever. */
static void test_circle(void **state)
{
	struct scope_session_status status;
	struct scope_error error = { 0 };

	(void)state;
	module.cpus = 3;
	module.circle = true;
	module.asked = 0;
	assert_int_equal(scope_control_query(NULL, 7, &error, &status), -EBADMSG);
	assert_int_equal(module.asked, 2);
	assert_non_null(strstr(error.text, "read the counts"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_answer),
		cmocka_unit_test(test_more_answers),
		cmocka_unit_test(test_circle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
