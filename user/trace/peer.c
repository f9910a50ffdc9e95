// SPDX-License-Identifier: GPL-2.0-only
/* What the capture found about a descriptor: its file, or the peer of a socket. */
#include "trace/peer.h"

#include <arpa/inet.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void scope_trace_address_text(const uint64_t address[2], uint32_t port, char ret_text[SCOPE_TRACE_ADDRESS_TEXT])
{
	const uint64_t words[2] = { htobe64(address[0]), htobe64(address[1]) };
	struct in6_addr v6;
	char text[INET6_ADDRSTRLEN];

	memcpy(&v6, words, sizeof(v6));
	if (IN6_IS_ADDR_V4MAPPED(&v6)) {
		inet_ntop(AF_INET, &v6.s6_addr[12], text, sizeof(text));
		snprintf(ret_text, SCOPE_TRACE_ADDRESS_TEXT, "%s:%u", text, port & UINT16_MAX);
	} else {
		inet_ntop(AF_INET6, &v6, text, sizeof(text));
		snprintf(ret_text, SCOPE_TRACE_ADDRESS_TEXT, "[%s]:%u", text, port & UINT16_MAX);
	}
}

bool scope_trace_peer_of(const struct scope_trace_fd *row, struct scope_trace_peer *ret_peer)
{
	const char *at = strncmp(row->name, "socket:", strlen("socket:")) ? NULL
									  : strstr(row->name, SCOPE_TRACE_FD_PEER);
	const char *process, *end;
	char *rest;

	*ret_peer = (struct scope_trace_peer){ .pid = 0 };
	if (!at)
		return false;
	at += strlen(SCOPE_TRACE_FD_PEER);
	process = strstr(at, SCOPE_TRACE_FD_PROCESS);
	snprintf(ret_peer->address, sizeof(ret_peer->address), "%.*s", (int)(process ? process - at : (long)strlen(at)),
		 at);
	end = process ? strrchr(process, ')') : NULL;
	if (!end)
		return true;
	ret_peer->pid = (uint32_t)strtoul(process + strlen(SCOPE_TRACE_FD_PROCESS), &rest, 10);
	if (*rest == ' ' && rest < end)
		snprintf(ret_peer->name, sizeof(ret_peer->name), "%.*s", (int)(end - rest - 1), rest + 1);
	return true;
}

static bool opens(const struct scope_trace_fd *row, size_t count, uint32_t pid)
{
	size_t i = 0;

	while (i < count && row[i].tgid != pid)
		i++;
	return i < count;
}

bool scope_trace_peers_within(const struct scope_trace *trace)
{
	size_t count;
	const struct scope_trace_fd *row = scope_trace_fds(trace, &count);
	bool own = false;

	for (size_t i = 0; i < count; i++) {
		struct scope_trace_peer peer;

		if (row[i].kind != SCOPE_FD_CONNECTED || !scope_trace_peer_of(&row[i], &peer))
			continue;
		if (!opens(row, count, peer.pid))
			return false;
		own = true;
	}
	return own;
}
