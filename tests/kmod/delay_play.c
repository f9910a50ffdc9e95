// SPDX-License-Identifier: GPL-2.0-only
/*
 * For run.sh, which uses delays and other tools at the same time: prints the number of a process, then executes the command of each
 * line and answers with a line. `delay`, `undelay`: a rule on the entry of getppid. `calls N`: the
 * process calls it N times; the answer has visits, served and missed of the rule, if there is one.
 */
#include <errno.h>
#include <string.h>
#include "delay_ways.h"
#include "tests.h"

void test_delay_play(void)
{
	struct client_delay_state state = { 0 };
	struct delay_served served = { 0 };
	struct puppet puppet;
	struct client client;
	char line[64];
	uint32_t calls;
	bool delayed = false;
	int err;

	delay_begin(&client, &puppet);
	printf("%d\n", (int)puppet.pid);
	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "delay\n")) {
			delay_ways[0].rule.ns = 30000;
			err = client_delay_set(&client, &delay_ways[0].rule);
			delayed = !err;
			printf("%s %s\n", err ? strerror(-err) : "set", client_delay_text);
		} else if (!strcmp(line, "undelay\n")) {
			err = client_delay_remove(&client, 0);
			delayed = false;
			printf("%s\n", err ? strerror(-err) : "removed");
		} else {
			CHECK(sscanf(line, "calls %u", &calls) == 1, "%s", line);
			puppet_do(&puppet, PUPPET_GETPPID, calls);
			if (delayed)
				state = delay_state_of(&client, 0);
			printf("%lu %lu %lu\n", state.visits, state.served, state.missed);
		}
	}
	delay_end(&client, &puppet, &served);
}
